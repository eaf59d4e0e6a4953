"""Features of results, from which the confidence is estimated."""

from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import fsum, isclose, isnan, log, log10, nan

from quaestor.core.answer_value import Number, Text
from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.core.terms import terms
from quaestor.ontology.lexicon import LexiconMatch, find_synonyms, read_lexicon
from quaestor.ontology.word_vectors import SIMILARITIES, read_word_vectors
from quaestor.plan.steps import Compute
from quaestor.questions.answer_units import KINDS, share_of_kind
from quaestor.questions.understanding import INTENTS
from quaestor.questions.word_patterns import STOP_TERMS, names_other_owner
from quaestor.solvers.embedded.filings.binding import QuestionProbabilities
from quaestor.solvers.embedded.filings.composing import BoundQuestion, Proposal, list_intents
from quaestor.solvers.embedded.filings.composing.finding import list_member_names
from quaestor.solvers.embedded.filings.composing.meanings import refers_back
from quaestor.solvers.embedded.filings.evidence import count_lines, find_evidence, measure_coverage, measure_joint
from quaestor.solvers.embedded.filings.past import asks_for_same
from quaestor.solvers.embedded.filings.results import (
    JUDGED,
    SAME,
    PlanResult,
    classify_plan,
    list_sentences,
    read_amount,
)
from quaestor.solvers.embedded.filings.turns import UnderstoodQuestion

_FORMS = (
    "value", "measure", "ratio", "share", "sum", "growth", "change", "difference", "cagr", "average", "list", "members",
    "ranking", "compare", "words", "parts", "before", "verdict",
)  # fmt: skip
_PRINTED = lazy_regex(r"\d[\d,]*(?:\.\d+)?")
_PRINTED_IN = (1.0, 1e-3, 1e-6, 1e-9, 100.0)
"""Factors by which a sentence may print an amount; 100 for percentages."""
_COUNT = lazy_regex(r"\b(?:how many|number of) ([\w' -]{1,60})")
_VERB = lazy_regex(r" (?:did|does|do|are|were|was|is|has|have|had|can|will|in|at|of|there|that|people)\b")
_LESS_IS_BETTER = ("needs_open_own", "rarest_need_open_own", "needs_open_inherited")
_MORE_IS_BETTER = ("form_asked", "kind_fits")


def measure_results(understood: UnderstoodQuestion, results: Sequence[PlanResult]) -> tuple[dict[str, float], ...]:
    """Return the features of the likeliest results that separate right from wrong, and answerable from others."""
    question, judged = understood.question, results[:JUDGED]
    agreements, evidence = measure_agreements(judged), find_evidence(question, understood.state.terms)
    shared = {
        **count_lines(question),
        **measure_joint(evidence, question, list(map(float, understood.likely.kinds))),
        **_measure_question(understood, results),
    }
    rows = [
        {
            **_measure_result(understood, results, place),
            **measure_coverage(evidence, result.proposal, question.table),
            **shared,
            "agreement": agreements[place],
        }
        for place, result in enumerate(judged)
    ]
    return tuple({**row, **_measure_gap(row, rows)} for row in rows)


def _measure_question(understood: UnderstoodQuestion, results: Sequence[PlanResult]) -> dict[str, float]:
    """Return the features that all results of a question share."""
    question, rights = understood.question, understood.state.rights
    return {
        "words_asked": float(understood.likely.kinds[KINDS.index("words")]),
        "results": float(len(results)),
        "other_owner": float(names_other_owner(question.reading.text, question.table.knows)),
        "times_asked": float(len(set(question.moments))),
        "goes_on": float(question.reading.goes_on),
        "before": float(bool(question.before)),
        "own": float(question.own),
        "before_right": rights[-1] if rights else nan,
        "before_least": min(rights, default=nan),
        "operands": float(len(question.operands)),
        "lines": float(len(question.table.lines)),
        "best": max((bound.share for bounds in question.operands[:1] for bound in bounds[:1]), default=0.0),
        **{f"intent={name}": question.intents[name] for name in INTENTS},
    }


