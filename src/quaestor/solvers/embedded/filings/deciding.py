"""Whether and how a question about a filing is answered: results of all likely plans, each with its probability.

Plans that come to one result support each other. How often a result like the first is right, and how often a question
like this one has no answer in its filing, two models say that are learned on questions about other companies' filings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log

import numpy as np

from quaestor.core.answer_value import AnswerValue, Number
from quaestor.core.quantity import Scale
from quaestor.errors import PlanError
from quaestor.facts.table import FactTable
from quaestor.plan.execute import execute
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.questions.question_parts import split_questions
from quaestor.questions.understanding import INTENTS
from quaestor.solvers.answering import with_label_scales
from quaestor.solvers.embedded.filings.composing import Proposal
from quaestor.solvers.embedded.filings.turns import FilingWeights, PastTurn, Understood, understand_turn
from quaestor.solvers.embedded.model.trees import Trees

_TRIED = 16
"""Plans that are executed."""
_FORMS = (
    "value", "measure", "ratio", "share", "sum", "growth", "change", "difference", "cagr", "average", "list", "members",
    "ranking", "compare", "words", "parts", "before",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Result:
    """What one or several plans come to.

    Attributes:
        value: The value.
        scale: What one unit of it stands for.
        proposals: The plans, the likeliest first.
        share: Their probability among all plans.
    """

    value: AnswerValue
    scale: Scale
    proposals: tuple[Proposal, ...]
    share: float

    @property
    def proposal(self) -> Proposal:
        """The likeliest plan."""
        return self.proposals[0]


@dataclass(frozen=True)
class Decision:
    """What is known of a question's answer.

    Attributes:
        results: The results, the likeliest first.
        features: What the probabilities are computed from; empty if there is no result.
        right: The probability that the first is right.
        answerable: The probability that the filing has an answer.
    """

    results: tuple[Result, ...]
    features: Mapping[str, float]
    right: float
    answerable: float

    @property
    def declines(self) -> bool:
        """Whether no answer is likelier than the first result to be right."""
        return not self.results or 1 - self.answerable > self.right


@dataclass(frozen=True)
class ConfidenceModel:
    """Two classifiers over `decision_features`: of results that are right, and of questions that have an answer.

    Attributes:
        names: The features, in order.
        right: Trees whose score is the log odds.
        answerable: Likewise.
    """

    names: tuple[str, ...]
    right: Trees = field(repr=False)
    answerable: Trees = field(repr=False)

    def predict(self, features: Mapping[str, float]) -> tuple[float, float]:
        """Return the probability that the first result is right, and that there is an answer."""
        row = np.array([[features.get(name, np.nan) for name in self.names]], np.float32)
        right, answerable = (1 / (1 + exp(-float(trees.scores(row)[0]))) for trees in (self.right, self.answerable))
        return right, answerable


def collect_results(understood: Understood) -> tuple[Result, ...]:
    """Return what the plans for a question come to, the likeliest first; plans that cannot be executed are left out."""
    found: dict[object, list[Proposal]] = {}
    values: dict[object, tuple[AnswerValue, Scale]] = {}
    for proposal in understood.proposals[:_TRIED]:
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
    weights = {key: sum(exp(max(proposal.score, -30.0)) for proposal in several) for key, several in found.items()}
    total = sum(weights.values()) or 1.0
    results = [Result(*values[key], tuple(several), weights[key] / total) for key, several in found.items()]
    return tuple(sorted(results, key=lambda result: -result.share))


def decide_question(text: str, past: Sequence[PastTurn], table: FactTable, weights: FilingWeights) -> Decision:
    """Return what is known of the answer to a question after the turns before."""
    understood = understand_turn(text, past, table, weights)
    results = collect_results(understood)
    parts = split_questions(text)
    if len(parts) > 1 and (joined := _join_parts(parts, past, table, weights)) is not None:
        understood, results = joined
    if not results:
        return Decision((), {}, 0.0, 0.0)
    features = decision_features(understood, results)
    right, answerable = weights.confidence.predict(features) if weights.confidence else (results[0].share, 1.0)
    return Decision(results, features, right, answerable)


def _join_parts(
    parts: Sequence[str], past: Sequence[PastTurn], table: FactTable, weights: FilingWeights
) -> tuple[Understood, tuple[Result, ...]] | None:
    """Return the list of the answers to several questions, with the least sure of them; None if one has no answer."""
    asked = list(past)
    decided: list[tuple[Understood, tuple[Result, ...]]] = []
    for part in parts:
        understood = understand_turn(part, asked, table, weights)
        results = collect_results(understood)
        if not results:
            return None
        decided.append((understood, results))
        asked.append(PastTurn(part, results[0].proposal.plan))
    firsts = [results[0] for _, results in decided]
    understood, results = min(decided, key=lambda one: one[1][0].share)
    plan = join_plans([first.proposal.plan for first in firsts])
    try:
        result = execute(with_label_scales(plan, table.document), ()).result
    except PlanError:
        return None
    if result.value is None:
        return None
    proposal = replace(
        results[0].proposal,
        plan=plan,
        form="parts",
        series=tuple(series for first in firsts for series in first.proposal.series),
    )
    share = min(first.share for first in firsts)
    return understood, (Result(result.value, result.scale, (proposal,), share),)


def join_plans(plans: Sequence[Plan]) -> Plan:
    """Return one plan whose result lists the results of several."""
    steps: list[Extract | Compute] = []
    ends: list[Ref] = []
    for plan in plans:
        shift = len(steps)
        steps += [_shift_step(step, shift) for step in plan.steps]
        ends.append(Ref(len(steps)))
    return Plan((*steps, Compute(len(steps) + 1, "items", tuple(ends))))


def _shift_step(step: Extract | Compute, shift: int) -> Extract | Compute:
    if isinstance(step, Extract):
        return replace(step, id=step.id + shift)
    operands = tuple(
        replace(operand, step=operand.step + shift) if isinstance(operand, Ref) and operand.step > 0 else operand
        for operand in step.operands
    )
    return replace(step, id=step.id + shift, operands=operands)


def decision_features(understood: Understood, results: Sequence[Result]) -> dict[str, float]:
    """Return what tells right results from wrong ones, and questions that have an answer from others."""
    question, first = understood.question, results[0]
    table, proposal = question.table, first.proposal
    asked = {term for operand in question.reading.operands for term in operand.terms} - table.company
    seen = set[str]()
    for series in proposal.series:
        line = series.line
        seen |= {*line.label_terms, *line.path_terms, *line.title_terms, *series.column}
    named = {
        term for operand in question.reading.operands if operand.concepts or operand.measures for term in operand.terms
    }
    open_terms = asked - seen - named
    rarities = [table.rarity(term) for term in open_terms]
    unknown = [term for term in open_terms if term not in table.postings and term not in table.sentence_postings]
    total = sum(table.rarity(term) for term in asked) or 1.0
    second = results[1].share if len(results) > 1 else 0.0
    concepts = {concept for operand in question.reading.operands for concept in operand.concepts}
    moments = set(question.moments)
    features = {
        "share": first.share,
        "margin": log(first.share + 1e-6) - log(second + 1e-6),
        "score": proposal.score,
        "plans": float(len(first.proposals)),
        "results": float(len(results)),
        "asked": float(len(asked)),
        "open": float(len(open_terms)),
        "open_rarity": sum(rarities) / total,
        "rarest_open": max(rarities, default=0.0),
        "unknown": float(len(unknown)),
        "unheard": float(sum(term not in table.sentences.postings for term in unknown)),
        "concept": float(any(series.concept in concepts for series in proposal.series)),
        "tagged": float(any(series.line.tagged for series in proposal.series)),
        "statement": float(all(series.line.role.is_statement for series in proposal.series)),
        "of_text": float(any(bool(series.line.sentence) for series in proposal.series)),
        "members": float(any(series.members for series in proposal.series)),
        "column": float(max((len(series.column) for series in proposal.series), default=0)),
        "times_asked": float(len(moments)),
        "times_found": float(len(moments & set(proposal.moments))) / len(moments) if moments else 1.0,
        "latest": float(any(moment.end == table.latest.end for moment in proposal.moments)),
        "goes_on": float(question.reading.goes_on),
        "before": float(bool(question.before)),
        "own": float(question.own),
        "operands": float(len(question.operands)),
        "percent": float(first.scale is Scale.PERCENT),
        "lines": float(len(table.lines)),
        "best": max((bound.share for bounds in question.operands[:1] for bound in bounds[:1]), default=0.0),
    }
    features |= {f"form={form}": float(proposal.form == form) for form in _FORMS}
    features |= {f"intent={name}": question.intents[name] for name in INTENTS}
    return features | {f"plan_{name}": value for name, value in proposal.features.items()}
