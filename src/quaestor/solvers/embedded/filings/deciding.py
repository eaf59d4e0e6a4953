"""Choosing the answer to a question about a filing: executes the likely plans and estimates which result is right.

Plans with the same result support each other. One model estimates the probability that a result is right, another one
the probability that the filing has an answer; the answer is the result with the highest probability.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from math import exp, isclose, isnan, log, log10, nan, prod

import numpy as np
from numpy.typing import NDArray

from quaestor.core.answer_value import AnswerValue, Number, Text, ValueList, YesNo
from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.core.terms import terms
from quaestor.errors import PlanError
from quaestor.facts.table import FactTable
from quaestor.ontology.lexicon import LexiconMatch, read_lexicon
from quaestor.plan.execute import execute
from quaestor.plan.steps import Compute
from quaestor.questions.answer_units import KINDS, kind_of_number, share_of_kind
from quaestor.questions.owners import names_other_owner
from quaestor.questions.question_parts import split_filing_question
from quaestor.questions.quoted_names import mark_quoted_names, restore_names
from quaestor.questions.understanding import INTENTS
from quaestor.solvers.answering import with_label_scales
from quaestor.solvers.embedded.filings.binding import find_synonyms
from quaestor.solvers.embedded.filings.composing import BoundQuestion, Proposal
from quaestor.solvers.embedded.filings.composing.meanings import describe_lack
from quaestor.solvers.embedded.filings.evidence import count_lines, find_evidence, measure_coverage, measure_joint
from quaestor.solvers.embedded.filings.past import PastAnswer
from quaestor.solvers.embedded.filings.results import LOOKED_UP, SAME, PlanResult, list_sentences, read_amount
from quaestor.solvers.embedded.filings.rules import find_computed_measures, is_of_another, weigh_by_rules
from quaestor.solvers.embedded.filings.turns import (
    FilingWeights,
    PastTurn,
    QuestionProbabilities,
    UnderstoodQuestion,
    classify_plan,
    understand_turn,
)
from quaestor.solvers.embedded.trees import Trees

_TRIED = 16
"""Maximum number of plans to execute."""
_JUDGED = 8
"""Maximum number of results whose probability is estimated."""
_PER_PART = 4
"""Number of results of each part of a question that are combined with those of other parts."""
_JOINED, _QUOTES = 4, 4
"""Maximum numbers of joined part answers, and of quotations that may answer all parts, that are judged."""
_ROUNDED, _HALF = 0.006, 0.501
"""Tolerance between a rounded and an exact number, as a share and in units of the last digit."""
_PRINTED = lazy_regex(r"\d[\d,]*(?:\.\d+)?")
_PRINTED_IN = (1.0, 1e-3, 1e-6, 1e-9, 100.0)
"""Factors by which a sentence may print an amount; 100 for percentages."""
_SEVERAL = 2
_REPEATED = 0.01
"""Factor for combinations that use the same number for two parts."""
_SAME_LINE, _SAME_TABLE = 3.0, 2.0
"""Factors for combinations of numbers from one line, or from one table or sentence."""
_MOST_UNMENTIONED = 0.05
"""Maximum probability that a filing answers a question about a company that it does not mention, or none of whose words
it has.
"""
_LEAST_FOUND = 0.4
"""Minimum share of a question's needs that a filing must cover by synonyms if it has none of its words."""
_CAUTION = 2.2
"""Minimum ratio of the probability of an answer to that of having none, because a wrong number is worse than none."""
_COUNT = lazy_regex(r"\b(?:how many|number of) ([\w' -]{1,60})")
_VERB = lazy_regex(r" (?:did|does|do|are|were|was|is|has|have|had|can|will|in|at|of|there|that|people)\b")
_FORMS = (
    "value", "measure", "ratio", "share", "sum", "growth", "change", "difference", "cagr", "average", "list", "members",
    "ranking", "compare", "words", "parts", "before", "verdict",
)  # fmt: skip
_INTENTS_OF_FORM: Mapping[str, tuple[str, ...]] = {
    "value": ("lookup", "text_fact"), "before": ("lookup", "text_fact"), "measure": ("lookup", "ratio"),
    "ratio": ("ratio", "share"), "share": ("share", "ratio"), "difference": ("change",), "members": ("list",),
    "compare": ("comparison", "yesno"), "verdict": ("yesno", "comparison"), "parts": ("two_part",),
    "words": ("text_fact", "why", "description"),
}  # fmt: skip
"""Intents of questions that are answered in a form, if the form is not named like the intent."""


