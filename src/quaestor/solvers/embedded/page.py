"""A page as arrays: every number that a plan can start from, and the words that describe it."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import accumulate, chain, pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

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
from quaestor.retrieval.everyday import spelled_out


@dataclass(frozen=True, slots=True)
class CandidateNumber:
    """A number of the page with what describes it.

    A table whose columns name the properties is read turned: the line is then a column, the place a row.

    Attributes:
        source: Its cell or span.
        label: For people: "net revenue, 2008", or the words around it.
        row: The stems of its line's label, or of the words just before it in a sentence.
        column: The stems of the label across, or of the words just after it.
        around: The stems of all that surrounds it: headings, caption, cells of words; or the whole sentence.
        caption: The stems of the table's caption and of the sentence before the table.
        year: The year that it belongs to; 0 if none is named.
        other_year: Another year that its labels name ("notes due 2015", a row and a column with one each); else 0.
        years: The years that its sentence names, each with its distance in words.
        lead: Code of the word that leads to it in a sentence; 0 none of them, or a cell.
        moved: A verb of change leads to it: "increased $ 13 million".
        boundary: 1 its labels speak of the end of a period, -1 of its beginning, 0 of neither.
        power: The power of ten that it counts in, by its print, its labels or the caption; nan for a percentage.
        table: The table's index; -1 in a sentence.
        line: The line in the grid; or the sentence's place on the page.
        place: The place in the line; or the number's place in the sentence.
        distances: For a number in a sentence, each word of meaning and how many words away it is at least.
        label_scale: The scale that its labels name, as `Extract.label_scale`.
        label_unit: The unit that they name, likewise.
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
        """What it counts, as its print or else its labels say."""
        return counted(self.quantity, self.label_scale, self.label_unit)


def power_of_ten_of(quantity: Quantity, label: Scale | None = None) -> float:
    """Return the power of ten that a number counts in; nan for a percentage.

    Args:
        label: The scale that its labels name.
    """
    return _POWERS[quantity.scale if quantity.scale is not Scale.ONE else label or Scale.ONE]


_POWERS = {scale: math.nan if scale is Scale.PERCENT else float(np.log10(float(scale.factor))) for scale in Scale}


_PER_NUMBER = 5
"""How many words a number counts as that is between a number and a word."""


@dataclass(frozen=True, slots=True)
class SentenceWords:
    """The words of a sentence.

    Attributes:
        begins: Where each word begins, in characters.
        far: How far each is from the beginning of the sentence, and last how far its end is.
        stems: The stems of the words that carry meaning, in order.
        places: The place of the word of each stem among all words.
        single: Whether the stems of any part of the sentence are those of its words.
    """

    text: str
    begins: tuple[int, ...]
    ends: tuple[int, ...]
    far: tuple[int, ...]
    stems: tuple[str, ...]
    places: tuple[int, ...]
    single: bool

    def cuts(self, at: int) -> bool:
        """Return whether a place is inside of a word."""
        last = bisect_left(self.begins, at) - 1
        return last >= 0 and self.ends[last] > at

    def stems_between(self, start: int, end: int) -> tuple[str, ...]:
        """Return the stems of a part of the sentence, as `stems` has them.

        Args:
            start: Where it begins, in characters.
        """
        if not self.single or self.cuts(start) or self.cuts(end):
            return stems(self.text[start:end])
        first, after = bisect_left(self.begins, start), bisect_right(self.ends, end)
        return self.stems[bisect_left(self.places, first) : bisect_left(self.places, max(first, after))]


def stem_distances(text: str, start: int, end: int) -> tuple[tuple[str, int], ...]:
    """Return each stem around a span with its least distance in words; a number between counts as five words.

    Args:
        start: Where the span begins, in characters.
    """
    said = sentence_words(text)
    if said.cuts(start) or said.cuts(end):
        # A word that the span cuts is two.
        said = sentence_words(f"{text[:start]}{' ' * (end - start)}{text[end:]}")
    before, after = bisect_right(said.ends, start), bisect_left(said.begins, end)
    stems_of, places, far = said.stems, said.places, said.far
    last, first, here, there = bisect_left(places, before), bisect_left(places, after), far[before], far[after]
    # The last one before the span is the nearest of them, and the first one behind it.
    nearest = {stem: here - far[place] for stem, place in zip(stems_of[:last], places[:last], strict=True)}
    for stem, place in zip(stems_of[first:], places[first:], strict=True):
        behind = far[place + 1] - there
        if behind < nearest.get(stem, behind + 1):
            nearest[stem] = behind
    return tuple(nearest.items())