def _measure_result(understood: UnderstoodQuestion, results: Sequence[PlanResult], place: int) -> dict[str, float]:
    """Return the features of one result."""
    question, result = understood.question, results[place]
    proposal, form, moments = result.proposal, result.proposal.form, set(question.moments)
    other = max((one.share for one in results if one is not result), default=0.0)
    sentences = understood.likely.sentences
    features = {
        "share": result.share,
        "rank": float(place),
        "margin": log(result.share + 1e-6) - log(other + 1e-6),
        "score": proposal.score,
        "plans": float(len(result.proposals)),
        "kind_fits": _measure_kind_fit(understood.likely, result),
        "sentence": max((sentences.get(at, 0.0) for at in list_sentences(proposal.plan)), default=0.0),
        "size": min(12.0, log10(abs(float(result.value.value)) + 1.0)) if isinstance(result.value, Number) else -1.0,
        "times_found": float(len(moments & set(proposal.moments))) / len(moments) if moments else 1.0,
        "span_apart": _measure_missing_periods(question, proposal),
        "latest": float(any(moment.end == question.table.latest.end for moment in proposal.moments)),
        "percent": float(result.scale is Scale.PERCENT),
        "form_asked": sum(question.intents.get(name, 0.0) for name in list_intents(form)),
        **{f"form={name}": float(name == form) for name in _FORMS},
        **{f"plan_{name}": value for name, value in proposal.features.items()},
    }
    features |= _measure_series(question, proposal) | _measure_terms(question, proposal)
    features |= _measure_line(question, proposal)
    return features | _measure_numbers(result) | _compare_with_last(question, proposal)


def _measure_line(question: BoundQuestion, proposal: Proposal) -> dict[str, float]:
    """Return the features by which the first line of a plan was ranked for an operand; empty if it was not."""
    place = proposal.series[0].place if proposal.series else None
    for bounds in question.operands:
        for bound in bounds:
            if bound.series.place == place:
                ranked = {f"line_{name}": value for name, value in bound.features.items() if "=" not in name}
                return {**ranked, "line_share": bound.share}
    return {}


def _measure_series(question: BoundQuestion, proposal: Proposal) -> dict[str, float]:
    """Return features of the lines that a plan uses."""
    concepts = {concept for operand in question.reading.operands for concept in operand.concepts}
    expected = {*terms(question.reading.text), *question.table.company, "total", "net"}
    named: Mapping[str, list[AbstractSet[str]]] = {
        "label": [set(series.line.label_terms) for series in proposal.series],
        "column": [set(series.column) for series in proposal.series],
        "path": [series.line.above_terms for series in proposal.series],
    }
    return {
        "concept": float(any(series.concept in concepts for series in proposal.series)),
        "tagged": float(any(series.line.tagged for series in proposal.series)),
        "statement": float(all(series.line.role.is_statement for series in proposal.series)),
        "of_text": float(any(bool(series.line.sentence) for series in proposal.series)),
        "members": float(any(series.members for series in proposal.series)),
        "column": float(max((len(series.column) for series in proposal.series), default=0)),
        **{
            f"{name}_unasked": max((len(part - expected) / len(part) for part in parts if part), default=nan)
            for name, parts in named.items()
        },
    }


