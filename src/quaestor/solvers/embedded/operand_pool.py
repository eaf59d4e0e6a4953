"""Possible operands of a turn, and signatures: the operation and the kinds of operands that a question asks for."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.core.matrices import multiply
from quaestor.core.quantity import Scale
from quaestor.plan.scales import Dimension
from quaestor.questions.comparison import ComparisonArgument
from quaestor.questions.metric_types import SEVERAL
from quaestor.questions.question import Question
from quaestor.solvers.embedded.page import NumberMatrix, is_among
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnAction

# The signature of a turn: its operation and the kinds of its operands.
#
# A signature such as `subtract(result1,result2)` does not depend on the page, so it is learned from questions and
# programs alone. The classifier is a multinomial logistic regression over named indicator features, so that each
# weight can be interpreted.


FIRST, LAST = "<s>", "</s>"


class Signatures(dict[str, float]):
    """Probability of each signature of a turn by its name."""

    @cached_property
    def operations(self) -> Mapping[str, float]:
        """Probability of each operation with any operands; 0 for operations without a signature."""
        shares = defaultdict[str, float](float)
        for operation, share in zip(_list_operations(tuple(self)), self.values(), strict=True):
            shares[operation] += share
        return shares

    @cached_property
    def new_leaves(self) -> float:
        """Expected number of leaves of the turn that no earlier turn has used."""
        return sum(self[name] * count for name, count in _count_new_leaves(tuple(self)))


@lru_cache(maxsize=64)
def _list_operations(signatures: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.partition("(")[0] for name in signatures)


@lru_cache(maxsize=64)
def _count_new_leaves(signatures: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    return tuple((name, count) for name in signatures if (count := name.count("new")))


@dataclass(frozen=True, slots=True)
class SignatureModel:
    """Classifier of signatures.

    Shape: `weights` is features x classes, `intercept` has one entry per class.
    """

    classes: tuple[str, ...]
    features: dict[str, int]
    weights: NDArray[np.float32]
    intercept: NDArray[np.float32]

    def probabilities(self, question: Question, earlier: Sequence[Question], signatures: Sequence[str]) -> Signatures:
        """Return the probability of each signature."""
        named = list_features(question, earlier, signatures)
        known = [(row, value) for name, value in named.items() if (row := self.features.get(name)) is not None]
        rows, values = [row for row, _ in known], np.array([value for _, value in known])
        score = self.intercept + multiply(values, self.weights[rows])
        score = np.exp(score - score.max())
        score /= score.sum()
        return Signatures(zip(self.classes, score.tolist(), strict=True))


def list_features(question: Question, earlier: Sequence[Question], signatures: Sequence[str]) -> dict[str, float]:
    """Return the features of a turn that do not depend on the page: n-grams, earlier turns, and their combinations."""
    shapes = (FIRST, *question.shapes, LAST)
    features = dict.fromkeys(_list_n_grams(shapes), 1.0)
    operations = [signature.partition("(")[0] for signature in reversed(signatures)]
    last = operations[0] if operations else "-"
    pending = next((i for i, name in enumerate(operations) if name != "lookup"), len(operations))
    features["before:" + last] = 1.0
    features["before2:" + "/".join(operations[:2])] = 1.0
    features["before3:" + "/".join(operations[:3])] = 1.0
    features["signature:" + (signatures[-1] if signatures else "-")] = 1.0
    features[f"pending:{min(pending, 3)}"] = 1.0
    features[f"turn:{min(len(earlier), 6)}"] = 1.0
    features[f"years:{min(len(question.years), 3)}"] = 1.0
    for shape in sorted(set(shapes)):
        features[f"{last}|{shape}"] = 1.0
        features[f"pending{min(pending, 2)}|{shape}"] = 1.0
    # Sorted: the order of a set differs between processes, and the order of a sum changes its rounding.
    for pattern in sorted(question.pattern_names):
        features[pattern] = 1.0
        features[f"{last}|{pattern}"] = 1.0
    span = max(question.years) - min(question.years) + 1 if question.years else 0
    for pattern in sorted(question.pattern_names & SEVERAL):
        features[f"{pattern}|{min(span, 4)} years"] = 1.0
    sides = question.comparison
    features[f"sides:{sides.kind}|{sides.first.back:d}{sides.second.back:d}"] = 1.0
    features[f"{last}|sides:{sides.kind}|{sides.first.back:d}{sides.second.back:d}"] = 1.0
    features.update(_compare_sides(question, earlier))
    features["length"] = min(len(shapes), 40) / 40
    if earlier:
        features.update(_measure_novelty(question, earlier))
        features.update(_cross_last_turns(question, earlier, signatures))
    return features


@lru_cache(maxsize=256)
def _list_n_grams(shapes: tuple[str, ...]) -> tuple[str, ...]:
    """Unigrams, bigrams and trigrams of a question; cached for its next readings."""
    sizes = ((size, start) for size in (1, 2, 3) for start in range(len(shapes) - size + 1))
    return tuple("q:" + "_".join(shapes[start : start + size]) for size, start in sizes)


def _compare_sides(question: Question, earlier: Sequence[Question]) -> dict[str, float]:
    """Whether earlier questions named each side of a comparison, and whether it points back."""
    sides = question.comparison
    if not sides.kind:
        return {}
    earlier_stems = {stem for before in earlier for stem in before.stems}
    first, second = (f"{side.back:d}{_compare_side(side, earlier_stems)}" for side in (sides.first, sides.second))
    return {f"side1:{first}": 1.0, f"side2:{second}": 1.0, f"sides:{sides.kind}|{first}|{second}": 1.0}


def _compare_side(side: ComparisonArgument, earlier_stems: set[str]) -> str:
    share = len(side.stems & earlier_stems) / len(side.stems) if side.stems else -1
    return "nothing" if share < 0 else "new" if share == 0 else "said" if share == 1 else "partly"


def _measure_novelty(question: Question, earlier: Sequence[Question]) -> dict[str, float]:
    """How much of the question earlier questions have."""
    now, last = set(question.stems), set(earlier[-1].stems)
    stems, years = _count_new_words(question, earlier)
    return {
        "overlap:last": len(now & last) / max(1, len(now)),
        "overlap:all": (len(now) - stems) / max(1, len(now)),
        f"new stems:{min(4, stems)}": 1.0,
        f"new years:{min(3, years)}": 1.0,
    }


def _cross_last_turns(question: Question, earlier: Sequence[Question], signatures: Sequence[str]) -> dict[str, float]:
    """Signatures of the last turns, combined with the question's patterns and the number of its new words.

    "And what was this total in 2012?" after a sum of two numbers asks for two others; after a sum of two earlier
    results it asks for the first of two numbers.
    """
    last, both = signatures[-1], "/".join(reversed(signatures[-2:]))
    stems, years = _count_new_words(question, earlier)
    fresh = f"fresh{min(3, stems)}"
    names = [f"signature2:{both}", f"{fresh}|{last}", f"{fresh}|{both}"]
    names += [f"{known}|{pattern}" for pattern in sorted(question.pattern_names) for known in (last, fresh)]
    names += [f"years{min(2, years)}|{last}", f"years{min(2, years)}|{fresh}|{last}"]
    return dict.fromkeys(names, 1.0)


def _count_new_words(question: Question, earlier: Sequence[Question]) -> tuple[int, int]:
    """Number of stems and of years in the question that no earlier question has."""
    stems = {stem for before in earlier for stem in before.stems}
    years = {year for before in earlier for year in before.years}
    return len(set(question.stems) - stems), len(set(question.years) - years)


def find_signature(question: Question, outcome: TurnAction, state: DialogueState) -> str:
    """Return the signature of an outcome reached in `state`, such as `divide(result1,used)`.

    An operand is `new` (a leaf that no earlier turn used), `used` (a leaf that one did), `result1`, `result2`,
    `result3` (the answer that many turns ago, 3 for all older ones), `asked` (a constant in digits in the question), or
    the constant itself. The operands of a sum or average over several numbers are a `group`.
    """
    if outcome.operation in ("sum", "average"):
        return f"{outcome.operation}(group)"
    used, numbers = state.used_leaves, question.numbers
    kinds = []
    for operand in outcome.operands:
        if operand.kind == "leaf":
            kinds.append("used" if operand.index in used else "new")
        elif operand.kind == "result":
            kinds.append(f"result{min(3, len(state.outcomes) - operand.index)}")
        else:
            kinds.append(name_constant(operand.value, numbers))
    return f"{outcome.operation}({','.join(kinds)})"


def name_constant(value: float, numbers: Sequence[float]) -> str:
    """Return the name of a constant in a signature, given the numbers in the question."""
    return "asked" if value in numbers else f"{value:g}"


# Groups of numbers: years of a line, lines of a column, numbers of a sentence, the latest results.
#
# Two numbers that are added are a pair, not a group.


_LINES = 8
"""Number of the best leaves whose lines are searched for groups."""
_LIKELY = 0.05
"""Least probability of a leaf that is grouped with its neighbours."""
_MOST = 6
"""Most numbers in a group that the question does not limit by years."""


@dataclass(frozen=True, slots=True)
class NumberGroup:
    """Numbers with the same scale and unit, in the order of their sum.

    Attributes:
        kind: Source of the numbers, as an index into `GROUP_KINDS`.
    """

    kind: int
    members: tuple[Operand, ...]


GROUP_KINDS = ("none", "years of a line", "lines of a column", "numbers of a sentence", "results")
"""Sources of a group's numbers, by code."""
_YEARS, _COLUMN, _SENTENCE, _RESULTS = range(1, len(GROUP_KINDS))