@lru_cache(maxsize=64)
def sentence_words(text: str) -> SentenceWords:
    """Return the words of a sentence."""
    # Character by character where a letter becomes two, so that places stay places.
    lowered = low if len(low := text.lower()) == len(text) else "".join(min(c.lower(), c, key=len) for c in text)
    spans = word_spans(lowered)
    said = [lowered[begin:end] for begin, end in spans]
    found = [(stem, place) for place, word in enumerate(said) if (stem := meaning_stem(word)) is not None]
    return SentenceWords(
        text=text,
        begins=tuple([begin for begin, _ in spans]),
        ends=tuple([end for _, end in spans]),
        far=tuple(accumulate([_PER_NUMBER if word[0].isdigit() else 1 for word in said], initial=0)),
        stems=tuple([stem for stem, _ in found]),
        places=tuple([place for _, place in found]),
        single=len(low) == len(text) and is_of_single_words(lowered, said),
    )


@dataclass(frozen=True, slots=True)
class StemWeights:
    """A weight for each stem.

    For pages it is the log of how few training pages have the stem. For questions it is the negative log of how often
    it describes no number of a page that has the answer: high for the words of lines, near 0 for small talk.
    """

    weight: Mapping[str, float]
    unseen: float

    def of(self, stem: str) -> float:
        """Return the weight of one stem."""
        return self.weight.get(stem, self.unseen)

    def of_all(self, stems: Iterable[str]) -> list[float]:
        """Return the weights of stems, in their order."""
        known, unseen = self.weight.get, self.unseen
        return [known(stem, unseen) for stem in stems]


# Which words describe which numbers of a page, as a matrix: whole on a page, by word on a filing.
#
# A page of a report has some sixty numbers and a hundred words, and a plain product is fastest; both grow with a
# filing, and their product with its square, though a question has ten words.


Floats = NDArray[np.float32]

WHOLE_CELLS = 250_000
"""Up to so many cells (1 MB) a matrix is kept whole. No page of ConvFinQA has more than a tenth of that, so that all
of them are measured digit for digit as the weights were trained; above it time and memory grow with the words that are
there."""


@dataclass(frozen=True, slots=True)
class WordMatrix:
    """How strongly each word describes each number.

    Shape: `size` numbers x `width` words. Whole matrices have `whole`; the others have, word after word, the numbers
        that it describes (`numbers`, ascending) and how strongly (`strengths`); word n has those from `starts[n]` on.
    """

    size: int
    width: int
    whole: Floats | None
    numbers: NDArray[np.int32]
    strengths: Floats
    starts: NDArray[np.int64]

    def dot(self, weights: Floats) -> Floats:
        """Return the sum of its words' weights for each number.

        Shape: `size`.
        """
        if self.whole is not None:
            return _product(self.whole, weights)
        return self._of_words(np.flatnonzero(weights), weights)

    def dot_of(self, words: Sequence[int], weights: Floats) -> Floats:
        """Return the same over a few words alone.

        Shape: `size`.
        """
        if self.whole is not None:
            return _product(self.whole[:, list(words)], weights)
        spread = np.zeros(self.width, np.float32)
        spread[list(words)] = weights
        return self._of_words(np.array(words, np.int64), spread)

    def by_number(self) -> Floats:
        """Return how strongly each number is described by all words together.

        Shape: `size`.
        """
        if self.whole is not None:
            total: Floats = self.whole.sum(axis=1)
            return total
        return np.bincount(self.numbers, self.strengths, self.size).astype(np.float32)

    def by_word(self) -> Floats:
        """Return how strongly each word describes all numbers together.

        Shape: `width`.
        """
        if self.whole is not None:
            total: Floats = self.whole.sum(axis=0)
            return total
        words = np.repeat(np.arange(self.width), np.diff(self.starts))
        return np.bincount(words, self.strengths, self.width).astype(np.float32)

    def __or__(self, other: "WordMatrix") -> "WordMatrix":
        """Return the matrix of the same numbers and words in which each is described as strongly as in either."""
        if self.whole is not None and other.whole is not None:
            return replace(self, whole=np.maximum(self.whole, other.whole))
        columns = [np.repeat(np.arange(self.width), np.diff(one.starts)) for one in (self, other)]
        cells = np.concatenate([of * self.size + one.numbers for of, one in zip(columns, (self, other), strict=True)])
        cell, place = np.unique(cells, return_inverse=True)
        strengths = np.zeros(len(cell), np.float32)
        np.maximum.at(strengths, place, np.concatenate([self.strengths, other.strengths]))
        word, number = np.divmod(cell, self.size)
        starts = np.searchsorted(word, np.arange(self.width + 1))
        return WordMatrix(self.size, self.width, None, number.astype(np.int32), strengths, starts)

    def _of_words(self, words: NDArray[np.int64], weights: Floats) -> Floats:
        often = self.starts[words + 1] - self.starts[words]
        before = np.cumsum(often) - often
        at = np.repeat(self.starts[words] - before, often) + np.arange(int(often.sum()))
        strengths = self.strengths[at] * np.repeat(weights[words], often)
        return np.bincount(self.numbers[at], strengths, self.size).astype(np.float32)


