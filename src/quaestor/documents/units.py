"""Scales and units of the rows and columns of a table, from captions, labels and printed signs.

Numbers are not changed.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from quaestor.core.currencies import is_currency
from quaestor.core.number_conventions import NumberConvention
from quaestor.core.number_forms import UNIT_NAMES
from quaestor.core.parsing import QuantitySpan, find_quantities
from quaestor.core.quantity import LARGE_SCALES, Quantity, Scale, scale_called
from quaestor.documents.amounts import Amounts, scales_by_currency
from quaestor.documents.captions import HUNDREDTHS, NOTHING, applies_to, is_caption, read_caption
from quaestor.documents.kinds import Kind, kind_of, unit_in_brackets
from quaestor.documents.note_columns import is_note_heading
from quaestor.documents.percentages import (
    as_rates_or_years,
    as_ratio,
    mentions_ratio,
    prints_ratios,
    with_percentages,
)
from quaestor.documents.sentence_scales import PER_ITEM, WRITTEN_OUT
from quaestor.documents.table import Cell, Header, Table
from quaestor.documents.unit_columns import find_price_unit
from quaestor.documents.unit_phrases import currency_alone, currency_named, is_unit_line

_DEPENDENT = re.compile(
    r"(?:basic|diluted|assuming dilution|total|as (?:reported|adjusted)|before|after|adjust|continuing|discontinued|net"
    r"|class [ab]|effect of|stock options|common|from|high|low|first|second|third|fourth"
    r"|underlying|headline|statutory|normali[sz]ed)\b",
    re.IGNORECASE,
)
_SHARE_CAPITAL = re.compile(
    r"(?!.{0,99}\b(?:outstanding|basic|diluted|average|number|issued?|thousands?|millions?)\b)"
    r"(?:(?:ordinary|common|preference|preferred|treasury|own)\s)+shares\b(?:\s?[,(\u2013-]\s?[a-z ]{1,30}\)?)?"
    r"|shares in (?:subsidiar|affiliat|group|associat|joint)[a-z ]{1,40}",
    re.IGNORECASE,
)
"""Lines of capital, which are amounts below a heading in money."""
_LETTER = re.compile(
    r"\b(?:eps|heps|dps|nav|nta|per\s(?:[a-z]{1,12}\s){0,2}(?:share|unit|security)|dividends?|distributions?)\b[^()]{0,40}"
    r"(?:\(|\s[\u2013-]\s)([pc])\)?\s*$",
    re.IGNORECASE,
)
_ITEMS = re.compile(
    r"(?:nos?\.?|number|#)(?:\s(?:of\s)?(?:shares|options|rights|units|securities))?(?:\s?['\u2018\u2019]?000s?)?",
    re.IGNORECASE,
)
_CAPITAL = re.compile(
    r"retained earnings|accumulated deficit|(?:share premium|reserves?|paid[- ]in capital|total assets"
    r"|total (?:(?:share|stock)holders\W{0,2} )?equity)\b",
    re.IGNORECASE,
)
"""Lines beside those of share capital."""
_EXCEPTED = re.compile(
    r"\bexcept (?:for )?(?:the )?(?P<what>[a-z -]{3,60}),? which (?:is|are) (?:[a-z]{1,12} )?in "
    r"(?P<scale>(?:thou|mill|bill)[a-z]{3,5})",
    re.IGNORECASE,
)
_OF_DOLLARS = re.compile(
    r"\W*(?:us |u\.s\. )?dollars? (?:amounts )?in thousands"
    r"(?!.{0,200}\bshares? (?:data|amounts|count)?\s?in thousands)",
    re.IGNORECASE,
)
_BALANCE = re.compile(
    r"\bsecurities,?\s(?:held|available|owned|purchased|sold|borrowed|loaned|at|in|and)\b|\bcustomers,?\s(?:net|less)\b"
    r"|^securities$",
    re.IGNORECASE,
)
"""Lines of money whose first word may be taken for what they count."""
_PRICED_IN = re.compile(r"(?:\(|,\s)([A-Za-z$€£¥]{1,4})(?:\s?/|\sper\s|$)")
"""The currency of a price: "Average price (EUR/MWh)", "Earnings/share, EUR"."""
_AWARDS = re.compile(
    r"\b(?:restricted|options?|warrants?|convertible|awards?|[rp]sus?|espp|units|exercise|stock (?:plans?|purchase)"
    r"|dilut|forfeit|cancel|vest|grant|expire|participating|contingent)",
    re.IGNORECASE,
)
"""Lines of shares below a number of shares."""
_DATES = re.compile(
    r"[0-9]{1,2}\.[0-9]{1,2}\.(?:19|20)[0-9]{2}\b|[0-9]{1,2}\s[A-Za-z]{3,9}\s(?:19|20)[0-9]{2}\b|\b[A-Za-z]{0,9}\s?(?:19|20)[0-9]{2}\b"
)
_SCALE_LETTER = re.compile(r"\((?P<letter>[BM]|[mb]n)\)\W*$")
_LETTER_OF_MONEY = re.compile(r"\([$€£¥](?:[BM]|[mb]n)\)")
_UNIT_AND_MARK = re.compile(r"(\([^()0-9]{1,12}\))\s?\([0-9]{1,2}\)$")
"""The unit of a label with a footnote mark: "Total volume ($B) (2)"."""
_SHARES_IN_M = re.compile(r"\b(?:shares|number|securities)\b[^()]{0,40}\(m\)\s*$", re.IGNORECASE)
_CURRENCIES_OF = {"p": {"GBP"}, "c": {"AUD", "NZD", "ZAR", "EUR"}}
"""Not USD: in reports in dollars a letter in brackets is a footnote mark."""
_AREA = re.compile(r"(?<!per )\b(?:square (?:feet|footage|met(?:er|re)s)|sq\.? ?ft)\b", re.IGNORECASE)
_OF_SECTIONS = ("shares", "price", "percent", "count", "time")
"""Kinds that a heading above several lines gives to all of them."""
_LISTED = re.compile(r"\s?(?:,|and|,\s?and)\s?")
_NEAR = 24
"""Number of characters around a number in a label that determine its meaning."""
_MOST_SHARES = 10**11
"""More than nearly all companies have."""
_THINGS = re.compile(
    r"\((?:in )?(?:thousands|millions|billions) of (?!.*(?:dollars|euros|shares|units)\b)([a-z][a-z -]{2,30})\)",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(r"\(((?:[a-z]+\s)?in\s(?:thousands|millions|billions)[^()]{0,60})\)", re.IGNORECASE)
_VOLUME = re.compile(r"\bdaily (?:[a-z]+ )?(package|shipment|unit)s?\b", re.IGNORECASE)
"""A line of volumes, with what it counts: "Average daily package volume"."""
_TIMES = ("years", "months")
_HUNDRED = 100
_TRILLION = 10**12
"""More than the worth of the shares in any line of a table."""
_LEAST_PRICE = Decimal("0.05")
_VALUE = re.compile(r"\bvalue\b", re.IGNORECASE)
_DEAREST = 1000
"""Upper limit for a price per item with cents."""
_BRACKETED = re.compile(r"\([^()0-9]*+[0-9][^()]*+\)")


def starts_at_hundred(table: Table) -> bool:
    """Return whether each row begins with 100, as tables of index values or of the return on 100 dollars do."""
    lines = [[cell.quantity for cell in row[1:] if cell.quantity] for row in table.cells[table.header_rows :]]
    firsts = [numbers[0].value for numbers in lines if numbers]
    return len(firsts) > 1 and all(first == _HUNDRED for first in firsts)


def counts_no_money(table: Table) -> bool:
    """Return whether each column of numbers counts something else than money, by its heading: square feet, stores."""
    rows = table.cells[table.header_rows :]
    columns = [place for place in range(1, len(table.columns)) if any(row[place].quantities for row in rows)]
    texts = table.heading_texts
    return bool(columns) and all(_counts_items(texts[place]) for place in columns) and _usual_currency(table) is None


def _counts_items(text: str, *, areas: bool = True) -> bool:
    """Whether a column counts something else than money, by its headings; `areas`: whether areas count as such."""
    return areas if _AREA.search(text) else kind_of(text) == "count"


def heads_other_amounts(table: Table) -> bool:
    """Return whether a row of headings has a scale beside other amounts: "No. | Price | $'000", "DKK | TDKK".

    The scale may be in a row of its own: "Shares purchased | Average price | Value of shares (in thousands)".
    """
    heads = table.cells[: table.header_rows]
    scaled = {n for row in heads for n, cell in enumerate(row) if n and read_caption(cell.text).scale in LARGE_SCALES}
    kinds = [_column_kind(header) for n, header in enumerate(table.columns) if n and n not in scaled]
    if len(scaled) == 1 and len(kinds) > 1 and all(kind in ("shares", "price") for kind in kinds):
        return True
    for row in heads:
        texts = [_without_date(cell.text) for cell in row[1:]]
        read = [read_caption(text) for text in texts if is_unit_line(text)]
        captions = {caption.unit for caption in read if caption.scale in LARGE_SCALES}
        others = [text for text in texts if not is_unit_line(text)]
        if any(map(is_currency, captions)) and any(
            _ITEMS.fullmatch(text) or kind_of(text) in ("shares", "price") or currency_alone(text) in captions
            for text in others
            if text
        ):
            return True
    return False


def _without_date(heading: str) -> str:
    """Return a heading without its date: the unit of "31.12.2025 €"."""
    return _DATES.sub("", heading).strip()


def bare_currency_of(table: Table) -> str | None:
    """Return the currency that heads all columns with periods without a scale ("2025 $"), or None."""
    texts = table.heading_texts
    dated = [place for place, header in enumerate(table.columns) if place and header.period]
    codes = {currency_alone(_without_date(texts[place])) for place in dated}
    return codes.pop() if len(codes) == 1 else None


def with_units(
    table: Table,
    amounts: Amounts,
    currency: str | None,
    convention: NumberConvention,
    about: Sequence[str] = (),
    *,
    is_default: bool = False,
) -> Table:
    """Return a table with the scales and units of its rows and columns.

    Args:
        amounts: Scales and units from the caption of the table or section, or the document's default.
        currency: Currency of the document; None if not known yet.
        about: Title and sentences before the table.
        is_default: Whether `amounts` are the document's default.
    """
    table = replace(
        table,
        rows=_with_letters(table, table.rows, [row[0].text for row in table.cells], currency),
        columns=_with_letters(table, table.columns, table.heading_texts, currency),
    )
    money = amounts.unit or _usual_currency(table)
    in_labels = amounts.scale or next((head.scale for head in table.columns if head.scale in LARGE_SCALES), None)
    columns = [_column_kind(header) for header in table.columns]
    rows = _row_kinds(table)
    if money is None and not any(kind in ("shares", "count") for kind in (*columns[1:], *rows)):
        mentioned = next((kind for text in reversed(about) if (kind := kind_of(text)) == "shares"), None)
        if mentioned and not amounts.unit:
            scale = amounts.shares or amounts.scale
            return _scale_label_numbers(replace(table, scale=scale or table.scale, unit="shares"), amounts, convention)
    things = _things_counted(table)
    money = money or things or (currency if in_labels and not counts_no_money(table) else None)
    by_column = any(kind in ("shares", "price", "time") for kind in columns[1:])
    by_column = by_column or any(map(_AREA.search, table.heading_texts[1:]))
    rows = [
        None if kind == "price" and _prints_shares_and_prices(cells, columns) else kind
        for cells, kind in zip(table.cells, rows, strict=True)
    ]
    new_rows = [
        _scale_header(header, None if by_column and kind in ("shares", "count", "money") else kind, amounts, money)
        if place >= table.header_rows
        else header
        for place, (header, kind) in enumerate(zip(table.rows, rows, strict=True))
    ]
    if by_column:
        new_rows = [
            replace(header, unit=None, scale=header.scale if header.scale is not Scale.ONE else None)
            if kind in ("shares", "count", "money", None)
            else header
            for header, kind in zip(new_rows, rows, strict=True)
        ]
    new_columns = [
        _scale_header(header, kind, amounts, money) for header, kind in zip(table.columns, columns, strict=True)
    ]
    if heads_other_amounts(table):
        new_columns = [_count_column_in_ones(table, place, header) for place, header in enumerate(new_columns)]
    new_rows = [_with_caption_scale(table, header, kind, amounts) for header, kind in zip(new_rows, rows, strict=True)]
    new_rows = _with_units_between(table, _with_counted_units(table, new_rows, rows), rows)
    new_rows = [_count_in_ones(table, place, header) for place, header in enumerate(new_rows)]
    new_rows = _with_excepted_scales(new_rows, (*about, table.caption))
    new_rows = _with_scale_of_statistics(table, new_rows, about)
    new_columns = [as_rates_or_years(table, place, header) for place, header in enumerate(new_columns)]
    new_columns = [_without_percent_of_thousands(table, place, header) for place, header in enumerate(new_columns)]
    percent = with_percentages(replace(table, rows=tuple(new_rows), columns=tuple(new_columns)), about)
    new_rows = [
        as_ratio(percent, place, _without_ones_below_percent(percent, place, header))
        for place, header in enumerate(percent.rows)
    ]
    new_columns = list(percent.columns)
    if not counts_no_money(table) and is_currency(amounts.unit or _usual_currency(table)):
        new_columns = [
            replace(header, scale=Scale.ONE)
            if header.scale is None and _counts_items(text, areas=is_currency(amounts.unit))
            else header
            for header, text in zip(new_columns, table.heading_texts, strict=True)
        ]
    scales = scales_by_currency(table.caption)
    if amounts.unit is None or is_default or scales:
        new_columns = _mark_currency_columns(new_columns)
    if scales:
        new_columns = [replace(header, scale=header.scale or scales.get(header.unit)) for header in new_columns]
    found = replace(
        table,
        rows=tuple(new_rows),
        columns=tuple(new_columns),
        scale=amounts.scale or table.scale,
        unit=money or table.unit,
    )
    return _scale_label_numbers(_with_plausible_shares(found), amounts, convention)


def _with_plausible_shares(table: Table) -> Table:
    """Return a table whose columns of shares have scale one if the caption's scale makes them worth too much or little.

    "Dollars in millions" may be about money alone. Shares bought for more than a trillion, or worth less than five
    cents each, by the prices or values beside them, are printed in full.
    """
    columns = list(table.columns)
    for place, (header, text) in enumerate(zip(table.columns, table.heading_texts, strict=True)):
        scaled = header.unit == "shares" and header.scale in LARGE_SCALES
        if scaled and header.scale is not read_caption(text).scale and _is_worth_too_much_or_little(table, place):
            columns[place] = replace(header, scale=Scale.ONE)
    return replace(table, columns=tuple(columns))


def _is_worth_too_much_or_little(table: Table, place: int) -> bool:
    """Whether the prices or values beside a column of shares show that its numbers are printed in full."""
    times = (table.columns[place].scale or Scale.ONE).factor
    worth, each = list[Decimal](), list[Decimal]()
    for row in range(table.header_rows, len(table.rows)):
        shares = table.cells[row][place].quantity
        if shares is None or shares.scale is not Scale.ONE or not shares.value:
            continue
        for other, header in enumerate(table.columns):
            number = table.cells[row][other].quantity if other not in (0, place) else None
            if number is None or number.scale is not Scale.ONE:
                continue
            if _column_kind(header) == "price":
                worth.append(abs(shares.value * number.value) * times)
            elif is_currency(number.unit or header.unit) and _VALUE.search(header.label):
                scale = table.scale_at(row, other) or Scale.ONE
                each.append(abs(number.value / shares.value) * scale.factor / times)
    return any(one >= _TRILLION for one in worth) or (bool(each) and max(each) < _LEAST_PRICE)


def _without_percent_of_thousands(table: Table, place: int, header: Header) -> Header:
    """Return the header of a column without percent if its numbers have thousands: "GWh" below "Percent of sales"."""
    numbers = [q for row in table.cells[table.header_rows :] for q in row[place].quantities]
    large = bool(numbers) and all(q.scale is Scale.ONE and abs(q.value) >= _DEAREST for q in numbers)
    return replace(header, scale=None) if large and header.scale is Scale.PERCENT else header


def _without_ones_below_percent(table: Table, place: int, header: Header) -> Header:
    """Return the header of a row of changes in counts without scale one: "Number of transactions | (2.2)" below "%"."""
    cells = [cell for cell in table.cells[place][1:] if cell.quantities]
    below = bool(cells) and all(table.columns[cell.ref.column].scale is Scale.PERCENT for cell in cells)
    counts = header.scale is Scale.ONE and kind_of(header.label) == "count"
    # A column of percentages may have counts among them, which are whole numbers.
    changes = any(q.scale is Scale.PERCENT or "." in q.text for cell in cells for q in cell.quantities)
    return replace(header, scale=None, unit=None) if below and counts and changes else header


def _with_counted_units(table: Table, headers: Sequence[Header], kinds: Sequence[Kind | None]) -> list[Header]:
    """Return the headings of lines, those of counts with the scale and unit that their label or section names."""
    found = list[Header]()
    section: tuple[str | None, str | None] = (None, None)
    notes = _note_columns(table)
    for cells, header, kind in zip(table.cells, headers, kinds, strict=True):
        own = unit_in_brackets(cells[0].text)
        scale, unit = own if own[1] else section
        if cells[0].text and not any(cell.text for n, cell in enumerate(cells) if n and n not in notes):
            section = own
        if kind == "count":
            large = header.scale if header.scale in LARGE_SCALES or not scale else scale_called(scale)
            found.append(replace(header, scale=large, unit=own[1] or header.unit or unit))
        else:
            found.append(header)
    return found


def _with_caption_scale(table: Table, header: Header, kind: Kind | None, amounts: Amounts) -> Header:
    """Return the header of a row of money with the caption's scale, even if its words are among the exceptions."""
    if kind not in ("money", None) or header.scale is Scale.PERCENT or header.scale in LARGE_SCALES:
        return header
    if header.scale is Scale.ONE and kind_of(header.label) in ("money", None) and _BRACKETED.search(header.label):
        header = replace(header, scale=None)
    if header.scale is None and not applies_to(table.caption, amounts.unit, header.label, header.unit):
        return replace(header, scale=amounts.scale, unit=None)
    return header


