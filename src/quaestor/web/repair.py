"""Routes of the correction pages, and their views of numbers, steps and possible corrections."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote, unquote

from fastapi import APIRouter, Form
from pydantic import Discriminator, ValidationError
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from quaestor.application.error_lines import error_line
from quaestor.application.fixing import Fix, correct_number, find_place
from quaestor.conversation.answer import sources_of
from quaestor.conversation.display import show_source
from quaestor.conversation.turn import (
    Act,
    Choice,
    NumberCorrection,
    SourceChoice,
    Undo,
    active_corrections,
    missing_answer,
)
from quaestor.core import serial
from quaestor.core.computing import compute
from quaestor.core.provenance import Source
from quaestor.errors import InputError, QuaestorError
from quaestor.plan.steps import Extract
from quaestor.repair.choosing import place_label, quantity_at
from quaestor.repair.ledger import Ledger, Offer, possible_corrections
from quaestor.web.ask.cards import cards
from quaestor.web.ask.routes import show_conversation
from quaestor.web.document_view import source_at, source_key
from quaestor.web.errors import status_of
from quaestor.web.site import Site, TheSite

router = APIRouter()

AUTHOR = "quaestor_author"
"""Cookie with the name that the user entered."""


_CHOICE: Any = Annotated[Choice, Discriminator("kind")]
"""The value sent by the button of an offered correction."""

_COOKIE_SECONDS = 365 * 24 * 3600
_ShortText = Annotated[str, Form(max_length=400)]
_LongText = Annotated[str, Form(max_length=4_000)]


@router.get("/c/{id}/correct/{number}")
async def _show(request: Request, site: TheSite, id: str, number: int, at: str = "") -> Response:
    return await _page(request, site, id, number, at=at)


@router.post("/c/{id}/correct/{number}")
async def _correct(
    request: Request,
    site: TheSite,
    id: str,
    number: int,
    choice: _LongText = "",
    place: _ShortText = "",
    value: _ShortText = "",
    step: Annotated[int | None, Form(ge=0, le=10_000)] = None,
    reason: _ShortText = "",
    author: _ShortText = "",
) -> Response:
    def fix(ledger: Ledger) -> Fix:
        return Fix(_act(ledger, number - 1, choice, place, value, step), number - 1, reason)

    try:
        return await _apply_fix(request, site, id, fix, author.strip())
    except QuaestorError as error:
        state = await site.sessions.read_state(id)
        if not 1 <= number <= len(state.turns):
            raise
        line, status = error_line(error), status_of(error)
        return await _page(request, site, id, number, at=place, typed=value, error=line, status=status)


@router.post("/c/{id}/corrections/{number}/undo")
async def _undo(request: Request, site: TheSite, id: str, number: int) -> Response:
    return await _apply_fix(request, site, id, lambda ledger: Fix(Undo(number), 0), "")


async def _apply_fix(request: Request, site: Site, id: str, fix: Callable[[Ledger], Fix], name: str) -> Response:
    """Apply a correction and redirect to the conversation; remember the author's name in a cookie."""
    who = name or _author(request, site)
    correction = await site.sessions.correct(id, fix, who)
    first = min((change.turn for change in correction.changes), default=None)
    anchor = "corrections" if first is None else f"turn-{first + 1}"
    response = RedirectResponse(f"/c/{id}?corrected={correction.number}#{anchor}", 303)
    if name:
        response.set_cookie(
            AUTHOR,
            quote(name[:80]),
            max_age=_COOKIE_SECONDS,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
    return response


def _author(request: Request, site: Site) -> str:
    """Return the author from the cookie or the settings; the user who runs the server may be someone else."""
    return unquote(request.cookies.get(AUTHOR, ""))[:80].strip() or site.settings.author or "you"


def _act(ledger: Ledger, turn: int, choice: str, place: str, value: str, step: int | None) -> Act:
    """Return the correction that a form requests: an offered one, another number, or another place for a step."""
    if not 0 <= turn < len(ledger.turns):
        raise InputError(missing_answer(turn + 1, ledger.turns))
    if choice:
        try:
            chosen: Act = serial.load(_CHOICE, json.loads(choice))
            return chosen
        except (ValidationError, ValueError, RecursionError) as error:
            raise InputError("unknown correction; choose one of the offered corrections") from error
    if not place.strip():
        raise InputError("select a number: click it in the document, or enter its row and column")
    source = source_at(place.strip(), ledger.document) or find_place(place, ledger, turn)
    return correct_number(ledger, source, value) if step is None else SourceChoice(turn, step, source)


async def _page(
    request: Request,
    site: Site,
    id: str,
    number: int,
    *,
    at: str = "",
    typed: str = "",
    error: str = "",
    status: int = 200,
) -> Response:
    state = await site.sessions.read_state(id)
    if not 1 <= number <= len(state.turns):
        raise InputError(missing_answer(number, state.turns))
    ledger, turn = state.ledger, number - 1
    numbers = await compute(numbers_of_answer, ledger, turn)
    paper = await site.paper(state.document)
    source = source_at(at, state.document)
    (card,) = await compute(cards, ledger.turns[: turn + 1], paper, turn)
    return await show_conversation(
        request,
        site,
        id,
        at=source_key(source) if source is not None else (numbers[0].key if numbers else ""),
        error=error,
        status=status,
        template="repair/correct.html",
        more={
            "card": card,
            "numbers": numbers,
            "chosen": source_key(source) if source is not None else "",
            "figure": typed,
            "steps": list(steps_of_answer(ledger, turn)),
            "offers": await compute(offer_views, ledger, turn),
            "author": _author(request, site),
        },
    )


@dataclass(frozen=True, slots=True)
class NumberView:
    """A number that an answer depends on."""

    key: str
    label: str
    text: str
    was: str


def numbers_of_answer(ledger: Ledger, turn: int) -> list[NumberView]:
    """Return the numbers that an answer depends on."""
    return [_number(source, ledger) for source in sources_of(ledger.turns[turn].answer)]


def _number(source: Source, ledger: Ledger) -> NumberView:
    shown, read = show_source(source, ledger.document), quantity_at(ledger.read, source)
    now = quantity_at(ledger.document, source)
    corrected = any(
        isinstance(one.act, NumberCorrection) and one.act.source == source
        for one in active_corrections(ledger.corrections)
    )
    text = now.text if corrected and now is not None else shown.span
    return NumberView(
        source_key(source), place_label(ledger.read, source), text, read.text if corrected and read else ""
    )


def steps_of_answer(ledger: Ledger, turn: int) -> Iterator[tuple[int, str, str]]:
    """Yield the steps of an answer that take a number from the document: step id, label and key of the place."""
    plan = ledger.turns[turn].answer.plan
    for step in plan.steps if plan is not None else ():
        if isinstance(step, Extract) and step.quantity is not None:
            yield step.id, place_label(ledger.document, step.source), source_key(step.source)


def offer_views(ledger: Ledger, turn: int) -> dict[str, list[tuple[str, Offer]]]:
    """Return possible corrections of an answer by kind, each with the form value that selects it."""
    offers: dict[str, list[tuple[str, Offer]]] = {"source": [], "reading": [], "operation": []}
    for one in possible_corrections(ledger, turn):
        offers.setdefault(one.act.kind, []).append((json.dumps(serial.dump(one.act)), one))
    return offers
