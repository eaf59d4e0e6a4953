"""Ground a model's claimed answer in a plan.

The answer is the result of the plan, never the claim.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation, localcontext

from quaestor.core.answer_value import AnswerValue, Number, YesNo, amount_words, number_of, print_amount, print_value
from quaestor.core.parsing import find_quantities, parse_cell
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.documents.kinds import kind_of
from quaestor.errors import ModelReplyError
from quaestor.llm.structured.replies import quoted, read_json
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.operations import LARGEST_EXPONENT, OPERATIONS, PRECISION, require_in_range, rounds_to
from quaestor.plan.steps import Compute, Constant, Extract, Plan, Ref, Step
from quaestor.plan.validate import MOST_STEPS
from quaestor.solvers.agent.protocol import FinalAnswer
from quaestor.solvers.answering import assumed_words
from quaestor.solvers.explaining import is_root, stated_by
from quaestor.solvers.parts import join_plans
from quaestor.solvers.quoting import QuoteFailure, number_in_place, quote
from quaestor.solvers.tools.plan_builder import PlanBuilder

_YES_NO = re.compile(r"\W*(?:the answer is\W+)?(yes|no|true|false)\b", re.IGNORECASE)
_VERDICT = {"yes": True, "no": False}
_LEAD = re.compile(r"^.*?\banswer\s*(?:is|=|:)\s*", re.IGNORECASE | re.DOTALL)
_NAMED = re.compile(r"(?:step\s*)?#\s*(-?\d{1,4})(?:\.\.#?(\d{1,4}))?\.?", re.IGNORECASE)
_ALL_NAMED = re.compile(rf"{_NAMED.pattern}(?:(?:\s|[,;]|\band\b)+{_NAMED.pattern})*", re.IGNORECASE)
_AROUND = "[]() .\n"
_IN_ONES = frozenset({"price", "time", "percent", "count"})
"""Kinds of rows that count single units on a page without a scale."""
_RATE = re.compile(r"\b(?:rates?|ratios?|yields?|margins?|multiples?|turnover)\s*(?:$|[,(|])", re.IGNORECASE)
_LONGEST_WORDING = 80
"""Limit in characters for an answer in words; longer text contains more than the answer."""


@dataclass(frozen=True, slots=True)
class ClaimedAnswer:
    """The answer claimed by a model.

    Attributes:
        value: The number, in units of `scale`; or yes or no; or the result of the step that the answer refers to.
        scale: The stated multiplier; `Scale.ONE` if none is stated.
    """

    value: AnswerValue
    scale: Scale = Scale.ONE
    unit: str | None = None

    @property
    def words(self) -> str:
        """The claim in words: `14.1 percent`."""
        return print_amount(self.value, self.scale, self.unit)


@dataclass(frozen=True, slots=True)
class GroundedAnswer:
    """A claim with the plan that supports it."""

    claim: ClaimedAnswer
    plan: Plan
    grounded: bool
    remarks: tuple[str, ...] = ()
    assumes: bool = False


def read_final(written: object) -> tuple[FinalAnswer, tuple[ClaimedAnswer, ...]]:
    """Parse a model's answer; return it with the values that it may mean, none if it refers to a step or is missing."""
    in_words = isinstance(written, str) and "{" not in written
    final = FinalAnswer(str(written)) if in_words else read_json(FinalAnswer, written)
    if _answer_parts(final):
        return final, ()
    if final.words:
        verdict = () if final.answer is None else tuple(_claims(final))[:1]
        if final.no_answer is not None or not all(isinstance(claim.value, YesNo) for claim in verdict):
            raise ModelReplyError("beside words the answer can only be yes or no; leave one of them out")
        return final, verdict
    if final.answer is None:
        if final.no_answer is None and not final.explanation:
            raise ModelReplyError("it has no answer; give one, or null with no_answer and an explanation")
        return final, ()
    if final.no_answer is not None:
        raise ModelReplyError("it gives both an answer and no_answer; leave one of them out")
    if _named_steps(final):
        return final, ()
    claims = tuple(_claims(final))
    if not claims:
        answer = quoted(str(final.answer))
        raise ModelReplyError(f"the answer {answer} is not a number, yes or no; quote words of the page in words")
    for claim in claims:
        if isinstance(claim.value, Number):
            require_in_range(claim.value.value)
    return final, claims


