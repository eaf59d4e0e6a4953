"""Normalizes questions for a document: its spelling, no company name, explicit periods.

The original text of a question is kept.
"""

import re
from calendar import month_name
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, partial

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import find_periods, resolve_distances
from quaestor.core.provenance import Source
from quaestor.core.terms import terms
from quaestor.core.words import FUNCTION_WORDS, STOP_WORDS
from quaestor.documents.document import Document
from quaestor.documents.roles import statements_named
from quaestor.documents.text_periods import last_days_of_years
from quaestor.ontology.lexicon import MEASURE, Formula, LexiconMatch, read_lexicon
from quaestor.ontology.line_matching import read_core_lines
from quaestor.questions.question import Question, read_question
from quaestor.questions.stems import stem
from quaestor.retrieval.colloquial_words import in_words_of_reports
from quaestor.retrieval.company_name import without_company
from quaestor.retrieval.finding import find_places
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.place import Place
from quaestor.retrieval.retrieval_query import FindingContext

_JUDGED = tuple(
    (re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), meant)
    for pattern, meant in (
        (r"capital[- ](?:intensive|light)", "capital intensity"),
        (r"(?:high|fast|slow|low)[- ](?:growth|growing)|growth (?:company|business|stock)", "revenue growth"),
        (r"(?:un)?profitab(?:le|ility)", "net margin"),
        (r"solven(?:t|cy)|(?:il)?liquid", "current ratio"),
        (r"(?:over|highly )?(?:leveraged|indebted)", "leverage"),
    )
)
"""Attributes of companies, and the measure for each."""
_TAGGED = 2.0
_LEAST = 0.4
"""Minimal share of a label's terms that a phrase must cover."""
_EARLIER = 4


def needed_statements(index: PlaceIndex, question: Question, earlier: Sequence[Question]) -> tuple[int, ...]:
    """Return the blocks of the primary statements that a question needs.

    A question without lines of statements is about those of the questions before.
    """
    for each in (question, *reversed(earlier[-_EARLIER:])):
        named = {at: None for role in statements_named(each.text) for at in index.statements if index.roles[at] is role}
        text = in_words_of_reports(each.lowered)
        for judged, measure in _JUDGED:
            text = judged.sub(measure, text)
        matches = read_lexicon().find(terms(text))
        found = named | dict.fromkeys(at for match in matches for at in _of_match(index, match))
        if found or matches:
            return tuple(found)
    return ()


def _of_match(index: PlaceIndex, match: LexiconMatch) -> Iterator[int]:
    best = max((_found(index, name) for name in match.concepts), default=(0.0, ()))
    if best[1]:
        yield from best[1]
    else:
        for name in match.measures:
            yield from _of_formula(index, read_lexicon().measures[name].formula)


def _of_formula(index: PlaceIndex, formula: Formula | None) -> tuple[int, ...]:
    """Return the blocks with the concepts of a formula; for alternatives, the first one that is printed."""
    if formula is None:
        return ()
    if formula.kind == "concept":
        measure = read_lexicon().measures.get(formula.name.removeprefix(MEASURE))
        return _of_formula(index, measure.formula) if measure else _found(index, formula.name)[1]
    parts = (_of_formula(index, part) for part in formula.parts)
    if formula.kind == "else":
        return next(filter(None, parts), ())
    return tuple(dict.fromkeys(at for part in parts for at in part))


def _found(index: PlaceIndex, concept: str) -> tuple[float, tuple[int, ...]]:
    """Return the score of a concept on statements, and the blocks with the best score."""
    known = read_lexicon().concepts.get(concept)
    phrases = [frozenset(phrase) for phrase in known.phrases] if known is not None else []
    best: dict[int, float] = {}
    for at, lines in index.statements.items():
        for label, tags in lines:
            shares = [len(phrase) / len(label) for phrase in phrases if label and phrase <= label]
            best[at] = max(best.get(at, 0.0), _TAGGED if concept in tags else max(shares, default=0.0))
    most = max(best.values(), default=0.0)
    return (most, tuple(at for at, score in best.items() if score == most)) if most >= _LEAST else (0.0, ())


_WORD = lazy_regex(r"(?<![\w.&'\u2019-])[a-z]{7,}(?![\w&'\u2019-])")
"""Words in lower case, because names may have any spelling. Shorter words are too often one letter away from others:
"planes" and "plans".
"""
_FIRST = lazy_regex(r"^[A-Z][a-z]{6,}(?![\w&'\u2019-])")
_LONG = 8
_LABEL_WORD = lazy_regex(r"[a-z]{5,}")
_OF_QUESTIONS = frozenset(
    "quarter percentage percent average increase decrease difference compared between highest lowest largest smallest "
    "change changed years months employees number shares million billion thousand dividend auditor margin amount "
    "company total biggest ratio growth rose decline declined higher lower versus during reported repurchases "
    "buyback buybacks stock spent segment region calculate compare previous fiscal annual quarterly outstanding "
    "maturity trailing geography weighed".split()
)


def respelled(text: str, document: Document, is_known: Callable[[str], bool]) -> str:
    """Return a question with its misspelled words corrected by the document's labels, or those of other statements.

    Args:
        is_known: Returns whether a lower-case word occurs in the document, in any form.
    """
    words = [found for form in (_FIRST, _WORD) for found in form.finditer(text)]
    mended: dict[str, str] = {}
    for word in {found[0] for found in words}:
        lowered = word.lower()
        # Most words are known, so that the stems of `_may_be_wrong` are seldom needed.
        if not is_known(lowered) and _may_be_wrong(lowered) and (right := _nearest(lowered, document)):
            mended[word] = right
    for found in sorted(words, key=lambda one: -one.start()):
        if found[0] in mended:
            text = f"{text[: found.start()]}{mended[found[0]]}{text[found.end() :]}"
    return text


