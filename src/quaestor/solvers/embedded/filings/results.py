"""Executes plans; those with the same result support each other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import exp, isclose

from quaestor.core.answer_value import AnswerValue, Number
from quaestor.core.provenance import SentenceRef
from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.errors import PlanError
from quaestor.facts.table import Series
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.steps import Plan
from quaestor.solvers.answering import with_label_scales
from quaestor.solvers.embedded.filings.composing import Proposal

LOOKED_UP = ("value", "before")
"""Forms of plans that look up a single number."""
SAME = 0.005
"""Relative tolerance for equal numbers, because one of them may be rounded."""
JUDGED = 8
"""Maximum number of results whose probability is estimated."""
_TRIED = 16
"""Maximum number of plans to execute."""
_RELATIVE = frozenset({"growth", "share", "cagr"})
_ROUNDED, _HALF = 0.006, 0.501
"""Tolerance between a rounded and an exact number, as a share and in units of the last digit."""


@dataclass(frozen=True, slots=True)
class PlanResult:
    """Result of one or several plans.

    Attributes:
        scale: The multiplier of its number.
        proposals: The plans, likeliest first.
        share: Their probability among all plans.
        right: The probability that it is right; 0 if it was not judged.
    """

    value: AnswerValue
    scale: Scale
    proposals: tuple[Proposal, ...]
    share: float
    right: float = 0.0

    @property
    def proposal(self) -> Proposal:
        """The likeliest plan."""
        return self.proposals[0]


def execute_plan(plan: Plan, document: Document) -> StepResult | None:
    """Return the result of a plan, or None if it cannot be executed."""
    try:
        return execute(with_label_scales(plan, document)).result
    except PlanError:
        return None


def collect_results(proposals: Iterable[Proposal], document: Document) -> tuple[PlanResult, ...]:
    """Execute the likeliest plans for a question and return their results, likeliest first."""
    found: dict[object, list[Proposal]] = {}
    values: dict[object, tuple[AnswerValue, Scale]] = {}
    for proposal in islice(proposals, _TRIED):
        result = execute_plan(proposal.plan, document)
        if result is None:
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


def read_amount(result: PlanResult) -> float | None:
    """Return the amount of a result in ones, or None if it is not a number."""
    if not isinstance(result.value, Number):
        return None
    factor = 0.01 if result.scale is Scale.PERCENT else float(result.scale.factor)
    return float(result.value.value) * factor


def list_sentences(plan: Plan) -> Iterator[tuple[str, int]]:
    """Yield the sentences that a plan quotes or takes numbers from, by section and index."""
    refs = (step.source for step in plan.extracts)
    return ((ref.section, ref.sentence) for ref in refs if isinstance(ref, SentenceRef))


def classify_plan(form: str, series: Sequence[Series]) -> str:
    """Return the kind of a plan's result, by its form and its series."""
    if form in _RELATIVE:
        return "percent"
    if form == "ratio":
        return "ratio"
    return series[0].kind if series else "words"
