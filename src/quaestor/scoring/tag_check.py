"""Accuracy of reading a filing: each tagged number, read without its tag, is compared with the tag.

The check changes nothing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from quaestor.core.number_forms import read_number_words
from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.documents.alignment import aligned_periods
from quaestor.documents.captions import is_price, scale_in_text
from quaestor.documents.document import Document, Sentence
from quaestor.documents.facts import Fact, PrintedFact, periods_of
from quaestor.documents.sentences import read_sentences
from quaestor.documents.table import Cell, Table
from quaestor.documents.text_periods import periods_of_words
from quaestor.graph.facts import period_code
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import counted

Aspect = Literal["located", "value", "sign", "scale", "period", "unit"]
ASPECTS: tuple[Aspect, ...] = ("located", "value", "sign", "scale", "period", "unit")

_BASIS_POINTS = Decimal("0.0001")


@dataclass(frozen=True, slots=True)
class Reading:
    """A tagged number as read without its tag."""

    quantity: Quantity
    dimension: Dimension
    periods: tuple[Period, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TagDifference:
    """Tagged number whose reading differs from its tag."""

    wrong: tuple[Aspect, ...]
    place: str
    concept: str
    printed: str
    read: str
    tagged: str
    in_table: bool
    source: Source | None = None


FIGURES = (
    "facts", "located", "value_right", "sign_right", "scale_right", "period_right", "unit_right", "sign_agrees",
)  # fmt: skip
"""Figures over tagged numbers: all facts; those found as separate numbers in a table body or a sentence; of these, the
ones right in each aspect; and of all, the ones printed with the sign of their tag (others are negated by their label).
"""


@dataclass(slots=True)
class TagCheck:
    """Comparison of a filing's tagged numbers with their readings: the counts of `FIGURES`, and the differences."""

    tables: Counter[str] = field(default_factory=Counter)
    text: Counter[str] = field(default_factory=Counter)
    different: list[TagDifference] = field(default_factory=list)

    @property
    def all(self) -> Counter[str]:
        """Counts over all tagged numbers."""
        return self.tables + self.text


def _counts(fact: PrintedFact, wrong: Sequence[Aspect]) -> Iterator[str]:
    """Yield the figures that count a number with the given wrong aspects."""
    yield "facts"
    if fact.negative == fact.fact.negated:
        yield "sign_agrees"
    if "located" not in wrong:
        yield "located"
        yield from (f"{aspect}_right" for aspect in ASPECTS[1:] if aspect not in wrong)


def check_tags(document: Document, printed: Iterable[PrintedFact]) -> TagCheck:
    """Compare the tagged numbers of a filing with their readings."""
    reader = _Reader(document)
    check = TagCheck()
    for one in printed:
        source = reader.places.get(one.fact.place)
        reading = None if source is None else reader.reading(source, one)
        wrong = _find_wrong_aspects(one, reading)
        (check.tables if one.in_table else check.text).update(_counts(one, wrong))
        if wrong:
            check.different.append(_difference(document, one, reading, wrong, source))
    return check


class _Reader:
    def __init__(self, document: Document) -> None:
        self.places = {tagged.fact.place: tagged.source for tagged in document.facts}
        self._document = document
        self._body = [frozenset(cell.ref for cell in table.body()) for table in document.tables]
        self._order = {(s.section, s.index): place for place, s in enumerate(document.sentences)}

    def reading(self, source: Source, fact: PrintedFact) -> Reading | None:
        """Return the reading of the number at a source; None if no number was read there."""
        return self._in_cell(source, fact) if isinstance(source, CellRef) else self._in_sentence(source, fact)

    def _in_cell(self, ref: CellRef, fact: PrintedFact) -> Reading | None:
        table, cell = self._document.table(ref.table), self._document.cell(ref)
        if ref not in self._body[ref.table]:
            return _in_label(table, cell, fact)
        if cell.is_dash and not fact.fact.value:
            quantity = Quantity(Decimal(0), text=cell.text)
        else:
            found = _find_tagged(cell.quantities, fact.text)
            if found is None:
                return None
            quantity = found
        dimension = counted(quantity, table.scale_at(ref.row, ref.column), table.unit_at(ref.row, ref.column))
        period = table.period_at(ref.row, ref.column)
        heads = table.rows[ref.row], table.columns[ref.column]
        labels = (heads[0].label, heads[1].label, *heads[0].levels, *heads[1].levels, table.caption, table.title)
        return Reading(quantity, dimension, _dates(table, period), labels)

    def _in_sentence(self, ref: SentenceRef, fact: PrintedFact) -> Reading | None:
        sentence = self._document.sentence(ref)
        place = self._order[ref.section, ref.sentence]
        periods = periods_of_words(self._document, place, ref.start, ref.end)
        over = (m for m in sentence.mentions if m.ref.start < ref.end and ref.start < m.ref.end)
        if (mention := next(over, None)) is not None:
            quantity = mention.quantity
        else:
            text = sentence.text[ref.start : ref.end]
            if (number := read_number_words(text)) is None:
                return None
            quantity = Quantity(Decimal(number), text=text)
        return Reading(quantity, counted(quantity, scale_in_text(quantity), None), periods, (sentence.text,))


def _dates(table: Table, period: Period | None) -> tuple[Period, ...]:
    """Return the possible periods of a cell: amounts due in a later year may also have the date of the table."""
    if period is None:
        return ()
    due = table.period is not None and (period.kind == "range" or period.year > table.period.year)
    return (period, table.period) if due and table.period else (period,)


