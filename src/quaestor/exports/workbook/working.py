"""The rows of the sheet on which a conversation is computed: one a number, one an entry of a list.

What is in them, `formulas` says.
"""

from dataclasses import dataclass, field

from quaestor.exports.workbook.places import InputCell
from quaestor.plan.scales import Dimension

SHEET = "Working"
LABEL, NUMBER, COMPARED, PLACE = 2, 3, 4, 5
"""The columns of a row's label, its number, what it is compared by, and its place in the order."""

_LETTERS = "ABCDEF"
_LONGEST_TEXT = 250


@dataclass(frozen=True, slots=True)
class WorkingRow:
    """One row. Formulas are written without their `=`.

    Attributes:
        turn: The question's number, from 1.
        what: What is done, in the plan's words.
        number: The formula of the number or the words; None if the row has a label alone.
        label: The formula of the label, or None.
        compared: The formula of what it is compared by, or None.
        place: The formula of its place in the order, or None.
        input: The cell that the number is taken from, where it merely is.
    """

    turn: int
    what: str
    number: str | None
    label: str | None = None
    compared: str | None = None
    place: str | None = None
    input: InputCell | None = None


@dataclass(frozen=True, slots=True)
class Single:
    """A number, yes or no, or words: a formula, and what a number counts."""

    formula: str
    counts: Dimension = field(default_factory=Dimension)


@dataclass(frozen=True, slots=True)
class Rows:
    """A list on the sheet.

    Attributes:
        first: The row of its first entry, from 0.
        labels: What the entries were called when the plan was executed.
        numbered: Whether its entries have numbers.
    """

    first: int
    labels: tuple[str, ...]
    counts: tuple[Dimension, ...]
    numbered: bool = True

    def range(self, column: int) -> str:
        """Return its cells in a column, as a range."""
        last = self.first + len(self.labels) - 1
        return f"{address(self.first, column)}:{address(last, column)}"

    def cells(self, column: int) -> list[str]:
        """Return its cells in a column, one by one."""
        return [address(self.first + place, column) for place in range(len(self.labels))]


def address(row: int, column: int) -> str:
    """Return how formulas of every sheet name a cell of this one; row and column from 0."""
    return f"{SHEET}!${_LETTERS[column]}${row + 1}"


def in_quotes(text: str) -> str:
    """Return words as a formula holds them.

    >>> in_quotes('the "net" line')
    '"the ""net"" line"'
    """
    return '"' + text[:_LONGEST_TEXT].replace('"', '""') + '"'
