"""Drafts written by an expert: their format, the plan that they mean, and the check of the results that they state.

A number is taken from its place on the page, never from the draft; one that cannot be located becomes a constant and a
finding. A stated result may also be correct for the rounded results of earlier steps.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation, localcontext
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from quaestor.conversation.turn import Memory
from quaestor.core.answer_value import Number, YesNo, amount_words, number_of, print_amount, print_value
from quaestor.core.parsing import parse_cell
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.documents.document import Document
from quaestor.errors import MagnitudeError, PlanError, ProgramError, QuantityError
from quaestor.graph.facts import MentionFact, Observation, PrintedNumber, extract_number
from quaestor.llm.structured.replies import quoted
from quaestor.plan.execute import Execution, StepResult, execute
from quaestor.plan.operations import LARGEST_EXPONENT, OPERATIONS, PRECISION, require_in_range, rounds_to
from quaestor.plan.scales import read_literal, shift_decimal
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, Step, renumber_step
from quaestor.plan.validate import MOST_STEPS, validate
from quaestor.questions.question import read_question
from quaestor.questions.stems import stems
from quaestor.solvers.answering import ListOperation, NumberSilence
from quaestor.solvers.explaining import WrittenSentences, WrittenVerdict
from quaestor.solvers.groups import group_of
from quaestor.solvers.quoting import QuoteFailure, number_in_place, quote
from quaestor.solvers.reflection.evidence import CheckContext, Finding, Kind, check_plan, in_order
from quaestor.solvers.reflection.numbers import (
    NumberIndex,
    better_named,
    place_code,
    place_words,
    quantity_words,
    same_axis,
    states_number,
    years_named_in,
)

WrittenValue = Annotated[str, BeforeValidator(lambda one: str(one) if isinstance(one, bool | int | float) else one)]
"""A number or words. Models may write either; they are asked for text, which preserves all digits."""

Operation = Literal[
    "add", "subtract", "multiply", "divide", "exp", "greater", "percentage", "percentage_change", "sum", "average",
    "minimum", "maximum", "as_printed",
]  # fmt: skip
ScaleName = Literal["one", "thousand", "million", "billion", "percent"]

_LONGEST = 80
"""Limit in characters for a number with its words; longer text contains more than the number."""

_ONE = Constant(Decimal(1), "1")
_NOWHERE = CellRef("", 0, 0, 0)
"""Placeholder for an unreadable operand or quotation, so that all faults of a draft are found at once."""


# The expert's prompt explains the fields once; the schema is sent with every request.


@dataclass(frozen=True, slots=True)
class LookUp:
    """A number of the page."""

    what: str
    value: WrittenValue
    where: str = ""
    kind: Literal["look_up"] = field(default="look_up", kw_only=True)


@dataclass(frozen=True, slots=True)
class EarlierAnswer:
    """An answer, as it is."""

    answer: WrittenValue
    kind: Literal["earlier_answer"] = field(default="earlier_answer", kw_only=True)


@dataclass(frozen=True, slots=True)
class QuotedWords:
    """Words of the page, letter by letter."""

    words: str
    kind: Literal["quote"] = field(default="quote", kw_only=True)


@dataclass(frozen=True, slots=True)
class Calculation:
    """One operation."""

    operation: Annotated[
        Literal[Operation, ListOperation],
        Field(description="percentage_change takes new, old; percentage part, whole."),
    ]
    operands: list[WrittenValue]
    result: WrittenValue | None = None
    kind: Literal["calculate"] = field(default="calculate", kw_only=True)


@dataclass(frozen=True, slots=True)
class NumberCalculation(Calculation):
    """One operation on numbers."""

    operation: Annotated[Operation, Field(description="percentage_change takes new, old; percentage part, whole.")]


@dataclass(frozen=True, slots=True)
class NumberDraft:
    """The fields of `Draft` for answers that are a number or yes or no."""

    reasoning: str
    steps: list[Annotated[LookUp | EarlierAnswer | NumberCalculation, Field(discriminator="kind")]]
    answer: WrittenValue | None = None
    scale: ScaleName | None = None
    no_answer: NumberSilence | None = None


WrittenStep = LookUp | EarlierAnswer | QuotedWords | Calculation


@dataclass(frozen=True, slots=True)
class Draft:
    """Steps with the expert's value of the answer, or the reason for no answer."""

    reasoning: str
    steps: list[Annotated[WrittenStep, Field(discriminator="kind")]]
    answer: WrittenValue | None = None
    scale: ScaleName | None = None
    assumption: str | None = None
    no_answer: NumberSilence | None = None
    explanation: WrittenSentences = None
    verdict: WrittenVerdict = None

    @property
    def ends_in_words(self) -> bool:
        """Whether the last step gives text, so that there is no number or yes or no to compare the answer with."""
        if not self.steps:
            return True
        last = self.steps[-1]
        of_list = isinstance(last, Calculation) and OPERATIONS[last.operation].of_list and last.operation != "count"
        return of_list or isinstance(last, QuotedWords)


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """The result of a step as stated in a draft."""

    value: Number | YesNo
    scale: Scale | None = None

    @property
    def words(self) -> str:
        """The claim for people: `14.1 percent`."""
        return print_amount(self.value, self.scale)


