"""Parser of formulas written by people and models, and binding of the row labels of a plan to tables."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import CellRef, Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.errors import FormulaError, OperandError, ProgramError
from quaestor.plan.operations import MOST_OPERANDS, OPERATIONS
from quaestor.plan.scales import read_literal, shift_decimal, write_literal
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, RowRef, Step
from quaestor.plan.validate import MOST_STEPS, nearest_operation

# A formula such as `(sales_2008 - sales_2007) / sales_2007` is parsed into plan steps, never evaluated as code. This is
# the inverse of `quaestor.plan.formula`, with names instead of values.


Variable = Extract | Ref | Constant | CellGroup
"""Meaning of a name: a number of the page, the answer of an earlier turn (-1, -2, ...), a constant, or a list of
cells."""

LONGEST = 1_000
"""Maximum length of a formula."""
LONGEST_NUMBER = 80
"""Maximum length of a number."""
DEEPEST = 32
"""Maximum nesting of terms."""

FUNCTIONS = {
    "abs": "absolute", "as_printed": "as_printed", "avg": "average", "max": "maximum", "min": "minimum", "sum": "sum",
}  # fmt: skip
"""Functions of numbers, with the operations that they become."""

LIST_FUNCTIONS = {name: operation.arity[1] == 2 for name, operation in OPERATIONS.items() if operation.of_list}
"""Functions of lists, named like their operations, and whether they take a number after the list. A value may have the
same name, since a function is followed by a parenthesis."""

_OF_ONE = frozenset({"abs", "as_printed"})

_TOKEN = lazy_regex(
    r"\s*(?:(?P<name>[A-Za-z_]\w*)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?(?:\s?%)?)|(?P<sign>\*\*|[-+*/<>(),]))",
    re.ASCII,
)
_LEVELS = ({"<": "greater", ">": "greater"}, {"+": "add", "-": "subtract"}, {"*": "multiply", "/": "divide"})
_ADVICE = {
    "^": "write ** for a power", "%": "write 15 % as 0.15", "=": "give the arithmetic alone; compare with < or >",
    ".": "names cannot have attributes", "[": "use parentheses", "{": "use parentheses", "!": "compare with < or >",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int


def is_name(text: str) -> bool:
    """Return whether a word can name a value in a formula: an identifier that is not a function of numbers."""
    return re.fullmatch(r"[A-Za-z_]\w{0,79}", text, re.ASCII) is not None and text not in FUNCTIONS


def parse_expression(text: str, variables: Mapping[str, Variable]) -> Plan:
    """Parse a formula over named values into a plan with only the values that it uses.

    Raises:
        FormulaError: The formula is invalid (an unexpected character, an unknown name or function, a missing operand or
            parenthesis) or too long or too deep. The error names the position.

    >>> parse_expression("-(a ** 2) / 3", {"a": Ref(-1)}).steps[-1].operation
    'divide'
    """
    if len(text) > LONGEST:
        raise FormulaError(text, LONGEST, f"{len(text)} characters, more than {LONGEST}")
    return _Reader(text, variables).plan()


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            position += len(text[position:]) - len(text[position:].lstrip())
            raise FormulaError(text, position, _explain_unexpected(text[position]))
        kind = str(match.lastgroup)
        found.append(_Token(kind, match[kind], match.start(kind)))
        position = match.end()
    return [*found, _Token("end", "", end)]


def _explain_unexpected(character: str) -> str:
    advice = _ADVICE.get(character)
    if advice is None:
        name = unicodedata.name(character, f"U+{ord(character):04X}")
        advice = f"{name} cannot be used in a formula; use ASCII characters"
    return f"unexpected {character!r}: {advice}"


class _Reader:
    """Recursive descent parser of formulas; it appends steps in the order in which they are needed."""

    def __init__(self, text: str, variables: Mapping[str, Variable]) -> None:
        self._text, self._variables = text, variables
        self._tokens = _tokens(text)
        self._next = self._depth = 0
        self._steps: list[Step] = []
        self._known: dict[object, Ref] = {}
        self._lists: set[Operand] = set()

    def plan(self) -> Plan:
        """Return the whole formula as a plan."""
        if self._token.kind == "end":
            raise self._fault("it is empty")
        answer = self._binary(0)
        if self._token.kind != "end":
            raise self._fault(f"expected an operator or the end, not {self._token.text[:20]!r}")
        if isinstance(answer, CellGroup):
            self._compute("items", answer)
        elif not self._steps or (isinstance(answer, Ref) and answer.step < 0):
            self._compute("identity", answer)
        return Plan(tuple(self._steps))

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _at(self, *signs: str) -> bool:
        return self._token.kind == "sign" and self._token.text in signs

    def _take(self) -> _Token:
        token = self._token
        self._next += 1
        return token

    def _fault(self, reason: str, token: _Token | None = None) -> FormulaError:
        return FormulaError(self._text, (token or self._token).start, reason)

    def _binary(self, level: int) -> Operand:
        """Parse terms joined by the operators of a precedence level; higher levels bind more tightly."""
        if level == len(_LEVELS):
            return self._signed()
        left = self._binary(level + 1)
        operators = _LEVELS[level]
        while self._at(*operators):
            sign = self._take().text
            right = self._binary(level + 1)
            left = self._infix(operators[sign], sign, left, right)
            if level == 0 and self._at("<", ">"):
                raise self._fault("a formula can have only one comparison")
        return left

    def _infix(self, operation: str, sign: str, left: Operand, right: Operand) -> Operand:
        """Combine two terms; the comparison of a list with a number selects the entries for which it is true."""
        if operation != "greater":
            return self._compute(operation, left, right)
        if self._is_list(left) and self._is_list(right):
            raise self._fault("compare a list with one number, or subtract one list from the other first")
        if self._is_list(left) or self._is_list(right):
            list_first = self._is_list(left)
            listed, limit = (left, right) if list_first else (right, left)
            return self._compute("above" if (sign == ">") == list_first else "below", listed, limit)
        return self._compute(operation, *((right, left) if sign == "<" else (left, right)))

    def _signed(self) -> Operand:
        """Parse a term with its sign. A power binds more tightly than a sign before it, less than one after it."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._fault(f"terms are nested more than {DEEPEST} deep")
        if self._at("+", "-"):
            minus = self._take().text == "-"
            operand = self._signed()
            term = self._negative(operand) if minus else operand
        else:
            term = self._atom()
            if self._at("**"):
                self._take()
                term = self._compute("exp", term, self._signed())
        self._depth -= 1
        return term

    def _negative(self, operand: Operand) -> Operand:
        if isinstance(operand, Constant):
            return replace(operand, value=-operand.value, text=write_literal(-operand.value))
        return self._compute("multiply", operand, Constant(read_literal("const_m1"), "const_m1"))

    def _atom(self) -> Operand:
        token = self._take()
        if token.kind == "number":
            return self._number(token)
        if token.kind == "name":
            return self._function(token) if self._at("(") else self._value(token)
        if token.text != "(":
            shown = repr(token.text) if token.text else "the end"
            raise self._fault(f"expected a name, a number or a parenthesis, not {shown}", token)
        inner = self._binary(0)
        self._close()
        return inner

    def _number(self, token: _Token) -> Constant:
        if len(token.text) > LONGEST_NUMBER:
            raise self._fault(f"a number of {len(token.text)} characters, more than {LONGEST_NUMBER}", token)
        value = read_literal(token.text.removesuffix("%"))
        if token.text.endswith("%"):
            return Constant(value, f"{value:f}", Scale.PERCENT)
        return Constant(value, write_literal(value))

    def _close(self) -> None:
        if not self._at(")"):
            raise self._fault("expected a closing parenthesis")
        self._take()

    def _value(self, token: _Token) -> Operand:
        """Return the meaning of a name, as a step if it is a number on the page."""
        variable = self._variables.get(token.text)
        if variable is None:
            known = ", ".join(self._variables) or "none"
            raise self._fault(f"unknown name {token.text[:40]!r}; known names: {known[:400]}", token)
        return self._extract(variable) if isinstance(variable, Extract) else variable

    def _function(self, token: _Token) -> Operand:
        operation = FUNCTIONS.get(token.text)
        if operation is None and token.text in LIST_FUNCTIONS:
            return self._function_of_list(token)
        if operation is None:
            near = nearest_operation(token.text, (*FUNCTIONS, *LIST_FUNCTIONS))
            raise self._fault(f"unknown function {token.text[:40]!r}; did you mean {near!r}?", token)
        self._take()
        variable = self._variables.get(self._token.text)
        if token.text == "abs" and isinstance(variable, Extract) and self._tokens[self._next + 1].text == ")":
            self._next += 2
            return self._extract(replace(variable, reading="magnitude"))
        operands = self._arguments(token, 1 if token.text in _OF_ONE else MOST_OPERANDS)
        alone = len(operands) == 1 and token.text not in _OF_ONE and not self._is_list(operands[0])
        return operands[0] if alone else self._compute(operation, *operands)

    def _arguments(self, token: _Token, most: int) -> list[Operand]:
        operands = [self._binary(0)]
        while self._at(","):
            self._take()
            operands.append(self._binary(0))
        self._close()
        if len(operands) > most:
            raise self._fault(f"{len(operands)} operands are too many for {token.text}", token)
        return operands

    def _function_of_list(self, token: _Token) -> Operand:
        """Parse a function of a list, which is given as one list or as several values."""
        self._take()
        operands = self._arguments(token, MOST_OPERANDS)
        limit = [operands.pop()] if LIST_FUNCTIONS[token.text] else []
        if not operands:
            raise self._fault(f"{token.text} takes a list and then a number", token)
        if token.text == "items":
            return self._compute("items", *operands)
        earlier = isinstance(operands[0], Ref) and operands[0].step < 0
        listed = operands[0] if len(operands) == 1 and (earlier or self._is_list(operands[0])) else None
        return self._compute(token.text, listed or self._compute("items", *operands), *limit)

    def _is_list(self, operand: Operand) -> bool:
        """Whether a term is surely a list; the kind of an earlier answer is unknown here."""
        return isinstance(operand, CellGroup) or operand in self._lists

    def _extract(self, variable: Extract) -> Ref:
        return self._step(replace(variable, id=0))

    def _compute(self, operation: str, *operands: Operand) -> Ref:
        entry = OPERATIONS[operation]
        lists = any(self._is_list(operand) for operand in operands)
        if lists and entry.takes == "numbers":
            raise self._fault(f"{operation} takes single numbers, not a list")
        ref = self._step(Compute(0, operation, operands))
        if entry.gives in ("list", "labels") or (lists and entry.takes == "each"):
            self._lists.add(ref)
        return ref

    def _step(self, step: Step) -> Ref:
        """Return a reference to the step, which is added unless an equal step exists."""
        if step not in self._known:
            if len(self._steps) == MOST_STEPS:
                raise self._fault(f"more than {MOST_STEPS} steps")
            self._steps.append(replace(step, id=len(self._steps) + 1))
            self._known[step] = Ref(len(self._steps))
        return self._known[step]