def _claims(final: FinalAnswer) -> Iterator[ClaimedAnswer]:
    scale = Scale(final.scale or "one")
    if isinstance(final.answer, bool):
        yield ClaimedAnswer(YesNo(final.answer))
    elif isinstance(final.answer, int | float):
        yield ClaimedAnswer(Number(Decimal(str(final.answer))), scale, final.unit)
    elif isinstance(final.answer, str):
        text = _LEAD.sub("", final.answer.strip())
        if len(text) > _LONGEST_WORDING:
            raise ModelReplyError(f"the reply is prose, neither a call nor an answer: {quoted(final.answer)}")
        if found := _YES_NO.match(text):
            yield ClaimedAnswer(YesNo(found[1].casefold() in ("yes", "true")))
            return
        try:
            yield ClaimedAnswer(Number(Decimal(text.replace(",", ""))), scale, final.unit)
            return
        except InvalidOperation:
            pass
        quantities = [span.quantity for span in find_quantities(text)] or parse_cell(text)
        for quantity in quantities:
            own = quantity.scale if quantity.scale is not Scale.ONE else scale
            yield ClaimedAnswer(Number(quantity.value), own, quantity.unit or final.unit)


def ground_answer(draft: PlanBuilder, final: FinalAnswer, claims: Sequence[ClaimedAnswer]) -> GroundedAnswer:
    """Return the plan that supports a claimed number.

    The first match is used: a step of this turn with this result (of several the one that the model refers to, else the
    last), a step that prints the number with a minus, the step that the model refers to although the number differs,
    an earlier answer or a number of the page. Otherwise the number becomes an ungrounded constant.
    """
    if named := _named_steps(final):
        settled = [_ground_in_step(draft, step) for step in named]
        return (
            settled[0]
            if len(named) == 1
            else _ground_in_step(draft, draft.compute("items", [Ref(step) for step in named]))
        )
    steps = [step for step in final.steps if 0 < step <= len(draft.steps)]
    order = dict.fromkeys((*reversed(steps), *draft.chosen))
    for step in order:
        for claim in claims:
            if _agrees(draft, step, claim):
                return _build_grounded_answer(draft, claim, draft.plan(step), _other_scale(draft.result(step), claim))
    first = claims[0]
    if isinstance(first.value, YesNo):
        raise ModelReplyError(
            f"no tool result gives {first.words}; calculate it with greater, or copy what states it in words"
        )
    if len({claim.value for claim in claims}) > 1:
        listed = " and ".join(dict.fromkeys(claim.words for claim in claims))
        raise ModelReplyError(f"the answer has several numbers, {listed}, and no step gives one of them; give one")
    if unsigned := _without_sign(draft, order, first):
        return _build_grounded_answer(draft, first, unsigned, "the printed minus sign is missing")
    if steps:
        plan = draft.plan(steps[-1])
        given = _shown(draft.result(steps[-1]))
        return _build_grounded_answer(draft, first, plan, f"the model gives {first.words}, but its steps give {given}")
    return _without_step(draft, first)


def ground_words(
    draft: PlanBuilder, words: Sequence[str], verdict: Sequence[ClaimedAnswer], document: Document, question: str
) -> GroundedAnswer:
    """Return the plan that quotes words of the page, lists quotations and steps, or derives a yes or no from them."""
    if len(words) > MOST_STEPS - 1:
        raise ModelReplyError(f"{len(words)} quotations are too many; give at most {MOST_STEPS - 1}")
    plans: list[Plan] = []
    passages: list[Extract] = []
    for wording in words:
        if len(words) > 1 and not verdict and len(named := _steps_in(wording)) == 1:
            plans.append(_ground_in_step(draft, named[0]).plan)
            continue
        try:
            found = quote(document, wording, question)
        except QuoteFailure as failure:
            raise ModelReplyError(str(failure)) from failure
        if number_in_place(document, found):
            raise ModelReplyError(f"{found.text[:40]!r} is a number; look it up, and answer with its step")
        passages.append(found.step(1))
        plans.append(Plan((passages[-1],)))
    if verdict:
        plan = stated_by(passages, YesNo(verdict[0].value == YesNo(True)))
    else:
        plan = join_plans(plans, chained=False) if len(plans) > 1 else plans[0]
    register = execute(plan, draft.history).result
    return _build_grounded_answer(draft, ClaimedAnswer(register.value, register.scale, register.unit), plan)