@dataclass(frozen=True, slots=True)
class ParsedDraft:
    """A draft parsed step by step.

    Attributes:
        claims: The value stated for each step, or None; for a number looked up, the value stated as printed.
        findings: Numbers that could not be located, or that are not at the stated place.
        faults: Why the draft is not a plan, one sentence each; empty if it is one, or gives no answer.
    """

    plan: Plan
    claims: tuple[DraftClaim | None, ...] = ()
    answer: DraftClaim | None = None
    findings: tuple[Finding, ...] = ()
    assumption: str = ""
    faults: tuple[str, ...] = ()


def parse_draft(
    draft: Draft, question: str, numbers: NumberIndex, document: Document, turns_before: int = 0
) -> ParsedDraft:
    """Parse a draft into a plan, and collect its faults and the numbers that could not be located.

    Args:
        question: The question as asked; numbers in it need no place on the page.
    """
    empty = Plan((), draft.reasoning[:1000])
    if not draft.steps:
        missing = "it has no steps; write them, or give the reason in no_answer"
        has_reason = draft.no_answer is not None or draft.explanation
        return ParsedDraft(empty, assumption=draft.assumption or "", faults=() if has_reason else (missing,))
    if draft.no_answer is not None:
        return ParsedDraft(empty, faults=("it has both steps and no_answer; leave one of them out",))
    if len(draft.steps) > MOST_STEPS:
        too_many = Plan((Compute(1, "identity", (_ONE,)),) * len(draft.steps))
        return ParsedDraft(empty, faults=validate(too_many, turns_before))
    return _DraftParser(draft, question, numbers, document).parsed(turns_before)


