"""Rules by which labels are equivalent, and classification of tables by cues around them."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.caching import BoundedCache
from quaestor.core.patterns import lazy_regex
from quaestor.core.words import LABEL_FILLERS, label_words, singular
from quaestor.documents.document import Document
from quaestor.documents.roles import statements_named
from quaestor.documents.table import Table, TableRole
from quaestor.ontology.core import read_core
from quaestor.ontology.terms import ROOT_CLASS

# A ladder of rules for equivalent labels, each more tolerant than the one before.
#
# A rung maps labels to keys; labels with equal keys are equivalent. The first rung on which two labels meet is recorded
# as the reason.

_LONGEST_SPELT = 1_000
_NUMBERLESS = lazy_regex(r"^[a-z]{8,}$")
_DIRECTIONS = frozenset("from to by over under per".split())
_MONTHS = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
_DATE = lazy_regex(rf"\b(?:as of|at|on|ended|ending|through)\s+(?={_MONTHS}\.?\s?[0-9])")
_SIGNS = lazy_regex(
    r"/?\s?\(\s?(loss|losses|gains?|income|expenses?|benefit|benefits|earnings|deficit|decrease|increase|charges?|credit|provision)\s?\)"
)
_AND = lazy_regex(r"(?: &)+ ")
_INITIAL = lazy_regex(r"(?<![a-z])[a-z]")
_ABBREVIATION = lazy_regex(r"\(\s?[\"']?(?:the )?[\"']?([a-z&.-]{2,8})\s?[\"']?\s?\)")


@dataclass(frozen=True, slots=True)
class MatchRule:
    """A rule by which labels are equivalent.

    Attributes:
        score: Confidence; 1 is certain.
        key: Maps a label to its key on this rung; labels with equal keys are equivalent. "" matches nothing.
    """

    name: str
    score: float
    reason: str
    key: Callable[[str], str]


def _make_rung(name: str, score: float, reason: str, key: Callable[[str], str]) -> MatchRule:
    return MatchRule(name, score, reason, lru_cache(maxsize=1024)(key))


@lru_cache(maxsize=1024)
def plain(label: str) -> str:
    """Return a label in lower case, without punctuation that does not affect its meaning.

    Brackets around words for a sign are kept: "income taxes (benefits)" is an expense, an income tax benefit is not.
    """
    text = _SIGNS.sub(lambda found: f" [{found[1]}] ", label.casefold().replace("-", " ").replace("&", " & "))
    return _AND.sub(" and ", " ".join(label_words(text)).strip(" ."))


def _join_words(label: str) -> str:
    return re.sub(r"[^a-z0-9%$\[]", "", plain(label))


def _singular(label: str) -> str:
    return " ".join(map(singular, plain(label).split()))


def _without_abbreviation(label: str) -> str:
    """Drop an abbreviation in brackets after its words: "restricted stock units (rsus)"."""
    begins = [(found.start(), found[0]) for found in _INITIAL.finditer(label)]
    initials, starts = "".join(letter for _, letter in begins), [start for start, _ in begins]

    def drop(found: re.Match[str]) -> str:
        letters = re.sub(r"[^a-z]", "", found[1])
        before = initials[: bisect_left(starts, found.start())]
        return "" if letters in before or letters.removesuffix("s") in before else found[0]

    return _singular(_ABBREVIATION.sub(drop, label.casefold()))


def _without_date(label: str) -> str:
    """Drop the preposition before a date; the date is kept, because january 1 and december 31 differ."""
    return _without_abbreviation(_DATE.sub("", label.casefold()))


def _without_sign(label: str) -> str:
    """Drop a word for a sign in brackets if a noun remains, else only the brackets: "net (loss)" is a net loss."""
    rest = " ".join(_SIGNS.sub(" ", label.casefold()).split())
    headless = rest == "net" or not rest or rest.startswith(("from ", "before ", "on ", "per "))
    return _without_date(_SIGNS.sub(r" \1 ", label.casefold()) if headless else rest)


def _without_fillers(label: str) -> str:
    return " ".join(word for word in _without_sign(label).split() if word not in LABEL_FILLERS)


def _reword(label: str) -> str:
    text = f" {_without_fillers(label)} "
    for variant, wording in _wordings():
        if variant in text:
            text = text.replace(f" {variant} ", f" {wording} ")
    return text.strip()


@lru_cache(maxsize=1)
def _wordings() -> tuple[tuple[str, str], ...]:
    return tuple((_without_fillers(variant), _without_fillers(wording)) for variant, wording in read_core().wordings)


def _sort_words(label: str) -> str:
    """Sort three or more words: "lease financing" is not "financing lease", nor "transfer from" "transfer to"."""
    key = _reword(label)
    words = key.split()
    return " ".join(sorted(words)) if len(words) > 2 and _DIRECTIONS.isdisjoint(words) else key


def _drop_qualifiers(label: str) -> str:
    """Drop qualifiers of the core if the rest is specific: "total volume" is not just "volume"."""
    core, words = read_core(), _reword(label).split()
    for word, alone in core.leading:
        if words[:1] == [word] and (len(words) > 2 or (len(words) == 2 and words[1] in alone)):
            words = words[1:]
    for word, before in core.trailing:
        if len(words) > 1 and words[-1] == word and words[-2] in before:
            words = words[:-1]
    return " ".join(sorted(words) if len(words) > 2 else words)


RUNGS = (
    _make_rung("same words", 1.0, "the same words in other cases, spaces and punctuation", plain),
    _make_rung("spaces", 0.98, "the same letters, a space or a hyphen lost or added", _join_words),
    _make_rung("plural", 0.97, "singular and plural", _singular),
    _make_rung("abbreviation", 0.96, "an abbreviation in brackets after the full words", _without_abbreviation),
    _make_rung("date", 0.94, "the preposition before a date", _without_date),
    _make_rung("sign", 0.93, "a sign in words, in brackets: (loss), (benefit)", _without_sign),
    _make_rung("filler", 0.93, "words without meaning: the, of, and", _without_fillers),
    _make_rung("wording", 0.92, "wordings that the core ontology treats as one", _reword),
    _make_rung("order", 0.9, "the same words in another order", _sort_words),
    _make_rung("qualifier", 0.85, "a leading total, or an optional net", _drop_qualifiers),
)
"""In the order in which they are tried."""

SPELLING = MatchRule("spelling", 0.8, "one letter lost or added in a long word", lambda label: "")
"""Tried last; a label has several keys, see `spellings`."""
CONCEPT = _make_rung("concept", 1.0, "filings tag both with the same concept", lambda _: "")
PROPOSED = _make_rung("proposed", 0.7, "proposed with a reason and accepted", lambda _: "")


def spellings(label: str) -> frozenset[str]:
    """Return the keys of a label on the spelling rung: the label, and variants without one letter of a long word.

    A text of more than a thousand characters is not a label and has only itself as key.
    """
    words = _reword(label).split()
    found = {" ".join(words)}
    if len(label) > _LONGEST_SPELT:
        return frozenset(found)
    for i, word in enumerate(words):
        if _NUMBERLESS.fullmatch(word):
            for cut in range(1, len(word)):
                found.add(" ".join((*words[:i], word[:cut] + word[cut + 1 :], *words[i + 1 :])))
    return frozenset(found) if words else frozenset()


WEIGHTS = {"role": 1_000.0, "caption": 4.0, "lead": 3.0, "heading": 2.0, "text": 0.25}
"""Weight of a cue by its place, per word (at most three); a statement's role outweighs all cues.

