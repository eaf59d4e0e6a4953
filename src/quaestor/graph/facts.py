"""What a graph has of each number of a page: observations, mentions, and numbers that are in labels.

Holds no arithmetic and no question.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.documents.captions import scale_in_text
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import CellGroup, Extract, Reading, counted

Axis = Literal["rows", "columns"]


@dataclass(frozen=True, slots=True)
class Heading:
    """What a row or a column is called.

    Attributes:
        levels: The headings above it, outermost first, its own last.
    """

    label: str
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """A number in the body of a table.

    Units: `quantity` is as printed. `scale` and `unit` are those of its labels and its print together.

    Attributes:
        order: Its place among the cell's numbers, from 0.
        label_scale: The scale that row, column or caption name, or None.
        predicate: The ontology's property, such as `kg:net_income`; `doc:...` where it was minted.
        instance: The node that has the property, such as `kg:CashFlow_2008`.
        concept: What its tag in the filing calls it (`us-gaap:NetIncomeLoss`), or "".
        exact: Its exact value by the tag, in ones of its unit, with the sign of the concept; or None.
        period_by_tag: Whether the period is the tag's, because row, column and caption name none that agrees with it.
    """

    quantity: Quantity
    source: CellRef
    order: int
    row: Heading
    column: Heading
    caption: str
    label_scale: Scale | None
    label_unit: str | None
    period: Period | None
    predicate: str
    instance: str
    concept: str = ""
    exact: Decimal | None = None
    period_by_tag: bool = False

    @property
    def counts(self) -> Dimension:
        """What it counts, as its print or else its labels state."""
        return counted(self.quantity, self.label_scale, self.label_unit)

    @property
    def scale(self) -> Scale:
        """The printed scale, else the one that the labels name."""
        return self.counts.scale

    @property
    def unit(self) -> str | None:
        """The printed unit, else the one that the labels name."""
        return self.counts.unit

    @property
    def year(self) -> int | None:
        """The last year of its period."""
        return year_of(self.period)

    @property
    def label(self) -> str:
        """For people: "net revenue, 2008"."""
        return ", ".join(part for part in (self.row.label, self.column.label) if part)


@dataclass(frozen=True, slots=True)
class MentionFact:
    """A number in running text.

    Attributes:
        order: Its place among the sentence's numbers, from 0.
        place: The sentence's place on the page, from 0.
        predicate: The ontology's property that a noun phrase before it names, or None.
        other_periods: What else it is of ("$ 2 in both 2024 and 2023").
    """

    quantity: Quantity
    source: SentenceRef
    order: int
    place: int
    sentence: str
    period: Period | None
    predicate: str | None
    other_periods: tuple[Period, ...] = ()

    @property
    def label_scale(self) -> Scale | None:
        """The scale that is known of it outside its print, or None."""
        return scale_in_text(self.quantity)

    @property
    def counts(self) -> Dimension:
        """What it counts, as its print says."""
        return counted(self.quantity, self.label_scale, None)

    @property
    def before(self) -> str:
        """The words before it, eight at most."""
        return " ".join(self.sentence[: self.source.start].split()[-8:])

    @property
    def after(self) -> str:
        """The words after it, six at most."""
        return " ".join(self.sentence[self.source.end :].split()[:6])

    @property
    def year(self) -> int | None:
        """The last year of its period."""
        return year_of(self.period)

    @property
    def label(self) -> str:
        """For people: the words around it."""
        return f"{self.before} {self.sentence[self.source.start : self.source.end]} {self.after}".strip()


@dataclass(frozen=True, slots=True)
class HeaderNumber:
    """A number or a year that is in a label or in the words of a sentence, not as an amount of its own.

    Attributes:
        quantity: As printed; a year as a number.
        source: The heading's cell, or the span of the words that name a period.
        label: The whole label; of a sentence the words that name the period.
    """

    quantity: Quantity
    source: CellRef | SentenceRef
    label: str
    period: Period | None
    year: bool

    @property
    def label_scale(self) -> Scale | None:
        """`Scale.ONE` of a year, which counts single years."""
        return Scale.ONE if self.year else None

    @property
    def counts(self) -> Dimension:
        """What it counts, as its print says."""
        return counted(self.quantity, self.label_scale, None)


@dataclass(frozen=True, slots=True)
class TextCell:
    """A cell of a table's body that prints words, a dash or a lost dash, and no number.

    Attributes:
        empty: Whether it has no value: it prints a dash, or a year in place of one. Words such as "nm" are a value.
    """

    text: str
    source: CellRef
    row: Heading
    column: Heading
    predicate: str
    instance: str
    repair: str | None
    empty: bool = False

    @property
    def label(self) -> str:
        """For people: "segment, 2008"."""
        return ", ".join(part for part in (self.row.label, self.column.label) if part)

    @property
    def has_words(self) -> bool:
        """Whether it has a meaning: a date, a place, "nm"."""
        return not self.empty and any(map(str.isalnum, self.text))

    @property
    def why_empty(self) -> str:
        """For people: "a dash printed as the year 2014"; of a dash that is printed as one "a dash"."""
        return self.repair or "a dash"


@dataclass(frozen=True, slots=True)
class SentenceFact:
    """A sentence around the tables.

    Attributes:
        index: Its place in the section, from 0.
        place: Its place on the page, from 0.
    """

    section: str
    index: int
    place: int
    text: str


@dataclass(frozen=True, slots=True)
class SectionFact:
    """A section that has a heading.

    Attributes:
        path: The headings that it is under, outermost first, its own last.
    """

    id: str
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableFact:
    """How a table was classified.

    Attributes:
        axis: Whether rows or columns name properties.
        name: The class of its instances, such as `kg:CashFlow`.
        reasons: The cues that speak for it, the strongest first.
        lead: The places of the sentences that lead to it: of the first, and after the last.
    """

    index: int
    caption: str
    axis: Axis
    name: str
    score: float
    reasons: tuple[str, ...]
    section: str
    lead: tuple[int, int]


@dataclass(frozen=True, slots=True)
class LineFact:
    """The property of a row or a column.

    Attributes:
        index: Its row or column in the grid.
        label: Its label, without a period.
        predicate: The ontology's property; `doc:...` where it was minted.
        rule: The rung on which the label met a known one, or "minted".
        score: The rung's score; 0 for a minted one.
        known: The known label that it met, or the nearest ones with their scores.
    """

    table: int
    axis: Axis
    index: int
    label: str
    predicate: str
    rule: str
    score: float
    known: str

    @property
    def minted(self) -> bool:
        """True if no property of the ontology matched."""
        return self.rule == MINTED


PrintedNumber = Observation | MentionFact | HeaderNumber
"""A number that the page prints."""


def extract_number(step: int, number: PrintedNumber, reading: Reading = "signed", query: str | None = None) -> Extract:
    """Return the step of a plan that takes a number of the page, with what its labels state that it counts.

    Args:
        reading: Whether its printed sign counts, as `Extract.reading`.
    """
    unit = number.label_unit if isinstance(number, Observation) else None
    return Extract(
        step,
        number.source,
        number.label,
        number.quantity,
        reading,
        query,
        label_scale=number.label_scale,
        label_unit=unit,
    )


def group_of_cells(text: str, cells: Sequence[PrintedNumber], labels: Sequence[str]) -> CellGroup:
    """Return numbers of the page, most of them of tables, as the group that a plan selects from.

    If the labels of the cells name different scales or units, each number has its own.

    Args:
        text: What the group is called: the label of the row or column that the cells share.
        labels: What each is called in it: the label of its column or of its row.
    """
    tables = {cell.source.table if isinstance(cell.source, CellRef) else None for cell in cells}
    named = {(cell.label_scale, cell.label_unit if isinstance(cell, Observation) else None) for cell in cells}
    scale, unit = next(iter(named)) if len(named) == 1 else (None, None)
    quantities = (replace(cell.quantity, scale=cell.counts.scale, unit=cell.counts.unit) for cell in cells)
    return CellGroup(
        text,
        tuple(labels),
        tuple(cell.quantity for cell in cells) if len(named) == 1 else tuple(quantities),
        tuple(cell.source for cell in cells),
        tables.pop() if len(tables) == 1 else None,
        label_scale=scale,
        label_unit=unit,
    )


MINTED = "minted"


def year_of(period: Period | None) -> int | None:
    """Return the last year of a period, or None."""
    if period is None:
        return None
    return period.last if period.last is not None else period.year


def period_code(period: Period) -> str:
    """Return a period in one word, as ISO 8601 writes it.

    A year is 2008, a quarter 2008-Q3, a month 2008-09, a day 2008-09-30, six months P6M/2008-06, years 2006/2010, or
    2020/.. if they go on.
    """
    if period.kind == "quarter":
        return f"{period.year}-Q{period.quarter}"
    if period.kind == "month":
        return f"{period.year}-{period.month:02}"
    if period.kind == "date":
        return f"{period.year}-{period.month:02}-{period.day:02}"
    if period.kind == "span":
        return f"P{period.months}M/{period.year}-{period.month:02}"
    if period.kind == "range":
        return f"{period.year}/{'..' if period.last is None else period.last}"
    return str(period.year)


def read_period_code(code: str) -> Period:
    """Return the period that `period_code` wrote; ValueError if it wrote none.

    >>> read_period_code("2008-Q3").quarter
    3
    """
    if code.startswith("P"):
        length, end = code.split("/")
        return Period("span", int(end[:4]), month=int(end[5:]), months=int(length[1:-1]))
    if "/" in code:
        first, last = code.split("/")
        return Period("range", int(first), last=None if last == ".." else int(last))
    parts = code.split("-")
    year = int(parts[0])
    if len(parts) == 1:
        return Period("year", year)
    if parts[1].startswith("Q"):
        return Period("quarter", year, quarter=int(parts[1][1:]))
    if len(parts) == 2:
        return Period("month", year, month=int(parts[1]))
    return Period("date", year, month=int(parts[1]), day=int(parts[2]))