class _DraftParser:
    """Parser of a draft, step by step."""

    def __init__(self, draft: Draft, question: str, numbers: NumberIndex, document: Document) -> None:
        self._draft, self._question, self._numbers, self._document = draft, question, numbers, document
        self._faults: list[str] = []
        self._misquoted: list[str] = []
        self._findings: list[Finding] = []
        self._located: dict[int, PrintedNumber] = {}
        self._look_ups = [number for number, step in enumerate(draft.steps, 1) if isinstance(step, LookUp)]

    def parsed(self, turns_before: int) -> ParsedDraft:
        """Return the parsed draft; misquoted words are reported only if there are no other faults."""
        draft = self._draft
        claims, steps = list[DraftClaim | None](), list[Step]()
        for number, step in enumerate(draft.steps, 1):
            value = step.value if isinstance(step, LookUp) else None
            if isinstance(step, Calculation) and not OPERATIONS[step.operation].of_list:
                value = step.result
            claims.append(None if value is None else read_claim(value))
            if value is not None and claims[-1] is None:
                self._faults.append(f"step {number} gives {_quoted(value)}, which is not a single number, yes or no")
            steps.append(self._step(number, step, claims[-1]))
        answer = None
        if draft.answer is not None and not draft.ends_in_words:
            answer = read_claim(draft.answer, draft.scale)
            if answer is None:
                self._faults.append(f"the answer {_quoted(draft.answer)} is not a single number, yes or no")
        plan = Plan(tuple(steps), draft.reasoning[:1000])
        faults = (*self._faults, *validate(plan, turns_before)) or tuple(self._misquoted)
        return ParsedDraft(plan, tuple(claims), answer, tuple(self._findings), draft.assumption or "", faults)

    def _step(self, number: int, step: WrittenStep, claim: DraftClaim | None) -> Step:
        if isinstance(step, QuotedWords):
            return self._quoted_words(number, step.words)
        if isinstance(step, LookUp):
            return Compute(number, "identity", (_ONE,)) if claim is None else self._looked_up(number, step, claim)
        written = [step.answer] if isinstance(step, EarlierAnswer) else step.operands
        read = [_operand(operand) for operand in written]
        self._faults += [
            f"step {number} has the operand {_quoted(text)}; write a step as #1, an answer as #-1, or a number"
            for text, operand in zip(written, read, strict=True)
            if operand is None
        ]
        operands = tuple(operand or _ONE for operand in read)
        if isinstance(step, EarlierAnswer):
            if not any(isinstance(operand, Ref) and operand.step < 0 for operand in operands):
                name = _quoted(step.answer)
                self._faults.append(f"step {number} takes {name}, which is not an earlier answer such as #-1")
            return Compute(number, "identity", operands)
        if OPERATIONS[step.operation].of_list:
            listed = list_operands(step.operation, operands, self._look_ups, self._located)
            if listed is None:
                takes = "takes looked-up numbers, or one step that is a list such as items"
                self._faults.append(f"step {number} ({step.operation}) {takes}")
            operands = listed or operands
        return Compute(number, step.operation, operands)

    def _looked_up(self, number: int, step: LookUp, claim: DraftClaim) -> Step:
        quantity = Quantity(Decimal(claim.value.value), claim.scale or Scale.ONE)
        place = locate(quantity, step.what, step.where, self._numbers)
        self._findings += [Finding(kind, number, text) for kind, text in place.remarks]
        if place.number is not None:
            self._located[number] = place.number
            return extract_number(number, place.number, place.reading, step.what)
        if not states_number(self._question, quantity.value):
            self._findings.append(Finding("ungrounded", number, f"{claim.words} ({step.what[:80]}) is not on the page"))
        return Compute(number, "identity", (Constant(quantity.number, format(quantity.number, "f")),))

    def _quoted_words(self, number: int, words: str) -> Step:
        try:
            found = quote(self._document, words, self._question)
        except QuoteFailure as failure:
            self._misquoted.append(f"step {number}: {failure}")
            return Extract(number, _NOWHERE, "", None, text="?")
        if number_in_place(self._document, found):
            self._misquoted.append(f"step {number} quotes {_quoted(found.text)}, which is a number; look it up")
        return found.step(number, words)


def draft_words(draft: Draft) -> str:
    """Format a draft for critics, one step per line."""
    lines = [f"Reasoning: {' '.join(draft.reasoning.split())}"] if draft.reasoning.strip() else []
    for number, step in enumerate(draft.steps, 1):
        if isinstance(step, LookUp):
            words = f"{step.what} = {step.value}" + (f" ({step.where})" if step.where else "")
        elif isinstance(step, EarlierAnswer):
            words = f"the earlier answer {step.answer}"
        elif isinstance(step, QuotedWords):
            words = f'the words "{step.words}"'
        else:
            words = f"{step.operation} {', '.join(step.operands)}" + (f" = {step.result}" if step.result else "")
        lines.append(f"{number}. {words}")
    if draft.answer is not None:
        lines.append(f"Answer: {draft.answer}" + (f" (in {draft.scale})" if draft.scale else ""))
    if draft.assumption:
        lines.append(f"Assumption: {draft.assumption}")
    lines += [f"Explanation: {' '.join(draft.explanation)}"] if draft.explanation else []
    lines += [f"Verdict of the passages: {draft.verdict}"] if draft.verdict else []
    return "\n".join(lines)


def read_claim(written: bool | int | float | str, scale: ScaleName | None = None) -> DraftClaim | None:
    """Parse the number, yes or no in a reply; None if there is none, or more than one.

    >>> read_claim("14.1 %").words
    '14.1 percent'
    """
    given = None if scale is None else Scale(scale)
    if isinstance(written, bool):
        return DraftClaim(YesNo(written))
    text = str(written).strip()
    if text.casefold() in ("yes", "true", "no", "false"):
        return DraftClaim(YesNo(text.casefold() in ("yes", "true")))
    if len(text) > _LONGEST:
        return None
    try:
        return DraftClaim(Number(require_in_range(Decimal(text.replace(",", "")))), given)
    except MagnitudeError:
        return None
    except InvalidOperation:  # not a bare number but one with words, such as $ 5.2 million
        return _in_words(text, given)


