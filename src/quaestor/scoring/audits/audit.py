"""An audit of references: for each disputed turn a verdict, the programs that are accepted, and why.

Owns its file format. No audit comes with the package: what is said of a benchmark's turns stays with its data. An audit
says how references are judged and is never learned from: only scoring and what shows scores read it.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from quaestor.core import serial
from quaestor.errors import DatasetError, PlanError
from quaestor.plan.program import parse_program
from quaestor.plan.validate import require_valid


class AuditVerdict(StrEnum):
    """What a reader of a page and its questions says of a reference."""

    WRONG = "reference_wrong"
    """Page and conversation do not bear it out."""
    AMBIGUOUS = "ambiguous"
    """The question has readings that are as defensible; the reference is one of them."""
    CONVENTION = "convention"
    """Only a convention parts it from other answers: the sign of a decline, percent or fraction, a scale."""
    RIGHT = "reference_right"
    """It is what page and conversation say."""


@dataclass(frozen=True, slots=True)
class AuditReading:
    """What one reader said, who saw the answers without their sources.

    Attributes:
        verdict: What that says of the reference.
        programs: What the reader accepts, the best first, as program text.
    """

    verdict: AuditVerdict
    programs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One disputed turn, as it was settled.

    Attributes:
        conversation: The conversation's id.
        turn: The turn's place in it, from 0.
        verdict: On the reference.
        programs: What is accepted, the best first: self-contained program text. The reference stands beside them where
            the verdict is not `reference_wrong`, listed or not.
        reason: Why, in a sentence.
        readings: Two, made without each other.
        settled: `agreed` where the readings have one verdict, else `third reading`.
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
    """The disputed turns of a benchmark.

    Attributes:
        name: Of the file, without its ending.
        entries: In the order of the file, each turn once.
    """

    name: str
    entries: tuple[AuditEntry, ...]

    @cached_property
    def by_turn(self) -> Mapping[tuple[str, int], AuditEntry]:
        """The entries by conversation and turn."""
        return {(entry.conversation, entry.turn): entry for entry in self.entries}

    @property
    def verdicts(self) -> Mapping[AuditVerdict, int]:
        """How many turns have each verdict."""
        found = Counter(entry.verdict for entry in self.entries)
        return {verdict: found[verdict] for verdict in AuditVerdict}

    @property
    def kappa(self) -> float:
        """How far two readers agree on verdicts beyond chance: 1 for always, 0 for no more than by chance.

        Source: Cohen, "A Coefficient of Agreement for Nominal Scales" (1960).
        """
        pairs = [(first.verdict, second.verdict) for first, second, *_ in (entry.readings for entry in self.entries)]
        total = len(pairs)
        agreed = sum(first == second for first, second in pairs) / total
        firsts, seconds = Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
        by_chance = sum(firsts[verdict] * seconds[verdict] for verdict in AuditVerdict) / total**2
        return 1.0 if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


def read_audit(path: Path) -> Audit:
    """Returns an audit.

    Args:
        path: The file, an entry a line.

    Raises:
        DatasetError: It cannot be read, or a line is no entry, names a turn twice, or has a program that does not
            read; the message says which.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not valid UTF-8"
        raise DatasetError(f"cannot read {path}: {reason}") from error
    entries: dict[tuple[str, int], AuditEntry] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        entry = _entry(line, f"{path.name}, line {number}")
        key = (entry.conversation, entry.turn)
        if key in entries:
            raise DatasetError(
                f"{path.name}, line {number}: duplicate entry for turn {entry.turn} of {entry.conversation}"
            )
        entries[key] = entry
    if not entries:
        raise DatasetError(f"{path.name} has no entries")
    return Audit(path.stem, tuple(entries.values()))


def _entry(line: str, where: str) -> AuditEntry:
    try:
        entry = serial.load(AuditEntry, json.loads(line))
    except (ValidationError, ValueError, RecursionError) as error:
        raise DatasetError(f"{where} is not an audit entry: {_first_line(error)}") from error
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


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        found = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, found['loc'])) or 'it'}: {found['msg']}"
    return str(error).partition("\n")[0] or type(error).__name__
