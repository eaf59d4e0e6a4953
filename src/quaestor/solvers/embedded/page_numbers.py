"""Numbers of tables and running text as leaves of plans, with the words around them."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.core.words import word_spans
from quaestor.graph.facts import Axis, MentionFact, Observation, TableFact
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import counted
from quaestor.questions.comparison import boundary
from quaestor.questions.stems import is_of_single_words, meaning_stem, stems, stems_of_parts
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
    """Return the power of ten of a number's scale; nan for a percentage.

    Args:
        label: The scale in its labels.
    """
    return _POWERS[quantity.scale if quantity.scale is not Scale.ONE else label or Scale.ONE]


_POWERS = {scale: math.nan if scale is Scale.PERCENT else float(np.log10(float(scale.factor))) for scale in Scale}


_PER_NUMBER = 5
"""Words that a number counts as in distances."""


@dataclass(frozen=True, slots=True)
class SentenceWords:
    """Words of a sentence.

    Attributes:
        begins: Start of each word, in characters.
        far: Distance of each word from the start of the sentence; the last entry is that of its end.
        stems: Stems of the content words, in order.
        places: Index of each stem's word among all words.
        single: Whether the stems of any part of the sentence are the stems of its single words.
    """

    text: str
    begins: tuple[int, ...]
    ends: tuple[int, ...]
    far: tuple[int, ...]
    stems: tuple[str, ...]
    places: tuple[int, ...]
    single: bool

    def cuts(self, at: int) -> bool:
        """Return whether a position is inside a word."""
        last = bisect_left(self.begins, at) - 1
        return last >= 0 and self.ends[last] > at

    def stems_between(self, start: int, end: int) -> tuple[str, ...]:
        """Return the stems of a part of the sentence.

        Args:
            start: Start of the part, in characters.
        """
        if not self.single or self.cuts(start) or self.cuts(end):
            return stems(self.text[start:end])
        first, after = bisect_left(self.begins, start), bisect_right(self.ends, end)
        return self.stems[bisect_left(self.places, first) : bisect_left(self.places, max(first, after))]


def measure_stem_distances(text: str, start: int, end: int) -> tuple[tuple[str, int], ...]:
    """Return each stem around a span with its least distance in words; a number counts as five words.

    Args:
        start: Start of the span, in characters.
    """
    sentence = split_sentence(text)
    if sentence.cuts(start) or sentence.cuts(end):
        # A word that the span cuts becomes two words.
        sentence = split_sentence(f"{text[:start]}{' ' * (end - start)}{text[end:]}")
    before, after = bisect_right(sentence.ends, start), bisect_left(sentence.begins, end)
    stems_of, places, far = sentence.stems, sentence.places, sentence.far
    last, first = bisect_left(places, before), bisect_left(places, after)
    far_before, far_after = far[before], far[after]
    # The last occurrence before the span and the first one after it are the nearest.
    nearest = {stem: far_before - far[place] for stem, place in zip(stems_of[:last], places[:last], strict=True)}
    for stem, place in zip(stems_of[first:], places[first:], strict=True):
        behind = far[place + 1] - far_after
        if behind < nearest.get(stem, behind + 1):
            nearest[stem] = behind
    return tuple(nearest.items())


@lru_cache(maxsize=64)
def split_sentence(text: str) -> SentenceWords:
    """Return the words of a sentence."""
    # If lowering changes the length, lower each character separately to keep the positions.
    lowered = low if len(low := text.lower()) == len(text) else "".join(min(c.lower(), c, key=len) for c in text)
    spans = word_spans(lowered)
    words = [lowered[begin:end] for begin, end in spans]
    found = [(stem, place) for place, word in enumerate(words) if (stem := meaning_stem(word)) is not None]
    return SentenceWords(
        text=text,
        begins=tuple([begin for begin, _ in spans]),
        ends=tuple([end for _, end in spans]),
        far=tuple(accumulate([_PER_NUMBER if word[0].isdigit() else 1 for word in words], initial=0)),
        stems=tuple([stem for stem, _ in found]),
        places=tuple([place for _, place in found]),
        single=len(low) == len(text) and is_of_single_words(lowered, words),
    )


_TOTAL = "total"
_YEAR = lazy_regex(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def read_table_numbers(graph: KnowledgeGraph) -> Iterator[CandidateNumber]:
    """Yield a leaf for each number in the body of a table."""
    openings = {table.index: _find_opening(table, graph) for table in graph.tables}
    axes: Mapping[int, Axis] = {table.index: table.axis for table in graph.tables}
    words: dict[tuple[int, int], list[str]] = {}
    for cell in graph.text_cells:
        line = _number_line(cell.source.row, cell.source.column, axes[cell.source.table])
        words.setdefault((cell.source.table, line), []).append(cell.text)
    for seen in graph.observations:
        axis = axes[seen.source.table]
        line = _number_line(seen.source.row, seen.source.column, axis)
        yield _build_table_number(seen, axis, words.get((seen.source.table, line), ()), openings[seen.source.table])


def _find_opening(table: TableFact, graph: KnowledgeGraph) -> str:
    """Heading above a table and the sentence before it, which describe tables whose lines name only years."""
    start, stop = table.lead
    before = (graph.sentences[place].text for place in range(stop - 1, start - 1, -1))
    sentence = next((text for text in before if stems(text)), "")
    return " ".join((*graph.path_of(table.section)[-1:], sentence))


def _number_line(row: int, column: int, axis: Axis) -> int:
    return row if axis == "rows" else column


def _build_table_number(seen: Observation, axis: Axis, words: Sequence[str], opening: str) -> CandidateNumber:
    """Leaf of an observation; `words` are the cells of its line with words."""
    upright = axis == "rows"
    line, across = (seen.row, seen.column) if upright else (seen.column, seen.row)
    # Sums are below a rule and often have no label, so amounts in a line without a label are totals.
    unnamed = upright and not line.label
    row, column = (
        stems(_TOTAL if unnamed else expand_abbreviations(line.label)),
        stems(expand_abbreviations(across.label)),
    )
    caption = stems(f"{seen.caption} {opening}")
    labels, year = f"{_TOTAL if unnamed else seen.row.label} {seen.column.label}", seen.year or 0
    quantity = _apply_percent_sign(seen.quantity, seen.label_scale)
    return CandidateNumber(
        quantity=quantity,
        source=seen.source,
        label=seen.label,
        row=row,
        column=column,
        around=stems_of_parts((*map(expand_abbreviations, (*line.levels, *across.levels)), seen.caption, *words))
        + row
        + column,
        caption=caption,
        year=year,
        other_year=_find_other_year(f"{labels} {' '.join(words)}", year),
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

_WORD = lazy_regex(r"\S+")
_MOVED = lazy_regex(
    r"(?:increas|decreas|declin|grew|rose|fell|higher|lower|reduc|change)\w{0,20}"
    r"(?: (?:of|by|in))?(?: (?:approximately|about|an|a|the))*[ $]{0,4}$"
)


def read_text_numbers(graph: KnowledgeGraph) -> Iterator[CandidateNumber]:
    """Yield a leaf for each number in a sentence."""
    return map(_build_text_number, graph.mentions)


def _build_text_number(mention: MentionFact) -> CandidateNumber:
    text, start, end = mention.sentence, mention.source.start, mention.source.end
    sentence = split_sentence(text)
    begin = (text.find(" ", start - _BEFORE, start) + 1 or start) if start > _BEFORE else 0
    behind = max(text.rfind(" ", end, end + _AFTER), end)
    if behind == end:
        behind = min(end + _AFTER, len(text))
    before, after = text[begin:start], text[end:behind]
    return CandidateNumber(
        quantity=mention.quantity,
        source=mention.source,
        label=f"{before.strip()[-40:]} {text[start:end]} {after.strip()[:25]}".strip(),
        row=sentence.stems_between(begin, start),
        column=sentence.stems_between(end, behind),
        around=sentence.stems_between(0, len(text)),
        year=mention.year or 0,
        years=_measure_year_distances(text, start, end),
        lead=_find_lead(sentence, start),
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
    named = _find_years(text)
    if not named:
        return ()
    begins = _find_word_starts(text)
    at, behind = bisect_left(begins, start), bisect_left(begins, end) - _is_cut(text, end)
    return tuple(
        [
            (found.year, at - found.behind if found.last < start else found.at - behind if found.first > end else 0)
            for found in named
            if not start <= found.first < end
        ]
    )


class _NamedYear(NamedTuple):
    """Year in a sentence: start, end, and the number of words that begin before each.

    A word that continues after the end is not counted before it.
    """

    year: int
    first: int
    last: int
    at: int
    behind: int


@lru_cache(maxsize=64)
def _find_years(text: str) -> tuple[_NamedYear, ...]:
    found = []
    for one in _YEAR.finditer(text):
        begins, (first, last) = _find_word_starts(text), one.span()
        behind = bisect_left(begins, last) - _is_cut(text, last)
        found.append(_NamedYear(int(one[0]), first, last, bisect_left(begins, first), behind))
    return tuple(found)


def _is_cut(text: str, at: int) -> bool:
    """Whether a position is between two characters that are not spaces."""
    return 0 < at < len(text) and not text[at].isspace() and not text[at - 1].isspace()


@lru_cache(maxsize=64)
def _find_word_starts(text: str) -> tuple[int, ...]:
    return tuple([found.start() for found in _WORD.finditer(text)])


def _find_lead(sentence: SentenceWords, start: int) -> int:
    """Code of the last word before a number, skipping articles, signs and numbers."""
    for place in range(bisect_right(sentence.ends, start) - 1, -1, -1):
        if sentence.begins[place] < start - _LEADS_FROM:
            break
        word = sentence.text[sentence.begins[place] : sentence.ends[place]].lower()
        if word[0].isalpha() and word not in _SKIPPED:
            return LEADS.index(word) if word in LEADS else 0
    return 0
