"""Table of all facts of a document, with full names for abbreviations."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from math import log

from quaestor.core.fiscal import CALENDAR_YEARS, FiscalCalendar
from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.core.terms import terms
from quaestor.documents.combining import files_of
from quaestor.documents.document import Document
from quaestor.documents.table import TableRole
from quaestor.facts.lines import FactCell, FactLine, Moment, fiscal_calendar, is_small
from quaestor.facts.rows import read_rows
from quaestor.facts.sentences import (
    Floats,
    SentenceIndex,
    SentenceWords,
    index_sentences,
    read_sentence_lines,
    read_words,
)
from quaestor.ontology.word_vectors import read_word_vectors
from quaestor.questions.answer_units import kind_of_number
from quaestor.readers.cache import ByteCache, cache_key
from quaestor.readers.registry import digest_of_code
from quaestor.readers.serialization import from_bytes, to_bytes
from quaestor.retrieval.company_name import cover_names, cover_symbols, may_be_of_one_company

_BUILT_WITH = ("core", "documents", "facts", "ontology", "plan")
"""Packages whose code affects facts."""
_Facts = tuple[FiscalCalendar, tuple[FactLine, ...], tuple[FactLine, ...], SentenceWords]
"""What is cached of a table of facts."""

# Full names of abbreviations explained in a document: "United States and Canada (UCAN)".

_CALLED = lazy_regex(
    r"(?<![\w.&'\u2019-])(?P<name>[A-Z][\w.&'\u2019-]*+(?:,? (?:(?:and|of|the|&) )?[A-Z][\w.&'\u2019-]*+){0,6}),? "
    r"\((?:the )?[\"\u201c]?(?P<short>[A-Z]{2,6})[\"\u201d]?\)"
)
_WORD = lazy_regex(r"[A-Z][\w.&'\u2019-]*")


def find_full_names(texts: Iterable[str]) -> Mapping[str, str]:
    """Return the most frequent full name for each abbreviation: "Asia Pacific (APAC)".

    >>> find_full_names(["Sales in Asia Pacific (APAC) grew."])
    {'APAC': 'Asia Pacific (APAC)'}
    """
    counts: dict[str, Counter[str]] = {}
    for text in texts:
        if ")" not in text:
            continue
        for found in _CALLED.finditer(text):
            name = _name_abbreviated(found["name"], found["short"])
            if name:
                counts.setdefault(found["short"], Counter())[name] += 1
    return {short: f"{names.most_common(1)[0][0]} ({short})" for short, names in counts.items()}


def _name_abbreviated(name: str, short: str) -> str:
    """Return the last words of a name that match an abbreviation, which may begin with the company's own letter."""
    starts = [word.start() for word in _WORD.finditer(name)]
    for letters in (short, short[1:]):
        for start in reversed(starts):
            words = name[start:]
            if len(letters) > 1 and words[0] == letters[0] and len(words) > len(short) and _abbreviates(letters, words):
                return words
    return ""


def _abbreviates(letters: str, name: str) -> bool:
    rest = iter(name.upper())
    return all(letter in rest for letter in letters)


# The facts of a document: its lines, each with numbers at different times.
#
# A line is a row of a table, a column of a table whose rows are periods, or numbers of a sentence. Concept, member and
# period of a number come from its tag if the filing has tags, else from labels with the lexicon.


@dataclass(frozen=True, slots=True)
class Series:
    """Numbers of a line under the same heading at different times.

    Attributes:
        column: Terms of the heading without the times: a member, "change", or nothing.
        cells: Numbers by moment; a number without a known time has the key None.
        repeat: Number of earlier series of the line with the same heading and times, because parts of the heading are
            missing.
    """

    place: int
    line: FactLine
    column: tuple[str, ...]
    cells: Mapping[Moment | None, FactCell]
    concept: str
    members: tuple[str, ...]
    repeat: int = 0

    @property
    def first(self) -> FactCell:
        """The first number."""
        return next(iter(self.cells.values()))

    @property
    def kind(self) -> str:
        """The kind of its numbers, by the first one."""
        first = self.first
        return kind_of_number(first.amount, first.scale, first.unit, in_table=not self.line.sentence)