def _in_words(text: str, given: Scale | None) -> DraftClaim | None:
    try:
        quantities = parse_cell(text)
        if len(quantities) != 1:
            return None
        own = quantities[0].scale
        return DraftClaim(Number(require_in_range(quantities[0].value)), own if own is not Scale.ONE else given)
    except (QuantityError, MagnitudeError):
        return None


def _operand(written: WrittenValue) -> Operand | None:
    text = str(written).strip()
    digits = text.removeprefix("#")
    if text.startswith("#"):
        return Ref(int(digits)) if digits.removeprefix("-").isdecimal() and len(digits) < 6 else None
    try:
        return Constant(read_literal(text), text)
    except ProgramError:
        return None


def _quoted(written: WrittenValue) -> str:
    return quoted(written, 60)


def list_operands(
    operation: str, operands: Sequence[Operand], look_ups: Collection[int], found: Mapping[int, PrintedNumber]
) -> tuple[Operand, ...] | None:
    """Return the operands of an operation on a list as a plan needs them; None if they are not a list."""
    entries = list(operands)
    limit = [entries.pop()] if OPERATIONS[operation].arity[1] == 2 and entries else []
    steps = [entry.step for entry in entries if isinstance(entry, Ref)]
    if entries and len(steps) == len(entries) and all(step in look_ups for step in steps):
        return (_group(steps, found), *limit)
    if operation == "items" or (len(entries) == 1 and len(steps) == 1):
        return (*entries, *limit)
    return None


def _group(steps: Sequence[int], found: Mapping[int, PrintedNumber]) -> Operand:
    numbers = [found[step] for step in steps if step in found]
    if numbers:
        return group_of(numbers)
    return CellGroup("", ("",), (Quantity(Decimal(1), text="1"),), (_NOWHERE,))


def without_grouped(plan: Plan) -> Plan:
    """Remove steps whose numbers are part of a group and not used elsewhere."""
    grouped = {source for operand in plan.operands if isinstance(operand, CellGroup) for source in operand.sources}
    used = {operand.step for operand in plan.operands if isinstance(operand, Ref)}
    steps = [
        step
        for step in plan.steps
        if not isinstance(step, Extract) or step.source not in grouped or step.id in used or step is plan.steps[-1]
    ]
    numbers = {step.id: place for place, step in enumerate(steps, 1)}
    return replace(plan, steps=tuple(renumber_step(step, numbers) for step in steps))


@dataclass(frozen=True, slots=True)
class LocatedNumber:
    """The place of a number on the page."""

    number: PrintedNumber | None
    reading: Literal["signed", "magnitude"] = "signed"
    remarks: tuple[tuple[Kind, str], ...] = ()


def locate(quantity: Quantity, what: str, where: str, numbers: NumberIndex) -> LocatedNumber:
    """Locate a number on the page."""
    found, reading = numbers.printing(quantity), "signed"
    if not found:
        found, reading = numbers.printing(quantity, magnitude=True), "magnitude"
    if not found:
        return LocatedNumber(None)
    code = numbers.code_in(where)
    named = [number for number in found if place_code(number.source) == code]
    best = max(named or found, key=lambda number: _likeness(number, what))
    remarks: list[tuple[Kind, str]] = []
    if code and not named:
        printed = [n.quantity.text for n in numbers.all if place_code(n.source) == code]
        prints = f"prints {', '.join(printed[:6])}" if printed else "prints no number"
        remarks.append(("misplaced", f"{code} {prints}; {quantity_words(quantity)} is printed at {place_words(best)}"))
    elif remark := _explain_misnaming(best, what, numbers):
        remarks.append(("misplaced", remark))
    return LocatedNumber(best, "magnitude" if reading == "magnitude" else "signed", tuple(remarks))


def _likeness(number: PrintedNumber, what: str) -> tuple[int, bool, bool]:
    named, own = set(stems(what)), set(stems(number.label))
    dated = isinstance(number, Observation | MentionFact) and number.year in years_named_in(what)
    return len(named & own), dated, isinstance(number, Observation)


