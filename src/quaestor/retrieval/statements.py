"""Finds the primary statements that a question needs: those it names, and those with the operands of its answer."""

import re
from collections.abc import Iterator, Sequence

from quaestor.core.terms import terms
from quaestor.documents.roles import statements_named
from quaestor.ontology.lexicon import MEASURE, Formula, LexiconMatch, read_lexicon
from quaestor.questions.question import Question
from quaestor.retrieval.colloquial_words import in_words_of_reports
from quaestor.retrieval.index import PlaceIndex

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