@dataclass(frozen=True)
class FactTable:
    """Facts of a document.

    Attributes:
        sentence_lines: Lines from sentences, in document order; their places follow those of tables.
        words: Terms and signs of the sentences; None to read them when they are needed.
    """

    document: Document
    calendar: FiscalCalendar
    lines: tuple[FactLine, ...] = field(repr=False)
    sentence_lines: tuple[FactLine, ...] = field(default=(), repr=False)
    words: SentenceWords | None = field(default=None, repr=False)

    @cached_property
    def line_names(self) -> tuple[str, ...]:
        """Labels of table lines with several words, in lower case, longest first."""
        names = {" ".join(line.label.lower().replace("\u2019", "'").split()).strip(" :.") for line in self.lines}
        return tuple(sorted((name for name in names if " " in name), key=lambda name: (-len(name), name)))

    @cached_property
    def latest(self) -> Moment:
        """The period of the report: its last fiscal year, or for a quarterly report its last quarter."""
        counts: Counter[Moment] = Counter()
        for line in self.lines:
            if line.role.is_statement:
                counts.update({moment for moment in line.moments if moment.months})
        if not counts:
            for line in self.lines:
                counts.update({moment for moment in line.moments if moment.months})
        common = [moment for moment, count in counts.items() if count * 4 >= max(counts.values())]
        if not common:
            days = [moment.year for line in self.lines for moment in line.moments]
            known = self.calendar != CALENDAR_YEARS
            return Moment(self.calendar.year if known else max(days, default=self.calendar.year), 4, 12)
        last = max(moment.end for moment in common)
        lengths = [moment.months for moment in common if moment.end == last]
        best = 12 if 12 in lengths and last[1] == 4 else min(lengths)
        return Moment(*last, best)

    @cached_property
    def is_small(self) -> bool:
        """Whether the document is no report with several statements.

        Its amounts are given with their printed sign. Reports print the same outflow negative in one statement and
        positive in another, so its size is given.
        """
        return is_small(self.document)

    @cached_property
    def sentences(self) -> SentenceIndex:
        """Searchable index of the sentences."""
        return index_sentences(self.document, self.words)

    @cached_property
    def full_names(self) -> Mapping[str, str]:
        """Full names of abbreviations that the document explains."""
        texts = (sentence.text for sentence in self.sentences.sentences)
        labels = dict.fromkeys(label for line in self.lines for label in (line.label, *line.path))
        return find_full_names((*texts, *labels))

    def write_out(self, name: str) -> str:
        """Return a name with its abbreviation if the document explains it: "Asia Pacific (APAC)"."""
        return self.full_names.get(name, self._abbreviated.get(name.lower(), name))

    @cached_property
    def _abbreviated(self) -> Mapping[str, str]:
        return {full.rpartition(" (")[0].lower(): full for full in self.full_names.values()}

    @cached_property
    def series(self) -> tuple[Series, ...]:
        """All series in document order, those of tables before those of sentences."""
        found: list[Series] = []
        for line in (*self.lines, *self.sentence_lines):
            groups: dict[tuple[tuple[str, ...], tuple[str, ...], int], dict[Moment | None, FactCell]] = {}
            for cell in line.cells:
                repeat = 0
                while cell.moment in groups.setdefault((cell.column, cell.members, repeat), {}):
                    repeat += 1
                groups[cell.column, cell.members, repeat][cell.moment] = cell
            for (column, members, repeat), cells in groups.items():
                tags = Counter(cell.concept for cell in cells.values() if cell.concept)
                concept = tags.most_common(1)[0][0] if tags else "" if line.tagged else line.concept
                found.append(Series(len(found), line, column, cells, concept, members, repeat))
        return tuple(found)

    @cached_property
    def label_directions(self) -> Floats:
        """Directions of the mean word vectors of the labels of table lines.

        Shape: lines x dimensions.
        """
        return read_word_vectors().average([line.label_terms for line in self.lines])

    @cached_property
    def series_of_line(self) -> Mapping[int, tuple[Series, ...]]:
        """Series of each line, by its place."""
        found: dict[int, list[Series]] = defaultdict(list)
        for series in self.series:
            found[series.line.place].append(series)
        return {place: tuple(several) for place, several in found.items()}

    @cached_property
    def lines_of_sentence(self) -> Mapping[tuple[str, int], tuple[int, ...]]:
        """Places of the lines from each sentence, by section and index."""
        found: dict[tuple[str, int], list[int]] = defaultdict(list)
        for line in self.sentence_lines:
            ref = line.cells[0].ref
            if isinstance(ref, SentenceRef):
                found[ref.section, ref.sentence].append(line.place)
        return {place: tuple(lines) for place, lines in found.items()}

    @cached_property
    def at(self) -> Mapping[Source, tuple[tuple[Series, Moment | None], ...]]:
        """Series and moment of the numbers at each source; the label of a row may have several."""
        found: dict[Source, tuple[tuple[Series, Moment | None], ...]] = {}
        for series in self.series:
            for moment, cell in series.cells.items():
                found[cell.ref] = (*found.get(cell.ref, ()), (series, moment))
        return found

    def find_number(self, source: Source, number: Decimal) -> tuple[Series, Moment | None] | None:
        """Return the series and moment of a number at a source; of the last number there if none matches."""
        printed = self.at.get(source, ())
        same = (one for one in printed if one[0].cells[one[1]].quantity.value == number)
        return next(same, printed[-1] if printed else None)

    @cached_property
    def by_amount(self) -> Mapping[str, tuple[Series, ...]]:
        """Series by absolute amount, with nine significant digits."""
        found: dict[str, dict[int, Series]] = defaultdict(dict)
        for series in self.series:
            for cell in series.cells.values():
                found[f"{abs(cell.amount):.9g}"][series.place] = series
        return {amount: tuple(several.values()) for amount, several in found.items()}

    @cached_property
    def company(self) -> frozenset[str]:
        """Terms of the names of the document's company."""
        names = (*cover_names(self.document), *cover_symbols(self.document))
        return frozenset(term for name in names for term in terms(name)) - _LEGAL_TERMS

    @cached_property
    def by_concept(self) -> Mapping[str, tuple[FactLine, ...]]:
        """Lines by concept."""
        found: dict[str, list[FactLine]] = defaultdict(list)
        for line in (*self.lines, *self.sentence_lines):
            for concept in {line.concept, *(cell.concept for cell in line.cells)} - {""}:
                found[concept].append(line)
        return {concept: tuple(lines) for concept, lines in found.items()}

    @cached_property
    def members_above(self) -> Mapping[int, frozenset[str]]:
        """Terms of the heading of each table that is about a single member, which is a line of another table."""
        labels = {frozenset(line.label_terms): line.table for line in self.lines if not line.concept}
        found: dict[int, frozenset[str]] = {}
        for table in self.document.tables:
            path = self.document.section_of(table).path
            heading = frozenset(terms(path[-1])) if path else frozenset[str]()
            if table.role.is_statement or not heading.isdisjoint(self.company):
                continue
            if heading and labels.get(heading, table.index) != table.index:
                found[table.index] = heading
        return found

    @cached_property
    def lines_at(self) -> Mapping[Moment, int]:
        """Number of table lines with a number at each moment."""
        return Counter(moment for line in self.lines for moment in line.moments)

    @cached_property
    def scheduled(self) -> Mapping[int, tuple[int, ...]]:
        """Places of table lines with numbers of future years, by year."""
        found: dict[int, dict[int, None]] = defaultdict(dict)
        for line in self.lines:
            for year in {moment.year for moment in line.moments if moment.end > self.latest.end}:
                found[year][line.place] = None
        return {year: tuple(places) for year, places in found.items()}

    @cached_property
    def postings(self) -> Mapping[str, tuple[int, ...]]:
        """Places of table lines with each term in label, path, columns or title."""
        return _index_lines(self.lines)

    @cached_property
    def sentence_postings(self) -> Mapping[str, tuple[int, ...]]:
        """Places of sentence lines with each term in the sentence, the one before it or the headings."""
        return _index_lines(self.sentence_lines)

    def rarity(self, term: str) -> float:
        """Return the inverse document frequency of a term among the lines; positive even if all lines have the term."""
        having = len(self.postings.get(term, ())) + len(self.sentence_postings.get(term, ()))
        count = 1 + len(self.lines) + len(self.sentence_lines)
        return max(log(count / (1 + having)), 1 / count)

    def knows(self, term: str) -> bool:
        """Return whether a term belongs to the company's name, abbreviates it ("mcd"), or occurs in a table line."""
        return (
            term in self.company or term in self.postings or any(_abbreviates_name(term, name) for name in self.company)
        )

    def mentions(self, term: str) -> bool:
        """Return whether a term occurs anywhere in the document."""
        return self.knows(term) or term in self.sentence_postings or term in self.sentences.postings

    def line(self, place: int) -> FactLine:
        """Return the line at a place."""
        tables = len(self.lines)
        return self.lines[place] if place < tables else self.sentence_lines[place - tables]

    def column_label(self, cell: FactCell) -> str:
        """Return the column header of a number; "" for a sentence."""
        ref = cell.ref
        return self.document.table(ref.table).columns[ref.column].label if isinstance(ref, CellRef) else ""