def _asks_for_groups(question: Question, signatures: Signatures, least: float) -> bool:
    """Return whether a question may combine several numbers: by its patterns, its signature, or three years or more.

    Args:
        least: The sum of the probabilities of sums and averages must exceed this, unless the patterns or years suffice.
    """
    likely = signatures.operations["sum"] + signatures.operations["average"]
    return likely > least or len(question.years) > 2 or not SEVERAL.isdisjoint(question.pattern_names)


def find_groups(
    leaves: NumberMatrix, probability: NDArray[np.float64], state: DialogueState, question: Question
) -> Iterator[NumberGroup]:
    """Yield each group that a question may mean, once."""
    seen: set[tuple[Operand, ...]] = set()
    # One leaf of each line, and of each column or sentence: the others would yield the same groups.
    lines, columns = dict[tuple[int, int], int](), dict[tuple[int, int], int]()
    for leaf in np.argsort(-probability, kind="stable")[:_LINES].tolist():
        table, line = int(leaves.table[leaf]), int(leaves.line[leaf])
        lines.setdefault((table, line), leaf)
        columns.setdefault((table, int(leaves.place[leaf]) if table >= 0 else line), leaf)
    for kind, members in (
        *((_YEARS, found) for leaf in lines.values() for found in _find_years_of_line(leaves, leaf, question)),
        *(_find_near(leaves, probability, leaf) for leaf in columns.values()),
        *((_RESULTS, found) for found in (state.last_list, *_list_latest_results(state))),
    ):
        if len(members) > 1 and members not in seen and _are_alike(members, leaves, state):
            seen.add(members)
            yield NumberGroup(kind, members)


