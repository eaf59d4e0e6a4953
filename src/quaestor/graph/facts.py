"""Facts of a graph about the numbers on a page: observations, mentions, and numbers in labels."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.documents.captions import scale_in_text
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import Extract, Reading, counted

Axis = Literal["rows", "columns"]


@dataclass(frozen=True, slots=True)
class Heading:
    """Name of a row or column."""

    label: str
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """A number in the body of a table.

    Units: `quantity` is as printed; `scale` and `unit` combine the printed ones and those of labels.

    Attributes:
        order: Index among the numbers of the cell, from 0.
        label_scale: Scale from row, column or caption, or None.
        predicate: Property of the ontology, such as `kg:net_income`; `doc:...` if minted.
        instance: Node with the property, such as `kg:CashFlow_2008`.
        concept: Concept of its tag in the filing (`us-gaap:NetIncomeLoss`), or "".
        exact: Exact value of the tag in ones of its unit, with the concept's sign; or None.
        period_by_tag: Whether the period comes from the tag, because labels and caption have none that agrees with it.
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
        """Dimension of the number, as printed or else from the labels."""
        return counted(self.quantity, self.label_scale, self.label_unit)

    @property
    def scale(self) -> Scale:
        """The printed scale, else that of the labels."""
        return self.counts.scale

    @property
    def unit(self) -> str | None:
        """The printed unit, else that of the labels."""
        return self.counts.unit

    @property
    def year(self) -> int | None:
        """Last year of the period."""
        return year_of(self.period)

    @property
    def label(self) -> str:
        """Label for display: "net revenue, 2008"."""
        return ", ".join(part for part in (self.row.label, self.column.label) if part)


@dataclass(frozen=True, slots=True)
class MentionFact:
    """A number in running text.

    Attributes:
        place: Index of the sentence on the page, from 0.
        predicate: Property of the ontology for the noun phrase before it, or None.
        other_periods: Further periods ("$ 2 in both 2024 and 2023").
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
        """The scale that follows from the number itself, or None."""
        return scale_in_text(self.quantity)

    @property
    def counts(self) -> Dimension:
        """Dimension of the number, as printed."""
        return counted(self.quantity, self.label_scale, None)

    @property
    def before(self) -> str:
        """Up to eight words before it."""
        return " ".join(self.sentence[: self.source.start].split()[-8:])

    @property
    def after(self) -> str:
        """Up to six words after it."""
        return " ".join(self.sentence[self.source.end :].split()[:6])

    @property
    def year(self) -> int | None:
        """Last year of the period."""
        return year_of(self.period)

    @property
    def label(self) -> str:
        """Label for display: the words around it."""
        return f"{self.before} {self.sentence[self.source.start : self.source.end]} {self.after}".strip()


@dataclass(frozen=True, slots=True)
class HeaderNumber:
    """A number or year in a label or in the words of a sentence rather than as an amount.

    Attributes:
        quantity: As printed; a year as a number.
        source: Cell of the heading, or span of the words for a period.
        label: The whole label; for a sentence, the words for the period.
    """

    quantity: Quantity
    source: CellRef | SentenceRef
    label: str
    period: Period | None
    year: bool

    @property
    def label_scale(self) -> Scale | None:
        """`Scale.ONE` for a year, else None."""
        return Scale.ONE if self.year else None

    @property
    def counts(self) -> Dimension:
        """Dimension of the number, as printed."""
        return counted(self.quantity, self.label_scale, None)


@dataclass(frozen=True, slots=True)
class TextCell:
    """A cell in the body of a table with words or a dash, and no number.

    Attributes:
        empty: Whether it has no value: a dash, or a year instead of one. Words such as "nm" are a value.
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
        """Label for display: "segment, 2008"."""
        return ", ".join(part for part in (self.row.label, self.column.label) if part)

    @property
    def has_words(self) -> bool:
        """Whether it has a textual value: a date, a place, "nm"."""
        return not self.empty and any(map(str.isalnum, self.text))

    @property
    def why_empty(self) -> str:
        """Reason for display: "a dash printed as the year 2014", or just "a dash"."""
        return self.repair or "a dash"


@dataclass(frozen=True, slots=True)
class SentenceFact:
    """A sentence of the text."""

    section: str
    index: int
    place: int
    text: str


@dataclass(frozen=True, slots=True)
class SectionFact:
    """A section with a heading."""

    id: str
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableFact:
    """Classification of a table.

    Attributes:
        lead: Index of the first sentence that leads to it, and index after the last one.
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
    """Property of a row or column.

    Attributes:
        predicate: Property of the ontology; `doc:...` if minted.
        rule: Rung on which the label matched, or "minted".
        score: Score of the rung; 0 if minted.
        known: The known label that matched, or the nearest ones with scores.
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
"""A number printed on the page."""


def extract_number(step: int, number: PrintedNumber, reading: Reading = "signed", query: str | None = None) -> Extract:
    """Return the plan step that extracts a number of the page, with scale and unit from its labels."""
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


MINTED = "minted"


def year_of(period: Period | None) -> int | None:
    """Return the last year of a period, or None."""
    if period is None:
        return None
    return period.last if period.last is not None else period.year


def period_code(period: Period) -> str:
    """Return a period as a word, following ISO 8601.

    A year is 2008, a quarter 2008-Q3, a month 2008-09, a day 2008-09-30, six months P6M/2008-06, a range of years
    2006/2010, or 2020/.. if open-ended.
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
    """Return the period for a code written by `period_code`; raise ValueError for other text.

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
