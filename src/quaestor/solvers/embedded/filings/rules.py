"""Rules that exclude results, or make them less likely, regardless of the weights."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from math import isclose

from quaestor.core.answer_value import Number
from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.facts.table import FactTable
from quaestor.ontology.lexicon import read_lexicon
from quaestor.plan.steps import Compute
from quaestor.solvers.embedded.filings.composing import BoundQuestion, Proposal
from quaestor.solvers.embedded.filings.composing.finding import list_series_terms
from quaestor.solvers.embedded.filings.composing.meanings import read_member_meant
from quaestor.solvers.embedded.filings.results import LOOKED_UP, SAME, PlanResult, list_sentences, read_amount

_COMPUTED = ("change", "growth", "ratio", "share", "sum", "average", "cagr")
_LIKELY, _QUOTED = 0.4, 0.02
"""Minimum probability of computed intents for which sentences are unlikely answers, and the sentences' maximum
probability.
"""
_PART = lazy_regex(
    r"\b(?:share of|(?:what|which) (?:share|fraction|portion|proportion|part)|(?:its|their|whose) share"
    r"|(?:%|percent(?:age)?|pct|fraction|portion|proportion|part) of (?:the|that|this|its|all|them|those|total|group"
    r"|company)\b.*\b(?:total|all|is|are|was|were)|of the total)\b"
)
"""Words that ask for a part of a whole."""
_LEAST_PART, _MOST_PART = 1e-4, 1.5
"""Bounds of a requested part of a whole, as a ratio: more than the income may be paid out."""
_OTHER_MEMBER = 0.3
"""Factor for numbers of the whole company if the question refers to a member."""
_OTHER_NAME = 0.4
"""Factor for lines that are not named like a concept that another line has."""
_EXCLUDED = 0.05
"""Maximum probability of a result that a rule excludes."""


def weigh_by_rules(
    question: BoundQuestion, results: Sequence[PlanResult], rights: Sequence[float], lack: str = ""
) -> list[float]:
    """Return the probability that each result is right, lowered for those that the question excludes.

    Args:
        rights: The probabilities that the weights estimate.
        lack: The missing inputs of the requested measure; "" if none.
    """
    measures = _find_computed_measures(question, [result.proposal for result in results])
    names, concepts = read_member_meant(question), _find_named_concept(question, results)
    adds_up = bool(measures) or question.intents["sum"] > _LIKELY
    only_computes, part = _only_computes(question), bool(_PART.search(question.text))
    weighed = []
    for result, right in zip(results, rights, strict=True):
        proposal = result.proposal
        excluded = (
            bool(lack)
            or (bool(measures) and _is_of_another(proposal, measures, question.table))
            or (adds_up and _is_part_of_sum(result, results))
            or (part and _cannot_be_part(result))
        )
        most = _QUOTED if only_computes and proposal.form == "words" else _EXCLUDED if excluded else 1.0
        factor = _OTHER_MEMBER if names and _is_of_other_member(proposal, names) else 1.0
        factor *= _OTHER_NAME if concepts and _has_other_name(proposal, concepts) else 1.0
        weighed.append(min(right, most) * factor)
    return weighed


def _only_computes(question: BoundQuestion) -> bool:
    """Return whether a question only computes with earlier answers, so that no sentence has the result."""
    return bool(question.before) and not question.own and sum(question.intents[name] for name in _COMPUTED) > _LIKELY


def drop_other_verdicts(question: BoundQuestion, proposals: Sequence[Proposal]) -> Sequence[Proposal]:
    """Return the plans for a question without yes-or-no sentences about something other than its measure."""
    measures = _find_computed_measures(question, proposals)
    if not measures:
        return proposals
    return [one for one in proposals if one.form != "verdict" or not _is_of_another(one, measures, question.table)]


def _find_computed_measures(question: BoundQuestion, proposals: Sequence[Proposal]) -> frozenset[str]:
    """Return the named measures if a question names nothing else and one of the plans computes them by a formula."""
    operand, *others = question.reading.operands
    named = [match for match in operand.matches if match.measures and not match.concepts]
    if others or len(named) != 1 or not any(map(_computes_measure, proposals)):
        return frozenset()
    covered = set(operand.phrase[named[0].start : named[0].end])
    return frozenset(named[0].measures) if covered >= set(operand.terms) else frozenset()


def _computes_measure(proposal: Proposal) -> bool:
    """Return whether a plan computes a measure by its formula, compares one at two times, or contains one."""
    of_several = len({series.place for series in proposal.series}) > 1
    return proposal.form == "measure" or (proposal.form in ("compare", "parts") and of_several)


def _is_of_another(proposal: Proposal, measures: frozenset[str], table: FactTable) -> bool:
    """Return whether a plan looks up only lines or sentences that name none of the measures."""
    if proposal.form not in ("words", "verdict", *LOOKED_UP):
        return False
    index = table.sentences
    texts = [index.terms[index.places[at]] for at in list_sentences(proposal.plan) if at in index.places]
    lines = [series.line for series in proposal.series if not series.line.sentence]
    texts += [(*line.path_terms, *line.label_terms) for line in lines]
    return not any(measures & set(match.measures) for text in texts for match in read_lexicon().find(text))


def _find_named_concept(question: BoundQuestion, results: Sequence[PlanResult]) -> frozenset[str]:
    """Return the named concepts if a question names nothing else and the tag of one of the results has one of them."""
    operand, *others = question.reading.operands
    if others or not operand.is_concept or not question.own:
        return frozenset()
    tagged = {series.concept for result in results for series in result.proposal.series if series.line.tagged}
    return operand.concepts if operand.concepts & tagged else frozenset()


def _has_other_name(proposal: Proposal, concepts: frozenset[str]) -> bool:
    """Return whether a plan's numbers come only from table lines that neither have nor name one of the concepts."""
    if not proposal.series or any(series.line.sentence for series in proposal.series):
        return False
    return not any(
        (series.line.tagged and series.concept in concepts)
        or any(
            not concepts.isdisjoint(match.concepts)
            for match in read_lexicon().find((*series.line.path_terms, *series.line.label_terms))
        )
        for series in proposal.series
    )


def _is_of_other_member(proposal: Proposal, names: AbstractSet[frozenset[str]]) -> bool:
    """Return whether a plan's numbers come only from table lines without any of a member's names."""
    return bool(proposal.series) and not any(
        one.line.sentence or any(name <= list_series_terms(one) for name in names) for one in proposal.series
    )


def _cannot_be_part(result: PlanResult) -> bool:
    """Return whether a quotient cannot be a part of a whole, because it is far too large or too small."""
    if result.proposal.form not in ("ratio", "share") or not isinstance(result.value, Number):
        return False
    factor = 0.01 if result.scale is Scale.PERCENT else 1.0
    return not _LEAST_PART < abs(float(result.value.value) * factor) <= _MOST_PART


def _is_part_of_sum(result: PlanResult, results: Sequence[PlanResult]) -> bool:
    """Return whether a looked-up number is one of the addends of a plan for a measure."""
    amount = read_amount(result) if result.proposal.form in LOOKED_UP else None
    return amount is not None and any(
        other.proposal.form == "measure"
        and isinstance(step := other.proposal.plan.steps[-1], Compute)
        and step.operation == "add"
        and any(
            (cell := series.cells.get(moment)) is not None and isclose(abs(cell.amount), abs(amount), rel_tol=SAME)
            for series in other.proposal.series
            for moment in other.proposal.moments
        )
        for other in results
    )