The lead consists of the last two headings and the last two sentences before the table.
"""

_STATEMENTS = {
    TableRole.BALANCE_SHEET: "kg:BalanceSheet",
    TableRole.INCOME_STATEMENT: "kg:IncomeStatement",
    TableRole.COMPREHENSIVE_INCOME: "kg:OtherComprehensiveIncome",
    TableRole.CASH_FLOWS: "kg:CashFlow",
    TableRole.EQUITY: "kg:StockholdersEquity",
}
"""Class of a primary statement; its cues are not significant, because it has lines of all classes."""

_IN_NOTES = 0.5
"""Factor for cues of a statement in a note, because notes mention the statements that contain their numbers."""

_HEADINGS_AT_MOST = 3
_TEXT_AT_MOST = 2.0
_REASONS_AT_MOST = 6
_LEADING = 2
_LEAD_CHARACTERS = 400
_MOST_DOCUMENTS = 8


@dataclass(frozen=True, slots=True)
class Context:
    """Texts that determine the class of a table.

    Attributes:
        texts: Pairs of place (`caption`, `lead`, `heading`, `text`) and text.
        around: Further texts with the place `text`, shared as one object by all tables under a heading, so that they
            are searched once.
    """

    texts: tuple[tuple[str, str], ...]
    around: tuple[str, ...] = ()
    role: TableRole = TableRole.OTHER


@dataclass(frozen=True, slots=True)
class ClassMatch:
    """A possible class of a table."""

    name: str
    score: float
    reasons: tuple[str, ...]


def contexts_of(document: Document) -> dict[int, Context]:
    """Return the context of each table by index, from the table itself and the text under its heading."""
    shared: dict[int, tuple[str, ...]] = {}
    contexts = {}
    for table in document.tables:
        sentences = document.sentences_around(table)
        if id(sentences) not in shared:  # tables under one heading share one tuple
            shared[id(sentences)] = tuple(sentence.text for sentence in sentences)
        before = [sentence.text for sentence in document.lead_of(table)[-_LEADING:]]
        lead = (*_headings(table, document.section_of(table).path), *before)
        contexts[table.index] = _context(document.table(table.index), lead, shared[id(sentences)])
    return contexts


def _headings(table: Table, path: Sequence[str]) -> Iterable[str]:
    """Return the headings above a table, except those of statements that it is not."""
    return (heading for heading in path[-_LEADING:] if set(statements_named(heading)) <= {table.role})


def _context(table: Table, lead: Sequence[str], around: tuple[str, ...]) -> Context:
    texts = [("caption", table.caption)] if table.caption else []
    texts += [("lead", text[-_LEAD_CHARACTERS:]) for text in lead]
    labels = (*table.rows[table.header_rows :], *table.columns)
    texts += [("heading", label) for label in dict.fromkeys(label for h in labels for label in h.levels) if label]
    return Context(tuple(texts), around, table.role)


class CueIndex:
    """Finds cues of all classes in a text, in one pass over its words."""

    def __init__(self, cues: Mapping[str, Sequence[str]]) -> None:
        """Index the cues of each class."""
        self._by_word: defaultdict[str, list[tuple[tuple[str, ...], str, str]]] = defaultdict(list)
        self._names = cues.keys()
        self._longest = 0
        for name in sorted(cues):
            for cue in cues[name]:
                words = _words(cue)
                if words:
                    self._longest = max(self._longest, len(words))
                    self._by_word[words[0]].append((words, name, cue))
        self._around = BoundedCache[tuple[str, ...], frozenset[tuple[str, str, int]]](_MOST_DOCUMENTS)

    def find(self, text: str) -> set[tuple[str, str, int]]:
        """Return the class, cue and number of words (at most three) for each cue in a text.

        A cue inside a longer one of another class is ignored: "debt securities" are not debt.
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
        """Return the classes with cues in the context, best first; the root class if there are none."""
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
        matches = [_match_class(name, cues, context.role) for name, cues in found.items()]
        if not matches:
            return (ClassMatch(ROOT_CLASS, 0.0, ("no cue for a class found",)),)
        return tuple(sorted(matches, key=lambda match: (-match.score, match.name)))


def _match_class(name: str, cues: Mapping[tuple[str, str], float], role: TableRole) -> ClassMatch:
    score = sum(weight for (place, _), weight in cues.items() if place != "text")
    score += min(_TEXT_AT_MOST, sum(weight for (place, _), weight in cues.items() if place == "text"))
    if role is TableRole.NOTE and name in _STATEMENTS.values():
        score *= _IN_NOTES
    best: Iterable[tuple[tuple[str, str], float]] = sorted(cues.items(), key=lambda item: (-item[1], item[0]))
    reasons = [f"{cue!r} in the {place} (+{weight:g})" for (place, cue), weight in best][:_REASONS_AT_MOST]
    return ClassMatch(name, round(score, 4), tuple(reasons))


def _words(text: str) -> tuple[str, ...]:
    return tuple(singular(word) for word in plain(text).split())
