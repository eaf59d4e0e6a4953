"""What can be an operand in a turn: leaves of the page, earlier results, groups of numbers, and constants."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.core.quantity import Scale
from quaestor.plan.scales import Dimension
from quaestor.questions.question import Question
from quaestor.solvers.embedded.candidates.groups import NumberGroup, asks_for_groups, counts_of, groups_of
from quaestor.solvers.embedded.model.signature import Signatures
from quaestor.solvers.embedded.page.matrix import NumberMatrix, among
from quaestor.solvers.embedded.state.dialogue import DialogueState, Operand, TurnAction

KINDS = ("new", "used", "result1", "result2", "result3", "constant", "none", "group")
"""What an operand can be, in the order of their codes."""
NEW, USED, RESULT1, RESULT2, RESULT3, CONSTANT, NONE, GROUP = range(len(KINDS))

TOP_LEAVES = 20
"""How many of the best leaves are combined."""
MAX_RESULTS = 8
"""How many earlier results are, latest first."""
FACTORS = (100.0, 1000.0, 1_000_000.0, 1_000_000_000.0)
"""What a number is brought to another scale by."""
COUNTS = (2.0, 3.0, 4.0, 5.0)
"""What a sum is averaged over."""
RARE = 0.01
"""A class less probable than this brings no candidates of the rare operations."""


@dataclass(frozen=True)
class Pool:
    """What can be an operand in a turn, after one reading of the turns before or several.

    Shape: every array has one entry an operand; the last one of a reading stands for "no second operand".

    Attributes:
        groups: What operands of the kind "group" are, by their index.
        reading: Of each operand the reading that it belongs to, from 0; those of one stand together.
        year: Of the leaf that an operand is or looked up; 0 if none is known.
        ratio: Whether an operand is the ratio of two amounts that an earlier turn computed.
    """

    operands: tuple[Operand, ...]
    groups: tuple[NumberGroup, ...]
    counts: tuple[Dimension, ...]
    magnitude: NDArray[np.bool_]
    kind: NDArray[np.int8]
    value: NDArray[np.float64]
    percent: NDArray[np.bool_]
    leaf: NDArray[np.int32]
    year: NDArray[np.int32]
    turn: NDArray[np.int32]
    score: NDArray[np.float64]
    reading: NDArray[np.int32]
    ratio: NDArray[np.bool_]

    @cached_property
    def result(self) -> NDArray[np.int32]:
        """The turn before whose result each operand is, from 0; -1 of what is none.

        Shape: One entry an operand.
        """
        return np.array([operand.index if operand.kind == "result" else -1 for operand in self.operands], np.int32)

    def members(self, index: int) -> tuple[Operand, ...]:
        """Return the numbers of the operand at `index`: those of a group, or itself."""
        operand = self.operands[index]
        return self.groups[operand.index].members if operand.kind == "group" else (operand,)


def operand_pool(
    leaves: NumberMatrix,
    probability: NDArray[np.float64],
    state: DialogueState,
    question: Question,
    signatures: Signatures,
) -> Pool:
    """Return the operands of a turn: the best leaves, those of earlier turns, their results, groups, and constants.

    Args:
        probability: The leaf scorer's probability of each leaf.
        state: The conversation before.
        signatures: The probability of each signature, by its name.

    Shape: `probability` has one entry a leaf.
    """
    used, lookups = state.used_leaves, state.lookups
    looked_up, logs = set(lookups.values()), _logs(probability)
    best = np.argsort(-probability, kind="stable")[:TOP_LEAVES].tolist()
    moved = _moved(leaves, probability, state, question)
    chosen = [leaf for leaf in dict.fromkeys((*best, *used, *moved)) if leaf not in looked_up]
    rows: list[tuple[Operand, Dimension, bool, int, int, int, float]] = []
    for leaf, value in zip(chosen, leaves.value[chosen].tolist(), strict=True):
        kind, log_p = (USED if leaf in used else NEW), logs[leaf]
        since, counts = (len(state.outcomes) - used[leaf] if leaf in used else 0), leaves.counts[leaf]
        rows.append((_leaf(leaf, value), counts, False, kind, leaf, since, log_p))
        if value < 0:
            rows.append((_leaf(leaf, -value), counts, True, kind, leaf, since, log_p))
    turns = range(len(state.outcomes) - 1, max(-1, len(state.outcomes) - 1 - MAX_RESULTS), -1)
    seen: set[int] = set()
    ratios: list[int] = []
    for turn in turns:
        outcome = state.outcomes[turn]
        leaf = lookups.get(turn, -1)
        known = outcome.value is not None and math.isfinite(outcome.value)
        if not known or outcome.operation == "greater" or (leaf >= 0 and leaf in seen):
            continue
        seen.add(leaf)
        since = len(state.outcomes) - turn
        kind, log_p = RESULT1 + min(since, 3) - 1, (logs[leaf] if leaf >= 0 else 0.0)
        if _is_ratio(outcome, state, leaves):
            ratios.append(len(rows))
        rows.append((Operand("result", turn, outcome.value or 0.0), outcome.counts, False, kind, leaf, since, log_p))
    asked = asks_for_groups(question, signatures, RARE)
    groups = tuple(groups_of(leaves, probability, state, question)) if asked else ()
    for n, group in enumerate(groups):
        total = Operand("group", n, sum(member.value for member in group.members))
        log_p = float(np.mean([_member_score(member, logs, lookups) for member in group.members]))
        rows.append((total, counts_of(group.members[0], leaves, state), False, GROUP, -1, 0, log_p))
    rows += _constants((*question.numbers, *question.counts))
    operands, counted, magnitude, kinds, taken, since_turn, scores = zip(*rows, strict=True)
    of_leaf = np.array(taken, np.int32)
    return Pool(
        operands=operands,
        groups=groups,
        counts=counted,
        magnitude=np.array(magnitude, bool),
        kind=np.array(kinds, np.int8),
        value=np.array([operand.value for operand in operands], np.float64),
        percent=np.array([counts.scale is Scale.PERCENT for counts in counted], bool),
        leaf=of_leaf,
        year=np.where(of_leaf >= 0, leaves.year[of_leaf], 0) if len(leaves) else np.zeros_like(of_leaf),
        turn=np.array(since_turn, np.int32),
        score=np.array(scores, np.float64),
        reading=np.zeros(len(operands), np.int32),
        ratio=_flags(ratios, len(operands)),
    )


def _flags(places: Sequence[int], size: int) -> NDArray[np.bool_]:
    flags = np.zeros(size, bool)
    flags[places] = True
    return flags


def _is_ratio(outcome: TurnAction, state: DialogueState, leaves: NumberMatrix) -> bool:
    """Whether a turn divided one printed amount by another: over a constant it would be that amount still."""
    if outcome.operation not in ("divide", "percentage_change"):
        return False
    taken = [_printed(part, state) for part in outcome.operands]
    return all(leaf is not None and not leaves.percent[leaf] for leaf in taken)


def _printed(operand: Operand, state: DialogueState) -> int | None:
    """The number of the page that an operand is, or looked up."""
    if operand.kind == "leaf":
        return operand.index
    return state.lookups.get(operand.index) if operand.kind == "result" else None


def joined_pools(pools: Sequence[Pool]) -> Pool:
    """Return the operands of several readings as one pool, in their order.

    Args:
        pools: One of each reading, each of one reading alone.
    """
    operands: list[Operand] = []
    groups: list[NumberGroup] = []
    for pool in pools:
        before = len(groups)
        groups += pool.groups
        moved = (replace(o, index=o.index + before) if o.kind == "group" else o for o in pool.operands)
        operands += moved if before and pool.groups else pool.operands
    return Pool(
        operands=tuple(operands),
        groups=tuple(groups),
        counts=tuple(counts for pool in pools for counts in pool.counts),
        magnitude=np.concatenate([pool.magnitude for pool in pools]),
        kind=np.concatenate([pool.kind for pool in pools]),
        value=np.concatenate([pool.value for pool in pools]),
        percent=np.concatenate([pool.percent for pool in pools]),
        leaf=np.concatenate([pool.leaf for pool in pools]),
        year=np.concatenate([pool.year for pool in pools]),
        turn=np.concatenate([pool.turn for pool in pools]),
        score=np.concatenate([pool.score for pool in pools]),
        ratio=np.concatenate([pool.ratio for pool in pools]),
        reading=np.repeat(np.arange(len(pools), dtype=np.int32), [len(pool.operands) for pool in pools]),
    )


@lru_cache(maxsize=4096)
def _leaf(index: int, value: float) -> Operand:
    return Operand("leaf", index, value)


@lru_cache(maxsize=1024)
def _constants(asked: tuple[float, ...]) -> tuple[tuple[Operand, Dimension, bool, int, int, int, float], ...]:
    """The constants of a question that says these numbers, and the operand that stands for none."""
    numbers = dict.fromkeys((*FACTORS, 1.0, -1.0, *COUNTS, *asked))
    constants = ((Operand("constant", 0, n), _constant(n), False, CONSTANT, -1, 0, 0.0) for n in numbers)
    return (*constants, (Operand("constant", 0, 0.0), Dimension(), False, NONE, -1, 0, 0.0))


@lru_cache(maxsize=1024)
def _constant(number: float) -> Dimension:
    return Dimension(constant=Decimal(repr(number)).normalize())


def _moved(
    leaves: NumberMatrix, probability: NDArray[np.float64], state: DialogueState, question: Question
) -> list[int]:
    """The leaves that are in the lines of those taken last, at the years that the question names."""
    lookups = state.lookups
    found: list[int] = []
    for outcome in state.outcomes[-2:]:
        for operand in outcome.operands:
            leaf = (
                operand.index
                if operand.kind == "leaf"
                else lookups.get(operand.index, -1)
                if operand.kind == "result"
                else -1
            )
            if leaf >= 0 and leaves.table[leaf] >= 0:
                line = (leaves.table == leaves.table[leaf]) & (leaves.line == leaves.line[leaf])
                found += np.flatnonzero(line & among(leaves.year, question.years))[:3].tolist()
    return found


def _member_score(member: Operand, logs: Sequence[float], lookups: Mapping[int, int]) -> float:
    leaf = member.index if member.kind == "leaf" else lookups.get(member.index, -1)
    return logs[leaf] if leaf >= 0 else 0.0


def _logs(probability: NDArray[np.float64]) -> list[float]:
    logs: list[float] = np.log(np.maximum(probability, 1e-6)).tolist()
    return logs
