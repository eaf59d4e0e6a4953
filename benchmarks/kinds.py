"""Classifies labelled turns into kinds that a breakdown by operation or origin does not show.

A turn can belong to several kinds or to none.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from quaestor.core.answer_value import number_of
from quaestor.core.periods import Period, find_periods
from quaestor.documents.document import Document
from quaestor.learning.examples import Example
from quaestor.plan.program import parse_program
from quaestor.plan.scales import read_literal
from quaestor.plan.steps import Tree, program_tree
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.pages import page_numbers
from quaestor.scoring.taxonomy import OperandSource, TurnKind, turn_kinds

_SAYS_PRODUCT = re.compile(r"\b(?:times|multipl\w+|product|[0-9.,]+ ?% of)\b", re.IGNORECASE)
_THOUSANDS = frozenset(map(Decimal, (1_000, 1_000_000, 1_000_000_000)))
_HUNDRED = Decimal(100)
_COUNTS = range(2, 100)


class Kind(StrEnum):
    """A kind of turn, with its name in the report."""

    FIRST_OPERATION = "operation in the first turn"
    SECOND_QUESTION = "first turn of a second question"
    TEXT_ONLY = "numbers from the text alone"
    YEARS_IN_ROWS = "numbers from a table with its periods in rows"
    YEAR_IN_TEXT = "years that the text alone names"
    ROWS_SUMMED = "sum over several rows"
    AVERAGE = "average"
    UNNAMED_PRODUCT = "product that the question does not name"
    COUNT_MULTIPLIED = "amount times a small count, as of years"
    RESULT_DIVIDED = "earlier result over another number"
    SHARE_OF_RESULT = "share or percentage of an earlier result"
    UNIT_CHANGE = "unit change by thousands"
    HUNDRED = "times or divided by a hundred"
    YES_NO = "yes or no"


@dataclass(frozen=True, slots=True)
class Turn:
    """A labelled turn, as input of the rules.

    Attributes:
        kind: Operation and origin, as in every breakdown.
        tree: The reference program.
    """

    question: str
    gold: GoldTurn
    page: Document
    kind: TurnKind
    tree: Tree
    earlier: frozenset[Tree]

    def steps(self, operation: str) -> Iterator[tuple[Tree, ...]]:
        """Yield the operands of each step with an operation, except steps that an earlier turn has computed."""
        return (_operands(step) for step in self._new(self.tree) if step[0] == operation)

    def _new(self, tree: Tree) -> Iterator[Tree]:
        if _operands(tree) and tree not in self.earlier:
            yield tree
            for operand in _operands(tree):
                yield from self._new(operand)

    def computed_earlier(self, tree: Tree) -> bool:
        """Return whether an operand is the computed result of an earlier turn, as opposed to a looked-up number."""
        return bool(_operands(tree)) and tree in self.earlier


def kinds_of(example: Example) -> tuple[frozenset[Kind], ...]:
    """Return the kinds of each turn of a conversation."""
    return tuple(frozenset(kind for kind, rule in RULES.items() if rule(turn)) for turn in _turns(example))


def kinds_by_place(examples: Iterable[Example]) -> dict[tuple[str, int], frozenset[Kind]]:
    """Return the kinds of turns by conversation and turn."""
    return {(e.id, number): kinds for e in examples for number, kinds in enumerate(kinds_of(e))}


def _turns(example: Example) -> Iterator[Turn]:
    if example.document is None:
        raise ValueError(f"{example.id} has no page")
    trees = [program_tree(parse_program(gold.program)) for gold in example.gold]
    kinds = turn_kinds(example.gold, page_numbers(example.document), joined=example.joined)
    for n, (question, gold) in enumerate(zip(example.questions, example.gold, strict=True)):
        yield Turn(question, gold, example.document, kinds[n], trees[n], frozenset(trees[:n]))


def _operands(tree: Tree) -> tuple[Tree, ...]:
    return tuple(part for part in tree[1:] if isinstance(part, tuple))


def _number(tree: Tree) -> Decimal | None:
    """Return the value of a number or constant."""
    return read_literal(str(tree[2])) if tree[0] in ("number", "constant") else None


def _constant(tree: Tree) -> Decimal | None:
    """Return the value of a constant of the benchmark, such as `const_1000`."""
    return _number(tree) if tree[0] == "constant" else None


def _is_percentage(tree: Tree) -> bool:
    return tree[0] == "number" and str(tree[2]).endswith("%")


def _first_operation(turn: Turn) -> bool:
    return turn.kind.index == 0 and turn.kind.operation != "lookup"


def _begins_second(turn: Turn) -> bool:
    return turn.kind.begins_second


def _text_only(turn: Turn) -> bool:
    return turn.kind.origin is OperandSource.TEXT


def _years_in_rows(turn: Turn) -> bool:
    from_table = turn.kind.origin in (OperandSource.TABLE, OperandSource.SEVERAL)
    return from_table and any(table.orientation == "rows" for table in turn.page.tables)


def _year_in_text(turn: Turn) -> bool:
    """Return whether a turn takes a number from the page, but no table has any of the years it asks for."""
    if turn.kind.origin not in (OperandSource.TABLE, OperandSource.TEXT, OperandSource.SEVERAL):
        return False
    asked = _years(mention.period for mention in find_periods(turn.question))
    text_years = _years(period for sentence in turn.page.sentences for period, _, _ in sentence.periods)
    return bool(asked & text_years) and asked.isdisjoint(_years(_table_periods(turn.page)))


def _table_periods(page: Document) -> Iterator[Period]:
    for table in page.tables:
        yield from (header.period for header in (*table.rows, *table.columns) if header.period)
        for row in table.cells:
            yield from (mention.period for cell in row if not cell.repair for mention in find_periods(cell.text))


def _years(periods: Iterable[Period]) -> set[int]:
    return {year for period in periods for year in range(period.year, (period.last or period.year) + 1)}


def _rows_summed(turn: Turn) -> bool:
    """Return whether a sum uses two or more numbers of the table, and no row prints all of them."""
    rows = [
        Counter(abs(value) for cell in row[1:] for q in cell.quantities for value in {q.value, q.number})
        for table in turn.page.tables
        for row in table.cells[table.header_rows :]
    ]
    printed = {value for row in rows for value in row}
    for operands in turn.steps("add"):
        numbers = (_number(term) for operand in operands for term in _terms(operand))
        taken = Counter(abs(n) for n in numbers if n is not None and abs(n) in printed)
        if taken.total() > 1 and not any(taken <= row for row in rows):
            return True
    return False


def _terms(tree: Tree) -> Iterator[Tree]:
    """Yield the terms of a sum, with nested sums flattened; the tree itself if it is not a sum."""
    if tree[0] != "add":
        yield tree
        return
    for operand in _operands(tree):
        yield from _terms(operand)


def _average(turn: Turn) -> bool:
    """Return whether a sum is divided by the number of its terms."""
    if any(True for _ in turn.steps("table_average")):
        return True
    divided = (operands for operands in turn.steps("divide") if operands[0][0] == "add")
    return any(sum(map(_times, _terms(whole))) == _number(count) for whole, count in divided)


def _times(term: Tree) -> Decimal:
    """Return how many terms a term represents: an amount times four represents four."""
    counts = [n for operand in _operands(term) if (n := _count(operand))] if term[0] == "multiply" else []
    return counts[0] if counts else Decimal(1)


def _count(tree: Tree) -> Decimal | None:
    """Return the value of a constant that can be a number of years, quarters or payments."""
    value = _constant(tree)
    return value if value in _COUNTS else None


def _unnamed_product(turn: Turn) -> bool:
    """Return whether a question implies a product without naming it."""
    return any(_amounts_multiplied(turn)) and not _SAYS_PRODUCT.search(turn.question)


def _count_multiplied(turn: Turn) -> bool:
    return any(_count(operand) for operands in _amounts_multiplied(turn) for operand in operands)


def _amounts_multiplied(turn: Turn) -> Iterator[tuple[Tree, ...]]:
    """Yield the operands of each product that changes neither a unit nor a sign."""
    changing = {*_THOUSANDS, _HUNDRED, Decimal(1), Decimal(-1)}
    return (operands for operands in turn.steps("multiply") if changing.isdisjoint(map(_constant, operands)))


def _result_divided(turn: Turn) -> bool:
    """Return whether a result is divided by something, except for averages and changes of unit."""
    divided = (part for part in turn.steps("divide") if turn.computed_earlier(part[0]))
    return not _average(turn) and any(_divisor_of_unit(*operands) is None for operands in divided)


def _share_of_result(turn: Turn) -> bool:
    """Return whether a result is the base of a share, or a percentage of an earlier answer is computed."""
    if any(turn.computed_earlier(whole) for _, whole in turn.steps("divide")):
        return True
    for operands in (*turn.steps("multiply"), *turn.steps("divide")):
        others = [operand for operand in operands if not _is_percentage(operand)]
        if len(others) < len(operands) and any(other in turn.earlier for other in others):
            return True
    return False


def _unit_change(turn: Turn) -> bool:
    return any(factor in _THOUSANDS for factor in _factors(turn))


def _hundred(turn: Turn) -> bool:
    return _HUNDRED in _factors(turn)


def _factors(turn: Turn) -> Iterator[Decimal]:
    """Yield the powers of ten that something is multiplied or divided by."""
    multiplied = (_constant(operand) for operands in turn.steps("multiply") for operand in operands)
    divided = (_divisor_of_unit(*operands) for operands in turn.steps("divide"))
    return (factor for factor in (*multiplied, *divided) if factor in _THOUSANDS or factor == _HUNDRED)


def _divisor_of_unit(dividend: Tree, divisor: Tree) -> Decimal | None:
    """Return the power of ten of a divisor, unless it is a hundred that was subtracted before, the base of an index."""
    value = _constant(divisor)
    if value == _HUNDRED and dividend[0] == "subtract" and _number(_operands(dividend)[1]) == _HUNDRED:
        return None
    return value if value in _THOUSANDS or value == _HUNDRED else None


def _yes_no(turn: Turn) -> bool:
    return number_of(turn.gold.executed) is None


RULES: dict[Kind, Callable[[Turn], bool]] = {
    Kind.FIRST_OPERATION: _first_operation,
    Kind.SECOND_QUESTION: _begins_second,
    Kind.TEXT_ONLY: _text_only,
    Kind.YEARS_IN_ROWS: _years_in_rows,
    Kind.YEAR_IN_TEXT: _year_in_text,
    Kind.ROWS_SUMMED: _rows_summed,
    Kind.AVERAGE: _average,
    Kind.UNNAMED_PRODUCT: _unnamed_product,
    Kind.COUNT_MULTIPLIED: _count_multiplied,
    Kind.RESULT_DIVIDED: _result_divided,
    Kind.SHARE_OF_RESULT: _share_of_result,
    Kind.UNIT_CHANGE: _unit_change,
    Kind.HUNDRED: _hundred,
    Kind.YES_NO: _yes_no,
}
"""The rule of each kind."""
