"""Numbers of tables and running text as leaves of plans, with the words around them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.core.words import word_spans, words
from quaestor.graph.facts import Axis, MentionFact, Observation, TableFact
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import counted
from quaestor.questions.comparison import boundary
from quaestor.questions.stems import meaning_stem, stems
from quaestor.retrieval.colloquial_words import expand_abbreviations


@dataclass(frozen=True, slots=True)
class CandidateNumber:
    """Number of a page with its description.

    If the columns of a table name the properties, the table is transposed: `line` is the column and `place` the row.

    Attributes:
        source: Its cell or span.
        label: Description for users: "net revenue, 2008", or the words around it.
        row: Stems of the label of its line, or of the words just before it in a sentence.
        column: Stems of the label across, or of the words just after it.
        around: Stems of all its headings, the caption and the cells with words, or of the whole sentence.
        caption: Stems of the table's caption and of the sentence before the table.
        year: Its year; 0 if unknown.
        other_year: Another year in its labels ("notes due 2015", or different years in row and column); else 0.
        years: Years in its sentence, each with its distance in words.
        lead: Code of the word before it in a sentence; 0 for other words and for cells.
        moved: Whether a verb of change precedes it: "increased $ 13 million".
        boundary: 1 if its labels name the end of a period, -1 if its beginning, else 0.
        power: Power of ten of its scale, as printed or by its labels or the caption; nan for a percentage.
        table: Index of the table; -1 in a sentence.
        line: Line in the grid, or the sentence's position on the page.
        place: Position in the line, or the number's position in the sentence.
        distances: For a number in a sentence, each stem of a content word with its least distance in words.
        label_scale: Scale in its labels, as `Extract.label_scale`.
        label_unit: Unit in its labels, as `Extract.label_unit`.
    """

    quantity: Quantity
    source: Source
    label: str
    row: tuple[str, ...]
    column: tuple[str, ...]
    around: tuple[str, ...]
    year: int
    table: int
    line: int
    place: int
    total: bool
    power: float
    caption: tuple[str, ...] = ()
    other_year: int = 0
    years: tuple[tuple[int, int], ...] = ()
    lead: int = 0
    moved: bool = False
    boundary: int = 0
    distances: tuple[tuple[str, int], ...] = ()
    label_scale: Scale | None = None
    label_unit: str | None = None

    @property
    def counts(self) -> Dimension:
        """Scale and unit as printed, or else by its labels."""
        return counted(self.quantity, self.label_scale, self.label_unit)


def _find_power_of_ten(quantity: Quantity, label: Scale | None = None) -> float:
    """Return the power of ten of a number's scale; nan for a percentage."""
    return _POWERS[quantity.scale if quantity.scale is not Scale.ONE else label or Scale.ONE]


_POWERS = {scale: math.nan if scale is Scale.PERCENT else float(np.log10(float(scale.factor))) for scale in Scale}


_PER_NUMBER = 5
"""Words that a number counts as in distances."""


def measure_stem_distances(text: str, start: int, end: int) -> tuple[tuple[str, int], ...]:
    """Return each stem around a span with its least distance in words; a number counts as five words.

    Args:
        start: Start of the span, in characters.
    """
    nearest: dict[str, int] = {}
    for side in (reversed(words(text[:start])), words(text[end:])):
        distance = 0
        for word in side:
            distance += _PER_NUMBER if word[0].isdigit() else 1
            stem = meaning_stem(word)
            if stem is not None and distance < nearest.get(stem, distance + 1):
                nearest[stem] = distance
    return tuple(nearest.items())


