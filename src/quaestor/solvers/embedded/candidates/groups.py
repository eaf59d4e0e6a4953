"""Numbers that are taken together: years of a line, lines of a column, numbers of a sentence, the latest results.

Two numbers that are added are a pair, and no group.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.plan.scales import Dimension
from quaestor.questions.intent import SEVERAL
from quaestor.questions.question import Question
from quaestor.solvers.embedded.model.signature import Signatures
from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.state.dialogue import DialogueState, Operand

Bools = NDArray[np.bool_]

_LINES = 8
"""Of how many of the best leaves the lines are looked at."""
_LIKELY = 0.05
"""A leaf less probable than this is not added to its neighbours."""
_MOST = 6
"""The most numbers of a group that the question does not bound by years."""


@dataclass(frozen=True, slots=True)
class NumberGroup:
    """Numbers of one scale and unit, in the order in which they are added up.

    Attributes:
        kind: Where they come from, the place in `GROUP_KINDS`.
    """

    kind: int
    members: tuple[Operand, ...]


GROUP_KINDS = ("none", "years of a line", "lines of a column", "numbers of a sentence", "results")
"""Where the numbers of a group come from, in the order of their codes."""
_YEARS, _COLUMN, _SENTENCE, _RESULTS = range(1, len(GROUP_KINDS))


def asks_for_groups(question: Question, signatures: Signatures, least: float) -> bool:
    """Return whether several numbers may be taken together: by the core's patterns, the signature, or three years.

    Args:
        signatures: The probability of each signature, by its name.
        least: Sums and averages together must be more probable than this, if nothing else speaks for several
            numbers.
    """
    likely = signatures.operations["sum"] + signatures.operations["average"]
    return likely > least or len(question.years) > 2 or not SEVERAL.isdisjoint(question.pattern_names)


def groups_of(
    leaves: NumberMatrix, probability: NDArray[np.float64], state: DialogueState, question: Question
) -> Iterator[NumberGroup]:
    """Yield the groups that a question may mean, each once.

    Args:
        probability: The leaf scorer's probability of each leaf.
        state: The conversation before.

    Shape: `probability` has one entry a leaf.
    """
    seen: set[tuple[Operand, ...]] = set()
    # Of a line one leaf, and one of a column or a sentence: the others have the same numbers beside them.
    lines, columns = dict[tuple[int, int], int](), dict[tuple[int, int], int]()
    for leaf in np.argsort(-probability, kind="stable")[:_LINES].tolist():
        table, line = int(leaves.table[leaf]), int(leaves.line[leaf])
        lines.setdefault((table, line), leaf)
        columns.setdefault((table, int(leaves.place[leaf]) if table >= 0 else line), leaf)
    for kind, members in (
        *((_YEARS, found) for leaf in lines.values() for found in _years_of_line(leaves, leaf, question)),
        *(_beside(leaves, probability, leaf) for leaf in columns.values()),
        *((_RESULTS, found) for found in (state.last_list, *_latest_results(state))),
    ):
        if len(members) > 1 and members not in seen and _alike(members, leaves, state):
            seen.add(members)
            yield NumberGroup(kind, members)


def _years_of_line(leaves: NumberMatrix, leaf: int, question: Question) -> Iterator[tuple[Operand, ...]]:
    """The numbers of a line for the years that the question names or counts; all of them where it does neither."""
    line = np.flatnonzero((leaves.table == leaves.table[leaf]) & (leaves.line == leaves.line[leaf]) & (leaves.year > 0))
    of_year = {int(leaves.year[n]): int(n) for n in line[::-1]}
    years = sorted(of_year)
    if len(question.years) > 1:
        first, last = min(question.years), max(question.years)
        yield _operands(leaves, (of_year[y] for y in years if first <= y <= last))
        return
    counted = [int(n) for n in (*question.counts, *question.numbers) if 2 <= n <= len(years) and n == int(n)]
    for count in counted:
        yield _operands(leaves, (of_year[y] for y in years[-count:]))
        yield _operands(leaves, (of_year[y] for y in years[:count]))
        for base in question.years:
            after = [y for y in years if y > base][:count]
            up_to = [y for y in years if y <= base][-count:]
            yield from (_operands(leaves, (of_year[y] for y in part)) for part in (after, up_to) if len(part) == count)
    if not counted:
        yield _operands(leaves, (of_year[y] for y in years))
        # What is at two dates has as its average of a year that of the first and of the last.
        yield from (_operands(leaves, (of_year[y - 1], of_year[y])) for y in question.years if {y - 1, y} <= set(years))


def _beside(leaves: NumberMatrix, probability: NDArray[np.float64], leaf: int) -> tuple[int, tuple[Operand, ...]]:
    """The likely numbers of the other lines of a leaf's column, or of its sentence."""
    same_table = (leaves.table == leaves.table[leaf]) & (probability > _LIKELY)
    in_table = bool(leaves.table[leaf] >= 0)
    beside: Bools = same_table & (leaves.place == leaves.place[leaf] if in_table else leaves.line == leaves.line[leaf])
    found = np.flatnonzero(beside)[:_MOST].tolist()
    return (_COLUMN if in_table else _SENTENCE), _operands(leaves, found)


def _latest_results(state: DialogueState) -> Iterator[tuple[Operand, ...]]:
    """The last two results, the last three, and so on; a number that was looked up twice counts once."""
    lookups = state.lookups
    found: list[Operand] = []
    taken: set[int] = set()
    for turn in range(len(state.outcomes) - 1, -1, -1):
        outcome, leaf = state.outcomes[turn], lookups.get(turn, -1)
        if outcome.value is None or outcome.operation == "greater" or len(found) == _MOST:
            return
        if leaf < 0 or leaf not in taken:
            taken.add(leaf)
            found.insert(0, Operand("result", turn, outcome.value))
            yield tuple(found)


def _operands(leaves: NumberMatrix, chosen: Iterable[int]) -> tuple[Operand, ...]:
    return tuple(Operand("leaf", n, float(leaves.value[n])) for n in chosen)


def _alike(members: tuple[Operand, ...], leaves: NumberMatrix, state: DialogueState) -> bool:
    """Whether the members count in one scale and no two units: then nothing has to be converted."""
    counts = [counts_of(member, leaves, state) for member in members]
    return len({c.scale for c in counts}) == 1 and len({c.unit for c in counts} - {None}) <= 1


def counts_of(operand: Operand, leaves: NumberMatrix, state: DialogueState) -> Dimension:
    """Return the scale and the unit of a leaf or of an earlier result.

    Args:
        state: The conversation before.
    """
    return state.outcomes[operand.index].counts if operand.kind == "result" else leaves.counts[operand.index]