def _find_years_of_line(leaves: NumberMatrix, leaf: int, question: Question) -> Iterator[tuple[Operand, ...]]:
    """Numbers of a line for the years that the question names or counts, or for all years."""
    line = np.flatnonzero(leaves.in_line_of(leaf) & (leaves.year > 0))
    of_year = {int(leaves.year[n]): int(n) for n in line[::-1]}
    years = sorted(of_year)
    if len(question.years) > 1:
        first, last = min(question.years), max(question.years)
        yield _pick(leaves, (of_year[y] for y in years if first <= y <= last))
        return
    counted = [int(n) for n in (*question.counts, *question.numbers) if 2 <= n <= len(years) and n == int(n)]
    for count in counted:
        yield _pick(leaves, (of_year[y] for y in years[-count:]))
        yield _pick(leaves, (of_year[y] for y in years[:count]))
        for base in question.years:
            after = [y for y in years if y > base][:count]
            up_to = [y for y in years if y <= base][-count:]
            yield from (_pick(leaves, (of_year[y] for y in part)) for part in (after, up_to) if len(part) == count)
    if not counted:
        yield _pick(leaves, (of_year[y] for y in years))
        # The annual average of a balance is that of its values at the end of the year before and of the year.
        yield from (_pick(leaves, (of_year[y - 1], of_year[y])) for y in question.years if {y - 1, y} <= set(years))


