"""Every plan that fits a turn: one operation on leaves, earlier results and constants.

A turn of a conversation adds one operation to what is there (94 % of labelled turns), or percentage change, which
is two, or adds up or averages a group of numbers. Owns what can be combined. Knows nothing of which plan is right.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.plan.operations import OPERATIONS as ARITHMETIC
from quaestor.plan.scales import Dimension, OperandScaling
from quaestor.questions.question import Question
from quaestor.solvers.embedded.candidates.pool import CONSTANT, COUNTS, FACTORS, GROUP, KINDS, NONE, RARE, Pool
from quaestor.solvers.embedded.model.signature import constant_kind
from quaestor.solvers.embedded.state.dialogue import TurnAction

OPERATIONS = (
    "lookup", "subtract", "add", "divide", "multiply", "greater", "percentage_change", "sum", "average",
)  # fmt: skip
"""What a candidate can do, in the order of their codes."""
LOOKUP, SUBTRACT, ADD, DIVIDE, MULTIPLY, GREATER, CHANGE, SUM, AVERAGE = range(len(OPERATIONS))

GROUPED = frozenset({"sum", "average"})
"""Those that take a group of numbers."""

KEPT = 400
"""How many candidates the ranker sees."""

_COMPUTED = 600
"""How many are computed: some of them divide by zero."""


_PAIRS: dict[int, Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]] = {
    SUBTRACT: lambda a, b: a - b,
    ADD: lambda a, b: a + b,
    DIVIDE: lambda a, b: a / b,
    MULTIPLY: lambda a, b: a * b,
    GREATER: lambda a, b: (a > b).astype(float),
    CHANGE: lambda a, b: (a - b) / b,
}
"""What two operands come to. A look-up and a sum come to the first operand itself, an average to its share."""


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

    def outcome(self, index: int) -> TurnAction:
        """Returns what the plan at `index` does, as the next state remembers it."""
        i, j = int(self.first[index]), int(self.second[index])
        name = OPERATIONS[self.operation[index]]
        chosen = (i,) if self.pool.kind[j] == NONE else (i, j)
        operands = tuple(member for n in chosen for member in self.pool.members(n))
        reading = reading_of(name, tuple(self.pool.counts[n] for n in chosen))
        return TurnAction(name, operands, float(self.value[index]), reading.counts)


def enumerate_candidates(pool: Pool, signatures: Mapping[str, float], question: Question) -> Candidates:
    """Returns the plans over a pool, the `KEPT` most plausible by signature and leaves, best first.

    Args:
        pool: What can be an operand.
        signatures: The probability of each signature, by its name.
        question: What is asked.
    """
    operation, first, second = _combinations(pool, signatures, question)
    signature = _signature_scores(pool, operation, first, second, signatures, question.numbers)
    prior = signature + pool.score[first] + np.where(pool.kind[second] == NONE, 0.0, pool.score[second])
    # Of ten thousand plans only the best are computed and put in order.
    best = np.sort(np.argpartition(-prior, _COMPUTED)[:_COMPUTED]) if len(prior) > _COMPUTED else np.arange(len(prior))
    best = best[np.argsort(-prior[best], kind="stable")]
    operation, first, second = operation[best], first[best], second[best]
    signature, prior = signature[best], prior[best]
    value, defined = _values(pool, operation, first, second)
    keep = np.flatnonzero(defined)[:KEPT]
    return Candidates(pool, operation, first, second, value, signature, prior).take(keep)


def _combinations(
    pool: Pool, signatures: Mapping[str, float], question: Question
) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.int32]]:
    numbers = np.flatnonzero((pool.kind != CONSTANT) & (pool.kind != NONE) & (pool.kind != GROUP))
    i, j = (axis.ravel() for axis in np.meshgrid(numbers, numbers, indexing="ij"))
    # The same number twice is one number printed in two places: their difference and their ratio say nothing. But two
    # amounts that are alike can be added.
    same = same_printed_number(pool, i, j)
    alike = same & (i < j) & (pool.value[i] == pool.value[j])
    twice = i[alike], j[alike]
    apart = (i != j) & ~same
    i, j = i[apart], j[apart]
    once = i < j
    # What three years or more come to is no sum of two numbers of the page.
    added = once & ~((pool.leaf[i] >= 0) & (pool.leaf[j] >= 0)) if len(question.years) > 2 else once
    blocks: list[tuple[int, NDArray[np.intp], NDArray[np.intp]]] = [
        (LOOKUP, numbers, np.full(len(numbers), len(pool.kind) - 1)),
        (SUBTRACT, i, j),
        (DIVIDE, i, j),
        (ADD, i[added], j[added]),
        (ADD, *twice),
        (MULTIPLY, i[once], j[once]),
    ]
    for code, name in ((GREATER, "greater"), (CHANGE, "percentage_change")):
        if sum(p for s, p in signatures.items() if s.startswith(name)) > RARE:
            blocks.append((code, i, j))
    blocks += _with_constants(pool, numbers, question)
    groups = np.flatnonzero(pool.kind == GROUP)
    many = np.array([n for n in groups.tolist() if len(pool.members(n)) > 2], np.intp)
    nothing = len(pool.kind) - 1
    blocks += [(SUM, many, np.full(len(many), nothing)), (AVERAGE, groups, np.full(len(groups), nothing))]
    operation = np.concatenate([np.full(len(a), code, np.int8) for code, a, _ in blocks])
    return (
        operation,
        np.concatenate([a for _, a, _ in blocks]).astype(np.int32),
        np.concatenate([b for _, _, b in blocks]).astype(np.int32),
    )


def same_printed_number(pool: Pool, first: NDArray[np.integer], second: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Returns which pairs of operands are leaves that print one number, whatever its sign.

    Args:
        pool: What can be an operand.
        first: The first operand of each pair, as its place in the pool.
        second: The second one, likewise.

    Shape: `first`, `second` and the result have one entry a pair.
    """
    leaves = (pool.leaf[first] >= 0) & (pool.leaf[second] >= 0)
    same: NDArray[np.bool_] = leaves & (np.abs(pool.value[first]) == np.abs(pool.value[second]))
    return same


