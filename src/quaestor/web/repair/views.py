"""View models for corrections: possible corrections, and those already made."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from quaestor.conversation.answer import sources_of
from quaestor.conversation.display import show_source
from quaestor.conversation.turn import Correction, NumberCorrection, active_corrections
from quaestor.core import serial
from quaestor.core.provenance import Source
from quaestor.plan.steps import Extract
from quaestor.repair.choosing import place_label, quantity_at
from quaestor.repair.ledger import Ledger
from quaestor.repair.offers import Offer, possible_corrections
from quaestor.web.api.corrections import CorrectionReply, correction_reply
from quaestor.web.document_view.parts import source_key


@dataclass(frozen=True, slots=True)
class NumberView:
    """A number that an answer depends on.

    Attributes:
        text: The current value.
        was: The value as it was read, if a person corrected it, or "".
    """

    key: str
    label: str
    text: str
    was: str


def correction_views(ledger: Ledger) -> list[tuple[CorrectionReply, Correction]]:
    """Return the corrections of a conversation, latest first, each with its reply."""
    return [(correction_reply(correction, ledger), correction) for correction in reversed(ledger.corrections)]


def numbers_of_answer(ledger: Ledger, turn: int) -> list[NumberView]:
    """Return the numbers that an answer depends on.

    Args:
        turn: Index of the answer in the conversation, from 0.
    """
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
    """Yield the steps of an answer that take a number from the document: step id, label and key of the place.

    Args:
        turn: Index of the answer in the conversation, from 0.
    """
    plan = ledger.turns[turn].answer.plan
    for step in plan.steps if plan is not None else ():
        if isinstance(step, Extract) and step.quantity is not None:
            yield step.id, place_label(ledger.document, step.source), source_key(step.source)


def offer_views(ledger: Ledger, turn: int) -> dict[str, list[tuple[str, Offer]]]:
    """Return possible corrections of an answer by kind, each with the form value that selects it.

    Args:
        turn: Index of the answer in the conversation, from 0.
    """
    offers: dict[str, list[tuple[str, Offer]]] = {"source": [], "reading": [], "operation": []}
    for one in possible_corrections(ledger, turn):
        offers.setdefault(one.act.kind, []).append((json.dumps(serial.dump(one.act)), one))
    return offers
