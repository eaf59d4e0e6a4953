"""A conversation of five turns over a made-up page, to be corrected: two cells, a change, a ratio and a sum of rows."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from made_up import a_record, write_dataset
from scripted import ScriptedSolver

from quaestor.conversation.answer import OtherReading
from quaestor.conversation.turn import NumberCorrection, Turn
from quaestor.core.parsing import parse_quantity
from quaestor.core.provenance import CellRef
from quaestor.datasets.dataset import Conversation
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.evaluation.runner import answer_conversation
from quaestor.plan.steps import Compute, Plan, Ref
from quaestor.repair.ledger import Ledger

QUESTIONS = ("cell 1 1", "cell 1 2", "change", "ratio", "rows sum 1 2")
"""The answers are 206588, 181001, 181001 - 206588, that divided by 181001, and the sum of two rows."""

START = datetime(2026, 11, 22, 15, 0, tzinfo=UTC)


@lru_cache(maxsize=1)
def the_page() -> Document:
    with TemporaryDirectory() as folder:
        path = write_dataset(Path(folder) / "pages.json", a_record())
        return read_dataset(path).conversations[0].document


@lru_cache(maxsize=1)
def the_turns() -> tuple[Turn, ...]:
    document = the_page()
    conversation = Conversation(document.id, document, QUESTIONS)
    turns = asyncio.run(answer_conversation(conversation, ScriptedSolver()))
    change = turns[2]
    # The scripted solver gives no other readings.
    turned = Plan((Compute(1, "subtract", (Ref(-2), Ref(-1))),))
    other = OtherReading(turned, "25,587 million", "Change in net revenue from 2007 to 2008", 0.25)
    read = replace(
        change, answer=replace(change.answer, other_readings=(other,), grounds="two answers", confidence=0.5)
    )
    return (*turns[:2], read, *turns[3:])


def a_ledger() -> Ledger:
    return Ledger(the_page(), the_turns())


def cell(row: int, column: int) -> CellRef:
    return CellRef(the_page().id, 0, row, column)


def misread(row: int, column: int, printed: str) -> NumberCorrection:
    """Return a misread cell and its printed text."""
    place = cell(row, column)
    return NumberCorrection(place, the_page().cell(place).quantity, parse_quantity(printed))


def at(minutes: int) -> datetime:
    return START + timedelta(minutes=minutes)


def answer_texts(ledger: Ledger) -> list[str]:
    return [str(turn.answer) for turn in ledger.turns]


def number_of(turn: Turn) -> Decimal:
    assert turn.answer.number is not None
    return turn.answer.number
