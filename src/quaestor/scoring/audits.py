"""Audits of reference answers: a verdict, the accepted programs and a reason for each disputed turn.

The package ships no audit; audits are published with their benchmark's data. They are used only to score and to show
scores, never for training.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from operator import eq
from pathlib import Path

from pydantic import ValidationError

from quaestor.core import serial
from quaestor.datasets.dataset import Conversation, numbered_lines
from quaestor.errors import DatasetError, InputError, PlanError
from quaestor.plan.expressions import TableRows
from quaestor.plan.program import parse_program, write_step
from quaestor.plan.steps import Compute, Operand, Plan, Ref
from quaestor.plan.validate import require_valid
from quaestor.scoring.gold import read_text
from quaestor.scoring.metrics import are_same_answer, executed_equal, parse_answer, run_program
from quaestor.scoring.pages import benchmark_rows_of
from quaestor.scoring.scorers import PROGRAMS, measures_of
from quaestor.scoring.statistics import Proportion, group_places, proportion
from quaestor.scoring.verdicts import TurnScore


class AuditVerdict(StrEnum):
    """Verdict of a human reader on a reference answer."""

    WRONG = "reference_wrong"
    """The page and the conversation contradict the reference."""
    AMBIGUOUS = "ambiguous"
    """The question has several defensible readings, and the reference is one of them."""
    CONVENTION = "convention"
    """The reference differs from other answers only by convention: sign of a decline, percent or fraction, scale."""
    RIGHT = "reference_right"
    """The page and the conversation support the reference."""


@dataclass(frozen=True, slots=True)
class AuditReading:
    """Decision of one reader, who saw the answers without their sources; accepted programs, best first."""

    verdict: AuditVerdict
    programs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Settled verdict on one disputed turn.

    Attributes:
        programs: Accepted programs as self-contained text, best first. Unless the verdict is `reference_wrong`, the
            reference is accepted as well, listed or not.
        readings: Two independent readings.
        settled: `agreed` if the readings have the same verdict, else `third reading`.
    """

    conversation: str
    turn: int
    verdict: AuditVerdict
    programs: tuple[str, ...]
    reason: str
    readings: tuple[AuditReading, ...]
    settled: str


@dataclass(frozen=True)
class Audit:
    """Disputed turns of a benchmark, each once; the name is the file name without its suffix."""

    name: str
    entries: tuple[AuditEntry, ...]

    @cached_property
    def by_turn(self) -> Mapping[tuple[str, int], AuditEntry]:
        """The entries by conversation and turn."""
        return {(entry.conversation, entry.turn): entry for entry in self.entries}

    @property
    def kappa(self) -> float:
        """Cohen's kappa of the two readers' verdicts: 1 for full agreement, 0 for agreement by chance.

        Source: Cohen, "A Coefficient of Agreement for Nominal Scales" (1960).
        """
        readings = (entry.readings[:2] for entry in self.entries)
        first, second = zip(*((one.verdict, other.verdict) for one, other in readings), strict=True)
        total = len(first)
        agreed = sum(map(eq, first, second)) / total
        by_chance = sum(first.count(verdict) * second.count(verdict) for verdict in AuditVerdict) / total**2
        return 1.0 if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


def read_audit(path: Path) -> Audit:
    """Read an audit, one JSON object per line."""
    entries: dict[tuple[str, int], AuditEntry] = {}
    for number, line in numbered_lines(read_text(path)):
        where = f"{path.name}, line {number}"
        entry = _entry(line, where)
        key = (entry.conversation, entry.turn)
        if key in entries:
            raise DatasetError(f"{where}: duplicate entry for turn {entry.turn} of {entry.conversation}")
        entries[key] = entry
    if not entries:
        raise DatasetError(f"{path.name} has no entries")
    return Audit(path.stem, tuple(entries.values()))


def _entry(line: str, where: str) -> AuditEntry:
    try:
        entry = serial.load(AuditEntry, json.loads(line))
    except ValidationError as error:
        raise DatasetError(f"{where} is not an audit entry: {serial.first_fault(error)}") from error
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{where} is not an audit entry: {error}") from error
    if len(entry.readings) < 2:
        raise DatasetError(f"{where}: an entry needs two readings, but has {len(entry.readings)}")
    if entry.verdict is AuditVerdict.WRONG and not entry.programs:
        raise DatasetError(f"{where}: the reference is marked as wrong, but no other program is accepted")
    for program in entry.programs:
        try:
            require_valid(parse_program(program), 0)
        except PlanError as error:
            raise DatasetError(f"{where}: {error}") from error
    return entry


@dataclass(frozen=True, slots=True)
class VerdictShare:
    """Turns whose references have the same verdict; None for turns that depend on a wrong reference."""

    verdict: AuditVerdict | None
    turns: int
    raw: int
    audited: int


@dataclass(frozen=True, slots=True)
class AuditedScore:
    """Raw and audited accuracy over the same turns."""

    audit: str
    entries: int
    kappa: float
    raw: Proportion
    audited: Proportion
    shares: tuple[VerdictShare, ...]


@dataclass(frozen=True, slots=True)
class AuditedTurn:
    """Turn judged by its reference and by an audit; `follows` if it builds on an earlier corrected answer."""

    score: TurnScore
    right: bool
    entry: AuditEntry | None
    follows: bool = False


