"""What can be an operand in a turn: leaves of the page, earlier results, groups of numbers, and constants."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.core.quantity import Scale
from quaestor.plan.scales import Dimension
from quaestor.questions.question import Question
from quaestor.solvers.embedded.candidates.groups import NumberGroup, asks_for_groups, counts_of, groups_of
from quaestor.solvers.embedded.page.matrix import NumberMatrix, among
from quaestor.solvers.embedded.state.dialogue import DialogueState, Operand

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


@dataclass(frozen=True, slots=True)
class Pool:
    """What can be an operand in a turn.

    Shape: every array has one entry an operand; the last one stands for "no second operand".

    Attributes:
        groups: What operands of the kind "group" are, by their index.
    """

    operands: tuple[Operand, ...]
    groups: tuple[NumberGroup, ...]
    counts: tuple[Dimension, ...]
    magnitude: NDArray[np.bool_]
    kind: NDArray[np.int8]
    value: NDArray[np.float64]
    percent: NDArray[np.bool_]
    leaf: NDArray[np.int32]
    turn: NDArray[np.int32]
    score: NDArray[np.float64]

    def members(self, index: int) -> tuple[Operand, ...]:
        """Returns the numbers of the operand at `index`: those of a group, or itself."""
        operand = self.operands[index]
        return self.groups[operand.index].members if operand.kind == "group" else (operand,)


def operand_pool(
    leaves: NumberMatrix,
    probability: NDArray[np.float64],
    state: DialogueState,
    question: Question,
    signatures: Mapping[str, float],
) -> Pool:
    """Returns the operands of a turn: the best leaves, those of earlier turns, their results, groups, and constants.

    Args:
        leaves: The numbers of the page.
        probability: The leaf scorer's probability of each leaf.
        state: The conversation before.
        question: What is asked.
        signatures: The probability of each signature, by its name.

    Shape: `probability` has one entry a leaf.
    """
    used, lookups = state.used_leaves(), state.lookups()
    looked_up = set(lookups.values())
    best = np.argsort(-probability, kind="stable")[:TOP_LEAVES].tolist()
    moved = _moved(leaves, probability, state, question)
    chosen = [leaf for leaf in dict.fromkeys((*best, *used, *moved)) if leaf not in looked_up]
    rows: list[tuple[Operand, Dimension, bool, int, int, int, float]] = []
    for leaf in chosen:
        value, kind, log_p = float(leaves.value[leaf]), (USED if leaf in used else NEW), _log(probability[leaf])
        since = len(state.outcomes) - used[leaf] if leaf in used else 0
        counts = counts_of(Operand("leaf", leaf, value), leaves, state)
        rows.append((Operand("leaf", leaf, value), counts, False, kind, leaf, since, log_p))
        if value < 0:
            rows.append((Operand("leaf", leaf, -value), counts, True, kind, leaf, since, log_p))
    turns = range(len(state.outcomes) - 1, max(-1, len(state.outcomes) - 1 - MAX_RESULTS), -1)
    seen: set[int] = set()
    for turn in turns:
        outcome = state.outcomes[turn]
        leaf = lookups.get(turn, -1)
        known = outcome.value is not None and math.isfinite(outcome.value)
        if not known or outcome.operation == "greater" or (leaf >= 0 and leaf in seen):
            continue
        seen.add(leaf)
        since = len(state.outcomes) - turn
        log_p = _log(probability[leaf]) if leaf >= 0 else 0.0
        rows.append(
            (
                Operand("result", turn, outcome.value or 0.0),
                outcome.counts,
                False,
                RESULT1 + min(since, 3) - 1,
                leaf,
                since,
                log_p,
            )
        )
    asked = asks_for_groups(question, signatures, RARE)
    groups = tuple(groups_of(leaves, probability, state, question)) if asked else ()
    for n, group in enumerate(groups):
        total = Operand("group", n, sum(member.value for member in group.members))
        log_p = float(np.mean([_member_score(member, probability, lookups) for member in group.members]))
        rows.append((total, counts_of(group.members[0], leaves, state), False, GROUP, -1, 0, log_p))
    for number in dict.fromkeys((*FACTORS, 1.0, -1.0, *COUNTS, *question.numbers, *question.counts)):
        rows.append((Operand("constant", 0, number), _constant(number), False, CONSTANT, -1, 0, 0.0))
    rows.append((Operand("constant", 0, 0.0), Dimension(), False, NONE, -1, 0, 0.0))
    operands, counted, magnitude, kinds, taken, since_turn, scores = zip(*rows, strict=True)
    return Pool(
        operands=operands,
        groups=groups,
        counts=counted,
        magnitude=np.array(magnitude, bool),
        kind=np.array(kinds, np.int8),
        value=np.array([operand.value for operand in operands], np.float64),
        percent=np.array([counts.scale is Scale.PERCENT for counts in counted], bool),
        leaf=np.array(taken, np.int32),
        turn=np.array(since_turn, np.int32),
        score=np.array(scores, np.float64),
    )


@lru_cache(maxsize=1024)
def _constant(number: float) -> Dimension:
    return Dimension(constant=Decimal(repr(number)).normalize())


def _moved(
    leaves: NumberMatrix, probability: NDArray[np.float64], state: DialogueState, question: Question
) -> list[int]:
    """The leaves that stand in the lines of those taken last, at the years that the question names."""
    lookups = state.lookups()
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


def _member_score(member: Operand, probability: NDArray[np.float64], lookups: Mapping[int, int]) -> float:
    leaf = member.index if member.kind == "leaf" else lookups.get(member.index, -1)
    return _log(probability[leaf]) if leaf >= 0 else 0.0


def _log(probability: float) -> float:
    return float(np.log(max(float(probability), 1e-6)))
