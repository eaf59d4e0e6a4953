"""Lines of tables: rows, or columns of a table whose rows are periods.

Lines without a label get a name, and periods are removed from headings.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from quaestor.core.currencies import is_currency
from quaestor.core.fiscal import FiscalCalendar
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import find_periods, parse_period
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import LARGE_SCALES, Quantity, Scale
from quaestor.core.terms import terms
from quaestor.documents.captions import applies_to, caption_in_text, is_price, scale_in_text
from quaestor.documents.document import Document
from quaestor.documents.facts import Fact
from quaestor.documents.table import Cell, Header, Table, TableRole
from quaestor.facts.lines import (
    FactCell,
    FactLine,
    Moment,
    fits_role,
    is_small,
    moment_of_fact,
    moment_of_period,
    name_concept,
    term_set,
)
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import counted

_LETTERS = lazy_regex(r"[^\W\d_]{2}")
_CODE = lazy_regex(r"[\w-]+[_:]\w+")
"""A name of a line for programs, beside which another column may have its label: `us-gaap_NetIncomeLoss`."""
_FOOTNOTE = lazy_regex(r"\(\d{1,2}\)")
_CHANGE = lazy_regex(
    r"\b(?:changes?|increase|decrease|growth|variance|vs|versus|compared|yoy|y/y)\b|\binc\b[^a-z]{0,4}dec\b",
    re.IGNORECASE,
)
_OPENS = lazy_regex(
    r"\b(?:beginning|start)\s(?:of\s(?:the\s)?(?:fiscal\s)?(?:year|period|quarter)|balances?)\b|\bopening\sbalances?\b",
    re.IGNORECASE,
)
_CLOSES = lazy_regex(
    r"\bend\sof\s(?:the\s)?(?:fiscal\s)?(?:year|period|quarter)\b|\b(?:ending|closing)\sbalances?\b"
    r"|\b(?:period|year|quarter|month)[\s-]end\b|(?:\bas\s(?:of|at)|^at|[(,]\s?at)\s(?:(?!1\s)[0-3]?[0-9]\s)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?!\s1\b)",
    re.IGNORECASE,
)
_DURING = lazy_regex(r"\b(?:during|held|gains?|changes?|returns?|recognized\sin)\b", re.IGNORECASE)
"""Labels of events during a year, although they contain "end of year"."""
_LONGEST_LABEL = 250
_HAS_NUMBERS = lazy_regex(
    r"\bshares?\b|\bpar value\b|\ballowances?\b|\bnet of\b|\bless\b|\baccumulated\b|\bincluding\b", re.IGNORECASE
)
"""Labels that contain numbers of their own."""
_LABEL_PART = lazy_regex(r"[;:(),]\s|[\u2013\u2014]|\s\(|\)")
_LISTED = lazy_regex(r"\s?,?\s?(?:and\s?)?(?:of\s)?")
_SHARES = lazy_regex(r"\bshares\b|\bissued\b|\boutstanding\b|\bauthorized\b", re.IGNORECASE)
_SCALE_OF_SHARES = lazy_regex(
    r"\bshares,?\s(?:which\s)?(?:are\s)?(?:reflected\s)?in\s(thousands|millions)\b", re.IGNORECASE
)
_PER_ONE = lazy_regex(r"\bper[\s-](?!cent)(?:[a-z]+[\s-])?[a-z]+", re.IGNORECASE)
_PRICE_IN_BRACKETS = lazy_regex(r"\([^()]*\$\s?\d[^()]*\)")
_RATE = lazy_regex(r"\d?\d\.\d+(?:\s?%)?")
_PRICE = lazy_regex(r"\$?\s?\d{1,3}\.\d\d")
_FEW = 2
"""Maximal count of numbers that is too small to determine the kind of a column."""
_QUARTER = lazy_regex(r"\b(?:quarters?|three months)\b", re.IGNORECASE)
_DUE = lazy_regex(r"\b(?:due|matur\w+|expir\w+|notes?|bonds?|debentures?|loans?|plans?|programs?)\b", re.IGNORECASE)
"""Labels of things with a year in their name."""
_YEAR = lazy_regex(r"\b(?:19|20)\d\d\b")
_SURE = 0.99
"""Minimal probability of the concept of a balance."""
_LEAP_YEAR = 2020
"""A leap year, in which every day exists."""
_LENGTHS = {"three": 3, "six": 6, "nine": 9, "twelve": 12}
_LENGTH = lazy_regex(r"\b(three|six|nine|twelve) months ended\b|\b(?:fiscal )?(year)s? ended\b", re.IGNORECASE)
_SCALES_OF_TAGS = {0: Scale.ONE, 3: Scale.THOUSAND, 6: Scale.MILLION, 9: Scale.BILLION, -2: Scale.PERCENT}
"""Scale by the power of ten in the tag."""
_IN_MONTHS = ("month", "date")
"""Kinds of periods within a month."""
_FLOWS = (TableRole.INCOME_STATEMENT, TableRole.CASH_FLOWS, TableRole.COMPREHENSIVE_INCOME)


def read_rows(document: Document, table: Table, calendar: FiscalCalendar, place: int) -> Iterator[FactLine]:
    """Yield the lines of a table."""
    return _TableReader(document, table, calendar).lines(place)


@dataclass(slots=True)
class _Row:
    """A row, merged with rows of the same name in later blocks of the table, which have other times."""

    label: str
    path: tuple[str, ...]
    cells: list[FactCell]
    times: set[Moment | None]

    def merge(self, later: "_Row") -> bool:
        """Merge a later row and return True, unless it has a time in common."""
        if None in later.times or not self.times.isdisjoint(later.times):
            return False
        self.cells += later.cells
        self.times |= later.times
        return True


class _TableReader:
    """Reads the lines of a table."""

    def __init__(self, document: Document, table: Table, calendar: FiscalCalendar) -> None:
        self.document, self.table, self.calendar = document, table, calendar
        path = document.section_of(table).path
        lead = document.lead_of(table)
        self.lead = lead[-1].text if lead else ""
        self.name = table.title or table.caption
        self.title = f"{self.name} {self.lead}".strip()
        self.heading = " ".join(path[-2:])
        self.last_heading = next((heading for heading in reversed(path) if _names(heading)), "")
        self.reported = moment_of_period(document.reported, calendar) if document.reported is not None else None
        self.is_annual = document.reported is not None and document.reported.kind == "year"

    def lines(self, place: int) -> Iterator[FactLine]:
        table = self.table
        body = range(table.header_rows, len(table.rows))
        dated = [row for row in body if self._is_time(table.rows[row])]
        timed = set(dated)
        if dated:
            for column in range(1, len(table.columns)):
                header = table.columns[column]
                cells = self._read([(table.cells[row][column], table.rows[row]) for row in dated])
                if cells:
                    yield self._line(place, header.label if _names(header.label) else "", header.levels[:-1], cells)
                    place += 1
        names = self._name_rows()
        called = self._find_called_by_times(names)
        found: list[_Row] = []
        first: dict[tuple[str, tuple[str, ...]], _Row] = {}
        for row in body:
            cells = self._read(list(zip(table.cells[row][1:], table.columns[1:], strict=True)))
            if not cells or row in timed:
                continue
            label, path = called.get(row, names[row][0]), names[row][1]
            own = _Row(label, path, list(cells), {cell.moment for cell in cells})
            above = first.setdefault((label, path), own)
            if above is own or not above.merge(own):
                found.append(own)
        for one in found:
            yield self._line(place, one.label, one.path, tuple(one.cells))
            place += 1
        for row in body:
            for label, numbers in self._numbers_of_label(row).items():
                yield self._line(place, label, names[row][1], tuple(numbers))
                place += 1

    def _find_called_by_times(self, names: Sequence[tuple[str, tuple[str, ...]]]) -> dict[int, str]:
        """Return names for rows that differ only in their times: "2023 net revenue", "2024 net revenue".

        Opening and closing balances are such rows too. Rows with a due date in the name, such as notes due in different
        years, are different things.
        """
        if any(header.period for header in self.table.columns[1:]) or self._moments_above:
            return {}
        found: dict[tuple[str, tuple[str, ...]], dict[int, Moment]] = {}
        for row in range(self.table.header_rows, len(self.table.rows)):
            (label, path), period = names[row], self.table.rows[row].period
            mentions = find_periods(label) if period is not None else ()
            moment = moment_of_period(period, self.calendar) if period is not None else None
            if len(mentions) != 1 or moment is None or _DUE.search(label):
                continue
            before, after = (
                label[: mentions[0].start].rstrip(" ,(-\u2013\u2014"),
                label[mentions[0].end :].strip(" ,):-"),
            )
            name = _without_time(f"{before} {after}".split())
            # The time must be at the start or end of the label, not inside it.
            if bool(before) != bool(after) and _LETTERS.search(name):
                found.setdefault((name.lower(), path), {})[row] = moment
        return {
            row: _without_time(self._without_period(names[row][0]).split())
            for rows in found.values()
            if len(rows) == len(set(rows.values())) > 1
            for row in rows
        }

    @staticmethod
    def _without_period(label: str) -> str:
        (mention,) = find_periods(label)
        return f"{label[: mention.start]} {label[mention.end :]}"

    def _is_time(self, row: Header) -> bool:
        """Return whether a row is named only by a time, such as "Balance, December 31, 2024"."""
        alone = self.table.orientation == "rows" or not _without_times(row)
        return row.period is not None and alone and not self._quarters

    def _line(self, place: int, label: str, path: tuple[str, ...], cells: tuple[FactCell, ...]) -> FactLine:
        if not label:
            # A table about one thing: use its name or heading as label.
            named = _LETTERS.search(self.name) and _names(self.name)
            label, path = (self.name if named else self.last_heading), (*path, *filter(None, (self.lead,)))
        concept, members = _concept_of_tags(cells)
        share = 1.0
        if not concept:
            concept, share = name_concept(label, path, self.table.role)
        return FactLine(
            place, label, path, self.table.index, self.title, self.heading, self.table.role, cells, concept, share,
            members, years=self._years_to_come(label),
        )  # fmt: skip

    def _years_to_come(self, label: str) -> frozenset[int]:
        """Return the years after the reported one in a label, such as that of notes."""
        last = self.reported.year if self.reported is not None else None
        return frozenset(year for year in map(int, _YEAR.findall(label)) if last is not None and year > last)

    def _name_rows(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return the label of each row and the labels above it.

        A total without a label gets that of its group. A group ends with its total.
        """
        found: list[tuple[str, tuple[str, ...]]] = []
        ended: set[tuple[str, ...]] = set()
        for head, cells in zip(self.table.rows, self.table.cells, strict=True):
            label, path = head.label, head.levels[:-1]
            if not label and head.levels:
                ended.add(head.levels)
                label = head.levels[-1]
            elif not _LETTERS.search(label) or _CODE.fullmatch(label):
                label = next((c.text.strip() for c in cells[1:] if not c.quantities and _LETTERS.search(c.text)), label)
            while path and path in ended:
                path = path[:-1]
            if path and set(terms(path[-1])) | {"total"} == set(terms(label)):
                ended.add(path)
            found.append((label, path))
        return found

    def _numbers_of_label(self, row: int) -> dict[str, list[FactCell]]:
        """Return numbers in the label of a row by their description: "shares authorized", "allowances".

        If there are as many numbers as times, each has one of the times; a single number has the time mentioned with
        it, or the last one.
        """
        cell, text = self.table.cells[row][0], self.table.cells[row][0].text
        if len(text) > _LONGEST_LABEL or not cell.quantities or not _HAS_NUMBERS.search(text):
            return {}
        moments = [self._moment_of(other) for other in self.table.cells[row][1:] if other.quantities]
        if not moments:
            moments = [self._moment_of(other) for other in self.table.cells[row][1:]]
        times = list(dict.fromkeys(moment for moment in moments if moment is not None))
        groups = _group_numbers(text, cell.quantities) if times else []
        opening = text[: groups[0][1]] if groups else ""
        breaks = [found.start() for found in _LABEL_PART.finditer(opening)]
        head = opening[: breaks[-1]].strip() if breaks else _without_time(opening.split())
        if not _LETTERS.search(head):
            return {}
        found: dict[str, list[FactCell]] = {}
        before, begin = "", 0
        for place, (numbers, start, end) in enumerate(groups):
            stop = groups[place + 1][1] if place + 1 < len(groups) else len(text)
            own = _before_number(text, begin, start)
            before = own if own or ";" in text[begin:start] else before
            after = _LABEL_PART.split(text[end:stop])[0]
            dated = [one.period.year for one in find_periods(text[end:stop])]
            when = times if len(numbers) > 1 else [time for time in times if time.year in dated[:1]] or [max(times)]
            words = _without_time(f"{before} {after}".split())
            begin = end
            if len(when) == len(numbers) and words and _is_counted_or_money(numbers[-1], words):
                read = [self._number_of_label(cell, one, words, time) for one, time in zip(numbers, when, strict=True)]
                found.setdefault(f"{head}, {words}", []).extend(read)
        return found

    def _number_of_label(self, cell: Cell, quantity: Quantity, words: str, moment: Moment) -> FactCell:
        table, scale = self.table, quantity.scale
        shares = quantity.unit in (None, "shares")
        if shares:
            quantity = replace(quantity, unit="shares")
        if scale is Scale.ONE and not is_price(words):
            named = _SCALE_OF_SHARES.search(f"{table.caption} {self.lead}") if shares else None
            if named is not None:
                scale = Scale.THOUSAND if named[1].lower() == "thousands" else Scale.MILLION
            elif scale_in_text(quantity) is None and (
                not shares or applies_to(table.caption, table.unit, words, "shares")
            ):
                scale = table.scale or scale
        return FactCell(cell.ref, quantity, scale, quantity.unit, moment, ())

    def _read(self, cells: Sequence[tuple[Cell, Header]]) -> tuple[FactCell, ...]:
        """Return the numbers of cells with their other headings, without footnote marks."""
        found = []
        for place, (cell, across) in enumerate(cells):
            after = cells[place + 1] if place + 1 < len(cells) else None
            mark = _FOOTNOTE.fullmatch(cell.text.strip()) and after is not None
            if mark and after is not None and after[0].quantities and after[1].label == across.label:
                continue
            if (read := self._read_cell(cell, across)) is not None:
                found.append(read)
        return tuple(found)

    def _read_cell(self, cell: Cell, across: Header) -> FactCell | None:
        quantity, ref, table = cell.quantity, cell.ref, self.table
        if quantity is None:
            return None
        counts = counted(quantity, table.scale_at(ref.row, ref.column), table.unit_at(ref.row, ref.column))
        column = _without_times(across)
        change = bool(_CHANGE.search(" ".join(across.levels or (across.label,))))
        due = self._time_due(ref)
        moment = due or self._moment_of(cell)
        fact = self.document.fact(ref)
        if fact is None:
            return FactCell(ref, quantity, *self._counted_as(cell, counts), moment, column, change)
        members = tuple(member.rpartition(":")[2] for _, member in fact.dimensions)
        of_tag = _SCALES_OF_TAGS.get(fact.scale)
        if of_tag not in (None, counts.scale) and quantity.scale is Scale.ONE:
            unit = None if counts.unit and counts.unit.isupper() else counts.unit
            counts = Dimension(of_tag, _currency_of(fact) or unit)
        elif fact.unit and _currency_of(fact) is None and is_currency(counts.unit) and quantity.unit is None:
            counts = replace(counts, unit="shares" if fact.unit == "shares" else None)
        # The tag of an amount due later has the date of the report.
        when = due or moment_of_fact(fact) or moment
        return FactCell(ref, quantity, counts.scale, counts.unit, when, column, change, fact.concept, members)

    def _counted_as(self, cell: Cell, counts: Dimension) -> tuple[Scale, str | None]:
        """Return scale and unit of an untagged number; numbers that a heading calls a count have no currency."""
        quantity, table, ref = cell.quantity, self.table, cell.ref
        if (
            quantity is None
            or quantity.scale is not Scale.ONE
            or not (quantity.unit is None or quantity.unit.isupper())
        ):
            return counts.scale, counts.unit
        if (dimension := self._dimension_of_labels(cell, counts)) is not None:
            return dimension
        if quantity.unit:
            return counts.scale, counts.unit
        label = " ".join((table.rows[ref.row].label, *table.columns[ref.column].levels))
        if (named := _COUNTS.search(label)) is None or _MONEY.search(label):
            return counts.scale, counts.unit
        unit = "square feet" if named[0].lower().startswith("square") else None
        written_out = scale_in_text(quantity) is not None and counts.scale is table.scale
        scale = Scale.ONE if written_out else counts.scale
        return scale, unit if is_currency(counts.unit) else counts.unit

    def _dimension_of_labels(self, cell: Cell, counts: Dimension) -> tuple[Scale, str | None] | None:
        """Return scale and unit of a number if its column, row or lead overrides the table's; else None."""
        ref = cell.ref
        if counts.scale is self.table.scale and "." in cell.text:
            if ref.column in self._rates and (counts.unit is None or is_currency(counts.unit)):
                return Scale.PERCENT, None
            if self._is_price(ref):
                return Scale.ONE, counts.unit
        scale = self._scale_around(ref)
        return (scale, counts.unit) if scale and counts.scale is Scale.ONE else None

    def _scale_around(self, ref: CellRef) -> Scale | None:
        """Return the scale for a row from the sentence above the table, or from a heading between the rows above it."""
        row, column = self.table.rows[ref.row], self.table.columns[ref.column]
        if row.scale or column.scale or is_price(row.label) or is_price(column.label):
            return None
        return self._scales_between.get(ref.row) or self._scale_of_lead or self._scale_of_twin

    def _is_price(self, ref: CellRef) -> bool:
        """Return whether a number is an amount per item, by its labels or the form of its column."""
        row, column = self.table.rows[ref.row], self.table.columns[ref.column]
        if row.scale or column.scale:
            return False
        labels = (row.label, *row.levels[-2:-1], *column.levels)
        return ref.column in self._prices or any(map(_is_for_one, labels))

    @cached_property
    def _rates(self) -> frozenset[int]:
        """Columns of percentages in which the sign may be missing after the first row."""
        return frozenset(column for column, texts in self._texts.items() if _are_rates(texts))

    @cached_property
    def _prices(self) -> frozenset[int]:
        """Columns of amounts with cents, next to columns of whole numbers."""
        priced = {column for column, texts in self._texts.items() if _are_prices(texts)}
        whole = any(
            not any("." in text for text in texts) for column, texts in self._texts.items() if column not in priced
        )
        return frozenset(priced) if whole else frozenset()

    @cached_property
    def _texts(self) -> dict[int, list[str]]:
        """Printed numbers of each column without a scale, except in rows with a scale."""
        table = self.table
        rows = [row for row in range(table.header_rows, len(table.rows)) if not table.rows[row].scale]
        return {
            column: texts
            for column in range(1, len(table.columns))
            if not table.columns[column].scale
            and (texts := [table.cells[row][column].text.strip() for row in rows if table.cells[row][column].quantity])
        }

    @cached_property
    def _scale_of_lead(self) -> Scale | None:
        """The scale at the end of the sentence above the table, if the corner hides it: "(dollars in millions):"."""
        return caption_in_text([self.lead]).scale if self.table.scale is Scale.ONE and self.lead else None

    @cached_property
    def _scale_of_twin(self) -> Scale | None:
        """The scale of the previous table if only that has one and both have the same labels, apart from times."""
        place = self.table.index - 1
        if self.table.scale is not None or place < 0:
            return None
        tables = (self.table, self.document.table(place))
        own, before = ([row.label for row in table.rows[table.header_rows :] if row.label] for table in tables)
        across = [[_without_times(column) for column in table.columns[1:]] for table in tables]
        same = own == before and across[0] == across[1] and len(own) > _FEW
        return tables[1].scale if same else None

    @cached_property
    def _scales_between(self) -> dict[int, Scale]:
        """Scales in headings between rows, by the rows below them up to the next heading."""
        found: dict[int, Scale] = {}
        scale: Scale | None = None
        fresh = False
        for row in range(self.table.header_rows, len(self.table.rows)):
            if any(cell.quantities for cell in self.table.cells[row][1:]):
                fresh = False
                if scale is not None:
                    found[row] = scale
            elif (own := self.table.rows[row].scale) in LARGE_SCALES:
                scale, fresh = own, True
            elif not fresh:
                scale = None
        return found

    def _moment_of(self, cell: Cell) -> Moment | None:
        """Return the moment of a number from the labels around it."""
        ref, table = cell.ref, self.table
        if not table.rows[ref.row].period and ref.column in self._moments_above:
            return self._moments_above[ref.column]
        period = table.period_at(ref.row, ref.column)
        quarter = self._quarters.get(ref.column) or self._quarters_of_rows.get(ref.row)
        if period is not None and period.kind == "year" and quarter:
            return Moment(period.year, quarter, 3)
        moment = moment_of_period(period, self.calendar) if period is not None else None
        if moment is not None and period is not None and self._is_monthly and period.kind in _IN_MONTHS:
            moment = replace(moment, month=period.month or 0)
        if moment is None or moment.month or table.role is TableRole.BALANCE_SHEET:
            return moment if moment is None or moment.month else Moment(*moment.end, 0)
        heads = (*reversed(table.rows[ref.row].levels), table.columns[ref.column].label)
        edge = next(filter(None, map(_edge_of, heads)), int(self._is_balance(ref)))
        if moment.months and edge:
            before = moment.before(quarters=moment.months // 3) if edge < 0 else moment
            return Moment(*before.end, 0)
        if table.role in _FLOWS and not moment.months and table.orientation == "columns":
            days = {head.period.month for head in table.columns if head.period and head.period.kind == "date"}
            if self.is_annual or (self.reported is None and (len(days) == 1 or moment.quarter == 4)):
                # "31 March 2024" beside "31 March 2023" heads the year to date.
                return Moment(*moment.end, 12 if self.is_annual else 3 * moment.quarter)
        return moment

    @cached_property
    def _is_monthly(self) -> bool:
        """Whether the table has several months of one quarter."""
        heads = (head.period for head in (*self.table.rows, *self.table.columns))
        months = {(one.year, one.month) for one in heads if one is not None and one.kind in _IN_MONTHS and one.month}
        quarters = {(year, (month - 1) // 3) for year, month in months if month}
        return len(quarters) < len(months) and is_small(self.document)

    def _is_balance(self, ref: CellRef) -> bool:
        """Return whether a number is an amount at a time by its label, outside statements: "Total assets"."""
        row = self.table.rows[ref.row]
        during = any(map(_DURING.search, row.levels))
        if during or self.table.role in _FLOWS or _without_times(self.table.columns[ref.column]):
            return False
        concept, likely = name_concept(row.label, (), TableRole.BALANCE_SHEET)
        return likely >= _SURE and fits_role(concept, TableRole.CASH_FLOWS) < fits_role("", TableRole.CASH_FLOWS)

    def _time_due(self, ref: CellRef) -> Moment | None:
        """Return the moment in the row or column header if it is after the end of the report, else None."""
        if self.reported is None:
            return None
        for header in (self.table.rows[ref.row], self.table.columns[ref.column]):
            moment = moment_of_period(header.period, self.calendar) if header.period is not None else None
            if moment is not None and moment.end > self.reported.end:
                return moment
        return None

    @cached_property
    def _quarters(self) -> dict[int, int]:
        """Fiscal quarters of columns whose headers have no year: "Quarter ended March 31"."""
        found: dict[int, int] = {}
        named_anywhere = any(map(_names_quarter, self.table.columns))
        for column, header in enumerate(self.table.columns):
            if header.period is not None and header.period.kind != "year":
                continue
            # "Quarter ended" may be in the corner, or above only some of the columns.
            is_day = named_anywhere and len(header.levels) < 2 and not _YEAR.search(header.label)
            named = parse_period(header.label, _LEAP_YEAR) if is_day or _names_quarter(header) else None
            if named is not None and named.kind == "quarter":
                found[column] = named.quarter or 4
            elif named is not None and named.kind == "date":
                found[column] = self.calendar.quarter_of(date(_LEAP_YEAR, named.month or 12, named.day or 1))
        return found if len(found) > 1 else {}

    @cached_property
    def _quarters_of_rows(self) -> dict[int, int]:
        """Fiscal quarters of rows under columns of years: "First quarter"."""
        named = {
            row: parse_period(header.label, _LEAP_YEAR)
            for row, header in enumerate(self.table.rows)
            if header.period is None and _names_quarter(header)
        }
        found = {row: period.quarter or 4 for row, period in named.items() if period and period.kind == "quarter"}
        return found if len(set(found.values())) > 1 else {}

    @cached_property
    def _moments_above(self) -> dict[int, Moment]:
        """Moments of columns if only the sentence above the table lists their dates and durations."""
        table = self.table
        if any(header.period for header in table.columns[1:]) or table.orientation == "rows" or not self.lead:
            return {}
        body = table.cells[table.header_rows :]
        columns = [
            column
            for column in range(1, len(table.columns))
            if 2 * sum(bool(row[column].quantities) for row in body) > len(body)
        ]
        dates = [mention.period for mention in find_periods(self.lead) if mention.period.kind in ("date", "year")]
        if not columns or len(dates) != len(columns) or any(_names(table.columns[place].label) for place in columns):
            return {}
        lengths = [12 if year else _LENGTHS[months.lower()] for months, year in _LENGTH.findall(self.lead)]
        found: dict[int, Moment] = {}
        for place, (column, day) in enumerate(zip(columns, dates, strict=True)):
            moment = moment_of_period(day, self.calendar)
            if moment is None:
                return {}
            months = lengths[place * len(lengths) // len(columns)] if lengths else moment.months
            found[column] = Moment(*moment.end, months)
        return found


def _before_number(text: str, begin: int, start: int) -> str:
    """Return the words before a number in a label, after the last comma or bracket: "authorized: 10,000 shares"."""
    parts = _LABEL_PART.split(text[begin:start])
    if not parts[-1].strip() and len(parts) > 1 and text[:start].rstrip().endswith((":", "\u2013", "\u2014")):
        del parts[-1]
    return _without_time(parts[-1].split()) if len(parts) > 1 else ""


def _without_time(words: list[str]) -> str:
    """Return words without numbers, and without words about time at the ends."""
    words = [word.strip(",;:.") for word in words if _LETTERS.search(word)]
    while words and words[-1].lower() in _WHEN:
        del words[-1]
    while words and words[0].lower() in _WHEN:
        del words[0]
    return " ".join(words)


def _is_counted_or_money(quantity: Quantity, words: str) -> bool:
    """Return whether a number in a label is an amount of money or a number of shares."""
    if quantity.unit is None:
        return quantity.scale is not Scale.PERCENT and _SHARES.search(words) is not None
    return quantity.unit.isupper() or quantity.unit == "shares"


def _group_numbers(text: str, quantities: Sequence[Quantity]) -> list[tuple[list[Quantity], int, int]]:
    """Return the numbers of a text with their start and end, grouped by lists."""
    found: list[tuple[list[Quantity], int, int]] = []
    end = 0
    for quantity in quantities:
        start = text.find(quantity.text, end) if quantity.text else -1
        if start < 0:
            return []
        if found and _LISTED.fullmatch(text, end, start):
            found[-1] = [*found[-1][0], quantity], found[-1][1], start + len(quantity.text)
        else:
            found.append(([quantity], start, start + len(quantity.text)))
        end = start + len(quantity.text)
    return found


def _is_for_one(label: str) -> bool:
    """Return whether a label is an amount per item, but not a number of shares used for such amounts.

    >>> _is_for_one("Cost per kWh"), _is_for_one("Shares for earnings per share"), _is_for_one("Paid ($0.76 per share)")
    (True, False, False)
    """
    own = _PRICE_IN_BRACKETS.sub("", label)
    return _PER_ONE.search(own) is not None and not _SHARES.search(_PER_ONE.sub("", own))


def _are_rates(texts: Sequence[str]) -> bool:
    """Return whether the numbers of a column are percentages; the sign may be missing after the first row.

    >>> _are_rates(["3.25 %", "3.75", "0.625"]), _are_rates(["3.25 %", "3,750"])
    (True, False)
    """
    first, *rest = texts
    return first.endswith("%") and bool(rest) and all(_RATE.fullmatch(text) for text in rest)


def _are_prices(texts: Sequence[str]) -> bool:
    """Return whether all numbers of a column are amounts of money with cents.

    >>> _are_prices(["$ 29.02", "50.95", "$ 28.78"]), _are_prices(["29.02", "50.95", "$ 28.78"])
    (True, False)
    """
    return len(texts) > _FEW and texts[0].startswith("$") and all(_PRICE.fullmatch(text) for text in texts)


def _edge_of(label: str) -> int:
    """Return -1 for a label about the beginning of a period, 1 for the end, 0 for other labels."""
    if _DURING.search(label):
        return 0
    return bool(_CLOSES.search(label)) - bool(_OPENS.search(label))


def _currency_of(fact: Fact) -> str | None:
    """Return the currency of a tagged number; None for shares, ratios and other units."""
    unit = (fact.unit or "").partition("/")[0]
    return unit if unit.isupper() else None


def _names_quarter(header: Header) -> bool:
    return any(map(_QUARTER.search, header.levels or (header.label,)))


def _without_times(header: Header) -> tuple[str, ...]:
    """Return the terms of a header without its period."""
    levels = header.levels or (header.label,)
    found = [term for level in levels for term in terms(level)]
    timed = header.period is not None or _names_quarter(header)  # "First Fiscal Quarter" has no year
    dropped = _TIME_TERMS | _PARTS_OF_TIMES if timed else _TIME_TERMS
    return tuple(dict.fromkeys(term for term in found if not term[0].isdigit() and term not in dropped))


_TIME_TERMS = term_set(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug "
    "sep sept oct nov dec fiscal year years ended ending month months quarter quarters three six nine twelve weeks"
)
_COUNTS = lazy_regex(
    r"\bnumber of\b|\bsquare (?:feet|footage)\b|\bunits under\b|\bheadcount\b|\bdaily (?:shipments|packages|volume)\b",
    re.IGNORECASE,
)
"""Headings of counts rather than amounts of money."""
_MONEY = lazy_regex(
    r"\b(?:costs?|prices?|value|amounts?|payments?|proceeds|expenses?|revenues?|sales|rents?|income|per|percent(?:age)?)\b|[$%]",
    re.IGNORECASE,
)
_WHEN = frozenset(
    "and of in at as on for dates respective respectively january february march april may june july august september "
    "october november december".split()
)
_PARTS_OF_TIMES = term_set(
    "first second third fourth half during unaudited audited date period periods balance balances beginning opening "
    "closing"
)
"""Words that belong to a period only next to one."""
_NAMELESS = _TIME_TERMS | _PARTS_OF_TIMES | term_set("in of amounts thousands millions billions dollars usd")


def _names(label: str) -> bool:
    """Return whether a label has content, unlike "Fiscal years:" and "(in millions)"."""
    return any(not term[0].isdigit() and term not in _NAMELESS for term in terms(label))


def _concept_of_tags(cells: Sequence[FactCell]) -> tuple[str, tuple[str, ...]]:
    """Return the concept and members of at least half of the tags of a line; "" if there are none."""
    tags = Counter((cell.concept, cell.members) for cell in cells if cell.concept)
    if tags:
        (concept, members), count = tags.most_common(1)[0]
        if count * 2 >= sum(tags.values()):
            return concept, members
    return "", ()