def _explain_misnaming(number: PrintedNumber, what: str, numbers: NumberIndex) -> str | None:
    """Describe how a cell differs from its description, if another cell matches that; else None."""
    if not isinstance(number, Observation):
        return None
    years, named = years_named_in(what), set(stems(what))
    elsewhere = any(same_axis(other, number) and other.year in years for other in numbers.graph.observations)
    if number.year is not None and number.year not in years and elsewhere:
        return f"it is called {what[:80]!r}, but {place_words(number)} is of {number.year}"
    better = better_named(number, named, numbers)
    if better is None:
        return None
    return f"it is called {what[:80]!r}, but {place_words(number)} is not the line of {place_words(better)}"


def examine_draft(draft: ParsedDraft, question: str, memory: Memory, numbers: NumberIndex) -> tuple[Finding, ...]:
    """Return the findings on an expert's draft: its plan, its places, and its arithmetic."""
    case = CheckContext(draft.plan, read_question(question), memory, numbers, draft.assumption)
    claims: tuple[Finding, ...] = ()
    if not isinstance(case.execution, PlanError):
        claims = check_claims(draft, case.execution, memory.registers)
    return in_order((*draft.findings, *check_plan(case), *claims))


def check_claims(draft: ParsedDraft, execution: Execution, history: Sequence[StepResult | None]) -> tuple[Finding, ...]:
    """Return a finding for each stated result that is wrong."""
    findings: list[Finding] = []
    for step, claim, register in zip(draft.plan.steps, draft.claims, execution.registers, strict=True):
        if claim is None or not isinstance(step, Compute) or step.operation == "identity":
            continue
        if _agrees(claim, register):
            continue
        replayed = _on_claims(step, draft, execution, history)
        if replayed is None or not _agrees(claim, replayed):
            words = f"it gives {claim.words}, but the recomputed value is {format_result(register)}"
            findings.append(Finding("arithmetic", step.id, words))
    result, answer, claim = execution.result, draft.answer, draft.claims[-1]
    if findings or answer is None or _agrees(answer, result):
        return tuple(findings)
    if claim and _agrees(answer, StepResult(claim.value, claim.scale or Scale.ONE, fraction=result.fraction)):
        return ()
    words = f"the answer is {answer.words}, but the last step gives {format_result(result)}"
    return (Finding("arithmetic", draft.plan.steps[-1].id, words),)


def format_result(register: StepResult) -> str:
    """Format a result with twelve digits and its scale; fractions in percent."""
    shift, scale = (2, Scale.PERCENT) if register.fraction else (0, register.scale)
    with localcontext(prec=12):
        return print_value(register.value, lambda n: amount_words((+shift_decimal(n, shift)).normalize(), scale))


def _on_claims(
    step: Compute, draft: ParsedDraft, execution: Execution, history: Sequence[StepResult | None]
) -> StepResult | None:
    """Compute a step from the rounded results stated in the draft; None if it has no result."""
    given: list[StepResult | None] = []

    def claimed(operand: Operand) -> Operand:
        if not isinstance(operand, Ref):
            return operand
        if operand.step < 0:
            given.append(history[operand.step])
        else:
            exact, claim = execution.registers[operand.step - 1], draft.claims[operand.step - 1]
            extracted = not isinstance(draft.plan.steps[operand.step - 1], Compute)
            if not extracted and claim is not None:
                scale = claim.scale or exact.scale
                exact = StepResult(
                    claim.value, scale, exact.unit, fraction=exact.fraction and scale is not Scale.PERCENT
                )
            given.append(exact)
        return Ref(-len(given))

    operands = tuple(claimed(operand) for operand in step.operands)
    try:
        return execute(Plan((Compute(1, step.operation, operands),)), given[::-1]).result
    except PlanError:
        return None


def _agrees(claim: DraftClaim, register: StepResult) -> bool:
    value, claimed, scale = register.number, number_of(claim.value), claim.scale
    if value is None or claimed is None:
        return register.value == claim.value
    with localcontext(prec=PRECISION + 2 * LARGEST_EXPONENT):
        if scale in (None, register.scale) and rounds_to(value, claimed):
            return True
        if register.scale is Scale.ONE and (scale is Scale.PERCENT or (scale is None and register.fraction)):
            return rounds_to(value * 100, claimed)
        if scale is None or scale is register.scale:
            return False
        # A draft's scale may come from the labels of a table if the number itself has none.
        factor = Decimal(1) if register.scale is Scale.ONE else register.scale.factor / scale.factor
        return rounds_to(value * factor, claimed)
