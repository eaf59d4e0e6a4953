"""Estimates whether a document contains the answer to a question, and describes what is missing."""

import math
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.conversation.answer import Answer, confidence_words
from quaestor.conversation.display import show_number
from quaestor.core.caching import BoundedCache
from quaestor.core.matrices import multiply
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import find_relative_periods
from quaestor.core.words import ARTICLES, FUNCTION_WORDS, JOINING_WORDS, NUMBER_WORDS, words
from quaestor.documents.document import Document, Paragraph, SectionHeading
from quaestor.documents.table import Table
from quaestor.plan.steps import Plan
from quaestor.questions.question import Question
from quaestor.questions.question_times import without_time_words
from quaestor.questions.stems import stems, without_owner
from quaestor.retrieval.colloquial_words import in_words_of_reports
from quaestor.solvers.embedded.beam import Hypotheses
from quaestor.solvers.embedded.models import ANSWERABLE_MEASURES, Answerability
from quaestor.solvers.embedded.number_features import LEAF_FEATURES
from quaestor.solvers.embedded.page import Floats, NumberMatrix, StemWeights
from quaestor.solvers.embedded.page_numbers import CandidateNumber

# ---- The years of a document.
#
# A document may cover every year that it prints anywhere, including in labels or as two digits, and every year that its
# words imply: between two years, a year before a named one, a fiscal year that ends in the next spring. A question asks
# for a year used as a time ("in 2009"), not for one in a name ("notes due 2021", "the 2009 plan").


_YEAR = lazy_regex(r"(?<![\d.,$])(?:19[5-9]|20[0-9])\d(?![\d%]|[.,]\d)")
_PRINTED = lazy_regex(r"(?=((?:19[5-9]|20[0-9])\d))")
_SHORT = lazy_regex(r"(?:['\u2019/\-\u2013]|\bfye? ?|\bfiscal |\bq[1-4] ?)(\d\d)(?!\d)")
_RANGE = lazy_regex(r"((?:19|20)\d\d)\s*(?:-|\u2013|\u2014|to|through|thru|until|and)\s*((?:19|20)\d\d|\d\d)(?!\d)")
_SPRING = lazy_regex(
    r"\b(?:jan|feb|mar|apr|may|june?)[a-z]*\.?\s*(?:[0-3]?\d)?\s*,?\s*((?:19|20)\d\d)|\b0?[1-6]/\d{1,2}/((?:19|20)\d\d)"
)
_COUNT = "|".join((*NUMBER_WORDS, r"\d{1,2}"))
_YEARS = lazy_regex(
    rf"\b(?:last|past|prior|previous|preceding|the|these|those|our)\s+({_COUNT})[\s-](?:fiscal |calendar )?years?\b"
)
_OPEN = lazy_regex(
    r"\b(?:thereafter|beyond|(?:less|more) than \w+ years?"
    r"|(?:next|within|first|following|subsequent) \w+ (?:fiscal )?years?"
    r"|(?:after|over|under) (?:\d|one|two|three|four|five)\w* years?|\d\s*(?:-|\u2013|to)\s*\d years?|years? \d\b"
    r"|due after)"
)
_YEARS_CACHE = BoundedCache[str, "KnownYears"](16)
"""By the digest of a document, since finding the years of a long one takes a tenth of a second."""

_LONGEST = 30
"""Maximum length of a range of years."""


@dataclass(frozen=True, slots=True)
class KnownYears:
    """Years of a document.

    Attributes:
        shown: The years named as periods by its column headers and sentences, in order, for display.
        reached: All years that it names or implies.
        open_from: The first year of an open range ("thereafter"), else None.
    """

    shown: tuple[int, ...] = ()
    reached: frozenset[int] = frozenset()
    open_from: int | None = None

    def lacks(self, year: int) -> bool:
        """Return whether the document certainly lacks a year; never true for a document without years."""
        if not self.shown or year in self.reached:
            return False
        return self.open_from is None or year < self.open_from


def find_years(document: Document) -> KnownYears:
    """Return the years of a document, from a cache for the last few documents."""
    return _YEARS_CACHE.get(document.digest, lambda: _collect_years(document))