def _with_excepted_scales(headers: Sequence[Header], about: Sequence[str]) -> list[Header]:
    """Return the headings of lines with the scale of a caption's exception: "except backlog, which is in billions"."""
    excepted = {found["what"].casefold(): found["scale"] for text in about for found in _EXCEPTED.finditer(text)}
    if not excepted:
        return list(headers)
    named = [next((excepted[what] for what in excepted if what in header.label.casefold()), None) for header in headers]
    return [
        replace(header, scale=scale_called(scale)) if scale and header.scale is None else header
        for header, scale in zip(headers, named, strict=True)
    ]


def _with_scale_of_statistics(table: Table, headers: Sequence[Header], about: Sequence[str]) -> list[Header]:
    """Return the headings of lines of volumes with their own scale in the sentence before the table.

    "Operating income (dollars in millions) and package statistics (in thousands)" has one for money and one for others.
    """
    named = [read_caption(f"({found[1]})") for text in about for found in _IN_BRACKETS.finditer(text)]
    others = {caption.scale for caption in named if caption.scale in LARGE_SCALES and not is_currency(caption.unit)}
    money = {caption.scale for caption in named if caption.scale in LARGE_SCALES and is_currency(caption.unit)}
    if len(others) != 1 or not money or others == money:
        return list(headers)
    (scale,) = others
    found = list[Header]()
    for header, cells in zip(headers, table.cells, strict=True):
        volume = next(filter(None, map(_VOLUME.search, (*header.levels, header.label))), None)
        plain = all(q.unit is None for cell in cells[1:] for q in cell.quantities)
        own = header.scale is None and header.unit is None and volume is not None and plain
        found.append(replace(header, scale=scale, unit=f"{volume[1].lower()}s") if own and volume else header)
    return found


