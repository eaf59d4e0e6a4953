"""Routes for corrections: list them, list possible ones, and correct an answer."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field, JsonValue

from quaestor.application.fixing import act_words, author_name, change_words, read_fix
from quaestor.conversation.turn import Correction, active_corrections
from quaestor.core import serial
from quaestor.core.computing import compute
from quaestor.core.serial import Value
from quaestor.repair.ledger import Ledger, possible_corrections
from quaestor.store.listing import ListPage
from quaestor.web.api.bodies import Part, RequestBody, StrictRoute
from quaestor.web.api.conversations import ConversationId
from quaestor.web.api.problems import problems
from quaestor.web.site import TheSite

router = APIRouter(route_class=StrictRoute, prefix="/conversations/{conversation}", tags=["corrections"])

_LONGEST_FIX = 4_000


class CorrectionBody(RequestBody):
    """A correction to make.

    Attributes:
        fix: In the syntax of `/fix` (docs/corrections.md): `2 cell "Net sales" 2014 = 5,400`, `2 reading 2`, `undo 1`.
        author: Who makes it; by default the author in the settings.
    """

    fix: str = Field(min_length=1, max_length=_LONGEST_FIX)
    author: str | None = Field(default=None, max_length=80)


class ChangeReply(Value):
    """An answer that a correction changed.

    Attributes:
        number: The number of the answer, from 1.
        change: Its old and new value, in words.
    """

    number: int
    change: str


class CorrectionReply(Value):
    """A correction.

    Attributes:
        number: Its number in the conversation, from 1.
        reason: Why it was made, or "".
        stands: Whether it is in effect, that is, not undone.
    """

    number: int
    says: str
    author: str
    made: datetime
    reason: str
    stands: bool
    act: dict[str, JsonValue]
    changes: tuple[ChangeReply, ...]


class OfferReply(Value):
    """A possible correction.

    Attributes:
        gives: The resulting answer.
    """

    fix: str
    says: str
    gives: str


class OffersReply(Value):
    """Possible corrections of an answer: interpretations, then cells for each step, then operations."""

    offers: tuple[OfferReply, ...]


@router.get("/corrections", responses=problems())
async def _list_corrections(site: TheSite, conversation: ConversationId, part: Part) -> ListPage[CorrectionReply]:
    """List the corrections of a conversation in order, including undone ones."""
    ledger = (await site.sessions.read_state(conversation)).ledger
    return part.page_of(ledger.corrections).map(lambda one: correction_reply(one, ledger))


@router.post("/corrections", status_code=201, responses=problems(changes=True, body=True))
async def _correct(site: TheSite, conversation: ConversationId, wanted: CorrectionBody) -> CorrectionReply:
    """Correct an answer. Dependent answers are recalculated without asking a model."""
    author = (wanted.author or "").strip() or author_name(site.settings)
    correction = await site.sessions.correct(conversation, lambda ledger: read_fix(wanted.fix, ledger), author)
    return correction_reply(correction, (await site.sessions.read_state(conversation)).ledger)


@router.get("/turns/{number}/offers", responses=problems())
async def _list_offers(
    site: TheSite,
    conversation: ConversationId,
    number: Annotated[int, Path(ge=1, le=1_000_000, description="The number of the answer, from 1.")],
) -> OffersReply:
    """List possible corrections of an answer, each with the resulting answer."""
    state = await site.sessions.read_state(conversation)
    state.require_turn(number)
    found = await compute(possible_corrections, state.ledger, number - 1)
    offers = (
        OfferReply(fix=f"{number} {place}", says=one.description, gives=one.result)
        for place, one in enumerate(found, 1)
    )
    return OffersReply(offers=tuple(offers))


def correction_reply(one: Correction, ledger: Ledger) -> CorrectionReply:
    """Convert a correction to its reply."""
    return CorrectionReply.of(
        one,
        made=one.time,
        says=act_words(one.act, ledger),
        stands=one.number in {active.number for active in active_corrections(ledger.corrections)},
        act=serial.dump(one.act),
        changes=tuple(ChangeReply(number=change.turn + 1, change=change_words(change)) for change in one.changes),
    )