_TOTAL = "total"
_YEAR = lazy_regex(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def read_table_numbers(graph: KnowledgeGraph) -> Iterator[CandidateNumber]:
    """Yield a leaf for each number in the body of a table."""
    openings = {table.index: _find_opening(table, graph) for table in graph.tables}
    axes: Mapping[int, Axis] = {table.index: table.axis for table in graph.tables}
    texts: dict[tuple[int, int], list[str]] = {}
    for cell in graph.text_cells:
        line = _number_line(cell.source.row, cell.source.column, axes[cell.source.table])
        texts.setdefault((cell.source.table, line), []).append(cell.text)
    for seen in graph.observations:
        axis = axes[seen.source.table]
        line = _number_line(seen.source.row, seen.source.column, axis)
        yield _build_table_number(seen, axis, texts.get((seen.source.table, line), ()), openings[seen.source.table])


def _find_opening(table: TableFact, graph: KnowledgeGraph) -> str:
    """Heading above a table and the sentence before it, which describe tables whose lines name only years."""
    start, stop = table.lead
    before = (graph.sentences[place].text for place in range(stop - 1, start - 1, -1))
    sentence = next((text for text in before if stems(text)), "")
    return " ".join((*graph.path_of(table.section)[-1:], sentence))


def _number_line(row: int, column: int, axis: Axis) -> int:
    return row if axis == "rows" else column


def _build_table_number(seen: Observation, axis: Axis, texts: Sequence[str], opening: str) -> CandidateNumber:
    """Leaf of an observation; `texts` are the cells of its line with words."""
    upright = axis == "rows"
    line, across = (seen.row, seen.column) if upright else (seen.column, seen.row)
    # Sums are below a rule and often have no label, so amounts in a line without a label are totals.
    unnamed = upright and not line.label
    row, column = (
        stems(_TOTAL if unnamed else expand_abbreviations(line.label)),
        stems(expand_abbreviations(across.label)),
    )
    headings = map(expand_abbreviations, (*line.levels, *across.levels))
    caption = stems(f"{seen.caption} {opening}")
    labels, year = f"{_TOTAL if unnamed else seen.row.label} {seen.column.label}", seen.year or 0
    quantity = _apply_percent_sign(seen.quantity, seen.label_scale)
    return CandidateNumber(
        quantity=quantity,
        source=seen.source,
        label=seen.label,
        row=row,
        column=column,
        around=stems(" ".join((*headings, seen.caption, *texts))) + row + column,
        caption=caption,
        year=year,
        other_year=_find_other_year(f"{labels} {' '.join(texts)}", year),
        boundary=boundary(labels),
        power=_find_power_of_ten(quantity, seen.label_scale),
        table=seen.source.table,
        line=_number_line(seen.source.row, seen.source.column, axis),
        place=seen.source.column if upright else seen.source.row,
        total="total" in labels.split(),
        label_scale=seen.label_scale,
        label_unit=seen.label_unit,
    )


def _apply_percent_sign(quantity: Quantity, header: Scale | None) -> Quantity:
    """A percent sign in the header makes a bare number a percentage; other scales stay with the table."""
    if header is Scale.PERCENT and quantity.scale is Scale.ONE and quantity.unit is None:
        return Quantity(quantity.value, Scale.PERCENT, quantity.unit, quantity.text)
    return quantity


def _find_other_year(labels: str, year: int) -> int:
    return next((int(found) for found in _YEAR.findall(labels) if int(found) != year), 0)


LEADS = ("", "from", "to", "by", "of", "than", "with", "was", "were", "and", "approximately", "versus")
"""Words before a number in a sentence that indicate its role: "increased from 128 to 201"."""

FIRST_SENTENCE = 1000
"""`line` of the first sentence, so that sentences follow the rows of any table."""

_BEFORE = 60
"""Characters of a sentence before a number that describe it."""
_AFTER = 40
"""Characters of a sentence after a number that describe it."""
_LEADS_FROM = 40
"""Characters before a number in which its lead is searched."""
_SKIPPED = frozenset({"a", "an", "the", "million", "billion"})

_MOVED = lazy_regex(
    r"(?:increas|decreas|declin|grew|rose|fell|higher|lower|reduc|change)\w{0,20}"
    r"(?: (?:of|by|in))?(?: (?:approximately|about|an|a|the))*[ $]{0,4}$"
)


def read_text_numbers(graph: KnowledgeGraph) -> Iterator[CandidateNumber]:
    """Yield a leaf for each number in a sentence."""
    return map(_build_text_number, graph.mentions)


def _build_text_number(mention: MentionFact) -> CandidateNumber:
    text, start, end = mention.sentence, mention.source.start, mention.source.end
    begin = (text.find(" ", start - _BEFORE, start) + 1 or start) if start > _BEFORE else 0
    behind = max(text.rfind(" ", end, end + _AFTER), end)
    if behind == end:
        behind = min(end + _AFTER, len(text))
    before, after = text[begin:start], text[end:behind]
    return CandidateNumber(
        quantity=mention.quantity,
        source=mention.source,
        label=f"{before.strip()[-40:]} {text[start:end]} {after.strip()[:25]}".strip(),
        row=stems(before),
        column=stems(after),
        around=stems(text),
        year=mention.year or 0,
        years=_measure_year_distances(text, start, end),
        lead=_find_lead(text, start),
        moved=_MOVED.search(text, 0, start) is not None,
        power=_find_power_of_ten(mention.quantity),
        table=-1,
        line=FIRST_SENTENCE + mention.place,
        place=mention.order,
        total="total" in before.split(),
        distances=measure_stem_distances(text, start, end),
    )


def _measure_year_distances(text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """Years in a sentence with their distances from the number, in words or parts of words."""
    found = []
    for year in _YEAR.finditer(text):
        first, last = year.span()
        if not start <= first < end:
            between = text[last:start] if last < start else text[end:first]
            found.append((int(year[0]), len(between.split())))
    return tuple(found)


def _find_lead(text: str, start: int) -> int:
    """Code of the last word before a number, skipping articles, signs and numbers."""
    lowered = text[:start].lower()
    for begin, end in reversed(word_spans(lowered)):
        word = lowered[begin:end]
        if begin < start - _LEADS_FROM:
            break
        if word[0].isalpha() and word not in _SKIPPED:
            return LEADS.index(word) if word in LEADS else 0
    return 0
