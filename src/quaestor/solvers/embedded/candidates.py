"""Every plan that fits a turn: one operation on leaves, earlier results and constants.

A turn of a conversation adds one operation to what is there (94 % of labelled turns), or percentage change, which
is two. Owns what can be an operand and what can be combined. Knows nothing of which plan is right.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.core.quantity import Scale
from quaestor.plan.operations import OPERATIONS as ARITHMETIC
from quaestor.plan.scales import Kind as Counts
from quaestor.plan.scales import Reading
from quaestor.solvers.embedded.leaves import LeafTable
from quaestor.solvers.embedded.question import Question
from quaestor.solvers.embedded.signature import constant_kind
from quaestor.solvers.embedded.state import Operand, Outcome, State

OPERATIONS = ("lookup", "subtract", "add", "divide", "multiply", "greater", "percentage_change")
"""What a candidate can do, in the order of their codes."""
LOOKUP, SUBTRACT, ADD, DIVIDE, MULTIPLY, GREATER, CHANGE = range(len(OPERATIONS))

KINDS = ("new", "used", "result1", "result2", "result3", "constant", "none")
"""What an operand can be, in the order of their codes."""
NEW, USED, RESULT1, RESULT2, RESULT3, CONSTANT, NONE = range(len(KINDS))

TOP_LEAVES = 20
"""How many of the best leaves are combined."""
MAX_RESULTS = 8
"""How many earlier results are, latest first."""
KEPT = 400
"""How many candidates the ranker sees."""

_FACTORS = (100.0, 1000.0, 1_000_000.0, 1_000_000_000.0)
_COUNTS = (2.0, 3.0, 4.0, 5.0)
_RARE = 0.01
"""A class less probable than this brings no candidates of the rare operations."""


@dataclass(frozen=True, slots=True)
class Pool:
    """What can be an operand in a turn.

    Shape: every array has one entry an operand; the last one stands for "no second operand".
    """

    operands: tuple[Operand, ...]
    counts: tuple[Counts, ...]
    magnitude: NDArray[np.bool_]
    kind: NDArray[np.int8]
    value: NDArray[np.float64]
    percent: NDArray[np.bool_]
    leaf: NDArray[np.int32]
    turn: NDArray[np.int32]
    score: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Plans in columns.

    Shape: one entry a plan; `first` and `second` index into the pool.
    """

    pool: Pool
    operation: NDArray[np.int8]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    value: NDArray[np.float64]
    signature: NDArray[np.float64]
    prior: NDArray[np.float64]

    def __len__(self) -> int:
        """The number of plans."""
        return len(self.operation)

    def take(self, index: NDArray[np.intp]) -> "Candidates":
        """Returns the plans at `index`, in that order."""
        return Candidates(
            self.pool,
            self.operation[index],
            self.first[index],
            self.second[index],
            self.value[index],
            self.signature[index],
            self.prior[index],
        )

    def outcome(self, index: int) -> Outcome:
        """Returns what the plan at `index` does, as the next state remembers it."""
        i, j = int(self.first[index]), int(self.second[index])
        name = OPERATIONS[self.operation[index]]
        operands = (self.pool.operands[i],) if name == "lookup" else (self.pool.operands[i], self.pool.operands[j])
        taken = (self.pool.counts[i],) if name == "lookup" else (self.pool.counts[i], self.pool.counts[j])
        reading = reading_of(name, taken)
        return Outcome(name, operands, float(self.value[index]), Counts(reading.scale, reading.unit))

    def magnitudes(self, index: int) -> tuple[bool, bool]:
        """Returns for both operands of the plan whether the printed sign is dropped."""
        return bool(self.pool.magnitude[self.first[index]]), bool(self.pool.magnitude[self.second[index]])