def _usual_currency(table: Table) -> str | None:
    """Return the currency of most numbers in the body."""
    counts = Counter(q.unit for cell in table.body() for q in cell.quantities if q.unit and is_currency(q.unit))
    return counts.most_common(1)[0][0] if counts else None


def _column_kind(header: Header) -> Kind | None:
    # A heading may span several rows: "Weighted / Average / Exercise / Price".
    for level in (*reversed(header.levels), " ".join(header.levels), _without_date(header.label)):
        kind = kind_of(level)
        if kind in ("shares", "price", "time"):
            return kind
    return None


def _row_kinds(table: Table) -> list[Kind | None]:
    """Return the kind of each row, from its label or else from the section it belongs to."""
    kinds: list[Kind | None] = []
    section: Kind | None = None
    opened = False  # whether a line without numbers heads the section
    in_money = any(header.scale in LARGE_SCALES and is_currency(header.unit) for header in table.columns[1:])
    in_money = in_money or any(_CAPITAL.match(header.label) for header in table.rows[table.header_rows :])
    notes = _note_columns(table)
    for place in range(len(table.rows)):
        label = table.cells[place][0].text
        own = kind_of(label) if place >= table.header_rows else None
        heads = place >= table.header_rows and bool(label) and _prints_no_more_than_units(table.cells[place], notes)
        if heads:
            section = own if own in _OF_SECTIONS else section if _DEPENDENT.match(label) else None
            opened = section is not None
        elif own in ("money", None) and section == "time":
            own, section = (section, section) if _prints_times(table.cells[place]) else (own, None)
        elif own is None and section and (_DEPENDENT.match(label) or _continues(section, label, opened)):
            own = section if not _prints_money(table.cells[place]) or section == "price" else None
        elif own is None and section == "price" and _prints_prices(table.cells[place]):
            own = section
        elif own == "money" and section == "price":
            # "Net income" below "Earnings per common share:" is per share if it has cents.
            own, section = ("price", section) if _prints_prices(table.cells[place]) else (own, None)
        elif own == "shares" and in_money and _SHARE_CAPITAL.fullmatch(label):
            own, section = "money", None
        elif own == "money" and section == "percent" and prints_ratios(table.cells[place]):
            own = section
        elif own == "shares":
            opened = opened and section == "shares"
            section = "shares"  # "Effect of stock options" below a number of shares is in shares too
        elif own in ("money", "price") and section == "shares":
            section = None
        kinds.append(own)
    return _with_lines_between_prices(table, kinds)