def _find_near(leaves: NumberMatrix, probability: NDArray[np.float64], leaf: int) -> tuple[int, tuple[Operand, ...]]:
    """Likely numbers in the same column as a leaf, or in the same sentence."""
    in_table = bool(leaves.table[leaf] >= 0)
    near = leaves.in_column_of(leaf) if in_table else leaves.in_line_of(leaf)
    found = np.flatnonzero(near & (probability > _LIKELY))[:_MOST].tolist()
    return (_COLUMN if in_table else _SENTENCE), _pick(leaves, found)


def _list_latest_results(state: DialogueState) -> Iterator[tuple[Operand, ...]]:
    """The last result, the last two, and so on; a number that was looked up twice counts once."""
    lookups = state.lookups
    found: list[Operand] = []
    seen: set[int] = set()
    for turn in range(len(state.outcomes) - 1, -1, -1):
        outcome, leaf = state.outcomes[turn], lookups.get(turn, -1)
        if outcome.value is None or outcome.operation == "greater" or len(found) == _MOST:
            return
        if leaf < 0 or leaf not in seen:
            seen.add(leaf)
            found.insert(0, Operand("result", turn, outcome.value))
            yield tuple(found)


def _pick(leaves: NumberMatrix, chosen: Iterable[int]) -> tuple[Operand, ...]:
    return tuple(Operand("leaf", n, float(leaves.value[n])) for n in chosen)


def _are_alike(members: tuple[Operand, ...], leaves: NumberMatrix, state: DialogueState) -> bool:
    """Whether all members have the same scale and at most one unit, so that none needs conversion."""
    counts = [_find_dimension(member, leaves, state) for member in members]
    return len({c.scale for c in counts}) == 1 and len({c.unit for c in counts} - {None}) <= 1


def _find_dimension(operand: Operand, leaves: NumberMatrix, state: DialogueState) -> Dimension:
    """Return the scale and the unit of a leaf or of an earlier result."""
    return state.outcomes[operand.index].counts if operand.kind == "result" else leaves.counts[operand.index]


KINDS = ("new", "used", "result1", "result2", "result3", "constant", "none", "group")
"""Kinds of operands, by code."""
NEW, USED, RESULT1, RESULT2, RESULT3, CONSTANT, NONE, GROUP = range(len(KINDS))

TOP_LEAVES = 20
"""Number of the best leaves that are combined."""
MAX_RESULTS = 8
"""Number of the latest results that can be operands."""
FACTORS = (100.0, 1000.0, 1_000_000.0, 1_000_000_000.0)
"""Factors for conversion between scales."""
COUNTS = (2.0, 3.0, 4.0, 5.0)
"""Divisors for the average of a sum."""
RARE = 0.01
"""Least probability of a rare operation that has candidates."""