def operand_pool(leaves: LeafTable, probability: NDArray[np.float64], state: State, question: Question) -> Pool:
    """Returns the operands of a turn: the best leaves, those of earlier turns, their results, and constants."""
    used, lookups = state.used_leaves(), state.lookups()
    looked_up = set(lookups.values())
    best = np.argsort(-probability, kind="stable")[:TOP_LEAVES].tolist()
    moved = _moved(leaves, probability, state, question)
    chosen = [leaf for leaf in dict.fromkeys((*best, *used, *moved)) if leaf not in looked_up]
    rows: list[tuple[Operand, Counts, bool, int, int, int, float]] = []
    for leaf in chosen:
        value, kind, log_p = float(leaves.value[leaf]), (USED if leaf in used else NEW), _log(probability[leaf])
        since = len(state.outcomes) - used[leaf] if leaf in used else 0
        quantity = leaves.leaves[leaf].quantity
        counts = Counts(quantity.scale, quantity.unit)
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
    for number in dict.fromkeys((*_FACTORS, 1.0, -1.0, *_COUNTS, *question.numbers, *question.counts)):
        counts = Counts(constant=Decimal(repr(number)).normalize())
        rows.append((Operand("constant", 0, number), counts, False, CONSTANT, -1, 0, 0.0))
    rows.append((Operand("constant", 0, 0.0), Counts(), False, NONE, -1, 0, 0.0))
    operands, counted, magnitude, kinds, taken, since_turn, scores = zip(*rows, strict=True)
    return Pool(
        operands=operands,
        counts=counted,
        magnitude=np.array(magnitude, bool),
        kind=np.array(kinds, np.int8),
        value=np.array([operand.value for operand in operands], np.float64),
        percent=np.array([counts.scale is Scale.PERCENT for counts in counted], bool),
        leaf=np.array(taken, np.int32),
        turn=np.array(since_turn, np.int32),
        score=np.array(scores, np.float64),
    )


def _moved(leaves: LeafTable, probability: NDArray[np.float64], state: State, question: Question) -> list[int]:
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
                found += np.flatnonzero(line & np.isin(leaves.year, question.years))[:3].tolist()
    return found


def _log(probability: float) -> float:
    return float(np.log(max(float(probability), 1e-6)))


def enumerate_candidates(pool: Pool, signatures: Mapping[str, float], question: Question) -> Candidates:
    """Returns the plans over a pool, the `KEPT` most plausible by signature and leaves, best first."""
    operation, first, second = _combinations(pool, signatures, question)
    value, defined = _values(pool, operation, first, second)
    signature = _signature_scores(pool, operation, first, second, signatures, question.numbers)
    prior = signature + pool.score[first] + np.where(pool.kind[second] == NONE, 0.0, pool.score[second])
    keep = np.flatnonzero(defined)
    keep = keep[np.argsort(-prior[keep], kind="stable")[:KEPT]]
    return Candidates(pool, operation, first, second, value, signature, prior).take(keep)


def _combinations(
    pool: Pool, signatures: Mapping[str, float], question: Question
) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.int32]]:
    numbers = np.flatnonzero((pool.kind != CONSTANT) & (pool.kind != NONE))
    i, j = (axis.ravel() for axis in np.meshgrid(numbers, numbers, indexing="ij"))
    # The same number twice is one number printed in two places: their difference and their ratio say nothing.
    twice = (pool.leaf[i] >= 0) & (pool.leaf[j] >= 0) & (np.abs(pool.value[i]) == np.abs(pool.value[j]))
    apart = (i != j) & ~twice
    i, j = i[apart], j[apart]
    once = i < j
    blocks: list[tuple[int, NDArray[np.intp], NDArray[np.intp]]] = [
        (LOOKUP, numbers, np.full(len(numbers), len(pool.kind) - 1)),
        (SUBTRACT, i, j),
        (DIVIDE, i, j),
        (ADD, i[once], j[once]),
        (MULTIPLY, i[once], j[once]),
    ]
    for code, name in ((GREATER, "greater"), (CHANGE, "percentage_change")):
        if sum(p for s, p in signatures.items() if s.startswith(name)) > _RARE:
            blocks.append((code, i, j))
    blocks += _with_constants(pool, numbers, question)
    operation = np.concatenate([np.full(len(a), code, np.int8) for code, a, _ in blocks])
    return (
        operation,
        np.concatenate([a for _, a, _ in blocks]).astype(np.int32),
        np.concatenate([b for _, _, b in blocks]).astype(np.int32),
    )


def _with_constants(
    pool: Pool, numbers: NDArray[np.intp], question: Question
) -> list[tuple[int, NDArray[np.intp], NDArray[np.intp]]]:
    """Scale factors, counts to average over, one and a hundred as bases, and whatever number the question says."""
    asked = {*question.numbers, *question.counts}
    blocks = []
    for constant in np.flatnonzero(pool.kind == CONSTANT):
        number = float(pool.value[constant])
        beside = np.full(len(numbers), constant)
        if number in asked or number in _FACTORS or number == -1.0:
            blocks.append((MULTIPLY, numbers, beside))
        if number in asked or number in _FACTORS or number in _COUNTS:
            blocks.append((DIVIDE, numbers, beside))
        if number in asked or number in (1.0, 100.0):
            blocks += [(SUBTRACT, numbers, beside), (SUBTRACT, beside, numbers)]
        if number in asked or number == 100.0:
            blocks.append((DIVIDE, beside, numbers))
        if number in asked:
            blocks.append((ADD, numbers, beside))
    return blocks