def _may_be_wrong(word: str) -> bool:
    known = word in FUNCTION_WORDS or word in STOP_WORDS or stem(word) in _known_stems()
    return not known and in_words_of_reports(word) == word


@lru_cache(maxsize=1)
def _known_words() -> frozenset[str]:
    captions = (caption for line in read_core_lines().lines.values() for caption in line.captions)
    labels = (name.replace("_", " ") for name in read_lexicon().measures)
    known = {word for text in (*captions, *labels) for word in _LABEL_WORD.findall(text.lower())}
    return frozenset(known | _OF_QUESTIONS)


@lru_cache(maxsize=1)
def _known_stems() -> frozenset[str]:
    return frozenset(map(stem, _known_words()))


def _nearest(word: str, document: Document) -> str | None:
    """Return the single word within a slip: in the document's labels, else in captions of statements in general."""
    for words in (frozenset(_label_words(document)), _known_words()):
        near = {right for right in words if _is_slip(word, right)}
        if len({stem(right) for right in near}) == 1:
            return min(near, key=lambda right: (abs(len(right) - len(word)), right))
        if near:
            return None
    return None


def _label_words(document: Document) -> Iterator[str]:
    for table in document.tables:
        for head in (*table.rows, *table.columns):
            yield from _LABEL_WORD.findall(head.label.lower())


def _is_slip(wrong: str, right: str) -> bool:
    """Whether a word is a misspelling of another: a letter added, missing, or swapped with its neighbour.

    In a long word also a wrong letter or two slips; "plants" is not a misspelling of "planes".

    >>> _is_slip("operting", "operating"), _is_slip("planes", "plants")
    (True, False)
    """
    if wrong[0] != right[0] or wrong == right:
        return False
    if _is_one_slip(wrong, right):
        return len(wrong) != len(right) or sorted(wrong) == sorted(right) or len(right) >= _LONG
    if min(len(wrong), len(right)) < _LONG or abs(len(wrong) - len(right)) > 2:
        return False
    return any(_is_one_slip(one, right) for one in _drop_letters(wrong)) or any(
        _is_one_slip(wrong, one) or wrong == one for one in _drop_letters(right)
    )


def _drop_letters(word: str) -> Iterator[str]:
    return (word[:place] + word[place + 1 :] for place in range(1, len(word)))


def _is_one_slip(one: str, other: str) -> bool:
    """Whether two words differ by one inserted, deleted, replaced or transposed letter."""
    from rapidfuzz.distance import OSA

    return OSA.distance(one, other, score_cutoff=1) <= 1


@dataclass(frozen=True, slots=True)
class SearchedQuestion:
    """A normalized question with the places of its answer.

    Attributes:
        context: The normalized earlier questions, and the sources of their answers.
        normalized: The normalized text of each question that differs, by the original text.
        needed: Blocks of the statements with what is asked for, or with what it is computed from.
    """

    question: Question
    context: FindingContext
    normalized: Mapping[str, str]
    places: tuple[Place, ...]
    needed: tuple[int, ...]


def search_question(
    index: PlaceIndex, text: str, earlier: Sequence[str], sources: Sequence[tuple[Source, ...]], most: int
) -> SearchedQuestion:
    """Find the places where the answer to a question may be."""
    normalized = normalize_questions((text, *earlier), index)
    question, *before = (read_question(normalized.get(one, one)) for one in (text, *earlier))
    context = FindingContext(tuple(before), tuple(sources))
    places = find_places(index, question, context, most)
    return SearchedQuestion(question, context, normalized, places, needed_statements(index, question, before))


_ARTICLE = re.compile(r"\b(?:the )?(?:financial )?$", re.IGNORECASE)
_AT_THE_END = re.compile(
    r"\b(?:at|as of|by) (?:the )?(?:end|close) of (?:fiscal |financial )?(?:year )?(?P<year>20\d\d)\b", re.IGNORECASE
)


def in_fiscal_years(text: str, document: Document) -> str:
    """Return a question with the terms of the document's columns: "fiscal 2023" for the year that ended on a day.

    Args:
        document: The document asked about; nothing changes if it names years by their last day.
    """
    ended = [mention for mention in find_periods(text) if mention.period.kind == "year" and mention.period.ends]
    at_the_end = _AT_THE_END.search(text)
    if not ended and at_the_end is None:
        return text
    days = last_days_of_years(document)
    if at_the_end is not None and (day := days.get(int(at_the_end["year"]))) is not None:
        when = f"at {month_name[day.month or 1]} {day.day}, {day.year}"
        return text[: at_the_end.start()] + when + text[at_the_end.end() :]
    years = {date(day.year, day.month or 1, day.day or 1): year for year, day in days.items()}
    for mention in reversed(ended):
        if year := years.get(mention.period.ends or date.min):
            text = f"{_ARTICLE.sub('', text[: mention.start])}fiscal {year}{text[mention.end :]}"
    return text


def normalize_questions(texts: Iterable[str], index: PlaceIndex) -> Mapping[str, str]:
    """Return the normalized texts of questions that differ from the original, by the original text."""
    document = index.document
    is_known = partial(_is_known, index)
    spelled = {text: respelled(without_company(text, document), document, is_known) for text in texts}
    normalized = {text: in_fiscal_years(resolve_distances(other), document) for text, other in spelled.items()}
    return {text: other for text, other in normalized.items() if other != text}


def _is_known(index: PlaceIndex, word: str) -> bool:
    (rarity,) = index.words.rarity({stem(word)}).values()
    return any(rarity)