def ground_list(
    draft: PlanBuilder, final: FinalAnswer, stated: Callable[[ClaimedAnswer], GroundedAnswer]
) -> GroundedAnswer | None:
    """Return the plan of an answer that lists steps and yes or no ("#1, no"); None for other answers."""
    if not (listed := _answer_parts(final)):
        return None
    plans = [
        (stated(ClaimedAnswer(YesNo(one))) if isinstance(one, bool) else _ground_in_step(draft, one)).plan
        for one in listed
    ]
    plan = join_plans(plans, chained=False)
    register = execute(plan, draft.history).result
    return _build_grounded_answer(draft, ClaimedAnswer(register.value, register.scale, register.unit), plan)


def _answer_parts(final: FinalAnswer) -> tuple[int | bool, ...]:
    """Return the entries of an answer such as "#1, no"; empty if there is no yes or no, or only that."""
    parts = re.split(r"[,;]\s*", final.answer.strip(_AROUND)) if isinstance(final.answer, str) else []
    verdicts = [_VERDICT.get(one.strip().casefold()) for one in parts]
    steps = [_steps_in(one) for one in parts]
    entries = [(verdict,) if verdict is not None else named for verdict, named in zip(verdicts, steps, strict=True)]
    fits = len(parts) > 1 and all(entries) and any(verdict is not None for verdict in verdicts)
    return tuple(one for entry in entries for one in entry) if fits else ()


def sets_caption_aside(settled: GroundedAnswer, result: StepResult, stated: str, document: Document) -> bool:
    """Return whether a model states ones as the scale of a number although a caption, and only that, gives another."""
    if stated != Scale.ONE or result.scale in (Scale.ONE, Scale.PERCENT) or not _is_claimed(settled, result):
        return False
    return all(_is_scaled_by_caption(step, document) for step in settled.plan.steps)


def in_stated_scale(settled: GroundedAnswer, result: StepResult, stated: str, document: Document) -> GroundedAnswer:
    """Apply the scale stated by a model if the page gives none, or if only a caption contradicts a scale of ones.

    Values that pages never print in millions (prices, rates, days, people) keep their scale. A remark names a scale
    stated by the model and not by the page.
    """
    last = Ref(len(settled.plan.steps))
    if sets_caption_aside(settled, result, stated, document):
        step = Compute(last.step + 1, "as_printed", (last,))
        return replace(settled, plan=Plan((*settled.plan.steps, step)))
    unsaid = not result.counts.known and not result.counts.percent and _is_claimed(settled, result)
    if not unsaid or stated in (Scale.ONE, Scale.PERCENT) or settled.claim.scale not in (Scale.ONE, stated):
        return settled
    remark = f"the model gives the scale {stated}, but the page has no scale for {result.number:f}"
    settled = replace(settled, remarks=tuple(dict.fromkeys((*settled.remarks, remark))))
    extracts = [step for step in settled.plan.steps if isinstance(step, Extract)]
    if extracts and all(kind_of(step.label) in _IN_ONES or _RATE.search(step.label) for step in extracts):
        return settled
    step = Compute(last.step + 1, "multiply", (last, Constant(Decimal(1), "1", Scale(stated))))
    return replace(settled, plan=Plan((*settled.plan.steps, step)))


def _is_claimed(settled: GroundedAnswer, result: StepResult) -> bool:
    """Return whether the claimed number has the same digits as the plan's result."""
    number, claimed = result.number, number_of(settled.claim.value)
    return number is not None and claimed is not None and rounds_to(number, claimed)


def _is_scaled_by_caption(step: Step, document: Document) -> bool:
    """Return whether a step's number gets its scale neither from its print nor from a row or column label."""
    if not isinstance(step, Extract):
        return all(isinstance(o, Constant) or (isinstance(o, Ref) and o.step > 0) for o in step.operands)
    if step.quantity is None or step.quantity.scale is not Scale.ONE or not isinstance(step.source, CellRef):
        return False
    table = document.table(step.source.table)
    return table.rows[step.source.row].scale is None and table.columns[step.source.column].scale is None


def _named_steps(final: FinalAnswer) -> tuple[int, ...]:
    """Return the steps in an answer such as "#3", "#1, #4..#9" or "#-1" (an earlier answer); else none."""
    return _steps_in(final.answer) if isinstance(final.answer, str) else ()