def _measure_terms(question: BoundQuestion, proposal: Proposal) -> dict[str, float]:
    """Return features of the terms of a question that the lines and sentences of a plan lack."""
    table, operands = question.table, question.reading.operands
    asked = {term for operand in operands for term in operand.terms} - table.company
    seen = set[str]()
    for series in proposal.series:
        line = series.line
        seen |= {*line.label_terms, *line.path_terms, *line.title_terms, *series.column}
    index = table.sentences
    places = [index.places[at] for at in list_sentences(proposal.plan) if at in index.places]
    found = seen.union(*(index.terms[place] for place in places))
    matched = [(one, operand.phrase[one.start : one.end]) for operand in operands for one in operand.matches]
    phrases = dict(reversed(matched))
    unmet = [match for match, _ in matched if not _is_met(match, proposal, found)]
    open_terms = asked - seen - {term for _, phrase in matched for term in phrase}
    unmeant = open_terms - _find_printed_synonyms(question, open_terms, found.__contains__)
    unknown = [term for term in open_terms if term not in table.postings and term not in table.sentence_postings]
    names = [term for term in open_terms if term in index.names or term in unknown]
    counted = _COUNT.search(question.reading.text.lower())
    what = terms(_VERB.split(counted[1], maxsplit=1)[0])[-2:] if counted else ()
    total = fsum(table.rarity(term) for term in asked) or 1.0
    meaningful = {term for term in terms(question.reading.text) if term not in STOP_TERMS} - table.company
    [similar] = read_word_vectors().compare(sorted(meaningful), [sorted(found)]).tolist()
    return {
        **{f"found_{name}": value for name, value in zip(SIMILARITIES, similar, strict=True)},
        "asked": float(len(asked)),
        "open": float(len(open_terms)),
        "open_rarity": fsum(table.rarity(term) for term in open_terms) / total,
        "rarest_open": max((table.rarity(term) for term in open_terms), default=0.0),
        "open_unmeant": float(len(unmeant)),
        "open_unmeant_rarity": fsum(table.rarity(term) for term in unmeant) / total,
        "open_names": float(len(names)),
        "open_names_rarity": max((table.rarity(term) for term in names), default=0.0),
        "unknown": float(len(unknown)),
        "strange": float(len(set(unknown) - _find_printed_synonyms(question, unknown, table.mentions))),
        "unheard": float(sum(term not in index.postings for term in unknown)),
        "unmet": float(len(unmet)),
        "unmet_rarity": max((table.rarity(term) for match in unmet for term in phrases[match]), default=0.0),
        "counted": float(any(one in found for one in what)) if what else nan,
        "counted_rarity": max((table.rarity(one) for one in what if one not in found), default=0.0),
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


def _measure_numbers(result: PlanResult) -> dict[str, float]:
    """Return features of how well the numbers of a calculation fit together; empty for a single number."""
    series = result.proposal.series
    if len(series) < 2 or not isinstance(result.value, Number):
        return {}
    return {
        "kinds_apart": float(len({one.kind for one in series}) - 1),
        "tables_apart": float(len({one.line.sentence or one.line.table for one in series}) - 1),
        "times_apart": float(len(set(result.proposal.moments)) - 1),
        "whole": float(abs(result.value.value) > 1),
    }


def _compare_with_last(question: BoundQuestion, proposal: Proposal) -> dict[str, float]:
    """Return features for what a result shares with the last answer: numbers, lines, measure, kind and member.

    Also which numbers it shares with the answer before it.
    """
    last = question.last
    if last is None:
        return {}
    names = [list_member_names(series, question.table) for series in (*last.series[:1], *proposal.series)]
    rows = {series.line.place for series in last.series if not series.line.sentence}
    numbers, earlier = (
        {
            (leaf.series.place, leaf.moment)
            for past in some
            for node in past.measured
            for leaf in node.leaves()
            if leaf.series
        }
        for some in (question.before[:1], question.before[1:2])
    )
    used = set(zip((series.place for series in proposal.series), proposal.moments, strict=False))
    lines, members = {series.place for series in last.series}, {series.members for series in last.series}
    measures = {series.concept or series.line.label_terms for series in last.series}
    kinds = [
        classify_plan(form, series) for form, series in ((proposal.form, proposal.series), (last.form, last.series))
    ]
    return {
        "last_numbers": float(len(last.measured)),
        "last_taken": len(numbers & used) / max(1, len(numbers)),
        "earlier_taken": len(earlier & used) / len(earlier) if earlier else nan,
        "last_lines": sum(series.place in lines for series in proposal.series) / max(1, len(proposal.series)),
        "last_measures": float(any((one.concept or one.line.label_terms) in measures for one in proposal.series)),
        "last_kind": float(kinds[0] == kinds[1]),
        "last_rows": sum(series.line.place in rows for series in proposal.series) / max(1, len(proposal.series)),
        "last_named": sum(not name.isdisjoint(names[0]) for name in names[1:]) / max(1, len(names) - 1)
        if names
        else 0.0,
        "refers_back": float(refers_back(question)),
        "same_asked": float(asks_for_same(question.text)),
        "last_members": float(any(series.members in members for series in proposal.series if series.members)),
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


def _measure_gap(features: Mapping[str, float], judged: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return how far the features of a result are behind the best of all judged results."""
    known = {name: [one[name] for one in judged if not isnan(one[name])] for name in _LESS_IS_BETTER + _MORE_IS_BETTER}
    least = {f"{name}_behind": features[name] - min(known[name], default=nan) for name in _LESS_IS_BETTER}
    return least | {f"{name}_behind": max(known[name], default=nan) - features[name] for name in _MORE_IS_BETTER}