@dataclass(frozen=True)
class Decision:
    """The possible answers to a question, with their probabilities.

    Attributes:
        results: The results, likeliest first.
        features: The features of each result whose probability was estimated.
        answerable: The probability that the filing has an answer.
        parts: The decision for each part, if the question has several.
        lack: The missing inputs of the requested measure; "" if none.
    """

    results: tuple[PlanResult, ...]
    features: tuple[Mapping[str, float], ...]
    answerable: float
    parts: "tuple[Decision, ...]" = ()
    lack: str = ""

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
    """Classifiers over `measure_decision`: whether a result is right, and whether a question has an answer.

    Attributes:
        names: The features, in order.
        right: Trees whose score is the log odds.
    """

    names: tuple[str, ...]
    right: Trees = field(repr=False)
    answerable: Trees = field(repr=False)

    def predict(self, features: Sequence[Mapping[str, float]]) -> tuple[list[float], float]:
        """Return the probability that each result is right, and that an answer exists, from the likeliest result."""
        rows = np.array([[one.get(name, np.nan) for name in self.names] for one in features], np.float32)
        rights = _predict(self.right, rows)
        first = int(np.argmax(rights))
        (answerable,) = _predict(self.answerable, rows[first : first + 1])
        return rights, answerable


def _predict(trees: Trees, rows: NDArray[np.float32]) -> list[float]:
    return [1 / (1 + exp(-float(score))) for score in trees.scores(rows)]


def collect_results(understood: UnderstoodQuestion) -> tuple[PlanResult, ...]:
    """Execute the plans for a question and return their results, likeliest first."""
    found: dict[object, list[Proposal]] = {}
    values: dict[object, tuple[AnswerValue, Scale]] = {}
    for proposal in _drop_other_verdicts(understood)[:_TRIED]:
        try:
            result = execute(with_label_scales(proposal.plan, understood.question.table.document), ()).result
        except PlanError:
            continue
        if result.value is None:
            continue
        key: object = result.value
        if isinstance(result.value, Number):
            amount = float(result.value.value) * float(result.scale.factor)
            key = (f"{amount:.6g}", result.scale is Scale.PERCENT)
        found.setdefault(key, []).append(proposal)
        values.setdefault(key, (result.value, result.scale))
    _join_rounded(found, values)
    weights = {key: sum(exp(max(proposal.score, -30.0)) for proposal in several) for key, several in found.items()}
    total = sum(weights.values()) or 1.0
    results = [PlanResult(*values[key], tuple(several), weights[key] / total) for key, several in found.items()]
    return tuple(sorted(results, key=lambda result: -result.share))


def _join_rounded(found: dict[object, list[Proposal]], values: Mapping[object, tuple[AnswerValue, Scale]]) -> None:
    """Merge looked-up numbers that are printed rounded ("14.0 billion") into the exact ones."""
    printed: list[tuple[float, float, object]] = []
    for key, (value, scale) in values.items():
        if isinstance(value, Number) and found[key][0].form in LOOKED_UP:
            digit = 10.0 ** int(value.value.as_tuple().exponent) * float(scale.factor)
            printed.append((digit, float(value.value) * float(scale.factor), key))
    printed.sort(key=lambda one: one[0])
    for place, (digit, amount, key) in enumerate(printed):
        exact = next(
            (one for one in printed[:place] if one[0] < digit and one[2] in found and _is_rounded(one, amount, digit)),
            None,
        )
        if exact is not None:
            found[exact[2]] += found.pop(key)


def _is_rounded(exact: tuple[float, float, object], amount: float, digit: float) -> bool:
    return abs(exact[1] - amount) <= digit * _HALF and isclose(exact[1], amount, rel_tol=_ROUNDED)


