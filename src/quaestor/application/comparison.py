"""Compares stored runs of the same questions in pairs, and shows the comparison as JSON.

Whether a difference is significant is computed in `quaestor.scoring.statistics`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from pydantic import JsonValue

from quaestor.application.judged_runs import JudgedRuns, RunFile, judge_runs, require_comparable
from quaestor.application.run_service import imported_as
from quaestor.conversation.answer import Answer
from quaestor.conversation.display import show_number, show_source
from quaestor.core import serial
from quaestor.core.computing import compute
from quaestor.core.provenance import CellRef, Source
from quaestor.documents.document import Document
from quaestor.errors import InputError, unknown_name
from quaestor.extras import require_extra
from quaestor.repair.choosing import place_words
from quaestor.scoring.metrics import same_answers
from quaestor.scoring.statistics import (
    Numbers,
    PairedFigures,
    Proportion,
    adjust_p_values,
    label_run,
    p_value,
    paired_cells,
    paired_figures,
    proportion,
)
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.store.base import RunStore
from quaestor.store.records import RunRecord, TurnRecord


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often two runs are right where their answers are the same, and where they differ."""

    same: int
    first_right: int
    second_right: int
    different: int
    first_right_apart: int
    second_right_apart: int


@dataclass(frozen=True, slots=True)
class PairReport:
    """The comparison of two runs; `differences` are places in the first frame, first those only the first has right."""

    first: str
    second: str
    figures: PairedFigures
    agreement: Agreement
    breakdowns: Mapping[str, Mapping[str, PairedFigures]]
    unjudged: int
    differences: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RunsCompared:
    """Runs of the same questions, in the order given, and every pair of them."""

    scorer: str
    judged: JudgedRuns
    right: tuple[Proportion, ...]
    pairs: tuple[PairReport, ...]
    adjusted: tuple[float, ...]

    @property
    def runs(self) -> tuple[RunRecord, ...]:
        """The records of the runs."""
        return tuple(one.run for one in self.judged.runs)

    @property
    def letters(self) -> Mapping[str, str]:
        """The short name of each run, by its id."""
        return {run.id: label_run(place) for place, run in enumerate(self.runs)}

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The figures of each pair for a table: its name, `paired_cells`, and the adjusted p."""
        names = self.letters
        return [
            (f"{names[pair.first]} - {names[pair.second]}", *paired_cells(pair.figures), p_value(adjusted))
            for pair, adjusted in zip(self.pairs, self.adjusted, strict=True)
        ]


async def compare_stored(
    store: RunStore, names: Sequence[str], scores_in: str, dataset: Path | None = None, scorer: str | None = None
) -> RunsCompared:
    """Compare two or more stored runs of the same questions."""
    require_extra("compare", "comparing runs")
    runs = await require_comparable(store, names)
    if len(runs) < 2:
        raise InputError(f"{' and '.join(names)} {('is' if len(names) == 1 else 'are')} a single run: name two or more")
    judged = await judge_runs(store, runs, scores_in, dataset)
    return await compute(compare_judged, judged, scorer or judged.measures.right)


def compare_judged(judged: JudgedRuns, scorer: str) -> RunsCompared:
    """Compare every two of some judged runs; needs the extra `compare`."""
    pairs = tuple(
        compare_pair((one.run.id, other.run.id), one.turns, other.turns, scorer)
        for one, other in combinations(judged.runs, 2)
    )
    right = []
    for found in judged.runs:
        verdicts = found.turns.verdicts_of(scorer)
        known = ~np.isnan(verdicts)
        # A scorer that gives fractions must give 1.
        right.append(proportion(verdicts[known] == 1, found.turns.page_groups[known]))
    return RunsCompared(scorer, judged, tuple(right), pairs, adjust_p_values([pair.figures.p for pair in pairs]))


def compare_pair(runs: tuple[str, str], first: TurnFrame, second: TurnFrame, scorer: str) -> PairReport:
    """Compare two runs by the verdicts of a scorer."""
    aligned = second.aligned_with(first)
    if aligned is None:
        raise InputError("the runs have different turns: compare runs of the same file")
    known = dict.fromkeys(name for verdicts in first.verdicts for name in verdicts)
    if scorer not in known:
        raise InputError(unknown_name("scorer", scorer, sorted(known), where="for these runs"))
    one, other = first.verdicts_of(scorer), aligned.verdicts_of(scorer)
    judged = np.flatnonzero(~(np.isnan(one) | np.isnan(other)))
    right, other_right = one[judged] == 1, other[judged] == 1
    pages, companies = first.page_groups[judged], first.company_groups[judged]
    same = np.array(same_answers(first.answers, aligned.answers), dtype=bool)[judged]

    def figures(members: Numbers) -> PairedFigures:
        return paired_figures(right[members], other_right[members], pages[members], companies[members])

    return PairReport(
        *runs,
        figures=paired_figures(right, other_right, pages, companies),
        agreement=Agreement(
            *(int(count) for at in (same, ~same) for count in (at.sum(), right[at].sum(), other_right[at].sum()))
        ),
        breakdowns={
            by: {name: figures(members) for name, members in first.groups(by, judged)} for by in first.breakdowns
        },
        unjudged=len(first) - len(judged),
        differences=(*judged[right & ~other_right].tolist(), *judged[~right & other_right].tolist()),
    )


@dataclass(frozen=True, slots=True)
class SideOfTurn:
    """The answer of one run to a turn."""

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
class ShownTurn:
    """A turn with the answers of runs, and with its reference if the labelled file was read."""

    conversation: str
    turn: int
    page: str
    question: str
    reference: str | None
    reference_program: str | None
    sides: tuple[SideOfTurn, ...]


async def different_turns(store: RunStore, found: RunsCompared, pair: PairReport) -> tuple[ShownTurn, ...]:
    """Return the turns that only one of two compared runs has right, side by side."""
    frames = {one.run.id: one.turns for one in found.judged.runs}
    first, second = frames[pair.first], frames[pair.second].aligned_with(frames[pair.first])
    assert second is not None
    runs = {pair.first: first, pair.second: second}
    labelled = found.judged.labelled
    return tuple([await show_turn(store, runs, place, found.scorer, labelled) for place in pair.differences])


async def show_turn(
    store: RunStore, runs: Mapping[str, TurnFrame], place: int, scorer: str, labelled: RunFile | None
) -> ShownTurn:
    """Return a turn with the answers of runs, given their frames by id, all with the same turns in the same order."""
    frame = next(iter(runs.values()))
    conversation, index = frame.conversations[place], frame.places[place]
    document, reference, program = None, None, None
    if labelled is not None:
        gold = labelled.gold[conversation][index]
        document = labelled.conversations[conversation].document
        reference, program = str(gold.executed), gold.program or None
    stored = [await store.turns(run, conversation) for run in runs]
    records = [next((turn for turn in turns if turn.index == index), None) for turns in stored]
    question = next((record.question for record in reversed(records) if record), "")
    sides = [
        side_of(record, judged.verdicts[place][scorer] == 1, document)
        for record, judged in zip(records, runs.values(), strict=True)
    ]
    return ShownTurn(conversation, index, frame.pages[place], question, reference, program, tuple(sides))


def side_of(record: TurnRecord | None, right: bool, document: Document | None) -> SideOfTurn:
    """Return the answer of a run to a turn; `record` is None if the run did not reach it."""
    answer = serial.restore(Answer, record.answer) if record is not None else Answer(None, reason="not run")
    return SideOfTurn(
        right=right,
        shown=show_number(answer),
        number=record.number if record else None,
        program=record.program if record else None,
        formula=answer.formula,
        sources=tuple(source_in_words(source, document) for source in answer.sources),
        verified=bool(record and record.verified),
        confidence=answer.confidence,
        reason=(record.error if record else None) or answer.reason,
    )


def source_in_words(source: Source, document: Document | None) -> str:
    """Describe the place of a number: `net sales | 2012 | $ 642.3`, or the words around it."""
    if document is None:
        return place_words(source)
    shown = show_source(source, document)
    before, after = shown.text[: shown.start][-60:], shown.text[shown.end :][:60]
    return f"{shown.place} | " + (shown.text if isinstance(source, CellRef) else f"{before}[{shown.span}]{after}")


def comparison_json(found: RunsCompared, differences: Sequence[tuple[ShownTurn, ...]] = ()) -> JsonValue:
    """Return a comparison as JSON; `differences` has the different turns of each pair, if they are wanted.

    Units: shares and differences are fractions of 1; a difference is the first run's share less the second's.
    """
    return {
        "scorer": found.scorer,
        "basis": found.judged.basis,
        "dataset": found.runs[0].dataset,
        "dataset_digest": found.runs[0].dataset_digest,
        "runs": [
            {
                "run": run.id,
                "kind": run.kind,
                "solver": solver_name(run),
                "right": {"value": right.value, **serial.dump(right)},
            }
            for run, right in zip(found.runs, found.right, strict=True)
        ],
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                **serial.dump(pair.figures),
                "unjudged": pair.unjudged,
                "agreement": serial.dump(pair.agreement),
                "breakdowns": [
                    {"by": by, "groups": [{"name": name, **serial.dump(one)} for name, one in groups.items()]}
                    for by, groups in pair.breakdowns.items()
                ],
                "p_adjusted": adjusted,
                **({"differences": [_shown_turn_json(turn) for turn in differences[place]]} if differences else {}),
            }
            for place, (pair, adjusted) in enumerate(zip(found.pairs, found.adjusted, strict=True))
        ],
    }


def _shown_turn_json(turn: ShownTurn) -> JsonValue:
    written = serial.dump(turn)
    first, second = written.pop("sides")
    return {**written, "first": first, "second": second}


def solver_name(run: RunRecord) -> str:
    """Return the solver of a run, or the name of an imported run."""
    return imported_as(run) or str(run.spec.get("solver"))