def _things_counted(table: Table) -> str | None:
    """Return what a caption in the corner counts instead of money: "(thousands of barrels daily)"; else None."""
    corner = (cells[0].text.strip() for cells in table.cells[: table.header_rows])
    found = next(filter(None, map(_THINGS.fullmatch, corner)), None)
    return found[1] if found and currency_named(found[1]) is None else None


def _with_lines_between_prices(table: Table, kinds: Sequence[Kind | None]) -> list[Kind | None]:
    """Return the kinds of rows, as prices also those between two prices if all of them print cents.

    A reconciliation of earnings per share names its items like one of net income: "Restructuring | 0.11".
    """
    found = list(kinds)
    numbered = [place for place, cells in enumerate(table.cells) if any(cell.quantities for cell in cells[1:])]
    prices = [n for n, place in enumerate(numbered) if kinds[place] == "price" and _prints_prices(table.cells[place])]
    for start, end in pairwise(prices):
        between = numbered[start + 1 : end]
        if all(_prints_prices(table.cells[n]) and _may_be_price(table, n, kinds[n]) for n in between):
            for place in between:
                found[place] = "price"
    return found


def _may_be_price(table: Table, place: int, kind: Kind | None) -> bool:
    """Whether a row may be an item of a price: not "Efficiency ratio" or "Dividend yield"."""
    return kind in ("money", None) and not mentions_ratio(table.rows[place].label)