def decide_question(text: str, past: Sequence[PastTurn], table: FactTable, weights: FilingWeights) -> Decision:
    """Decide the answer to a question in the context of the turns before it."""
    understood = understand_turn(text, past, table, weights)
    results = collect_results(understood)
    outline, names = mark_quoted_names(text, table.line_names)
    texts = tuple(restore_names(part, names) for part in split_filing_question(outline))
    if len(texts) == 1:
        return _estimate_confidence(understood, results, weights.confidence)
    parts = _decide_parts(texts, past, table, weights)
    if not all(decision.results for _, decision in parts):
        return _estimate_confidence(understood, results, weights.confidence)
    quotes = [_add_known_parts(result, parts) for result in results if result.proposal.form == "words"]
    joined = (*join_parts(parts, table), *quotes[:_QUOTES])
    decision = _estimate_confidence(understood, joined or results, weights.confidence)
    return replace(decision, parts=tuple(decision for _, decision in parts))


def _estimate_confidence(
    understood: UnderstoodQuestion, results: tuple[PlanResult, ...], model: ConfidenceModel | None
) -> Decision:
    """Estimate the probability that each result is right, and sort the results by it."""
    question = understood.question
    if not results:
        return Decision((), (), 0.0, lack=describe_lack(question))
    judged = results[:_JUDGED]
    agreements, evidence = measure_agreements(judged), find_evidence(question, understood.inherited)
    joint = measure_joint(evidence, question, list(map(float, understood.likely.kinds)))
    shared = {**count_lines(question), **joint}
    features = tuple(
        {
            **measure_decision(understood, results, place),
            **measure_coverage(evidence, result.proposal, question.table),
            **shared,
            "agreement": agreements[place],
        }
        for place, result in enumerate(judged)
    )
    features = tuple({**one, **_measure_gap(one, features)} for one in features)
    if model is None:
        return Decision(tuple(replace(result, right=result.share) for result in results), features, 1.0)
    rights, answerable = model.predict(features)
    if names_other_owner(question.reading.text, question.table.mentions) or _is_unmentioned(features[0]):
        answerable = min(answerable, _MOST_UNMENTIONED)
    lack = describe_lack(question)
    rights = weigh_by_rules(question, judged, rights, lack)
    judged = tuple(replace(result, right=right) for result, right in zip(judged, rights, strict=True))
    order = sorted(range(len(judged)), key=lambda place: -rights[place])
    ranked = *(judged[place] for place in order), *results[_JUDGED:]
    return Decision(ranked, tuple(features[place] for place in order), answerable, lack=lack)


def _drop_other_verdicts(understood: UnderstoodQuestion) -> Sequence[Proposal]:
    """Return the plans for a question without yes-or-no sentences about something other than its measure."""
    table, proposals = understood.question.table, understood.proposals
    measures = find_computed_measures(understood.question, proposals)
    if not measures:
        return proposals
    return [one for one in proposals if one.form != "verdict" or not is_of_another(one, measures, table)]


def _is_unmentioned(features: Mapping[str, float]) -> bool:
    """Return whether a filing has none of the words of a question, and hardly any synonyms of them."""
    found = features.get("joint_kind", 0.0) + features.get("joint_apart", 0.0)
    return 0 < features["asked"] == features["unheard"] and found < _LEAST_FOUND


_LESS_IS_BETTER = ("needs_open_own", "rarest_need_open_own", "needs_open_inherited")
_MORE_IS_BETTER = ("form_asked", "kind_fits")


