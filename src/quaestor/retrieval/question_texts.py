"""Normalizes questions for a document: its spelling, no company name, explicit periods.

The original text of a question is kept.
"""

import re
from calendar import month_name
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from quaestor.core.periods import find_periods, resolve_distances
from quaestor.core.provenance import Source
from quaestor.documents.document import Document
from quaestor.documents.text_periods import last_days_of_years
from quaestor.questions.question import Question, read_question
from quaestor.questions.stems import stem
from quaestor.retrieval.company_name import without_company
from quaestor.retrieval.finding import find_places
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.place import Place
from quaestor.retrieval.retrieval_query import FindingContext
from quaestor.retrieval.spelling import respelled
from quaestor.retrieval.statements import needed_statements


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
