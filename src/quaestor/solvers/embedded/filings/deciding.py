"""Choosing the answer to a question about a filing: estimates which result of its plans is right.

One model estimates the probability that a result is right, another one the probability that the filing has an answer;
the answer is the result with the highest probability. Rules exclude results or make them less likely. The answers to
the parts of a compound question are joined.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from math import exp, isclose, prod

import numpy as np
from numpy.typing import NDArray

from quaestor.core.answer_value import Number, Text, ValueList, YesNo
from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.facts.table import FactTable
from quaestor.ontology.lexicon import read_lexicon
from quaestor.plan.steps import Compute
from quaestor.questions.answer_units import KINDS
from quaestor.questions.question_parts import split_filing_question
from quaestor.questions.quoted_names import mark_quoted_names, restore_names
from quaestor.questions.word_patterns import names_other_owner
from quaestor.solvers.embedded.filings.binding import QuestionProbabilities, TurnState
from quaestor.solvers.embedded.filings.composing import BoundQuestion, Proposal
from quaestor.solvers.embedded.filings.composing.finding import list_series_terms
from quaestor.solvers.embedded.filings.composing.meanings import read_member_meant
from quaestor.solvers.embedded.filings.composing.measures import describe_lack
from quaestor.solvers.embedded.filings.confidence_features import measure_results
from quaestor.solvers.embedded.filings.ranges import answer_with_ranges
from quaestor.solvers.embedded.filings.results import (
    JUDGED,
    LOOKED_UP,
    SAME,
    PlanResult,
    collect_results,
    execute_plan,
    list_sentences,
    read_amount,
)
from quaestor.solvers.embedded.filings.text_matching import MatchedTexts, TextMatcher, read_matched_texts
from quaestor.solvers.embedded.filings.turns import (
    FilingWeights,
    PastTurn,
    UnderstoodQuestion,
    advance_state,
    complete_turn,
    read_past,
    understand_turn,
)
from quaestor.solvers.embedded.trees import Trees

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
    texts += [series.line.name_terms for series in proposal.series if not series.line.sentence]
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
        or any(not concepts.isdisjoint(match.concepts) for match in read_lexicon().find(series.line.name_terms))
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


_MOST_UNMENTIONED = 0.05
"""Maximum probability that a filing answers a question about a company that it does not mention, or none of whose words
it has.
"""
_LEAST_FOUND = 0.4
"""Minimum share of a question's needs that a filing must cover by synonyms if it has none of its words."""
_CAUTION = 1.5
"""Minimum ratio of the probability of an answer to that of having none, because a wrong number is worse than none."""


@dataclass(frozen=True)
class Decision:
    """The possible answers to a question, with their probabilities.

    Attributes:
        results: The results, likeliest first.
        features: The features of each result whose probability was estimated.
        texts: The texts of the question and of these results.
        answerable: The probability that the filing has an answer.
        parts: The decision for each part, if the question has several.
        lack: The missing inputs of the requested measure; "" if none.
    """

    results: tuple[PlanResult, ...]
    features: tuple[Mapping[str, float], ...]
    answerable: float
    parts: "tuple[Decision, ...]" = ()
    lack: str = ""
    texts: MatchedTexts | None = field(default=None, repr=False)

    @property
    def right(self) -> float:
        """The probability that the first result is right."""
        return self.results[0].right if self.results else 0.0

    @property
    def declines(self) -> bool:
        """Whether no answer is better than the first result."""
        return not self.results or _CAUTION * (1 - self.answerable) > self.right


@dataclass(frozen=True)
class ConfidenceModel:
    """Classifiers over the features of results: whether a result is right, and whether a question has an answer.

    Attributes:
        names: The features, in order.
        right: Trees whose score is the log odds.
        matcher: Measures further features from texts.
    """

    names: tuple[str, ...]
    right: Trees = field(repr=False)
    answerable: Trees = field(repr=False)
    matcher: TextMatcher | None = field(default=None, repr=False)

    def predict(self, features: Sequence[Mapping[str, float]]) -> tuple[list[float], float]:
        """Return the probability that each result is right, and that an answer exists, from the likeliest result."""
        rows = np.array([[one.get(name, np.nan) for name in self.names] for one in features], np.float32)
        rights = _predict(self.right, rows)
        first = int(np.argmax(rights))
        (answerable,) = _predict(self.answerable, rows[first : first + 1])
        return rights, answerable


def _predict(trees: Trees, rows: NDArray[np.float32]) -> list[float]:
    return [1 / (1 + exp(-float(score))) for score in trees.scores(rows)]