def _in_label(table: Table, cell: Cell, fact: PrintedFact) -> Reading | None:
    """Return the reading of a number in a heading ("common stock, $0.01 par value"), which is read like text.

    Its period is the one in the heading, or else any of the heading's row or column.
    """
    quantity = _find_tagged(cell.quantities, fact.text)
    if quantity is None:
        return None
    (sentence,) = read_sentences(cell.ref.document, "heading", (cell.text,))
    aligned = aligned_periods(sentence)
    order = next((i for i, m in enumerate(sentence.mentions) if m.quantity.text == quantity.text), None)
    row, column = cell.ref.row, cell.ref.column
    line = (
        ((row, c) for c in range(1, len(table.columns)))
        if column == 0
        else ((r, column) for r in range(len(table.rows)))
    )
    found = dict.fromkeys(table.period_at(*place) for place in line)
    named = aligned[order] if order is not None else None
    periods = (named,) if named else tuple(period for period in found if period)
    return Reading(quantity, counted(quantity, None, None), periods, (cell.text,))


def _find_tagged(quantities: Sequence[Quantity], text: str) -> Quantity | None:
    """Return the number of a cell whose text contains the tagged text."""
    plain = "".join(text.split())
    return next((q for q in quantities if plain in "".join(q.text.split())), None)


def _find_wrong_aspects(one: PrintedFact, reading: Reading | None) -> tuple[Aspect, ...]:
    if reading is None:
        return ("located",)
    fact = one.fact
    right: dict[Aspect, bool] = {
        "value": _value_right(reading, fact),
        "sign": _sign_right(reading, one),
        "scale": _scale_right(reading, fact),
        "period": not periods_of(fact, reading.labels).isdisjoint(reading.periods),
        "unit": _unit_right(reading, fact),
    }
    return tuple(aspect for aspect in ASPECTS if not right.get(aspect, True))


def _value_right(reading: Reading, fact: Fact) -> bool:
    """Return whether the digits equal the tag's, or the number is given in another power of ten (trillions)."""
    read = abs(reading.quantity.value)
    return read == abs(fact.printed or 0) or read * _factor(reading) == abs(fact.value or 0)


def _sign_right(reading: Reading, one: PrintedFact) -> bool:
    """Return whether the sign is the printed one; a minus that only the tag implies is right too."""
    if not reading.quantity.value:
        return True
    negative = reading.quantity.value < 0
    return negative == one.negative or (negative and one.fact.negated)


def _scale_right(reading: Reading, fact: Fact) -> bool:
    if not fact.value:
        return True
    return _factor(reading) == Decimal(1).scaleb(fact.scale) or (
        abs(reading.quantity.value) * _factor(reading) == abs(fact.value)
    )


def _factor(reading: Reading) -> Decimal:
    """Return the factor from the printed number to ones of its unit; basis points are hundredths of a percent."""
    if reading.dimension.scale is Scale.ONE and (reading.quantity.unit or "").startswith("basis point"):
        return _BASIS_POINTS
    return reading.dimension.scale.factor


def _unit_right(reading: Reading, fact: Fact) -> bool:
    unit, scale = reading.dimension.unit, reading.dimension.scale
    if fact.unit is None:
        return True
    over, _, under = fact.unit.partition("/")
    money = len(over) == 3 and over.isupper()
    if money and under:
        return unit == over and scale is not Scale.PERCENT and any(map(is_price, reading.labels))
    if money:
        return unit == over and scale is not Scale.PERCENT
    is_money = unit is not None and len(unit) == 3 and unit.isupper()
    if over == "shares":
        return unit in _SHARES
    if over == "pure":
        return not is_money
    return not is_money and scale is not Scale.PERCENT


_SHARES = frozenset({"shares", "options", "rsus", "units", "securities"})


def _difference(
    document: Document, one: PrintedFact, reading: Reading | None, wrong: tuple[Aspect, ...], source: Source | None
) -> TagDifference:
    fact = one.fact
    printed = f"({one.text.strip()})" if one.negative else one.text.strip()
    span = f"{fact.start or ''}..{fact.end}".removeprefix("..")
    tagged = f"{fact.value} {fact.unit or ''}, {span}"
    if reading is None:
        read = "nothing" if source is not None else "not in the document"
    else:
        periods = ", ".join(period_code(period) for period in reading.periods) or "no period"
        read = f"{reading.quantity.value} x {_factor(reading)} {reading.dimension.unit or 'without unit'}, {periods}"
    return TagDifference(wrong, _place(document, source), fact.concept, printed, read, tagged, one.in_table, source)


def _place(document: Document, source: Source | None) -> str:
    if source is None:
        return "nowhere"
    block = document.block(source)
    page = f"page {block.page}, " if block.page else ""
    section = document.section(source).title
    where = f"{page}{section}: " if section else page
    if isinstance(source, CellRef):
        table = document.table(source.table)
        row, column = table.rows[source.row].label, " / ".join(table.columns[source.column].levels)
        return f"{where}table {source.table}, row {source.row} {row!r}, column {source.column} {column!r}"
    sentence: Sentence = document.sentence(source)
    return f"{where}sentence {sentence.index}, {sentence.text[max(0, source.start - 40) : source.end + 20]!r}"