def _collect_years(document: Document) -> KnownYears:
    named: set[int] = set()
    reached: set[int] = set()
    relative: list[int] = []
    lengths: list[int] = []
    is_open = False
    for text in _printed_texts(document):
        own = {int(year) for year in _YEAR.findall(text)}
        named |= own
        reached |= own | set(_read_other_years(text))
        offsets = [mention.offset for mention in find_relative_periods(text)]
        spans = [NUMBER_WORDS.get(count) or int(count) for count in _YEARS.findall(text)]
        reached |= {year + offset for year in own for offset in offsets}
        reached |= {year - back for year in own for span in spans for back in range(min(span, _LONGEST))}
        if not own:
            relative, lengths = relative + offsets, lengths + spans
        is_open = is_open or bool(_OPEN.search(text))
    columns = {p.year for t in document.tables for head in (*t.columns, *t.rows) if (p := head.period) is not None}
    named |= columns
    reached |= named
    dated = {p.year for sentence in document.sentences for p, _, _ in sentence.periods}
    anchors = columns or named
    reached |= {year + offset for year in anchors for offset in relative}
    reached |= {max(anchors) - back for span in lengths for back in range(min(span, _LONGEST))} if anchors else set()
    return KnownYears(tuple(sorted(columns | dated)), frozenset(reached), min(anchors) if is_open and anchors else None)


def _printed_texts(document: Document) -> Iterator[str]:
    """Yield all text of a document in lower case: headings, sentences, table rows and titles."""
    for block in document.blocks:
        content = block.content
        if isinstance(content, SectionHeading):
            yield content.text.lower()
        elif isinstance(content, Paragraph):
            yield from (sentence.text.lower() for sentence in content.sentences)
        elif isinstance(content, Table):
            yield f"{content.caption} | {content.title}".lower()
            yield from (" | ".join(cell.text for cell in row).lower() for row in content.cells)


def _read_other_years(text: str) -> Iterator[int]:
    """Yield the years that a text implies besides those that it names."""
    yield from (int(year) for year in _PRINTED.findall(text))
    for digits in _SHORT.findall(text):
        yield (2000 if int(digits) < 70 else 1900) + int(digits)
    for first, last in _RANGE.findall(text):
        end = int(last) if len(last) == 4 else int(first[:2] + last)
        yield from range(int(first), min(end, int(first) + _LONGEST) + 1)
    # A fiscal year is named after the calendar year with most of its months: 2012 may end on February 2, 2013.
    yield from (int(year) - 1 for pair in _SPRING.findall(text) for year in pair if year)


def show_years(years: tuple[int, ...]) -> str:
    """Format years for display, with consecutive years as ranges.

    >>> show_years((2008, 2010, 2011, 2012))
    '2008, 2010 to 2012'
    """
    runs: list[list[int]] = []
    for year in years:
        if runs and year == runs[-1][-1] + 1:
            runs[-1].append(year)
        else:
            runs.append([year])
    parts = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return ", ".join(parts)


# ---- The features by which a model estimates whether a page contains the answer.
#
# Most of them measure which words of the question describe no number of the page, or not the numbers of the likeliest
# plan. No feature depends on the company, the page or the value of a number.


_COLUMN = {name: n for n, name in enumerate(LEAF_FEATURES)}
_MOST_WORDS = 12
_EPSILON = 1e-6


def asked_stems(question: Question) -> tuple[str, ...]:
    """Return the stems of a question's words, in the language of reports and without the company's name.

    >>> asked_stems(Question("what was the company's capex?"))
    ('capit', 'expenditur')
    """
    question_stems = stems(without_owner(in_words_of_reports(without_time_words(question.lowered))))
    return tuple(dict.fromkeys(stem for stem in question_stems if len(stem) > 1))


