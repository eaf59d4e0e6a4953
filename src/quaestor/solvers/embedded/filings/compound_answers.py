"""Joins the answers to the parts of a compound question into one answer."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from math import isclose, prod

from quaestor.core.answer_value import Text, ValueList, YesNo
from quaestor.documents.document import Document
from quaestor.questions.answer_units import KINDS
from quaestor.solvers.embedded.filings.binding import QuestionProbabilities
from quaestor.solvers.embedded.filings.composing import Proposal
from quaestor.solvers.embedded.filings.results import (
    JUDGED,
    SAME,
    PlanResult,
    execute_plan,
    list_sentences,
    read_amount,
)

_PER_PART = 4
"""Number of results of each part of a question that are combined with those of other parts."""
_MOST = 4
"""Maximum number of joined results, and of quotations."""
_REPEATED = 0.01
"""Factor for combinations that use the same number for two parts."""
_SAME_LINE, _SAME_TABLE = 3.0, 2.0
"""Factors for combinations of numbers from one line, or from one table or sentence."""


Part = tuple[QuestionProbabilities, Sequence[PlanResult]]
"""What a part of a question asks for, and its results, likeliest first."""


def answer_all_parts(parts: Sequence[Part], whole: Sequence[PlanResult], document: Document) -> list[PlanResult]:
    """Return results that answer all parts of a question: joined results of the parts, then quotations.

    Args:
        whole: The results for the whole question, likeliest first.
    """
    quotes = [result for result in whole if result.proposal.form == "words"]
    return [*_join_results(parts, document), *(_add_known_parts(quote, parts) for quote in quotes[:_MOST])]


def _join_results(parts: Sequence[Part], document: Document) -> Iterator[PlanResult]:
    """Yield combinations of the results of the parts as lists, likeliest first."""
    from quaestor.solvers.parts import join_plans

    for weight, firsts in combine_parts([weigh_results(*part) for part in parts])[:_MOST]:
        plan = join_plans([first.proposal.plan for first in firsts])
        result = execute_plan(plan, document)
        if result is None:
            continue
        rights = [first.right for first in firsts]
        proposal = Proposal(
            plan,
            sum(first.proposal.score for first in firsts),
            "parts",
            tuple(series for first in firsts for series in first.proposal.series),
            tuple(moment for first in firsts for moment in first.proposal.moments),
            {"parts_weight": weight, "parts_least": min(rights), "parts_all": prod(rights)},
        )
        yield PlanResult(result.value, result.scale, (proposal,), prod(first.share for first in firsts))


def _add_known_parts(quote: PlanResult, parts: Sequence[Part]) -> PlanResult:
    """Add features to a quotation that say how likely it answers each of several questions."""
    quoted = set(list_sentences(quote.proposal.plan))
    rights = [
        max((one.right for one in known if not quoted.isdisjoint(list_sentences(one.proposal.plan))), default=0.0)
        for _, known in parts
    ]
    features = {**quote.proposal.features, "parts_least": min(rights), "parts_all": prod(rights)}
    return replace(quote, proposals=(replace(quote.proposal, features=features), *quote.proposals[1:]))


def weigh_results(likely: QuestionProbabilities, results: Sequence[PlanResult]) -> list[tuple[float, PlanResult]]:
    """Return the likeliest results for one part of a question, with their weights.

    Each entry of a list is a single thing. So a requested number is extracted from its sentence, even if the whole
    sentence is the likelier answer, and times and names are given in the document's words.
    """
    words = float(likely.kinds[KINDS.index("words")])
    quoted = {
        place: result
        for result in reversed(results)
        if result.proposal.form == "words"
        for place in list_sentences(result.proposal.plan)
    }
    found = []
    for result in results[:JUDGED]:
        if isinstance(result.value, Text) or result.proposal.form == "words":
            found.append((result.right * words, result))
        elif isinstance(result.value, YesNo | ValueList):
            continue
        else:
            within = [quoted[place].right for place in list_sentences(result.proposal.plan) if place in quoted]
            found.append((max([result.right, *within]) * (1 - words), result))
    found.sort(key=lambda one: -one[0])
    return found[:_PER_PART] or [(results[0].right, results[0])]


def combine_parts(parts: Sequence[Sequence[tuple[float, PlanResult]]]) -> list[tuple[float, tuple[PlanResult, ...]]]:
    """Return combinations of results for all parts with their weights, likeliest first.

    The same number for two parts is unlikely; numbers that are printed together are likelier than others.
    """
    weighed = []
    for chosen in product(*parts):
        results = tuple(result for _, result in chosen)
        amounts = [amount for result in results if (amount := read_amount(result)) is not None]
        same = any(isclose(one, other, rel_tol=SAME) for one, other in combinations(amounts, 2))
        weight = prod(weight for weight, _ in chosen) * (_REPEATED if same else 1.0)
        weighed.append((weight * (1.0 if same else _weigh_places(results)), weight, results))
    weighed.sort(key=lambda one: -one[0])
    return [(weight, results) for _, weight, results in weighed]


def _weigh_places(results: Sequence[PlanResult]) -> float:
    """Return a factor for numbers that are printed together: attributes of one thing are in one line or table."""
    several = [[one.line for proposal in result.proposals for one in proposal.series] for result in results]
    if set.intersection(*({line.place for line in lines} for lines in several)):
        return _SAME_LINE
    return (
        _SAME_TABLE
        if set.intersection(*({line.sentence or line.table for line in lines} for lines in several))
        else 1.0
    )