def _continues(section: Kind, label: str, opened: bool) -> bool:
    """Whether a line without a kind is of the kind of the lines above, which a heading opened or a line began."""
    return (opened and section in ("shares", "count")) or (section == "shares" and _AWARDS.search(label) is not None)


def _note_columns(table: Table) -> frozenset[int]:
    """Return the columns with the numbers of notes."""
    return frozenset(n for n, header in enumerate(table.columns) if n and is_note_heading(header.label))


def _prints_no_more_than_units(cells: Sequence[Cell], notes: frozenset[int]) -> bool:
    """Whether the cells of a row right of its label are empty or hold a unit ("pence") or the number of a note."""
    texts = (cell.text for place, cell in enumerate(cells) if place and place not in notes and cell.text.strip())
    return all(find_price_unit(text) or is_caption(text) for text in texts)


def _with_units_between(table: Table, headers: Sequence[Header], kinds: Sequence[Kind | None]) -> list[Header]:
    """Return the headings of lines, those below a line of units ("Earnings per share | pence | pence") with it."""
    found, unit = list[Header](), None
    notes = _note_columns(table)
    for place, (cells, header, kind) in enumerate(zip(table.cells, headers, kinds, strict=True)):
        words = {
            find_price_unit(cell.text) for n, cell in enumerate(cells) if n and n not in notes and cell.text.strip()
        }
        if place < table.header_rows or (_prints_no_more_than_units(cells, notes) and any(cell.text for cell in cells)):
            unit = words.pop() if place >= table.header_rows and len(words) == 1 else None
        elif kind not in ("price", None) or header.scale in (*LARGE_SCALES, Scale.PERCENT):
            unit = None
        found.append(replace(header, scale=Scale.ONE, unit=unit) if unit else header)
    return found


