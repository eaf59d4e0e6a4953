"""Which class a table belongs to: every cue that is found counts by where it is, and is kept as a reason.

What the cues are is the ontology's.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from quaestor.core.caching import BoundedCache
from quaestor.core.words import singular
from quaestor.documents.document import Document
from quaestor.documents.roles import statements_named
from quaestor.documents.table import Table, TableRole
from quaestor.ontology.labels import plain
from quaestor.ontology.vocabulary import ROOT_CLASS

WEIGHTS = {"role": 1_000.0, "caption": 4.0, "lead": 3.0, "heading": 2.0, "text": 0.25}
"""What a cue counts by its place, times its words (three at most); the role of a primary statement more than all cues.

The lead is the two headings over the table and the two sentences before it, as far as there are any.
"""

_STATEMENTS = {
    TableRole.BALANCE_SHEET: "kg:BalanceSheet",
    TableRole.INCOME_STATEMENT: "kg:IncomeStatement",
    TableRole.COMPREHENSIVE_INCOME: "kg:OtherComprehensiveIncome",
    TableRole.CASH_FLOWS: "kg:CashFlow",
    TableRole.EQUITY: "kg:StockholdersEquity",
}
"""The class of a primary statement: it prints lines of all classes, so its cues tell little."""

_IN_NOTES = 0.5
"""What a cue of a statement counts in a note: notes say in which statement their numbers are."""

_HEADINGS_AT_MOST = 3
_TEXT_AT_MOST = 2.0
_REASONS_AT_MOST = 6
_LEADING = 2
_LEAD_CHARACTERS = 400
_DOCUMENTS_KEPT = 8


@dataclass(frozen=True, slots=True)
class Context:
    """The texts that tell what a table is.

    Attributes:
        texts: With the place of each: `caption`, `lead`, `heading`, `text`.
        around: More texts of the place `text`: those that all tables under one heading share, as one object, so that
            they are read once and not once a table.
        role: What the table was told to be for.
    """

    texts: tuple[tuple[str, str], ...]
    around: tuple[str, ...] = ()
    role: TableRole = TableRole.OTHER


@dataclass(frozen=True, slots=True)
class ClassMatch:
    """A class that a table may belong to.

    Attributes:
        name: `kg:CashFlow`.
        score: The sum over its cues.
        reasons: The cues that count most, with their place.
    """

    name: str
    score: float
    reasons: tuple[str, ...]


def contexts_of(document: Document) -> dict[int, Context]:
    """Return what is in each table of a document and around it, under its own heading, by the table's index."""
    shared: dict[int, tuple[str, ...]] = {}
    contexts = {}
    for table in document.tables:
        sentences = document.around(table)
        if id(sentences) not in shared:  # one tuple for all tables under a heading
            shared[id(sentences)] = tuple(sentence.text for sentence in sentences)
        before = [sentence.text for sentence in document.lead_of(table)[-_LEADING:]]
        lead = (*_headings(table, document.section_of(table).path), *before)
        contexts[table.index] = _context(document.table(table.index), lead, shared[id(sentences)])
    return contexts


def _headings(table: Table, path: Sequence[str]) -> Iterable[str]:
    """Return the headings over a table, but for those of a statement that it is not."""
    return (heading for heading in path[-_LEADING:] if set(statements_named(heading)) <= {table.role})


def _context(table: Table, lead: Sequence[str], around: tuple[str, ...]) -> Context:
    texts = [("caption", table.caption)] if table.caption else []
    texts += [("lead", text[-_LEAD_CHARACTERS:]) for text in lead]
    labels = (*table.rows[table.header_rows :], *table.columns)
    texts += [("heading", label) for label in dict.fromkeys(label for h in labels for label in h.levels) if label]
    return Context(tuple(texts), around, table.role)


class CueIndex:
    """Finds the cues of all classes in a text, in one pass over its words."""

    def __init__(self, cues: Mapping[str, Sequence[str]]) -> None:
        """Take the cues of each class."""
        self._by_word: defaultdict[str, list[tuple[tuple[str, ...], str, str]]] = defaultdict(list)
        self._names = cues.keys()
        self._longest = 0
        for name in sorted(cues):
            for cue in cues[name]:
                words = _words(cue)
                if words:
                    self._longest = max(self._longest, len(words))
                    self._by_word[words[0]].append((words, name, cue))
        self._around = BoundedCache[tuple[str, ...], frozenset[tuple[str, str, int]]](_DOCUMENTS_KEPT)

    def find(self, text: str) -> set[tuple[str, str, int]]:
        """Return the classes that a text has cues of, the cue, and its words' number, three at most.

        A cue within a longer one of another class tells nothing: "debt securities" are no debt.
        """
        words = _words(text)
        met: defaultdict[int, list[tuple[int, str, str]]] = defaultdict(list)
        for start, word in enumerate(words):
            for cue_words, name, cue in self._by_word.get(word, ()):
                if words[start : start + len(cue_words)] == cue_words:
                    met[start].append((start + len(cue_words), name, cue))

        def is_within(start: int, end: int, name: str) -> bool:
            near = range(end - self._longest, start + 1)
            longer = (
                (other, last) for first in near for last, other, _ in met.get(first, ()) if last - first > end - start
            )
            return any(other != name and last >= end for other, last in longer)

        return {
            (name, cue, min(3, end - start))
            for start, found in met.items()
            for end, name, cue in found
            if not is_within(start, end, name)
        }

    def classify(self, context: Context) -> tuple[ClassMatch, ...]:
        """Return the classes that have a cue in the context, best first; the root class where none has."""
        found: defaultdict[str, defaultdict[tuple[str, str], float]] = defaultdict(lambda: defaultdict(float))
        around = self._around.get(context.around, lambda: frozenset().union(*map(self.find, context.around)))
        texts = ((place, self.find(text)) for place, text in context.texts)
        for place, cues in (*texts, ("text", around)):
            for name, cue, words in cues:
                weight = WEIGHTS[place] * words
                most = weight * _HEADINGS_AT_MOST if place == "heading" else weight
                found[name][place, cue] = min(most, found[name][place, cue] + weight)
        if (statement := _STATEMENTS.get(context.role, "")) in self._names:
            found[statement]["role", context.role.value] = WEIGHTS["role"]
        matches = [_match(name, cues, context.role) for name, cues in found.items()]
        if not matches:
            return (ClassMatch(ROOT_CLASS, 0.0, ("no cue for a class found",)),)
        return tuple(sorted(matches, key=lambda match: (-match.score, match.name)))


def _match(name: str, cues: Mapping[tuple[str, str], float], role: TableRole) -> ClassMatch:
    score = sum(weight for (place, _), weight in cues.items() if place != "text")
    score += min(_TEXT_AT_MOST, sum(weight for (place, _), weight in cues.items() if place == "text"))
    if role is TableRole.NOTE and name in _STATEMENTS.values():
        score *= _IN_NOTES
    best: Iterable[tuple[tuple[str, str], float]] = sorted(cues.items(), key=lambda item: (-item[1], item[0]))
    reasons = [f"{cue!r} in the {place} (+{weight:g})" for (place, cue), weight in best][:_REASONS_AT_MOST]
    return ClassMatch(name, round(score, 4), tuple(reasons))


def _words(text: str) -> tuple[str, ...]:
    return tuple(singular(word) for word in plain(text).split())