@dataclass(frozen=True)
class Pool:
    """Possible operands of a turn, after one or several readings of the earlier turns.

    Shape: every array has one entry per operand; the last operand of a reading means "no second operand".

    Attributes:
        groups: The groups, to which operands of the kind "group" refer by index.
        reading: Number of the operand's reading, from 0; the operands of one reading are adjacent.
        year: Year of the leaf that an operand is or looked up; 0 if unknown.
        ratio: Whether an earlier turn computed the operand as the ratio of two amounts.
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
        """Number of the turn whose result the operand is, from 0; -1 if it is not a result."""
        return np.array([operand.index if operand.kind == "result" else -1 for operand in self.operands], np.int32)

    def members(self, index: int) -> tuple[Operand, ...]:
        """Return the numbers of the operand at `index`: the members of a group, or the operand itself."""
        operand = self.operands[index]
        return self.groups[operand.index].members if operand.kind == "group" else (operand,)


def build_pool(
    leaves: NumberMatrix,
    probability: NDArray[np.float64],
    state: DialogueState,
    question: Question,
    signatures: Signatures,
) -> Pool:
    """Return the operands of a turn: the best leaves, leaves and results of earlier turns, groups, and constants."""
    used, lookups = state.used_leaves, state.lookups
    looked_up, logs = set(lookups.values()), np.log(np.maximum(probability, 1e-6)).tolist()
    best = np.argsort(-probability, kind="stable")[:TOP_LEAVES].tolist()
    moved = _find_moved_leaves(leaves, probability, state, question)
    chosen = [leaf for leaf in dict.fromkeys((*best, *used, *moved)) if leaf not in looked_up]
    rows: list[tuple[Operand, Dimension, bool, int, int, int, float]] = []
    for leaf, value in zip(chosen, leaves.value[chosen].tolist(), strict=True):
        kind, log_p = (USED if leaf in used else NEW), logs[leaf]
        since, counts = (len(state.outcomes) - used[leaf] if leaf in used else 0), leaves.counts[leaf]
        rows.append((_build_leaf(leaf, value), counts, False, kind, leaf, since, log_p))
        if value < 0:
            rows.append((_build_leaf(leaf, -value), counts, True, kind, leaf, since, log_p))
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
    asked = _asks_for_groups(question, signatures, RARE)
    groups = tuple(find_groups(leaves, probability, state, question)) if asked else ()
    for n, group in enumerate(groups):
        total = Operand("group", n, sum(member.value for member in group.members))
        log_p = float(np.mean([logs[leaf] if leaf >= 0 else 0.0 for leaf in map(state.find_leaf, group.members)]))
        rows.append((total, _find_dimension(group.members[0], leaves, state), False, GROUP, -1, 0, log_p))
    rows += _build_constants((*question.numbers, *question.counts))
    operands, counted, magnitude, kinds, leaf_numbers, since_turn, scores = zip(*rows, strict=True)
    of_leaf = np.array(leaf_numbers, np.int32)
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
        ratio=np.isin(np.arange(len(operands)), ratios),
    )


def _is_ratio(outcome: TurnAction, state: DialogueState, leaves: NumberMatrix) -> bool:
    """Whether a turn divided one printed amount by another; an amount over a constant is still an amount."""
    if outcome.operation not in ("divide", "percentage_change"):
        return False
    printed = map(state.find_leaf, outcome.operands)
    return all(leaf >= 0 and not leaves.percent[leaf] for leaf in printed)


_JOINED = ("magnitude", "kind", "value", "percent", "leaf", "year", "turn", "score", "ratio")


def join_pools(pools: Sequence[Pool]) -> Pool:
    """Return the operands of several readings as one pool, in their order."""
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
        **{name: np.concatenate([getattr(pool, name) for pool in pools]) for name in _JOINED},
        reading=np.repeat(np.arange(len(pools), dtype=np.int32), [len(pool.operands) for pool in pools]),
    )


@lru_cache(maxsize=4096)
def _build_leaf(index: int, value: float) -> Operand:
    return Operand("leaf", index, value)


@lru_cache(maxsize=1024)
def _build_constants(
    question_numbers: tuple[float, ...],
) -> tuple[tuple[Operand, Dimension, bool, int, int, int, float], ...]:
    """The constants of a question with these numbers, and the operand that means "no second operand"."""
    numbers = dict.fromkeys((*FACTORS, 1.0, -1.0, *COUNTS, *question_numbers))
    constants = ((Operand("constant", 0, n), _read_constant(n), False, CONSTANT, -1, 0, 0.0) for n in numbers)
    return (*constants, (Operand("constant", 0, 0.0), Dimension(), False, NONE, -1, 0, 0.0))


@lru_cache(maxsize=1024)
def _read_constant(number: float) -> Dimension:
    return Dimension(constant=Decimal(repr(number)).normalize())


def _find_moved_leaves(
    leaves: NumberMatrix, probability: NDArray[np.float64], state: DialogueState, question: Question
) -> list[int]:
    """Leaves in the lines of the last two turns, at the years that the question names."""
    found: list[int] = []
    for outcome in state.outcomes[-2:]:
        for leaf in map(state.find_leaf, outcome.operands):
            if leaf >= 0 and leaves.table[leaf] >= 0:
                of_years = leaves.in_line_of(leaf) & is_among(leaves.year, question.years)
                found += np.flatnonzero(of_years)[:3].tolist()
    return found