def _product(matrix: Floats, weights: Floats) -> Floats:
    # Kernels of OpenBLAS fill their registers with what is not a number, and now and then that is reported as ours.
    with np.errstate(invalid="ignore"):
        found: Floats = matrix @ weights
        return found


def word_matrix(described: Sequence[Mapping[int, float]], size: int, width: int) -> WordMatrix:
    """Return the matrix of numbers and the words that describe them.

    Args:
        described: For each number, how strongly which word describes it.
        width: How many words there are; a matrix without any has one that describes nothing.
    """
    return _matrix(described, [strength for words in described for strength in words.values()], size, width)


def flag_matrix(described: Sequence[Collection[int]], size: int, width: int) -> WordMatrix:
    """Return the matrix of numbers and the words that describe them, each as strongly as any other.

    Args:
        described: For each number, which words describe it, each once.
        width: How many words there are; a matrix without any has one that describes nothing.
    """
    return _matrix(described, 1.0, size, width)


def _matrix(
    described: Sequence[Collection[int]], strengths: Sequence[float] | float, size: int, width: int
) -> WordMatrix:
    width = max(1, width)
    numbers = np.repeat(np.arange(size), [len(words) for words in described])
    columns = np.array(list(chain.from_iterable(described)), np.intp)
    if size * width <= WHOLE_CELLS:
        whole = np.zeros(size * width, np.float32)
        whole[numbers * width + columns] = strengths
        nothing = np.zeros(0, np.int32)
        starts = np.zeros(width + 1, np.int64)
        return WordMatrix(size, width, whole.reshape(size, width), nothing, nothing.astype(np.float32), starts)
    order = np.argsort(columns, kind="stable")
    starts = np.zeros(width + 1, np.int64)
    np.cumsum(np.bincount(columns, minlength=width), out=starts[1:])
    strong = np.broadcast_to(np.asarray(strengths, np.float32), columns.shape)
    return WordMatrix(size, width, None, numbers[order].astype(np.int32), strong[order], starts)