def judge_turns(
    run: str, turns: Sequence[TurnScore], conversations: Iterable[Conversation], audit: Audit
) -> tuple[AuditedTurn, ...]:
    """Judge each turn of a scored run by an audit as well.

    A disputed turn is judged by its accepted programs. If a turn repeats the steps of a wrong reference, the same steps
    based on the accepted program are right too.
    """
    if turns and measures_of(turns[0].verdicts) != PROGRAMS:
        raise InputError("audits accept programs and cannot be applied to a file with stated answers")
    documents = {conversation.id: conversation.document for conversation in conversations}
    found: list[AuditedTurn] = []
    settled: dict[str, list[tuple[str, str]]] = {}
    for score in turns:
        entry = audit.by_turn.get((score.conversation, score.turn))
        earlier = settled.setdefault(score.conversation, [])
        wrong = entry is not None and entry.verdict is AuditVerdict.WRONG
        if entry is not None and wrong:
            earlier.append((score.gold_program, entry.programs[0]))
        accepted = _programs(score, entry, earlier)
        right = accepted and _is_right(score, accepted, benchmark_rows_of(documents[score.conversation]))
        # Without an audit entry the reference stays valid: the steps it shares with a wrong one may be right here.
        keeps = not accepted or not wrong
        right = bool(right) or (keeps and score.correct)
        found.append(AuditedTurn(score, right, entry, follows=entry is None and bool(accepted)))
    if not any(turn.entry for turn in found):
        raise InputError(f"the audit {audit.name} has no turns of run {run}: use an audit of the run's dataset")
    return tuple(found)


def audited_score(turns: Sequence[AuditedTurn], audit: Audit) -> AuditedScore:
    """Return raw and audited accuracy of judged turns."""
    pages = group_places([turn.score.page for turn in turns])
    raw, audited = ([turn.score.correct for turn in turns], [turn.right for turn in turns])
    groups: dict[AuditVerdict | None, list[AuditedTurn]] = {verdict: [] for verdict in (*AuditVerdict, None)}
    for turn in turns:
        if turn.entry or turn.follows:
            groups[turn.entry.verdict if turn.entry else None].append(turn)
    shares = (
        VerdictShare(verdict, len(group), sum(turn.score.correct for turn in group), sum(turn.right for turn in group))
        for verdict, group in groups.items()
        if group
    )
    figures = proportion(raw, pages), proportion(audited, pages)
    return AuditedScore(audit.name, len(audit.entries), audit.kappa, *figures, tuple(shares))


def _programs(score: TurnScore, entry: AuditEntry | None, earlier: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return the programs accepted instead of the reference or besides it; empty if only the reference counts."""
    if entry is not None:
        return () if entry.verdict is AuditVerdict.RIGHT else entry.programs
    found = (replace_steps(score.gold_program, wrong, accepted) for wrong, accepted in reversed(earlier))
    return tuple(filter(None, [next(filter(None, found), None)]))


def _is_right(score: TurnScore, programs: Sequence[str], tables: Sequence[TableRows]) -> bool:
    answer = parse_answer(score.predicted)
    for program in programs:
        with suppress(PlanError):  # the program has no result on this page, so no answer equals it
            if executed_equal(answer, run_program(program, tables)):
                return True
    return False


@dataclass(frozen=True, slots=True)
class AuditCandidate:
    """Turn that a run answers differently from its reference; `beside` counts other runs with the same answer."""

    conversation: str
    turn: int
    answer: str
    program: str | None
    reference: str
    confidence: float | None
    beside: int = 0


def audit_candidates(
    turns: Sequence[TurnScore], audit: Audit | None, others: Sequence[Mapping[tuple[str, int], str | None]] = ()
) -> tuple[AuditCandidate, ...]:
    """Return the answered, wrong turns of a run that are not in the audit.

    Turns that most other runs answer the same come first, then those with the highest confidence.
    """
    found = []
    for turn in turns:
        key, answer = (turn.conversation, turn.turn), turn.predicted
        if answer is not None and not turn.correct and (audit is None or key not in audit.by_turn):
            beside = sum(are_same_answer(answers.get(key), answer) for answers in others)
            found.append(AuditCandidate(*key, answer, turn.program, turn.gold_program, turn.confidence, beside))
    return tuple(sorted(found, key=lambda one: (-one.beside, -(one.confidence or 0))))


def replace_steps(program: str, wrong: str, accepted: str) -> str | None:
    """Return a program with the steps of a wrong one replaced by the accepted steps; None if it lacks them.

    A look-up is replaced only if it is the whole program, as a later program may use the same number independently.

    >>> replace_steps("subtract(5, 3), divide(#0, 3)", "subtract(5, 3)", "subtract(6, 3)")
    'subtract(6, 3), divide(#0, 3)'
    >>> replace_steps("subtract(5, 3), divide(#0, 3)", "subtract(5, 3)", "2.5")
    'divide(2.5, 3)'
    >>> replace_steps("divide(7, 3)", "subtract(5, 3)", "subtract(6, 3)")
    """
    later, before, replacement = (_steps(parse_program(text)) for text in (program, wrong, accepted))
    if later == before:
        return accepted
    if later[: len(before)] != before or before[-1].operation == "identity":
        return None
    looked_up = replacement[-1].operation == "identity"
    replaced = [] if looked_up else [write_step(step) for step in replacement]
    shift = len(replaced) - len(before)
    result = replacement[-1].operands[0] if looked_up else Ref(len(replacement))
    rest = []
    for step in later[len(before) :]:
        operands = [_replace(operand, len(before), shift, result) for operand in step.operands]
        if None in operands:
            return None  # it uses a part of the wrong reference that the accepted one may lack
        rest.append(write_step(Compute(step.id, step.operation, tuple(filter(None, operands)))))
    return ", ".join(replaced + rest)


def _steps(plan: Plan) -> tuple[Compute, ...]:
    return tuple(step for step in plan.steps if isinstance(step, Compute))


def _replace(operand: Operand, length: int, shift: int, result: Operand) -> Operand | None:
    if not isinstance(operand, Ref) or operand.step > length:
        return Ref(operand.step + shift) if isinstance(operand, Ref) else operand
    return result if operand.step == length else None