def _with_letters(
    table: Table, headers: Sequence[Header], texts: Sequence[str], currency: str | None
) -> tuple[Header, ...]:
    """Return headings, those that end with the letter of a unit or scale with it: "Dividend (p)", "Shares (m)".

    "Cards (M)" is in millions below "Payments volume ($B)"; elsewhere the letter may be a footnote mark.
    """
    codes = {header.unit for header in (*table.columns, *table.rows)} | {table.unit, currency}
    names_letters = any(map(_LETTER_OF_MONEY.search, texts))
    found = list(headers)
    for place, text in enumerate(texts):
        if _SHARES_IN_M.search(text) and codes & (_CURRENCIES_OF["c"] | _CURRENCIES_OF["p"]):
            found[place] = replace(headers[place], scale=headers[place].scale or Scale.MILLION)
        if names_letters and headers[place].scale is None:
            marked = _UNIT_AND_MARK.search(text)
            caption = read_caption(marked[1]) if marked else NOTHING
            scaled = _SCALE_LETTER.search(text)
            scale = scale_called(scaled["letter"]) if scaled else caption.scale
            found[place] = replace(headers[place], scale=scale, unit=headers[place].unit or caption.unit)
        letter = _LETTER.search(text)
        if (
            letter
            and "USD" not in codes
            and codes & _CURRENCIES_OF[letter[1]]
            and headers[place].unit not in HUNDREDTHS
        ):
            found[place] = replace(headers[place], scale=Scale.ONE, unit=UNIT_NAMES[letter[1]])
    return tuple(found)


