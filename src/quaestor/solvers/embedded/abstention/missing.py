"""What a page lacks of a question, in words: a line, a year, or numbers that all its words describe together.

Says nothing of how likely an answer is.
"""

from collections.abc import Iterator, Set

from quaestor.conversation.answer import Answer
from quaestor.conversation.display import confidence_words, show_number
from quaestor.core.stop_words import ARTICLES, FUNCTION_WORDS, JOINING_WORDS
from quaestor.core.words import words
from quaestor.plan.steps import Plan
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.retrieval.everyday import in_words_of_reports
from quaestor.solvers.embedded.abstention.measures import asked_stems
from quaestor.solvers.embedded.abstention.years import show_years
from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.page.stem_weights import StemWeights

_TELLS = 0.7
"""The least weight of a word that pages with an answer mostly have: others say nothing when they are missing."""
_MOST = 3
"""So many things are named at most."""
_MOST_YEARS = 12
_COMPARING = frozenset(stems("above below beneath exceed surpass outweigh ahead"))
_BETWEEN = (JOINING_WORDS | ARTICLES) - {"and", "or", "in"}
_BEFORE = frozenset("share total rate quarter original portion".split())
"""Words that are results elsewhere, and part of the name before a word that is missing: "share repurchases"."""


def missing_words(question: Question, plan: Plan | None, page: NumberMatrix, weights: StemWeights) -> str:
    """Return what the page lacks of a question that it hardly answers.

    Args:
        plan: The nearest reading.
        page: The numbers of the page, or of the parts of a document that were read.
    """
    telling = telling_stems(question, weights)
    unknown = {stem for stem in telling if stem not in page.vocabulary}
    lacking = [year for year in question.years if year not in page.years]
    if unknown:
        said = f"no number about {_listed(_phrases(question, unknown))}"
    elif lacking:
        said = f"no number for {show_years(tuple(lacking))}"
    else:
        left = telling - _described(plan, page)
        said = f"no number is also about {_listed(_phrases(question, left))}" if left else _NOTHING
    return "; ".join(filter(None, (said, _years(page))))


def telling_stems(question: Question, weights: StemWeights) -> frozenset[str]:
    """Return the stems of a question's words that name a thing, as reports put it."""
    said = words(in_words_of_reports(question.lowered))
    naming = {stem for word in said if word not in FUNCTION_WORDS for stem in stems(word)}
    if question.wants.kind == "yes_no":
        naming -= _COMPARING
    return frozenset(stem for stem in asked_stems(question) if stem in naming and weights.of(stem) >= _TELLS)


_NOTHING = "no number fits the question"


def nearest_words(answer: Answer) -> str:
    """Return the nearest reading, such as `nearest: $ 6,823 (net earnings in 2012), 22 % sure`."""
    about = f" ({answer.description})" if answer.description else ""
    sure = f", {words}" if (words := confidence_words(answer.confidence)) else ""
    return f"nearest: {show_number(answer)}{about}{sure}"


def _described(plan: Plan | None, page: NumberMatrix) -> frozenset[str]:
    """The stems that describe the numbers that a plan takes."""
    found: set[str] = set()
    for step in plan.extracts if plan is not None else ():
        place = None if step.quantity is None else page.index.get((step.source, step.quantity.value))
        if place is not None:
            found.update(page.leaves[place].around, page.leaves[place].caption)
    return frozenset(found)


def _phrases(question: Question, missing: Set[str]) -> Iterator[str]:
    """Yield the words of a question that have some stems, with small ones between them and results before them."""
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


def _listed(phrases: Iterator[str]) -> str:
    named = [f'"{phrase}"' for phrase in dict.fromkeys(phrases)][:_MOST]
    return " or ".join(filter(None, (", ".join(named[:-1]), named[-1] if named else "")))


def _years(page: NumberMatrix) -> str:
    own = tuple(sorted({*page.year.tolist()} - {0}))
    return f"years covered: {show_years(own)}" if 0 < len(own) <= _MOST_YEARS else ""