def _values(
    pool: Pool, operation: NDArray[np.int8], first: NDArray[np.int32], second: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The results in floating point, for ranking alone: the plan that is chosen is executed exactly."""
    distinct = list(dict.fromkeys(pool.counts))
    code_of = {counts: code for code, counts in enumerate(distinct)}
    codes = np.array([code_of[counts] for counts in pool.counts], np.int64)
    key = (operation.astype(np.int64) * len(distinct) + codes[first]) * len(distinct) + codes[second]
    shifts = np.empty((len(OPERATIONS) * len(distinct) ** 2, 2))
    for packed in _present(key, len(shifts)):
        rest, right = divmod(packed, len(distinct))
        code, left = divmod(rest, len(distinct))
        shifts[packed] = _shifts(OPERATIONS[code], distinct[left], distinct[right])
    a, b = pool.value[first] * shifts[key, 0], pool.value[second] * shifts[key, 1]
    divisor_zero = np.isin(operation, (DIVIDE, CHANGE)) & (b == 0)
    safe = np.where(b == 0, 1.0, b)
    value = np.select(
        [operation == code for code in range(len(OPERATIONS))],
        [a, a - b, a + b, a / safe, a * b, (a > b).astype(float), (a - b) / safe],
    )
    return value, ~divisor_zero & np.isfinite(value)


@lru_cache(maxsize=4096)
def reading_of(name: str, counts: tuple[Counts, ...]) -> Reading:
    """Returns how an operation takes operands that count so, by the one rule of `quaestor.plan.scales`."""
    return ARITHMETIC["identity" if name == "lookup" else name].rule(counts)


@lru_cache(maxsize=4096)
def _shifts(name: str, left: Counts, right: Counts) -> tuple[float, float]:
    shifts = reading_of(name, (left,) if name == "lookup" else (left, right)).shifts
    return 10.0 ** shifts[0], 10.0 ** shifts[1] if len(shifts) > 1 else 1.0


def _signature_scores(
    pool: Pool,
    operation: NDArray[np.int8],
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    signatures: Mapping[str, float],
    numbers: Sequence[float],
) -> NDArray[np.float64]:
    """The log probability of each plan's signature; an unlisted one shares its operation's remainder."""
    names = [_kind_name(pool, k, numbers) for k in range(len(pool.kind))]
    distinct = list(dict.fromkeys(names))
    code_of = {name: code for code, name in enumerate(distinct)}
    codes = np.array([code_of[name] for name in names], np.int64)
    key = (operation.astype(np.int64) * len(distinct) + codes[first]) * len(distinct) + codes[second]
    scores = np.empty(len(OPERATIONS) * len(distinct) ** 2, np.float64)
    for packed in _present(key, len(scores)):
        rest, right = divmod(packed, len(distinct))
        code, left = divmod(rest, len(distinct))
        scores[packed] = _signature_score(OPERATIONS[code], distinct[left], distinct[right], signatures)
    found: NDArray[np.float64] = scores[key]
    return found


def _present(key: NDArray[np.int64], size: int) -> list[int]:
    """The keys that occur, without sorting all of them."""
    there = np.zeros(size, bool)
    there[key] = True
    return [int(n) for n in np.flatnonzero(there)]


def _signature_score(name: str, first: str, second: str, signatures: Mapping[str, float]) -> float:
    inside = first if second == "none" else f"{first},{second}"
    p = signatures.get(f"{name}({inside})")
    if p is None:
        p = 0.1 * signatures.get(f"{name}(other)", 0.0)
    if name in ("add", "multiply") and second != "none":
        p += signatures.get(f"{name}({second},{first})", 0.0)
    return float(np.log(p + 1e-5))


def _kind_name(pool: Pool, index: int, numbers: Sequence[float]) -> str:
    kind = KINDS[pool.kind[index]]
    return constant_kind(float(pool.value[index]), numbers) if kind == "constant" else kind