def _prints_money(cells: Sequence[Cell]) -> bool:
    return any(q.unit and is_currency(q.unit) for cell in cells[1:] for q in cell.quantities)


def _prints_shares_and_prices(cells: Sequence[Cell], columns: Sequence[Kind | None]) -> bool:
    """Whether a row of "Income | Shares | Per share" prints several of them: "Basic earnings per share"."""
    return {"shares", "price"} <= {kind for cell, kind in zip(cells, columns, strict=True) if cell.quantities}


def _prints_times(cells: Sequence[Cell]) -> bool:
    """Whether all numbers of a row may be numbers of years: below a hundred, and with decimals or their unit."""
    numbers = [q for cell in cells[1:] for q in cell.quantities]
    return bool(numbers) and all(
        abs(q.value) < _HUNDRED and (q.unit in _TIMES or (q.unit is None and q.value.as_tuple().exponent == -1))
        for q in numbers
    )


def _prints_prices(cells: Sequence[Cell]) -> bool:
    """Whether all numbers of a row have cents and are small enough for amounts per item."""
    numbers = [q for cell in cells[1:] for q in cell.quantities]
    return bool(numbers) and all(
        abs(q.value) < _DEAREST and q.scale is Scale.ONE and q.value.as_tuple().exponent in (-2, -3, -4)
        for q in numbers
    )


def _scale_header(header: Header, kind: Kind | None, amounts: Amounts, money: str | None) -> Header:
    """Return a header with the scale and unit of its kind; a scale in the label is kept."""
    named = next(
        (
            caption.scale
            for text in (header.label, *header.levels)
            if (caption := read_caption(text)).scale in LARGE_SCALES
        ),
        None,
    )
    named = named or (header.scale if header.scale in LARGE_SCALES else None)
    if _BALANCE.search(header.label):
        header = replace(header, unit=None if header.unit in ("securities", "customers") else header.unit)
    match kind:
        case "price":
            printed = _PRICED_IN.search(header.label)
            own = header.unit if is_currency(header.unit) or header.unit in HUNDREDTHS else None
            own = own or (currency_alone(printed[1]) if printed else None)
            return replace(header, scale=Scale.ONE, unit=own or money or header.unit)
        case "shares":
            return replace(header, scale=named or amounts.shares or amounts.scale, unit="shares")
        case "time":
            return replace(header, scale=Scale.ONE, unit=header.unit if header.unit in ("months", "days") else "years")
        case "count":
            return replace(header, scale=named or Scale.ONE)
        case "money":
            other = header.scale in (Scale.ONE, Scale.PERCENT) and header.unit not in HUNDREDTHS
            scale = None if other else header.scale
            counts = header.unit in ("shares", "options", "securities", "staff")
            return replace(header, scale=named or scale, unit=None if counts else header.unit)
        case _:
            return header


