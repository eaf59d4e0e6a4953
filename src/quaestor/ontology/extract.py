"""Extracts evidence for types from documents: labels of properties, noun phrases, and context for classes."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from quaestor.core.encoding_artifacts import normalize_text
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import find_periods
from quaestor.core.provenance import Source
from quaestor.core.quantity import Scale
from quaestor.core.words import PHRASE_BOUNDARIES
from quaestor.documents.document import Document, Sentence
from quaestor.documents.repairs import RepairKind
from quaestor.documents.table import Cell, Header, Table
from quaestor.ontology.labels import Context, contexts_of

# Rows or columns of a table that are properties, and their labels.

Axis = Literal["rows", "columns"]

_SPAN = r"(?:years?|quarters?|(?:three|six|nine|twelve) months)"
_DANGLING = lazy_regex(
    r"^(?:as of|at|for|on|in|ended|ending|through|and|-|:|,|\s)+\b(?=\s|$)|"
    rf"\b(?:as of|at|for|on|in|during|through|and|(?:for )?the (?:fiscal )?{_SPAN} ended|{_SPAN} ended|ended|ending"
    r"|(?:for )?the)?"
    r"[\s,:-]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PropertyLine:
    """A row or column that is a property.

    Attributes:
        label: The label without its period; "" if nothing is left.
    """

    index: int
    label: str


def property_axis(table: Table) -> Axis:
    """Return whether rows or columns are properties: the axis without the periods.

    If neither has periods, columns are properties if they contain different kinds of quantities (shares in one, prices
    in the next); otherwise rows are.
    """
    if table.orientation != "neither":
        return "rows" if table.orientation == "columns" else "columns"
    return "columns" if not table.is_too_large and _kinds_differ(table) else "rows"


def property_lines(table: Table) -> tuple[PropertyLine, ...]:
    """Return the lines of the property axis with cells in the body, in order.

    Repeated labels are extended by the headings above them.
    """
    axis = property_axis(table)
    headers = table.rows if axis == "rows" else table.columns
    used = sorted({line_of(cell, axis) for cell in body_cells(table)})
    labels = {index: without_period(headers[index]) for index in used}
    often = Counter(labels.values())
    lines = []
    for index in used:
        label = labels[index]
        if often[label] > 1 and label and len(headers[index].levels) > 1:
            label = ": ".join((*headers[index].levels[:-1], label))
        lines.append(PropertyLine(index, label))
    return tuple(lines)


def body_cells(table: Table) -> tuple[Cell, ...]:
    """Return the cells of the body with text, except repeated headers; empty for a table that is too large."""
    if table.is_too_large:
        return ()
    return tuple(
        cell
        for cell in table.body()
        if cell.text.strip() and not (cell.repair and cell.repair.kind is RepairKind.REPEATED_HEADER)
    )


def line_of(cell: Cell, axis: Axis) -> int:
    """Return the row or column index of a cell."""
    return cell.ref.row if axis == "rows" else cell.ref.column


def without_period(header: Header) -> str:
    """Return a label without its period ("2015 net revenue" becomes "net revenue")."""
    label = header.label
    if header.period is None or not label:
        return label
    for mention in reversed(find_periods(label)):
        label = f"{label[: mention.start]} {label[mention.end :]}"
    if label == header.label and len(header.levels) < 2:  # the whole label is a period in another form ("31-dec-2012")
        return "" if not re.search(r"[a-z]{4}", label) else label
    return re.sub(r"\s+", " ", _DANGLING.sub("", label.strip())).strip(" ,:-")


def _kinds_differ(table: Table) -> bool:
    """Whether each column has one kind of quantity, and the kinds differ."""
    counted: dict[int, list[Cell]] = {}
    for cell in table.body():
        if cell.quantities and cell.ref.column > 0:
            counted.setdefault(cell.ref.column, []).append(cell)
    kinds = [_kind(table.columns[column], cells) for column, cells in counted.items()]
    return len(kinds) > 1 and None not in kinds and len(set(kinds)) > 1


def _kind(header: Header, cells: Sequence[Cell]) -> tuple[str, str] | None:
    """Return the kind of quantity of a column; None if its cells differ."""
    percent = {cell.quantities[0].scale is Scale.PERCENT for cell in cells}
    if len(percent) > 1 and header.scale is not Scale.PERCENT:
        return None
    if True in percent or header.scale is Scale.PERCENT:
        return "percent", ""
    money = sum(cell.quantities[0].unit == "USD" for cell in cells)  # often only the first row has a currency sign
    return (header.scale or "one"), (header.unit or ("USD" if 2 * money > len(cells) else ""))


# Noun phrases of running text: topics of announced tables, and names of numbers.

_SHOWN = lazy_regex(
    r"\b(?:following|below) (?:tables?|charts?|schedules?|summary|information"
    r"|is an? (?:summary|analysis|reconciliation) of)\s?(?:below )?"
    r"(?:of|sets? forth|summari[sz]es?|presents?|shows?|provides?|details?|reflects?|lists?|includes?"
    r"|discloses?|reconciles?|represents?|contains?|illustrates?|outlines?|depicts?|displays?|)\s(.{3,90})",
    re.IGNORECASE,
)
_LEADING = lazy_regex(
    r"(?:the|our|certain|selected|a|an|all|total|aggregate|estimated|preliminary|reported|related|company's|and|or"
    r"|(?:summari[sz]ed |key |more |further |additional )?(?:financial )?information "
    r"(?:about|regarding|on|concerning|related to)|detail(?:s|ed information)? (?:about|regarding)"
    r"|(?:activity|changes?|amounts?|balances?) (?:in|related to|of|under|for)"
    r"|(?:components?|allocations?|summar(?:y|ies)|compositions?|breakdowns?|reconciliations?|analys[ie]s|details?) of)"
    r"\s+",
    re.IGNORECASE,
)
_ENDING = lazy_regex(
    r"\s(?:as of|as at|at|for|in|by|with|under|that|which|recogni[sz]ed|charged|on|during|from|and the|is|are|was|were"
    r"|we|incurred|granted|issued|made|registered|outstanding as|to)\b|[,:;.()\[\]0-9\"$%]"
)
_PHRASE_BEFORE = lazy_regex(
    r"(?P<phrase>(?:[a-z&'/-]{1,40} ){1,7})(?:was|were|is|are|of|total(?:l?ed|ing)|amount(?:ed|ing) to"
    r"|equal(?:l?ed)? to)"
    r"(?: (?:approximately|about|nearly|only|an? (?:net|total)))? ?(?:\$ ?)?$"
)
_WORDS_AT_MOST = 5


def topics(sentence: str) -> tuple[str, ...]:
    """Return the topics of tables that a sentence announces.

    >>> topics("the following table summarizes the activity in our unrecognized tax benefits for the year :")
    ('unrecognized tax benefits',)
    """
    found = []
    for match in _SHOWN.finditer(normalize_text(sentence).casefold()):
        phrase, before = match[1], None
        while phrase != before:
            phrase, before = _LEADING.sub("", phrase, count=1) if _LEADING.match(phrase) else phrase, phrase
        cut = _ENDING.search(f" {phrase}")
        words = (phrase if cut is None else f" {phrase}"[: cut.start()]).split()
        if 1 < len(words) <= _WORDS_AT_MOST and all(word.replace("-", "").isalpha() for word in words):
            found.append(" ".join(words))
    return tuple(found)


@lru_cache(maxsize=1024)
def noun_phrase_before(before: str) -> str | None:
    """Return the noun phrase that names a number, from the text before it, or None.

    >>> noun_phrase_before("in 2012 , the company's research and development expense was ")
    'research and development expense'
    """
    match = _PHRASE_BEFORE.search(before[-90:].casefold())
    if match is None:
        return None
    words = match["phrase"].split()
    for i in range(len(words) - 1, -1, -1):
        if words[i] in PHRASE_BOUNDARIES or words[i].endswith("'s"):
            words = words[i + 1 :]
            break
    while words and words[0] in ("of", "and", "&"):
        words = words[1:]
    phrase = " ".join(words)
    whole = all(word[0].isalpha() and word[-1].isalpha() for word in words)
    return phrase if whole and 0 < len(words) <= _WORDS_AT_MOST and len(phrase) > 3 else None


def noun_phrase_in(sentence: Sentence) -> tuple[tuple[int, str], ...]:
    """Return the index and the noun phrase of each number in a sentence that has one."""
    named = (
        (order, noun_phrase_before(sentence.text[: m.ref.start][-90:])) for order, m in enumerate(sentence.mentions)
    )
    return tuple((order, phrase) for order, phrase in named if phrase)


Range = Literal["xsd:decimal", "xsd:gYear", "xsd:string"]

TEXT = -1
"""Table index of labels found in sentences."""

_YEAR_LABEL = lazy_regex(r"\b(?:years?|maturity|matures|expir\w+|opened|founded|established)\b")
_BARE_YEAR = lazy_regex(r"(?:19[5-9]|20[0-9])[0-9]")


@dataclass(frozen=True, slots=True)
class LabelSighting:
    """An occurrence of a property's label.

    Attributes:
        concept: Concept of the tags of all numbers in the line, for the whole company; or "".
    """

    label: str
    range: Range
    table: int
    concept: str = ""


@dataclass(frozen=True, slots=True)
class LabelEvidence:
    """Evidence from one document.

    Attributes:
        labels: Labels of properties, including repetitions.
        contexts: Texts in and around each table by index, which determine the class of its labels.
    """

    labels: tuple[LabelSighting, ...] = ()
    topics: tuple[str, ...] = ()
    contexts: dict[int, Context] = field(default_factory=dict)


def extract_labels(document: Document) -> LabelEvidence:
    """Extract labels of rows and columns, captions, headings and noun phrases."""
    concepts = {tagged.source: tagged.fact.concept for tagged in document.facts if not tagged.fact.dimensions}
    labels = [sighting for table in document.tables for sighting in _find_labels(table, concepts)]
    labels += [
        LabelSighting(phrase, "xsd:decimal", TEXT)
        for sentence in document.sentences
        for _, phrase in noun_phrase_in(sentence)
    ]
    named = (topic for sentence in document.sentences for topic in topics(sentence.text))
    return LabelEvidence(tuple(labels), tuple(dict.fromkeys(named)), contexts_of(document))


def _find_labels(table: Table, concepts: Mapping[Source, str]) -> list[LabelSighting]:
    axis = property_axis(table)
    cells: dict[int, list[Cell]] = {}
    for cell in body_cells(table):
        cells.setdefault(line_of(cell, axis), []).append(cell)
    found = []
    for line in property_lines(table):
        own = cells.get(line.index, [])
        numeric = any(cell.quantities for cell in own)
        called = {concepts.get(cell.ref, "") for cell in own if cell.quantities}
        concept = called.pop() if len(called) == 1 else ""
        kind = _range(line.label, [cell.text for cell in own], numeric)
        found.append(LabelSighting(line.label, kind, table.index, concept))
    return found


def _range(label: str, texts: list[str], numeric: bool) -> Range:
    if not numeric:
        return "xsd:string"
    years = all(_BARE_YEAR.fullmatch(text.strip()) for text in texts)
    return "xsd:gYear" if years and _YEAR_LABEL.search(label.casefold()) else "xsd:decimal"