def _steps_in(entry: str) -> tuple[int, ...]:
    text = _LEAD.sub("", entry.strip(_AROUND))
    if not _ALL_NAMED.fullmatch(text):
        return ()
    runs = [(int(first), int(last or first)) for first, last in _NAMED.findall(text)]
    return tuple(step for first, last in runs for step in range(first, last + 1))


def _ground_in_step(draft: PlanBuilder, step: int) -> GroundedAnswer:
    if 0 < step <= len(draft.steps):
        register, plan = draft.result(step), draft.plan(step)
    elif 0 < -step <= len(draft.history) and (earlier := draft.history[step]) is not None:
        register, plan = earlier, Plan((Compute(1, "identity", (Ref(step),)),))
    else:
        raise ModelReplyError(f"unknown step or answer #{step}; this turn has {len(draft.steps)} steps")
    return _build_grounded_answer(draft, ClaimedAnswer(register.value, register.scale, register.unit), plan)


def _other_scale(register: StepResult, claim: ClaimedAnswer) -> str | None:
    """Return a remark if the scale stated by a model differs from the step's; else None."""
    known, claimed = register.number, number_of(claim.value)
    if known is None or claimed is None or claim.scale in (Scale.ONE, Scale.PERCENT, register.scale):
        return None
    if not register.counts.known:
        return f"the model gives the scale {claim.scale.value}, but the page has no scale for {known:f}"
    return f"the model gives {claim.words}, the page {_shown(register)}" if rounds_to(known, claimed) else None


def _without_sign(draft: PlanBuilder, order: Iterable[int], claim: ClaimedAnswer) -> Plan | None:
    """Return a plan that drops the minus of a number read by a tool, if that gives the claimed number; else None."""
    for step in order:
        read = draft.steps[step - 1]
        if (
            isinstance(read, Extract)
            and read.quantity
            and Number(-read.quantity.value) == claim.value
            and read.quantity.value < 0
        ):
            return Plan((replace(read, id=1, reading="magnitude"),))
    return None


def _without_step(draft: PlanBuilder, claim: ClaimedAnswer) -> GroundedAnswer:
    """Return the plan of a number that is not the result of any step of this turn."""
    plan, traced = draft.plan_of(claim.value)
    if traced is not None and traced.grounded and not isinstance(traced.operand, Constant):
        if traced.origin != "page":
            return _build_grounded_answer(draft, claim, plan)
        remark = f"ungrounded: no tool returned {claim.words}; the page prints it ({traced.label})"
        return _build_grounded_answer(draft, claim, plan, remark, grounded=False)
    return _build_grounded_answer(draft, claim, plan, f"ungrounded: no tool returned {claim.words}", grounded=False)


def _build_grounded_answer(
    draft: PlanBuilder, claim: ClaimedAnswer, plan: Plan, remark: str | None = None, *, grounded: bool = True
) -> GroundedAnswer:
    # Thresholds and counts of operations on lists come from the question, not from the page.
    loose = [
        operand.text
        for step in plan.computes
        if step.operation != "identity" and not OPERATIONS[step.operation].of_list
        for operand in step.operands
        if isinstance(operand, Constant) and draft.needs_source(operand.value) and not is_root(step, operand)
    ]
    remarks = [remark] if remark else []
    if loose:
        remarks.append(assumed_words(loose))
    return GroundedAnswer(claim, plan, grounded and not loose, tuple(remarks), grounded and bool(loose))


def _agrees(draft: PlanBuilder, step: int, claim: ClaimedAnswer) -> bool:
    """Return whether a step's result matches a claim as printed, in units, or in percent, to the claim's digits."""
    register = draft.result(step)
    known, claimed = register.number, number_of(claim.value)
    if known is None or claimed is None:
        return register.value == claim.value
    if register.fraction and claim.scale not in (Scale.ONE, Scale.PERCENT):
        return False
    with localcontext(prec=PRECISION + 2 * LARGEST_EXPONENT):
        if rounds_to(known, claimed):
            return True
        if register.scale is Scale.ONE and (register.fraction or claim.scale is Scale.PERCENT):
            return rounds_to(known * 100, claimed)
        if register.scale is claim.scale:
            return False
        return rounds_to(known * register.scale.factor / claim.scale.factor, claimed)


def _shown(register: StepResult) -> str:
    return print_value(register.value, lambda number: amount_words(number.normalize(), register.scale, register.unit))