_TOTAL = "total"
_YEAR = lazy_regex(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def numbers_of_tables(graph: KnowledgeGraph) -> Iterator[CandidateNumber]:
    """Yield a leaf for each number in the body of a table."""
    openings = {table.index: _opening(table, graph) for table in graph.tables}
    axes: Mapping[int, Axis] = {table.index: table.axis for table in graph.tables}
    words: dict[tuple[int, int], list[str]] = {}
    for cell in graph.text_cells:
        line = _line(cell.source.row, cell.source.column, axes[cell.source.table])
        words.setdefault((cell.source.table, line), []).append(cell.text)
    for seen in graph.observations:
        axis = axes[seen.source.table]
        line = _line(seen.source.row, seen.source.column, axis)
        yield _leaf(seen, axis, words.get((seen.source.table, line), ()), openings[seen.source.table])


def _opening(table: TableFact, graph: KnowledgeGraph) -> str:
    """The heading over a table and the sentence before it: they say what it shows where its lines name only years."""
    start, stop = table.lead
    before = (graph.sentences[place].text for place in range(stop - 1, start - 1, -1))
    sentence = next((text for text in before if stems(text)), "")
    return " ".join((*graph.path_of(table.section)[-1:], sentence))


def _line(row: int, column: int, axis: Axis) -> int:
    return row if axis == "rows" else column


def _leaf(seen: Observation, axis: Axis, words: Sequence[str], opening: str) -> CandidateNumber:
    """The leaf of an observation; `words` are the cells of its line that hold words."""
    upright = axis == "rows"
    line, across = (seen.row, seen.column) if upright else (seen.column, seen.row)
    # What is added up is below a rule, often without a word: amounts in a line without a label are totals.
    unnamed = upright and not line.label
    row, column = stems(_TOTAL if unnamed else spelled_out(line.label)), stems(spelled_out(across.label))
    caption = stems(f"{seen.caption} {opening}")
    labels, year = f"{_TOTAL if unnamed else seen.row.label} {seen.column.label}", seen.year or 0
    quantity = _scaled(seen.quantity, seen.label_scale)
    return CandidateNumber(
        quantity=quantity,
        source=seen.source,
        label=seen.label,
        row=row,
        column=column,
        around=stems_of_parts((*map(spelled_out, (*line.levels, *across.levels)), seen.caption, *words)) + row + column,
        caption=caption,
        year=year,
        other_year=_other_year(f"{labels} {' '.join(words)}", year),
        boundary=boundary(labels),
        power=power_of_ten_of(quantity, seen.label_scale),
        table=seen.source.table,
        line=_line(seen.source.row, seen.source.column, axis),
        place=seen.source.column if upright else seen.source.row,
        total="total" in labels.split(),
        label_scale=seen.label_scale,
        label_unit=seen.label_unit,
    )


def _scaled(quantity: Quantity, header: Scale | None) -> Quantity:
    """A percent sign in the header makes a bare number a percentage; other captions stay with the table."""
    if header is Scale.PERCENT and quantity.scale is Scale.ONE and quantity.unit is None:
        return Quantity(quantity.value, Scale.PERCENT, quantity.unit, quantity.text)
    return quantity


def _other_year(labels: str, year: int) -> int:
    return next((int(found) for found in _YEAR.findall(labels) if int(found) != year), 0)


LEADS = ("", "from", "to", "by", "of", "than", "with", "was", "were", "and", "approximately", "versus")
"""Words before a number in a sentence that tell its part: "increased from 128 to 201"."""

FIRST_SENTENCE = 1000
"""The line of the first sentence: sentences are counted after the rows of any table."""

_BEFORE = 60
"""Characters of a sentence before a number that describe it."""
_AFTER = 40
"""Characters after it."""
_LEADS_FROM = 40
"""Characters before it in which a word leads to it."""
_SKIPPED = frozenset({"a", "an", "the", "million", "billion"})

_WORD = lazy_regex(r"\S+")
_MOVED = lazy_regex(
    r"(?:increas|decreas|declin|grew|rose|fell|higher|lower|reduc|change)\w{0,20}"
    r"(?: (?:of|by|in))?(?: (?:approximately|about|an|a|the))*[ $]{0,4}$"
)


def numbers_of_text(graph: KnowledgeGraph) -> Iterator[CandidateNumber]:
    """Yield a leaf for each number in a sentence."""
    return map(_text_leaf, graph.mentions)


def _text_leaf(mention: MentionFact) -> CandidateNumber:
    text, start, end = mention.sentence, mention.source.start, mention.source.end
    said = sentence_words(text)
    begin = (text.find(" ", start - _BEFORE, start) + 1 or start) if start > _BEFORE else 0
    behind = max(text.rfind(" ", end, end + _AFTER), end)
    if behind == end:
        behind = min(end + _AFTER, len(text))
    before, after = text[begin:start], text[end:behind]
    return CandidateNumber(
        quantity=mention.quantity,
        source=mention.source,
        label=f"{before.strip()[-40:]} {text[start:end]} {after.strip()[:25]}".strip(),
        row=said.stems_between(begin, start),
        column=said.stems_between(end, behind),
        around=said.stems_between(0, len(text)),
        year=mention.year or 0,
        years=_years(text, start, end),
        lead=_lead(said, start),
        moved=_MOVED.search(text, 0, start) is not None,
        power=power_of_ten_of(mention.quantity),
        table=-1,
        line=FIRST_SENTENCE + mention.place,
        place=mention.order,
        total="total" in before.split(),
        distances=stem_distances(text, start, end),
    )


def _years(text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """The years that a sentence names, with their distance from the number in words, and parts of words."""
    named = _years_of(text)
    if not named:
        return ()
    begins = _word_starts(text)
    at, behind = bisect_left(begins, start), bisect_left(begins, end) - _is_cut(text, end)
    return tuple(
        [
            (found.year, at - found.behind if found.last < start else found.at - behind if found.first > end else 0)
            for found in named
            if not start <= found.first < end
        ]
    )


class _NamedYear(NamedTuple):
    """A year in a sentence: where it begins and ends, and how many words begin before either.

    Of those that begin before its end one less, where a word goes on there.
    """

    year: int
    first: int
    last: int
    at: int
    behind: int


@lru_cache(maxsize=64)
def _years_of(text: str) -> tuple[_NamedYear, ...]:
    found = []
    for one in _YEAR.finditer(text):
        begins, (first, last) = _word_starts(text), one.span()
        behind = bisect_left(begins, last) - _is_cut(text, last)
        found.append(_NamedYear(int(one[0]), first, last, bisect_left(begins, first), behind))
    return tuple(found)


def _is_cut(text: str, at: int) -> bool:
    """Whether a place is inside of what is between two spaces."""
    return 0 < at < len(text) and not text[at].isspace() and not text[at - 1].isspace()


@lru_cache(maxsize=64)
def _word_starts(text: str) -> tuple[int, ...]:
    return tuple([found.start() for found in _WORD.finditer(text)])


def _lead(said: SentenceWords, start: int) -> int:
    """The code of the last word before a number that is not an article, sign or number."""
    for place in range(bisect_right(said.ends, start) - 1, -1, -1):
        if said.begins[place] < start - _LEADS_FROM:
            break
        word = said.text[said.begins[place] : said.ends[place]].lower()
        if word[0].isalpha() and word not in _SKIPPED:
            return LEADS.index(word) if word in LEADS else 0
    return 0


Ints = NDArray[np.int32]
_Word = TypeVar("_Word")

_PRICES = frozenset(stems("price fare"))
_COUNTS = frozenset(stems("number shares options units securities"))

_NEAR = 6.0
"""How many words away a word counts a half as much as one beside the number."""


@dataclass(frozen=True)
class NumberMatrix:
    """All leaves of a page, in reading order, with their arrays.

    Attributes:
        counts: The scale and the unit of each; one object for all that are equal.
        labels: The stems of the row and of the column.

    Shape: every array has one entry a leaf; the matrices are leaves x `vocabulary`, 1 where the stem describes
        the leaf; `row_pairs` is leaves x `pairs`.
    """

    leaves: tuple[CandidateNumber, ...]
    vocabulary: dict[str, int]
    counts: tuple[Dimension, ...]
    value: NDArray[np.float64]
    percent: NDArray[np.bool_]
    year: Ints
    other_year: Ints
    lead: Ints
    near: WordMatrix
    caption: WordMatrix
    moved: NDArray[np.bool_]
    boundary: Ints
    power: NDArray[np.float64]
    table: Ints
    line: Ints
    place: Ints
    total: NDArray[np.bool_]
    row: WordMatrix
    column: WordMatrix
    labels: WordMatrix
    around: WordMatrix
    pairs: dict[tuple[str, str], int]
    row_pairs: WordMatrix
    index: dict[tuple[Source, Decimal], int]

    def __len__(self) -> int:
        """The number of leaves."""
        return len(self.leaves)

    @cached_property
    def named(self) -> tuple[frozenset[str], ...]:
        """For each leaf the stems of its row and of its column."""
        return tuple(frozenset((*leaf.row, *leaf.column)) for leaf in self.leaves)

    @cached_property
    def priced(self) -> NDArray[np.bool_]:
        """Whether each is the price of one thing, as its labels say.

        Shape: One entry a leaf.
        """
        return np.array([not labels.isdisjoint(_PRICES) for labels in self.named], bool)

    @cached_property
    def counted(self) -> NDArray[np.bool_]:
        """Whether each is a number of things, as its labels say.

        Shape: One entry a leaf.
        """
        return np.array([not labels.isdisjoint(_COUNTS) for labels in self.named], bool) & ~self.priced

    @cached_property
    def money(self) -> NDArray[np.bool_]:
        """Whether each is an amount of money, as its print or its labels say.

        Shape: One entry a leaf.
        """
        return np.array([counts.money for counts in self.counts], bool)

    @cached_property
    def described(self) -> WordMatrix:
        """All that describes each leaf: what is around it, and the caption.

        Shape: leaves x `vocabulary`.
        """
        return self.around | self.caption

    @cached_property
    def years(self) -> frozenset[int]:
        """The years that its leaves are of, by their labels or in their sentences."""
        said = {year for leaf in self.leaves for year, _ in leaf.years}
        return frozenset({*self.year.tolist(), *self.other_year.tolist(), *said} - {0})


def among(values: NDArray[np.generic], options: Iterable[float]) -> NDArray[np.bool_]:
    """Return which values are one of a few options: `np.isin`, which takes ten times as long for so few.

    Shape: One entry a value.
    """
    found = np.zeros(len(values), bool)
    for option in options:
        found |= values == option
    return found


def within(values: Ints, least: int, most: int) -> Ints:
    """Return whole numbers, none of them below or above a bound: `np.clip`, which looks up first what fits the type.

    Shape: One entry a value.
    """
    return np.minimum(np.maximum(values, least), most)


def number_matrix(graph: KnowledgeGraph) -> NumberMatrix:
    """Return the leaves of a page: those of its tables, then those of its text."""
    return _arrays((*numbers_of_tables(graph), *numbers_of_text(graph)))


def _arrays(leaves: tuple[CandidateNumber, ...]) -> NumberMatrix:
    vocabulary = _places(text for leaf in leaves for text in (leaf.row, leaf.column, leaf.around, leaf.caption))
    row_pairs = [tuple(pairwise(leaf.row)) for leaf in leaves]
    pairs = _places(row_pairs)
    size, width = len(leaves), len(vocabulary)

    def of(texts: Sequence[tuple[str, ...]]) -> WordMatrix:
        # The numbers of a table have one caption, those of a sentence the same words around them.
        once = {text: frozenset(map(vocabulary.__getitem__, text)) for text in set(texts)}
        return flag_matrix([once[text] for text in texts], size, width)

    of_pairs = [frozenset(map(pairs.__getitem__, own)) for own in row_pairs]
    row, column = of([leaf.row for leaf in leaves]), of([leaf.column for leaf in leaves])
    return NumberMatrix(
        leaves=leaves,
        vocabulary=vocabulary,
        counts=_counts(leaves),
        value=np.array([float(leaf.quantity.value) for leaf in leaves], np.float64),
        percent=np.array([leaf.quantity.scale is Scale.PERCENT for leaf in leaves], bool),
        year=np.array([leaf.year for leaf in leaves], np.int32),
        other_year=np.array([leaf.other_year for leaf in leaves], np.int32),
        lead=np.array([leaf.lead for leaf in leaves], np.int32),
        near=word_matrix([_nearness(leaf, vocabulary) for leaf in leaves], size, width),
        caption=of([leaf.caption for leaf in leaves]),
        moved=np.array([leaf.moved for leaf in leaves], bool),
        boundary=np.array([leaf.boundary for leaf in leaves], np.int32),
        power=np.array([leaf.power for leaf in leaves], np.float64),
        table=np.array([leaf.table for leaf in leaves], np.int32),
        line=np.array([leaf.line for leaf in leaves], np.int32),
        place=np.array([leaf.place for leaf in leaves], np.int32),
        total=np.array([leaf.total for leaf in leaves], bool),
        row=row,
        column=column,
        labels=row | column,
        around=of([leaf.around for leaf in leaves]),
        pairs=pairs,
        row_pairs=flag_matrix(of_pairs, size, len(pairs)),
        index={(leaf.source, leaf.quantity.value): i for i, leaf in enumerate(leaves)},
    )


def _places(texts: Iterable[Iterable[_Word]]) -> dict[_Word, int]:
    """The place of each word of some texts, in the order in which they are first said."""
    return {word: place for place, word in enumerate(dict.fromkeys(chain.from_iterable(texts)))}


def _counts(leaves: tuple[CandidateNumber, ...]) -> tuple[Dimension, ...]:
    known: dict[Dimension, Dimension] = {}
    # By what it depends on, so that few have to be made.
    by_print: dict[tuple[object, ...], Dimension] = {}
    found = []
    for leaf in leaves:
        print_and_labels = leaf.quantity.scale, leaf.quantity.unit, leaf.label_scale, leaf.label_unit
        if (counts := by_print.get(print_and_labels)) is None:
            counts = by_print[print_and_labels] = known.setdefault(leaf.counts, leaf.counts)
        found.append(counts)
    return tuple(found)


def _nearness(leaf: CandidateNumber, vocabulary: Mapping[str, int]) -> dict[int, float]:
    """How near each word stands to a number: 1 beside it or in its labels, less with every word between."""
    if leaf.table >= 0:
        return dict.fromkeys((vocabulary[s] for s in (*leaf.row, *leaf.column)), 1.0)
    return {vocabulary[stem]: 1 / (1 + distance / _NEAR) for stem, distance in leaf.distances}


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """A page's leaves with the weights of their words, made once a page.

    Attributes:
        idf: Of each stem of their vocabulary, over pages.
        mean_idf: The mean of those; 1 if there are none.
        rarity: The same over the leaves of this page; 0 of what describes most of them.
        label_rarity: Of all stems of a leaf's labels.
        row_weight: Of all stems of a leaf's row label.
        column_weight: The same of its column label.
        pair_count: The stem pairs of its row label.
        places: How many numbers its sentence or row holds.
        static: The columns of the leaf scorer that no question changes.
    """

    leaves: NumberMatrix
    idf: Floats
    mean_idf: float
    rarity: Floats
    label_rarity: Floats
    row_weight: Floats
    column_weight: Floats
    pair_count: Floats
    places: Floats
    static: dict[str, Floats]


def page_features(leaves: NumberMatrix, idf: StemWeights) -> PageFeatures:
    """Return the arrays of a page that no question changes."""
    weights = np.zeros(leaves.row.width, np.float32)
    weights[: len(leaves.vocabulary)] = idf.of_all(leaves.vocabulary)
    lines = list(zip(leaves.table.tolist(), leaves.line.tolist(), strict=True))
    often = Counter(lines)
    newest = int(leaves.year.max(initial=0))
    static = {
        "year_newest": np.where(leaves.year > 0, np.maximum(leaves.year - newest, -19), -20),
        "percent": leaves.percent,
        "in_table": leaves.table >= 0,
        "total": leaves.total,
        "line": np.minimum(np.where(leaves.line >= FIRST_SENTENCE, leaves.line - FIRST_SENTENCE, leaves.line), 40),
        "place": np.minimum(leaves.place, 12),
        "lead": leaves.lead,
        "places": np.array([min(often[line], 20) for line in lines]),
        "magnitude": np.log10(1 + np.abs(leaves.value)),
        "whole": leaves.value == np.round(leaves.value),
        "moved": leaves.moved,
        "currency": np.array([leaf.quantity.unit is not None for leaf in leaves.leaves], bool),
    }
    rarity = np.maximum(np.log((len(leaves) + 1) / (leaves.around.by_word() + 0.5)), 0).astype(np.float32)
    return PageFeatures(
        leaves=leaves,
        idf=weights,
        mean_idf=float(weights.mean()) if len(weights) else 1.0,
        rarity=rarity,
        label_rarity=np.maximum(leaves.labels.dot(rarity), 1e-6),
        row_weight=np.maximum(leaves.row.dot(weights), 1e-6),
        column_weight=np.maximum(leaves.column.dot(weights), 1e-6),
        pair_count=np.maximum(leaves.row_pairs.by_number(), 1),
        places=static["places"].astype(np.float32),
        static={name: array.astype(np.float32) for name, array in static.items()},
    )