def decide_question(text: str, past: Iterable[PastTurn], table: FactTable, weights: FilingWeights) -> Decision:
    """Decide the answer to a question in the context of the turns before it."""
    return with_ranges(text, decide_without_ranges(text, past, table, weights), table.document)


def with_ranges(text: str, decision: Decision, document: Document) -> Decision:
    """Return a decision with ranges instead of one of their ends."""
    ranges = answer_with_ranges(text, decision.results, document)
    judged = [(place, result) for place, result in ranges if place < len(decision.features)]
    judged.sort(key=lambda one: -one[1].right)
    others = [result for place, result in ranges if place >= len(decision.features)]
    order = [place for place, _ in judged]
    features = tuple(decision.features[place] for place in order)
    texts = decision.texts.reorder(order) if decision.texts is not None else None
    return replace(decision, results=(*(result for _, result in judged), *others), features=features, texts=texts)


def decide_without_ranges(text: str, past: Iterable[PastTurn], table: FactTable, weights: FilingWeights) -> Decision:
    """Decide the answer to a question with a single number where the filing gives a range."""
    text, state = complete_turn(text, read_past(past, table, weights))
    understood = understand_turn(text, state, table, weights)
    results = _collect_results(understood)
    outline, names = mark_quoted_names(text, table.line_names)
    texts = [restore_names(part, names) for part in split_filing_question(outline)]
    parts = list(_decide_parts(texts, state, table, weights)) if len(texts) > 1 else []
    if not parts or not all(decision.results for _, decision in parts):
        return _estimate_confidence(understood, results, weights.confidence)
    known = [(part.likely, decision.results) for part, decision in parts]
    joined = tuple(answer_all_parts(known, results, table.document))
    decision = _estimate_confidence(understood, joined or results, weights.confidence)
    return replace(decision, parts=tuple(decision for _, decision in parts))


def _collect_results(understood: UnderstoodQuestion) -> tuple[PlanResult, ...]:
    proposals = drop_other_verdicts(understood.question, understood.proposals)
    return collect_results(proposals, understood.question.table.document)


def _decide_parts(
    texts: Sequence[str], state: TurnState, table: FactTable, weights: FilingWeights
) -> Iterator[tuple[UnderstoodQuestion, Decision]]:
    """Yield the decision for each part of a question, in the context of the parts before it."""
    for text in texts:
        understood = understand_turn(text, state, table, weights)
        decision = _estimate_confidence(understood, _collect_results(understood), weights.confidence)
        yield understood, decision
        plan = decision.results[0].proposal.plan if decision.results else None
        state = advance_state(state, PastTurn(text, plan, decision.right), table, weights)


def _estimate_confidence(
    understood: UnderstoodQuestion, results: tuple[PlanResult, ...], model: ConfidenceModel | None
) -> Decision:
    """Estimate the probability that each result is right, and sort the results by it."""
    question = understood.question
    lack = describe_lack(question)
    if not results:
        return Decision((), (), 0.0, lack=lack)
    features = measure_results(understood, results)
    texts = read_matched_texts(question, understood.state, results[: len(features)])
    if model is None:
        unjudged = tuple(replace(result, right=result.share) for result in results)
        return Decision(unjudged, features, 1.0, texts=texts)
    if model.matcher is not None:
        matched = model.matcher.measure(texts)
        features = tuple({**own, **more} for own, more in zip(features, matched, strict=True))
    rights, answerable = model.predict(features)
    if names_other_owner(question.reading.text, question.table.mentions) or _is_unmentioned(features[0]):
        answerable = min(answerable, _MOST_UNMENTIONED)
    judged, others = results[: len(features)], results[len(features) :]
    rights = weigh_by_rules(question, judged, rights, lack)
    judged = tuple(replace(result, right=right) for result, right in zip(judged, rights, strict=True))
    order = sorted(range(len(judged)), key=lambda place: -rights[place])
    ranked = (*(judged[place] for place in order), *others)
    sorted_features = tuple(features[place] for place in order)
    return Decision(ranked, sorted_features, answerable, lack=lack, texts=texts.reorder(order))


def _is_unmentioned(features: Mapping[str, float]) -> bool:
    """Return whether a filing has none of the words of a question, and hardly any synonyms of them."""
    found = features.get("joint_kind", 0.0) + features.get("joint_apart", 0.0)
    return 0 < features["asked"] == features["unheard"] and found < _LEAST_FOUND