def _abbreviates_name(term: str, name: str) -> bool:
    """Return whether a term consists of letters of a name in order, beginning with the first one."""
    rest = iter(name)
    return 3 <= len(term) < len(name) and term[0] == name[0] and all(letter in rest for letter in term)


def _index_lines(lines: Iterable[FactLine]) -> Mapping[str, tuple[int, ...]]:
    found: dict[str, list[int]] = defaultdict(list)
    for line in lines:
        column = (term for cell in line.cells for term in cell.column)
        for term in {*line.label_terms, *line.path_terms, *line.title_terms, *column}:
            found[term].append(line.place)
    return {term: tuple(places) for term, places in found.items()}


_LEGAL_TERMS = frozenset(terms("company corporation inc corp co ltd plc group holdings incorporated limited systems"))


def build_facts(document: Document, *, part: bool = False, cache: ByteCache | None = None) -> FactTable:
    """Return the facts of a document.

    Args:
        part: Whether to use only the given excerpt; else its whole document is used.
        cache: Where the facts are stored, and looked up first.
    """
    whole = document if part else document.whole or document
    if cache is None:
        return FactTable(whole, *_read_facts(whole))
    tags = repr((whole.facts, whole.convention))  # the digest is of the printed text alone
    key = cache_key("facts", whole.id, whole.digest, tags, digest_of_code(*_BUILT_WITH))
    if (data := cache.get(key)) is not None:
        with suppress(ValueError):  # build the facts again if the entry is damaged
            return FactTable(whole, *from_bytes(_Facts, data))
    facts = *_read_facts(whole), read_words(whole)
    with suppress(ValueError):  # its text may not be valid Unicode
        cache.put(key, to_bytes(_Facts, facts))
    return FactTable(whole, *facts)