def _with_constants(
    pool: Pool, numbers: NDArray[np.intp], question: Question
) -> list[tuple[int, NDArray[np.intp], NDArray[np.intp]]]:
    """Scale factors, counts to average over, one and a hundred as bases, and whatever number the question says."""
    asked = {*question.numbers, *question.counts}
    blocks = []
    for constant in np.flatnonzero(pool.kind == CONSTANT):
        number = float(pool.value[constant])
        beside = np.full(len(numbers), constant)
        if number in asked or number in FACTORS or number == -1.0:
            blocks.append((MULTIPLY, numbers, beside))
        if number in asked or number in FACTORS or number in COUNTS:
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
    # Told apart by identity, which is quick; that some are equal is no matter.
    distinct = list({id(counts): counts for counts in pool.counts}.values())
    code_of = {id(counts): code for code, counts in enumerate(distinct)}
    codes = np.array([code_of[id(counts)] for counts in pool.counts], np.int64)
    key = (operation.astype(np.int64) * len(distinct) + codes[first]) * len(distinct) + codes[second]
    shifts = np.empty((len(OPERATIONS) * len(distinct) ** 2, 2))
    for packed in _present(key, len(shifts)):
        rest, right = divmod(packed, len(distinct))
        code, left = divmod(rest, len(distinct))
        shifts[packed] = _shifts(OPERATIONS[code], distinct[left], distinct[right])
    a, b = pool.value[first] * shifts[key, 0], pool.value[second] * shifts[key, 1]
    divisor_zero = ((operation == DIVIDE) | (operation == CHANGE)) & (b == 0)
    safe = np.where(b == 0, 1.0, b)
    value = a.copy()
    for code, compute in _PAIRS.items():
        at = np.flatnonzero(operation == code)
        value[at] = compute(a[at], safe[at] if code in (DIVIDE, CHANGE) else b[at])
    at = np.flatnonzero(operation == AVERAGE)
    value[at] /= [len(pool.members(n)) for n in first[at].tolist()]
    return value, ~divisor_zero & np.isfinite(value)


@lru_cache(maxsize=4096)
def reading_of(name: str, counts: tuple[Dimension, ...]) -> OperandScaling:
    """Returns how an operation takes operands that count so, by the one rule of `quaestor.plan.scales`."""
    return ARITHMETIC["identity" if name == "lookup" else name].rule(counts)


def result_of(name: str, values: Sequence[float], counts: tuple[Dimension, ...]) -> float | None:
    """Returns what an operation comes to; None where it divides by zero, or takes another number of operands.

    Args:
        name: One of `OPERATIONS`.
        values: Of its operands, as printed.
        counts: What each of them counts.
    """
    if len(values) != len(counts) or (name not in GROUPED and len(values) != (1 if name == "lookup" else 2)):
        return None
    taken = [value * 10.0**shift for value, shift in zip(values, reading_of(name, counts).shifts, strict=True)]
    if name == "lookup":
        return taken[0]
    if name in GROUPED:
        return sum(taken) / (len(taken) if name == "average" else 1)
    code = OPERATIONS.index(name)
    if code in (DIVIDE, CHANGE) and taken[1] == 0:
        return None
    return float(_PAIRS[code](np.array(taken[0]), np.array(taken[1])))


@lru_cache(maxsize=4096)
def _shifts(name: str, left: Dimension, right: Dimension) -> tuple[float, float]:
    shifts = reading_of(name, (left,) if name == "lookup" or name in GROUPED else (left, right)).shifts
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
    if first == "group":
        return float(np.log(signatures.get(f"{name}(group)", signatures.get(f"{name}(other)", 0.0)) + 1e-5))
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