# The benchmark's rule for the rows that the `table_*` operations name, and its application to a plan. It works on
# printed text, since this layer does not depend on documents.


Row = tuple[tuple[Quantity, Source], ...]

TableRows = Mapping[str, Row]
"""Rows of one table by their exact label; a row that the operations cannot read is empty."""


def benchmark_rows(grid: Iterable[Sequence[tuple[str, Source]]]) -> dict[str, Row]:
    """Return the rows of a table as the `table_*` operations read them, by their exact label.

    Follows ConvFinQA's execution of programs: of several rows with the same label the last one counts. In a cell `$`
    and commas are dropped and the text before the first `(` is read, so `-435 ( 435 )` is -435 and `13.7% ( 13.7 % )`
    is 13.7 %. If one cell cannot be read, its row is empty, even if an earlier row has the same label.
    """
    rows: dict[str, Row] = {}
    for cells in grid:
        label = cells[0][0] if cells else ""
        numbers = [(_cell(text), source) for text, source in cells[1:]]
        row = tuple((quantity, source) for quantity, source in numbers if quantity is not None)
        rows[label] = row if len(row) == len(numbers) else ()
    return rows


def bind_labels(plan: Plan, tables: Sequence[TableRows]) -> Plan:
    """Return the plan with the numbers and cells of each row label.

    A label without a table means the only table that has such a row; if several have it, the only one of them that
    other steps of the plan read.
    """
    read = _tables_read(plan, tables)

    def bound(operand: Operand) -> Operand:
        if not isinstance(operand, RowRef):
            return operand
        row = tables[_table_of(operand, tables, read)][operand.text]
        return replace(operand, values=tuple(q for q, _ in row), sources=tuple(s for _, s in row))

    steps = tuple(
        replace(step, operands=tuple(bound(operand) for operand in step.operands))
        if isinstance(step, Compute)
        else step
        for step in plan.steps
    )
    return replace(plan, steps=steps)