def _read_facts(document: Document) -> tuple[FiscalCalendar, tuple[FactLine, ...], tuple[FactLine, ...]]:
    calendar = fiscal_calendar(document)
    lines: list[FactLine] = []
    for table in document.tables:
        if table.role is not TableRole.CONTENTS and not table.is_too_large:
            lines += read_rows(document, table, calendar, len(lines))
    return calendar, tuple(lines), tuple(read_sentence_lines(document, calendar, len(lines)))


def build_company_facts(document: Document, cache: ByteCache | None = None) -> tuple[FactTable, ...]:
    """Return a table of facts for each company that the files of a document are about."""
    whole = document.whole or document
    groups = _group_files(whole)
    if len(groups) < 2:
        return (build_facts(whole, cache=cache),)
    return tuple(build_facts(_part_of(whole, group), part=True, cache=cache) for group in groups)


def _group_files(document: Document) -> list[list[str]]:
    """Return the files of a document, grouped by company."""
    groups: list[list[str]] = []
    for file in files_of(document):
        own = next((group for group in groups if may_be_of_one_company(document, group[0], file)), None)
        if own is None:
            groups.append([file])
        else:
            own.append(file)
    return groups


def _part_of(document: Document, files: Sequence[str]) -> Document:
    paths = {section.id: section.path for section in document.sections}
    part = document.excerpt(block.order for block in document.blocks if paths[block.section][:1][0] in files)
    tables = {table.index for table in part.tables}
    facts = (
        fact for fact in document.facts
        if (fact.source.table in tables if isinstance(fact.source, CellRef) else paths[fact.source.section][0] in files)
    )  # fmt: skip
    return replace(part, facts=tuple(facts))
