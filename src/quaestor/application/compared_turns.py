"""The turns that one of two runs alone has right: what each answered, by which plan, from where."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from quaestor.application.compared_runs import RunsCompared
from quaestor.application.comparison import PairReport
from quaestor.application.judged_runs import Labelled
from quaestor.application.judged_turns import ComparedTurn
from quaestor.conversation.answer import Answer
from quaestor.conversation.display import show_number, show_source
from quaestor.core import serial
from quaestor.core.provenance import CellRef, Source
from quaestor.documents.document import Document
from quaestor.store.base import RunStore
from quaestor.store.records import TurnRecord


@dataclass(frozen=True, slots=True)
class SideOfTurn:
    """What one run answered.

    Attributes:
        right: Whether it is right.
        shown: The answer as people read it.
        number: As it is compared, or None.
        program: Its program, or None.
        formula: Its arithmetic in words; "" where there is none.
        sources: Where its numbers stand, in words.
        verified: Whether its plan, executed again, gave it.
        confidence: How sure the solver was, or None.
        reason: Why there is no answer, or what to doubt.
    """

    right: bool
    shown: str
    number: str | None
    program: str | None
    formula: str
    sources: tuple[str, ...]
    verified: bool
    confidence: float | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class DifferentTurn:
    """A turn that one of two runs alone has right.

    Attributes:
        conversation: The conversation's id.
        turn: Its place in it, from 0.
        page: The document's id.
        question: As asked.
        reference: The reference answer; None where the labelled file was not read.
        reference_program: Its program, likewise.
        first: What the first run answered.
        second: What the second did.
    """

    conversation: str
    turn: int
    page: str
    question: str
    reference: str | None
    reference_program: str | None
    first: SideOfTurn
    second: SideOfTurn


async def different_turns(store: RunStore, found: RunsCompared, pair: PairReport) -> tuple[DifferentTurn, ...]:
    """Returns the turns that one of two runs alone has right, side by side.

    Args:
        store: Where the runs are kept.
        found: The comparison.
        pair: Which two of its runs.

    Raises:
        StoreError: The store cannot be read.
    """
    documents = _documents(found.labelled)
    told = []
    for both in pair.differences:
        here = both.first
        sides: list[SideOfTurn] = []
        question = ""
        for run, compared in ((pair.first, both.first), (pair.second, both.second)):
            kept = {turn.index: turn for turn in await store.turns(run, here.conversation)}.get(here.turn)
            question = kept.question if kept else question
            sides.append(side_of(kept, compared, found.scorer, documents.get(here.conversation)))
        gold = found.labelled.gold[here.conversation][here.turn] if found.labelled else None
        told.append(
            DifferentTurn(
                here.conversation,
                here.turn,
                here.page,
                question,
                None if gold is None else str(gold.executed),
                None if gold is None else gold.program or None,
                *sides,
            )
        )
    return tuple(told)


def side_of(kept: TurnRecord | None, compared: ComparedTurn, scorer: str, document: Document | None) -> SideOfTurn:
    """Returns what a run answered to a turn.

    Args:
        kept: The turn as stored; None where it was not played.
        compared: Its verdicts.
        scorer: By which it is right.
        document: The page, by which sources are named; None where it was not read.
    """
    answer = serial.restore(Answer, kept.answer) if kept is not None else Answer(None, reason="not played")
    return SideOfTurn(
        right=compared.verdicts[scorer] == 1,
        shown=show_number(answer),
        number=kept.number if kept else None,
        program=kept.program if kept else None,
        formula=answer.formula,
        sources=tuple(source_in_words(source, document) for source in answer.sources),
        verified=bool(kept and kept.verified),
        confidence=answer.confidence,
        reason=(kept.error if kept else None) or answer.reason,
    )


def source_in_words(source: Source, document: Document | None) -> str:
    """Returns where a number stands: `net sales | 2012 | $ 642.3`, or the words around it."""
    if document is None:
        if isinstance(source, CellRef):
            return f"table {source.table + 1}, row {source.row + 1}, column {source.column + 1}"
        return f"{source.section}, sentence {source.sentence + 1}"
    shown = show_source(source, document)
    before, after = shown.text[: shown.start][-60:], shown.text[shown.end :][:60]
    return f"{shown.place} | " + (shown.text if isinstance(source, CellRef) else f"{before}[{shown.span}]{after}")


def _documents(labelled: Labelled | None) -> Mapping[str, Document]:
    return {} if labelled is None else {id: one.document for id, one in labelled.conversations.items()}


def different_turn_objects(turns: tuple[DifferentTurn, ...]) -> list[JsonValue]:
    """Returns the turns as JSON."""
    return [serial.dump(turn) for turn in turns]