def _table_of(label: RowRef, tables: Sequence[TableRows], read: Collection[int]) -> int:
    having = _tables_with_row(label, tables)
    found = [table for table in having if table in read] if len(having) > 1 else having
    if len(found) == 1 and tables[found[0]][label.text]:
        return found[0]
    if len(having) > 1 and len(found) != 1:
        named = ", ".join(str(table) for table in having)
        raise OperandError(f"tables {named} each have a row labelled {label.text[:60]!r}: name the table")
    where = "the table" if label.table is None else f"table {label.table}"
    raise OperandError(f"{where} has no row labelled {label.text[:60]!r} with a number in every cell")


def _tables_with_row(label: RowRef, tables: Sequence[TableRows]) -> list[int]:
    """Return the tables with a row of that label, readable or not; only the label's own table if it names one."""
    named = range(len(tables)) if label.table is None else [label.table]
    return [table for table in named if 0 <= table < len(tables) and label.text in tables[table]]


def _tables_read(plan: Plan, tables: Sequence[TableRows]) -> frozenset[int]:
    """Return the tables that a plan surely reads: those of its cells, and of labels found in only one table."""
    cells = {step.source.table for step in plan.extracts if isinstance(step.source, CellRef)}
    labels = (operand for operand in plan.operands if isinstance(operand, RowRef))
    certain = (having[0] for label in labels if len(having := _tables_with_row(label, tables)) == 1)
    return frozenset((*cells, *certain))


def _cell(text: str) -> Quantity | None:
    """Return the number of a cell by the benchmark's rule, or None if it cannot be read."""
    printed = text.replace("$", "").split("(")[0].strip()
    try:
        value = read_literal(printed)
    except ProgramError:
        return None
    if printed.endswith("%"):
        return Quantity(shift_decimal(value, 2), Scale.PERCENT, text=text)
    return Quantity(value, text=text)