def _mark_currency_columns(columns: Sequence[Header]) -> list[Header]:
    """Return the column headers with the currency of those that are only a currency ("RMB", "US$")."""
    found = []
    for header in columns:
        code = next((code for level in reversed(header.levels) if (code := currency_alone(level))), None)
        found.append(header if code is None or header.unit else replace(header, unit=code))
    return found


def _count_column_in_ones(table: Table, place: int, header: Header) -> Header:
    """Return the header of a column of items or of a currency alone without the scale of the columns beside it."""
    if header.unit is None and _ITEMS.fullmatch(header.label):
        return replace(header, scale=header.scale or Scale.ONE, unit="number")
    codes = (currency_alone(_without_date(row[place].text)) for row in table.cells[: table.header_rows])
    code = next(filter(None, codes), None)
    return replace(header, scale=Scale.ONE, unit=header.unit or code) if place and code and not header.scale else header


def _count_in_ones(table: Table, place: int, header: Header) -> Header:
    """Return the header of a row of shares with scale one if the shares are printed in full.

    No company has a million millions of shares, and "Dollars in thousands" does not apply to shares.
    """
    in_thousands = header.scale is Scale.THOUSAND and not _OF_DOLLARS.match(table.caption)
    if header.unit != "shares" or header.scale not in LARGE_SCALES or in_thousands:
        return header
    numbers = [abs(q.value) for cell in table.cells[place][1:] for q in cell.quantities if q.scale is Scale.ONE]
    return replace(header, scale=Scale.ONE) if numbers and min(numbers) >= WRITTEN_OUT else header


def _scale_label_numbers(table: Table, amounts: Amounts, convention: NumberConvention) -> Table:
    """Return a table with the caption's scales applied to numbers in labels ("authorized 1,200 shares")."""
    if not amounts.scale and not amounts.shares:
        return table
    cells = list(table.cells)
    for place in range(table.header_rows, len(cells)):
        cell = cells[place][0]
        if cell.quantities and len(cell.text) > 20:
            cells[place] = (_scale_label_cell(cell, amounts, convention), *cells[place][1:])
    return replace(table, cells=tuple(cells))


def _scale_label_cell(cell: Cell, amounts: Amounts, convention: NumberConvention) -> Cell:
    spans = find_quantities(cell.text, convention)
    found: list[Quantity] = []
    shares = False
    for place in reversed(range(len(spans))):
        quantity, end = spans[place].quantity, spans[place].end
        after = cell.text[end : spans[place + 1].start if place + 1 < len(spans) else len(cell.text)]
        if quantity.unit == "shares" or (shares and quantity.unit is None and _LISTED.fullmatch(after)):
            shares = True
            plain = quantity.scale is Scale.ONE and (
                abs(quantity.value) < WRITTEN_OUT or amounts.shares is Scale.THOUSAND
            )
            scale = amounts.shares if plain and amounts.shares else quantity.scale
            if abs(quantity.value) * scale.factor >= _MOST_SHARES:
                scale = quantity.scale
            found.append(replace(quantity, unit="shares", scale=scale))
            continue
        shares = False
        money = quantity.unit is not None and is_currency(quantity.unit)
        plain = money and quantity.scale is Scale.ONE
        if plain and amounts.scale and not PER_ITEM.search(_words_around(cell.text, spans, place)):
            quantity = replace(quantity, scale=amounts.scale)
        found.append(quantity)
    printed = {quantity.text for quantity in cell.quantities}
    return replace(
        cell, quantities=tuple(q for q in reversed(found) if q.text in printed or q.unit or q.scale is not Scale.ONE)
    )


def _words_around(text: str, spans: Sequence[QuantitySpan], place: int) -> str:
    """Return the text around a number in a label, or around the list of numbers that it belongs to."""
    first = last = place
    while first and _LISTED.fullmatch(text[spans[first - 1].end : spans[first].start]):
        first -= 1
    while last + 1 < len(spans) and _LISTED.fullmatch(text[spans[last].end : spans[last + 1].start]):
        last += 1
    after = text[spans[last].end : spans[last + 1].start if last + 1 < len(spans) else len(text)]
    return f"{text[: spans[first].start][-_NEAR:]}|{after[:_NEAR]}"
