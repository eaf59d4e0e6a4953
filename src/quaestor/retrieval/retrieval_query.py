"""Retrieval queries of questions: weighted terms, lines of statements, years and tables."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from quaestor.core.provenance import Source
from quaestor.core.words import FUNCTION_WORDS, compounds, words
from quaestor.documents.roles import look_alikes_named, statements_named
from quaestor.documents.table import TableRole
from quaestor.ontology.line_matching import caption_key
from quaestor.questions.question import Question
from quaestor.questions.stems import stem
from quaestor.retrieval.blocks import index_terms
from quaestor.retrieval.colloquial_words import in_words_of_reports
from quaestor.retrieval.index import PlaceIndex

_LONGEST_NAME = 9
_QUIET = 0.35
"""Weight of a word that is also that of an operation or result ("change", "total", "net")."""
_SILENT = 0.1
"""Weight of a word for an operation whose operands are given: two years, or a part and its whole."""
_OPERATIONS = frozenset(map(stem, "change percentage percent increase decrease growth grow decline difference".split()))
_UNKNOWN = 0.3
"""Factor for a word that is not in the document."""
_EARLIER, _BEFORE = 0.5, 0.3
"""Factor for words of the previous question, and again for each one before, without and with new words beside them."""
_EARLIER_QUESTIONS = 4
_LEANING = frozenset({"and", "what_about", "again", "it", "this", "that", "the_former", "two_of_them"})
_IN_MID = re.compile(r"as an? |(?:the )?same\b|in |for |of |than |versus ")
_CHATTER = frozenset(
    "able according bring brought came come company companies does firm get got going large many money own pay put "
    "really reported see spend spending spent".split()
)
"""Words of questions without information about the place of an answer; weighted like those of results."""
_HOW_MANY = re.compile(r"\b(?:how many|number of|count of) ((?:[\w-]+ ?){1,4})")
_AT_THE_END = re.compile(r"\b(?:at|as of) (?:the )?(?:end of|(?:fiscal )?(?:year|quarter)[- ]?end\b)|\bas (?:of|at)\b")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class FindingContext:
    """Earlier turns that help to find places.

    Attributes:
        questions: Earlier questions, oldest first.
        sources: Sources of earlier answers, one tuple per turn, oldest first.
    """

    questions: tuple[Question, ...] = ()
    sources: tuple[tuple[Source, ...], ...] = ()


NO_CONTEXT = FindingContext()
"""Used for the first question."""


@dataclass(frozen=True)
class RetrievalQuery:
    """Parsed query for places.

    Attributes:
        weights: Weight of each term, including terms taken over from earlier questions.
        sequence: The question's terms in order, to match names of several words.
        properties: Lines of statements in the question, with the terms that name each.
        roles: Roles of tables in the question: "the balance sheet", "pro forma".
        counted: Terms for things whose number is asked for ("how many stores"); may be empty.
        follows: Whether the question does not name its subject.
        leans: Whether the question depends on earlier ones.
    """

    question: Question
    weights: Mapping[str, float]
    own: frozenset[str]
    sequence: tuple[str, ...]
    properties: Mapping[str, frozenset[str]] = field(default_factory=dict)
    years: tuple[int, ...] = ()
    roles: tuple[TableRole, ...] = ()
    counted: frozenset[str] = frozenset()
    follows: bool = False
    leans: bool = False

    @cached_property
    def total(self) -> float:
        """Sum of the weights."""
        return sum(self.weights.values())


def parse_retrieval_query(
    index: PlaceIndex, question: Question, context: FindingContext = NO_CONTEXT
) -> RetrievalQuery:
    """Parse a question for a search in a document."""
    query_terms = _read_terms(question)
    follows = bool(context.questions) and not question.names
    terms = dict(query_terms)
    about = [question, *_find_antecedents(question, context.questions)]
    for back, earlier in enumerate(about[1:], start=1):
        for term, loudness in _read_terms(earlier).items():
            terms.setdefault(term, (_EARLIER if follows else _BEFORE) ** back * loudness)
    rarity = index.words.rarity(terms)
    weights = {term: share * _inverse_frequency(*rarity[term], index.words.lines) for term, share in terms.items()}
    properties: dict[str, frozenset[str]] = {}
    for each in about if follows else about[:1]:
        named = _read_properties(index, in_words_of_reports(each.lowered))
        properties |= {name: found for name, found in named.items() if name not in properties}
    return RetrievalQuery(
        question,
        weights,
        frozenset(query_terms),
        index_terms(in_words_of_reports(question.text)),
        properties,
        _read_years(question, context),
        _read_roles(question),
        _counted_terms(question),
        follows,
        len(about) > 1,
    )


def _find_antecedents(question: Question, earlier: Sequence[Question]) -> list[Question]:
    """Return the earlier questions that a question depends on, latest first, up to one that is independent."""
    found: list[Question] = []
    for before in reversed(earlier[-_EARLIER_QUESTIONS:]):
        if not _refers_back(found[-1] if found else question):
            break
        found.append(before)
    return found


def _refers_back(question: Question) -> bool:
    """Whether a question depends on earlier ones: no subject, a reference, or a start in mid-sentence."""
    return not question.names or not _LEANING.isdisjoint(question.cues) or _IN_MID.match(question.lowered) is not None


@lru_cache(maxsize=256)
def _read_terms(question: Question) -> Mapping[str, float]:
    """Return the terms of a question in order with their weights, without years.

    Words of a period ("January 31, 2024") get a low weight, because they are matched with headings.
    """
    text = question.lowered
    dated: set[str] = set()
    for period in reversed(question.periods):
        dated.update(index_terms(text[period.start : period.end]))
        text = f"{text[: period.start]} {text[period.end :]}"
    naming = {
        stem(word) for word in words(in_words_of_reports(text)) if word not in FUNCTION_WORDS and word not in _CHATTER
    }
    query_terms = dict.fromkeys(
        term for term in index_terms(in_words_of_reports(question.text)) if not _YEAR.fullmatch(term)
    )
    marks = {term for term in query_terms if not term.isalpha() and term not in dated}
    quiet = _SILENT if len(question.years) > 1 or question.comparison.kind == "share" else _QUIET
    loudness = {term: quiet if term in _OPERATIONS else _QUIET for term in query_terms}
    return loudness | {term: 1.0 for term in query_terms if term in naming or term in marks}


def _read_roles(question: Question) -> tuple[TableRole, ...]:
    """Return the roles mentioned; the balance sheet for amounts at the end of a period."""
    named = statements_named(question.text)
    if not named and _AT_THE_END.search(question.lowered):
        named = (TableRole.BALANCE_SHEET,)
    return (*named, *look_alikes_named(question.text))


def _counted_terms(question: Question) -> frozenset[str]:
    """Return the terms of the things counted, after "how many"."""
    match = _HOW_MANY.search(in_words_of_reports(question.lowered))
    loud = {term for term, loudness in _read_terms(question).items() if loudness == 1}
    return frozenset(index_terms(match[1])) & loud if match else frozenset()


def _inverse_frequency(lines: int, around: int, total: int) -> float:
    """Return the weight of a term by its rarity in the document, the logarithm in BM25."""
    if not lines and not around:
        return _UNKNOWN * math.log(1 + total)
    count = lines or around
    return math.log(1 + (total - count + 0.5) / (count + 0.5)) if total >= count else 0.1


def _read_years(question: Question, context: FindingContext) -> tuple[int, ...]:
    """Return the years asked about, including those relative to the last year mentioned before."""
    years = list(question.years)
    before = years or next((list(q.years) for q in reversed(context.questions) if q.years), [])
    if before:
        years += (before[-1] + offset for offset in question.offsets)
    return tuple(dict.fromkeys(years))


def _read_properties(index: PlaceIndex, text: str) -> dict[str, frozenset[str]]:
    """Return the lines of statements in a text, longest name first, without overlaps."""
    word_pairs = compounds(text)
    names: dict[tuple[int, int], str] = {}
    for start in range(len(word_pairs)):
        for end in range(start + 1, min(len(word_pairs), start + _LONGEST_NAME) + 1):
            names[start, end] = caption_key(" ".join(word_pairs[start:end]))
    known = index.words.properties(set(names.values()) - {""})
    found: dict[str, frozenset[str]] = {}
    used: set[int] = set()
    for (start, end), key in sorted(names.items(), key=lambda item: (item[0][0] - item[0][1], item[0])):
        if key in known and used.isdisjoint(range(start, end)):
            used |= set(range(start, end))
            found.setdefault(known[key], frozenset(index_terms(" ".join(word_pairs[start:end]))))
    return found