def measure_answerability(choices: Hypotheses, weights: StemWeights) -> Floats | None:
    """Return the features of a question in the order of `ANSWERABLE_MEASURES`; None if it has no plan."""
    first = choices.first
    if first is None or not choices.ranked:
        return None
    operands = choices.ranked[0].outcome.operands
    turn, measured, likely = first.turn, first.measured, choices.likely
    page, question = turn.leaves, turn.question
    weight = {stem: weights.of(stem) for stem in asked_stems(question)}
    whole = max(sum(weight.values()), _EPSILON)
    known = [(column, own) for stem, own in weight.items() if (column := page.vocabulary.get(stem)) is not None]
    unknown = [own for stem, own in weight.items() if stem not in page.vocabulary]
    columns, values = [column for column, _ in known], np.array([value for _, value in known], np.float32)
    described, by_labels = multiply(page.described[:, columns], values), multiply(page.labels[:, columns], values)
    # If the numbers of the page have no years, no year can be missing.
    years = [year for year in question.years if page.years]
    of_asked_years = _select_asked_years(measured, bool(years))
    best_of_years = float(described[of_asked_years].max()) if of_asked_years.any() else 0.0
    likeliest = int(likely.argmax())
    places = [operand.index for operand in operands if operand.kind == "leaf"]
    leaves = [page.leaves[place] for place in places]
    _, share = choices.results[0]
    share = min(max(share, _EPSILON), 1 - _EPSILON)
    found = {
        "words": min(len(weight), _MOST_WORDS),
        "unknown": sum(unknown),
        "unknown_most": max(unknown, default=0.0),
        "unknown_share": sum(unknown) / whole,
        "lacking": whole - float(described.max()),
        "lacking_then": whole - best_of_years,
        "said_then": best_of_years / whole,
        "no_number_then": not of_asked_years.any(),
        "lacking_label": whole - float(by_labels.max()),
        "lacking_likeliest": whole - float(described[likeliest]),
        "lacking_taken": whole - _weigh_described_words(weight, leaves, labels=False),
        "lacking_taken_labels": whole - _weigh_described_words(weight, leaves, labels=True),
        "taken_then": bool(of_asked_years[places].all()) if places else 0.5,
        "earlier": sum(operand.kind == "result" for operand in operands),
        "years": len(years),
        "years_lacking": sum(year not in page.years for year in years),
        "label_told": measured[:, _COLUMN["label_told"]].max(),
        "label_told_taken": measured[places, _COLUMN["label_told"]].mean() if places else -1.0,
        "row_told": measured[:, _COLUMN["row_in_question"]].max(),
        "first": not turn.state.questions,
        "cues": len(question.cues),
        "fresh": first.signatures.new_leaves,
        "again": sum(p for name, p in first.signatures.items() if "result" in name),
        "numbers": math.log(len(page)),
        "share": math.log(share / (1 - share)),
        "likeliest": likely[likeliest],
        "spread": -float((likely * np.log(likely + _EPSILON)).sum()),
    }
    return np.array([found[name] for name in ANSWERABLE_MEASURES], np.float32)


def _select_asked_years(measured: Floats, named: bool) -> NDArray[np.bool_]:
    """Select the numbers of a year that the question names; all if it names none."""
    if not named:
        return np.ones(len(measured), bool)
    own, other, near = (measured[:, _COLUMN[name]] > 0 for name in ("year_named", "other_year_named", "year_near"))
    found: NDArray[np.bool_] = own | other | near
    return found


def _weigh_described_words(weight: dict[str, float], leaves: Sequence[CandidateNumber], *, labels: bool) -> float:
    """Return the total weight of the words that describe any of the numbers."""
    stem_lists = [(*leaf.row, *leaf.column) if labels else (*leaf.around, *leaf.caption) for leaf in leaves]
    return sum(weight.get(stem, 0.0) for stem in set().union(*stem_lists))


_TELLING_WEIGHT = 0.7
"""Minimum weight of a telling word, which pages with an answer mostly contain."""
_MOST_PHRASES = 3
"""Maximum number of missing phrases that are named."""
_MOST_YEARS = 12
_COMPARING = frozenset(stems("above below beneath exceed surpass outweigh ahead"))
_BETWEEN = (JOINING_WORDS | ARTICLES) - {"and", "or", "in"}
_BEFORE = frozenset("share total rate quarter original portion".split())
"""Words that usually name results, but are part of a name before a missing word: "share repurchases"."""