def _measure_gap(features: Mapping[str, float], judged: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return how far a result is behind the best of the judged results."""
    known = {name: [one[name] for one in judged if not isnan(one[name])] for name in _LESS_IS_BETTER + _MORE_IS_BETTER}
    least = {f"{name}_behind": features[name] - min(known[name], default=nan) for name in _LESS_IS_BETTER}
    return least | {f"{name}_behind": max(known[name], default=nan) - features[name] for name in _MORE_IS_BETTER}


Part = tuple[UnderstoodQuestion, Decision]


def _decide_parts(
    texts: Sequence[str], past: Sequence[PastTurn], table: FactTable, weights: FilingWeights
) -> list[Part]:
    """Decide the answer to each part of a question, in the context of the parts before it."""
    asked = list(past)
    found: list[Part] = []
    for text in texts:
        understood = understand_turn(text, asked, table, weights)
        decision = _estimate_confidence(understood, collect_results(understood), weights.confidence)
        found.append((understood, decision))
        plan = decision.results[0].proposal.plan if decision.results else None
        asked.append(PastTurn(text, plan, decision.right))
    return found


def join_parts(parts: Sequence[Part], table: FactTable) -> list[PlanResult]:
    """Return the joined answers to several questions, likeliest first."""
    from quaestor.solvers.parts import join_plans

    weighed = [weigh_results(understood.likely, decision.results) for understood, decision in parts]
    found = []
    for weight, firsts in combine_parts(weighed)[:_JOINED]:
        plan = join_plans([first.proposal.plan for first in firsts])
        try:
            result = execute(with_label_scales(plan, table.document), ()).result
        except PlanError:
            continue
        if result.value is None:
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
        found.append(PlanResult(result.value, result.scale, (proposal,), prod(first.share for first in firsts)))
    return found


def _add_known_parts(quote: PlanResult, parts: Sequence[Part]) -> PlanResult:
    """Add features to a quotation that say how likely it answers each of several questions."""
    quoted = set(list_sentences(quote.proposal))
    rights = [
        max((one.right for one in known.results if not quoted.isdisjoint(list_sentences(one.proposal))), default=0.0)
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
    quoted = {place: result for result in reversed(results) for place in _list_quoted(result)}
    found = []
    for result in results[:_JUDGED]:
        if isinstance(result.value, Text) or result.proposal.form == "words":
            found.append((result.right * words, result))
        elif isinstance(result.value, YesNo | ValueList):
            continue
        else:
            within = [quoted[place].right for place in list_sentences(result.proposal) if place in quoted]
            found.append((max([result.right, *within]) * (1 - words), result))
    found.sort(key=lambda one: -one[0])
    return found[:_PER_PART] or [(results[0].right, results[0])]


def _list_quoted(result: PlanResult) -> Iterator[tuple[str, int]]:
    return list_sentences(result.proposal) if result.proposal.form == "words" else iter(())


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


def measure_decision(understood: UnderstoodQuestion, results: Sequence[PlanResult], place: int) -> dict[str, float]:
    """Return the features that separate right results from wrong ones, and answerable questions from others."""
    question, result = understood.question, results[place]
    table, proposal = question.table, result.proposal
    asked = {term for operand in question.reading.operands for term in operand.terms} - table.company
    seen = set[str]()
    for series in proposal.series:
        line = series.line
        seen |= {*line.label_terms, *line.path_terms, *line.title_terms, *series.column}
    matches = [match for operand in question.reading.operands for match in operand.matches]
    index = table.sentences
    places = [index.places[at] for at in list_sentences(proposal) if at in index.places]
    found_terms = seen.union(*(index.terms[place] for place in places))
    unmet = [match for match in matches if not _is_met(match, proposal, found_terms)]
    counted = _COUNT.search(question.reading.text.lower())
    what = terms(_VERB.split(counted[1], maxsplit=1)[0])[-2:] if counted else ()
    named = {
        term
        for operand in question.reading.operands
        for match in operand.matches
        for term in operand.phrase[match.start : match.end]
    }
    open_terms = asked - seen - named
    rarities = [table.rarity(term) for term in open_terms]
    unknown = [term for term in open_terms if term not in table.postings and term not in table.sentence_postings]
    total = sum(table.rarity(term) for term in asked) or 1.0
    meant = _find_printed_synonyms(question, open_terms, found_terms.__contains__)
    strange = set(unknown) - _find_printed_synonyms(question, unknown, table.mentions)
    names = [term for term in open_terms if term in table.sentences.names or term in unknown]
    other = max((one.share for one in results if one is not result), default=0.0)
    concepts = {concept for operand in question.reading.operands for concept in operand.concepts}
    moments = set(question.moments)
    features = {
        "share": result.share,
        "rank": float(place),
        "margin": log(result.share + 1e-6) - log(other + 1e-6),
        "score": proposal.score,
        "plans": float(len(result.proposals)),
        "kind_fits": _measure_kind_fit(understood.likely, result),
        "words_asked": float(understood.likely.kinds[KINDS.index("words")]),
        "sentence": max((understood.likely.sentences.get(at, 0.0) for at in list_sentences(proposal)), default=0.0),
        "size": min(12.0, log10(abs(float(result.value.value)) + 1.0)) if isinstance(result.value, Number) else -1.0,
        "results": float(len(results)),
        "asked": float(len(asked)),
        "open": float(len(open_terms)),
        "open_rarity": sum(rarities) / total,
        "rarest_open": max(rarities, default=0.0),
        "open_unmeant": float(len(open_terms - meant)),
        "open_unmeant_rarity": sum(table.rarity(term) for term in open_terms - meant) / total,
        "open_names": float(len(names)),
        "open_names_rarity": max((table.rarity(term) for term in names), default=0.0),
        "other_owner": float(names_other_owner(question.reading.text, table.knows)),
        "unknown": float(len(unknown)),
        "strange": float(len(strange)),
        "unheard": float(sum(term not in table.sentences.postings for term in unknown)),
        "concept": float(any(series.concept in concepts for series in proposal.series)),
        "tagged": float(any(series.line.tagged for series in proposal.series)),
        "statement": float(all(series.line.role.is_statement for series in proposal.series)),
        "of_text": float(any(bool(series.line.sentence) for series in proposal.series)),
        "members": float(any(series.members for series in proposal.series)),
        "column": float(max((len(series.column) for series in proposal.series), default=0)),
        "times_asked": float(len(moments)),
        "times_found": float(len(moments & set(proposal.moments))) / len(moments) if moments else 1.0,
        "unmet": float(len(unmet)),
        "unmet_rarity": max((table.rarity(one) for match in unmet for one in _phrase(match, question)), default=0.0),
        "span_apart": _measure_missing_periods(question, proposal),
        "counted": float(any(one in found_terms for one in what)) if what else nan,
        "counted_rarity": max((table.rarity(one) for one in what if one not in found_terms), default=0.0),
        "latest": float(any(moment.end == table.latest.end for moment in proposal.moments)),
        "goes_on": float(question.reading.goes_on),
        "before": float(bool(question.before)),
        **_compare_with_last(question.last, proposal),
        "own": float(question.own),
        "before_right": understood.past[-1] if understood.past else nan,
        "before_least": min(understood.past, default=nan),
        "operands": float(len(question.operands)),
        "percent": float(result.scale is Scale.PERCENT),
        "lines": float(len(table.lines)),
        "best": max((bound.share for bounds in question.operands[:1] for bound in bounds[:1]), default=0.0),
    }
    question_terms = {*terms(question.reading.text), *table.company, "total", "net"}
    features |= {
        f"{name}_unasked": max((len(part - question_terms) / len(part) for part in parts if part), default=nan)
        for name, parts in (
            ("label", [set(series.line.label_terms) for series in proposal.series]),
            ("column", [set(series.column) for series in proposal.series]),
            ("path", [series.line.above_terms for series in proposal.series]),
        )
    }
    features |= _measure_numbers(result)
    form = proposal.form
    features["form_asked"] = sum(question.intents.get(name, 0.0) for name in _INTENTS_OF_FORM.get(form, (form,)))
    features |= {f"form={form}": float(proposal.form == form) for form in _FORMS}
    features |= {f"intent={name}": question.intents[name] for name in INTENTS}
    return features | {f"plan_{name}": value for name, value in proposal.features.items()}


def _measure_numbers(result: PlanResult) -> dict[str, float]:
    """Return features of how well the numbers of a calculation fit together; empty for a single number."""
    series = result.proposal.series
    if len(series) < _SEVERAL or not isinstance(result.value, Number):
        return {}
    firsts = [(one.first, not one.line.sentence) for one in series]
    kinds = {kind_of_number(cell.amount, cell.scale, cell.unit, in_table=in_table) for cell, in_table in firsts}
    return {
        "kinds_apart": float(len(kinds) - 1),
        "tables_apart": float(len({one.line.sentence or one.line.table for one in series}) - 1),
        "times_apart": float(len(set(result.proposal.moments)) - 1),
        "whole": float(abs(result.value.value) > 1),
    }


def _compare_with_last(last: PastAnswer | None, proposal: Proposal) -> dict[str, float]:
    """Return features for what a result shares with the last answer: numbers, lines, measure, kind and member."""
    if last is None:
        return {}
    numbers = {(leaf.series.place, leaf.moment) for node in last.measured for leaf in node.leaves() if leaf.series}
    used = set(zip((series.place for series in proposal.series), proposal.moments, strict=False))
    lines, members = {series.place for series in last.series}, {series.members for series in last.series}
    measures = {series.concept or series.line.label_terms for series in last.series}
    kinds = [
        classify_plan(form, series) for form, series in ((proposal.form, proposal.series), (last.form, last.series))
    ]
    return {
        "last_numbers": float(len(last.measured)),
        "last_taken": len(numbers & used) / max(1, len(numbers)),
        "last_lines": sum(series.place in lines for series in proposal.series) / max(1, len(proposal.series)),
        "last_measures": float(any((one.concept or one.line.label_terms) in measures for one in proposal.series)),
        "last_kind": float(kinds[0] == kinds[1]),
        "last_members": float(any(series.members in members for series in proposal.series if series.members)),
    }


def _is_met(match: LexiconMatch, proposal: Proposal, seen: AbstractSet[str]) -> bool:
    """Return whether a result is about what a phrase names, by its concept, its formula, or any of its names."""
    lexicon = read_lexicon()
    concepts = {series.concept for series in proposal.series}
    known = [lexicon.measures[name] for name in match.measures]
    if not concepts.isdisjoint(match.concepts):
        return True
    if any(one.formula and not concepts.isdisjoint(one.formula.concepts()) for one in known):
        return True
    named = [lexicon.concepts[name] for name in match.concepts if name in lexicon.concepts]
    phrases = [phrase for one in known for phrase in one.phrases] + [phrase for one in named for phrase in one.phrases]
    return any(seen >= set(phrase) for phrase in phrases)


def _phrase(match: LexiconMatch, question: BoundQuestion) -> tuple[str, ...]:
    phrases = (operand.phrase for operand in question.reading.operands if match in operand.matches)
    return next((phrase[match.start : match.end] for phrase in phrases), ())


def _measure_missing_periods(question: BoundQuestion, proposal: Proposal) -> float:
    """Return the share of the requested periods for which a result has no number."""
    asked = [moment for moment in question.moments if moment.months]
    if not asked:
        return 0.0
    flows = any(
        moment is not None and moment.months
        for operand in question.reading.operands
        for concept in operand.concepts
        for line in question.table.by_concept.get(concept, ())
        for moment in line.moments
    )
    found = {(moment.end, moment.months) for moment in proposal.moments}
    # A balance belongs to the end of a period; a flow does not.
    ends = set() if flows else {end for end, months in found if not months}
    return sum((one.end, one.months) not in found and one.end not in ends for one in asked) / len(asked)


def _find_printed_synonyms(
    question: BoundQuestion, wanted: Collection[str], is_printed: Callable[[str], bool]
) -> set[str]:
    """Return the terms of a question that the document prints as synonyms."""
    return {
        term
        for operand in question.reading.operands
        for synonym in find_synonyms(operand.phrase, wanted, is_printed)
        for term in synonym.replaced
    }


def measure_agreements(results: Sequence[PlanResult]) -> list[float]:
    """Return, for each result, the probability of a quotation that prints its number, or of a number that it prints."""
    found = [0.0] * len(results)
    printed = {
        place: [float(number.replace(",", "")) for number in _PRINTED.findall(str(result.value))]
        for place, result in enumerate(results)
        if result.proposal.form == "words"
    }
    for place, result in enumerate(results):
        amount = read_amount(result)
        if not amount or place in printed:
            continue
        sizes = [abs(amount) * factor for factor in _PRINTED_IN]
        for other, numbers in printed.items():
            if any(isclose(number, size, rel_tol=SAME) for number in numbers for size in sizes):
                found[place] = max(found[place], results[other].share)
                found[other] = max(found[other], result.share)
    return found


def _measure_kind_fit(likely: QuestionProbabilities, result: PlanResult) -> float:
    """Return the probability that a result's kind is requested; nan for lists and for yes and no."""
    kinds = dict(zip(KINDS, map(float, likely.kinds), strict=True))
    if isinstance(result.value, Text) or result.proposal.form == "words":
        return kinds["words"]
    if not isinstance(result.value, Number):
        return nan
    if result.scale is Scale.PERCENT:
        return kinds["percent"]
    if any(isinstance(step, Compute) and step.operation == "divide" for step in result.proposal.plan.steps[-1:]):
        return kinds["ratio"] + kinds["percent"]
    return share_of_kind(kinds, classify_plan(result.proposal.form, result.proposal.series))