def describe_lack(question: Question, plan: Plan | None, page: NumberMatrix, weights: StemWeights) -> str:
    """Describe what a page lacks that a question asks for."""
    telling = _naming_stems(question, weights)
    unknown = {stem for stem in telling if stem not in page.vocabulary}
    lacking = [year for year in question.years if year not in page.years]
    if unknown:
        lack = f"no number about {_join_phrases(_read_phrases(question, unknown))}"
    elif lacking:
        lack = f"no number for {show_years(tuple(lacking))}"
    else:
        left = telling - _find_described_stems(plan, page)
        lack = f"no number is also about {_join_phrases(_read_phrases(question, left))}" if left else _NOTHING
    return "; ".join(filter(None, (lack, _describe_years(page))))


def _naming_stems(question: Question, weights: StemWeights) -> frozenset[str]:
    """Return the stems of the words by which a question names a thing, in the language of reports."""
    question_words = words(in_words_of_reports(question.lowered))
    naming = {stem for word in question_words if word not in FUNCTION_WORDS for stem in stems(word)}
    if question.wants.kind == "yes_no":
        naming -= _COMPARING
    return frozenset(stem for stem in asked_stems(question) if stem in naming and weights.of(stem) >= _TELLING_WEIGHT)


_NOTHING = "no number fits the question"


def describe_nearest(answer: Answer) -> str:
    """Describe the nearest answer: `nearest: $ 6,823 (net earnings in 2012), 22 % sure`."""
    about = f" ({answer.description})" if answer.description else ""
    sure = f", {words}" if (words := confidence_words(answer.confidence)) else ""
    return f"nearest: {show_number(answer)}{about}{sure}"


def _find_described_stems(plan: Plan | None, page: NumberMatrix) -> frozenset[str]:
    """Return the stems that describe the numbers of a plan."""
    found: set[str] = set()
    for step in plan.extracts if plan is not None else ():
        if (place := page.find(step)) is not None:
            found.update(page.leaves[place].around, page.leaves[place].caption)
    return frozenset(found)


def _read_phrases(question: Question, missing: Set[str]) -> Iterator[str]:
    """Yield the phrases of a question with missing stems, including small words inside and result words before them."""
    before: list[str] = []
    run: list[str] = []
    end = 0
    for word in (*words(in_words_of_reports(question.lowered)), ""):
        if word not in FUNCTION_WORDS and not missing.isdisjoint(stems(word)):
            run = [*(run or before), word]
            end = len(run)
        elif run and word in _BETWEEN:
            run.append(word)
        else:
            if run:
                yield " ".join(run[:end])
            run, before = [], [*before, word] if word in _BEFORE else []


def _join_phrases(phrases: Iterator[str]) -> str:
    named = [f'"{phrase}"' for phrase in dict.fromkeys(phrases)][:_MOST_PHRASES]
    return " or ".join(filter(None, (", ".join(named[:-1]), named[-1] if named else "")))


def _describe_years(page: NumberMatrix) -> str:
    own = tuple(sorted({*page.year.tolist()} - {0}))
    return f"years covered: {show_years(own)}" if 0 < len(own) <= _MOST_YEARS else ""


# ---- The learned probability that a document contains the answer.


_NO_WORD_FACTOR = 2.0
"""Factor of the minimum probability if no word of the question describes any number of the page, since the model was
trained on too few such questions."""


def find_lack(
    nearest: Answer, question: Question, page: NumberMatrix, document: Document, learned: Answerability, below: float
) -> str | None:
    """Describe what the document lacks if it is unlikely to contain the answer; otherwise return None.

    Args:
        nearest: The likeliest answer, with the probability.
        below: The probability below which an answer is doubted.
    """
    if nearest.answerable is None:
        return None
    telling = _naming_stems(question, learned.stems)
    if telling and telling.isdisjoint(page.vocabulary):
        below *= _NO_WORD_FACTOR
    return None if nearest.answerable >= below else describe_lack(question, nearest.plan, page, learned.stems)


def names_unknown_thing(question: Question, page: NumberMatrix, weights: StemWeights) -> bool:
    """Return whether a question names a thing that describes no number."""
    return not _naming_stems(question, weights) <= page.vocabulary.keys()
