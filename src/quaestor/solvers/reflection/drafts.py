"""What an expert writes, and the plan that it means.

A number is taken from where the page prints it, never from the draft; what cannot be located is a finding and stands
for itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from quaestor.core.answer_value import Number, YesNo, print_amount
from quaestor.core.parsing import parse_cell
from quaestor.core.quantity import Quantity, Scale
from quaestor.documents.document import Document
from quaestor.errors import MagnitudeError, ProgramError, QuantityError
from quaestor.graph.facts import PrintedNumber, extract_number
from quaestor.plan.operations import require_in_range
from quaestor.plan.scales import read_literal
from quaestor.plan.steps import Compute, Constant, Operand, Plan, Ref, Step
from quaestor.plan.validate import MOST_STEPS, validate
from quaestor.solvers.answer_kinds import NumberSilence
from quaestor.solvers.explaining import WrittenSentences, WrittenVerdict
from quaestor.solvers.quoting import QuoteFailure, number_in_place, quote
from quaestor.solvers.reflection.draft_lists import is_of_list, list_operands, stand_in_quotation
from quaestor.solvers.reflection.findings import Finding
from quaestor.solvers.reflection.locating import locate
from quaestor.solvers.reflection.numbers import NumberIndex

Said = Annotated[str, BeforeValidator(lambda said: str(said) if isinstance(said, bool | int | float) else said)]
"""A number or words: a model may write either, and is asked for text, which keeps every digit."""

Operation = Literal[
    "add", "subtract", "multiply", "divide", "exp", "greater", "percentage", "percentage_change", "sum", "average",
    "minimum", "maximum", "as_printed",
]  # fmt: skip
ListOperation = Literal[
    "argmax", "argmin", "rank", "largest", "smallest", "above", "below", "at_least", "at_most", "equal_to", "count",
    "labels", "items",
]  # fmt: skip
ScaleName = Literal["one", "thousand", "million", "billion", "percent"]

_LONGEST = 80
"""Of a number with its words, in characters; what is longer tells of something else too."""

_ONE = Constant(Decimal(1), "1")
"""Stands where an operand cannot be read, so that all that is wrong with a draft is found at once."""


# What the fields mean is in the expert's prompt, once; the schema is read with every request.


@dataclass(frozen=True, slots=True)
class LookUp:
    """A number of the page."""

    what: str
    value: Said
    where: str = ""
    kind: Literal["look_up"] = field(default="look_up", kw_only=True)


@dataclass(frozen=True, slots=True)
class EarlierAnswer:
    """An answer, as it is."""

    answer: Said
    kind: Literal["earlier_answer"] = field(default="earlier_answer", kw_only=True)


@dataclass(frozen=True, slots=True)
class QuotedWords:
    """Words of the page, letter by letter."""

    words: str
    kind: Literal["quote"] = field(default="quote", kw_only=True)


@dataclass(frozen=True, slots=True)
class NumberCalculation:
    """One operation on numbers."""

    operation: Annotated[Operation, Field(description="percentage_change takes new, old; percentage part, whole.")]
    operands: list[Said]
    result: Said | None = None
    kind: Literal["calculate"] = field(default="calculate", kw_only=True)


@dataclass(frozen=True, slots=True)
class Calculation:
    """One operation."""

    operation: Annotated[
        Literal[Operation, ListOperation],
        Field(description="percentage_change takes new, old; percentage part, whole."),
    ]
    operands: list[Said]
    result: Said | None = None
    kind: Literal["calculate"] = field(default="calculate", kw_only=True)


@dataclass(frozen=True, slots=True)
class NumberDraft:
    """What an expert is told to write that is told of numbers and of yes or no alone; read as `Draft`."""

    reasoning: str
    steps: list[Annotated[LookUp | EarlierAnswer | NumberCalculation, Field(discriminator="kind")]]
    answer: Said | None = None
    scale: ScaleName | None = None
    no_answer: NumberSilence | None = None


WrittenStep = LookUp | EarlierAnswer | QuotedWords | Calculation


@dataclass(frozen=True, slots=True)
class Draft:
    """Steps, and the value that the expert gives for them, if it says so; or why there is no answer."""

    reasoning: str
    steps: list[Annotated[WrittenStep, Field(discriminator="kind")]]
    answer: Said | None = None
    scale: ScaleName | None = None
    assumption: str | None = None
    no_answer: NumberSilence | None = None
    explanation: WrittenSentences = None
    verdict: WrittenVerdict = None

    @property
    def look_ups(self) -> tuple[int, ...]:
        """The steps that look a number up, counted from 1."""
        return tuple(number for number, step in enumerate(self.steps, 1) if isinstance(step, LookUp))

    @property
    def ends_in_words(self) -> bool:
        """Whether the last step gives no number and no yes or no, so that nothing written can be held against it."""
        if not self.steps:
            return True
        last = self.steps[-1]
        of_list = isinstance(last, Calculation) and is_of_list(last.operation) and last.operation != "count"
        return of_list or isinstance(last, QuotedWords)


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """What a draft says that a step comes to.

    Attributes:
        value: The number, in units of `scale`; or yes or no.
        scale: The multiplier that it states; None if it says nothing.
    """

    value: Number | YesNo
    scale: Scale | None = None

    @property
    def words(self) -> str:
        """For people: `14.1 percent`."""
        return print_amount(self.value, self.scale)


@dataclass(frozen=True, slots=True)
class ParsedDraft:
    """A draft as the house understands it.

    Attributes:
        plan: A step for each of the draft's, valid.
        claims: The value that the draft gives for each step, None if it leaves that to us; of a number looked up,
            what it says is printed.
        answer: What it says is the answer, or None.
        findings: What could not be located, or stands elsewhere than it says.
        assumption: What it says that it takes for granted, or "".
    """

    plan: Plan
    claims: tuple[DraftClaim | None, ...]
    answer: DraftClaim | None
    findings: tuple[Finding, ...]
    assumption: str = ""


def faults(draft: Draft, turns_before: int) -> Sequence[str]:
    """Return one sentence for each reason why a draft is not a plan; empty if it is one, or has no answer."""
    if not draft.steps:
        missing = "it has no steps; write them, or give the reason in no_answer"
        return [] if draft.no_answer is not None or draft.explanation else [missing]
    if draft.no_answer is not None:
        return ["it has both steps and no_answer; leave one of them out"]
    found: list[str] = []
    steps: list[Step] = []
    for number, step in enumerate(draft.steps, 1):
        said = _claimed_by(step)
        if said is not None and read_claim(said) is None:
            found.append(f"step {number} gives {_quoted(said)}, which is not a single number, yes or no")
        if isinstance(step, QuotedWords):
            steps.append(stand_in_quotation(number))
            continue
        operands: tuple[Operand, ...] = (_ONE,)
        if not isinstance(step, LookUp):
            read = [_operand(operand) for operand in _operands_of(step)]
            found += [
                f"step {number} has the operand {_quoted(said)}; write a step as #1, an answer as #-1, or a number"
                for said, operand in zip(_operands_of(step), read, strict=True)
                if operand is None
            ]
            operands = tuple(operand or _ONE for operand in read)
        if isinstance(step, EarlierAnswer) and not any(isinstance(o, Ref) and o.step < 0 for o in operands):
            found.append(f"step {number} takes {_quoted(step.answer)}, which is not an earlier answer such as #-1")
        operation = step.operation if isinstance(step, Calculation) else "identity"
        listed = list_operands(operation, operands, draft.look_ups, None) if is_of_list(operation) else operands
        if listed is None:
            found.append(
                f"step {number} ({operation}) takes looked-up numbers, or one step that is a list such as items"
            )
        steps.append(Compute(number, operation, operands if listed is None else listed))
    if draft.answer is not None and not draft.ends_in_words and read_claim(draft.answer) is None:
        found.append(f"the answer {_quoted(draft.answer)} is not a single number, yes or no")
    return [*found, *validate(Plan(tuple(steps)), turns_before)]


def quotation_faults(draft: Draft, question: str, document: Document) -> Sequence[str]:
    """Return one sentence for each quotation of a draft that is not on the page, or is a number."""
    found: list[str] = []
    for number, step in enumerate(draft.steps[:MOST_STEPS], 1):
        if isinstance(step, QuotedWords):
            try:
                quoted = quote(document, step.words, question)
            except QuoteFailure as failure:
                found.append(f"step {number}: {failure}")
            else:
                if number_in_place(document, quoted):
                    found.append(f"step {number} quotes {_quoted(quoted.text)}, which is a number; look it up")
    return found


def _claimed_by(step: WrittenStep) -> Said | None:
    if isinstance(step, LookUp):
        return step.value
    return step.result if isinstance(step, Calculation) and not is_of_list(step.operation) else None


def _operands_of(step: EarlierAnswer | Calculation) -> Sequence[Said]:
    return [step.answer] if isinstance(step, EarlierAnswer) else step.operands


def parse_draft(draft: Draft, question: str, numbers: NumberIndex, document: Document) -> ParsedDraft:
    """Return the plan that a draft without faults means, with what could not be located.

    Args:
        question: As asked; a number that it gives needs no place on the page.
    """
    steps: list[Step] = []
    claims: list[DraftClaim | None] = []
    findings: list[Finding] = []
    located: dict[int, PrintedNumber] = {}
    for number, step in enumerate(draft.steps, 1):
        if isinstance(step, QuotedWords):
            claims.append(None)
            steps.append(quote(document, step.words, question).step(number, step.words))
            continue
        if not isinstance(step, LookUp):
            said = _claimed_by(step)
            claims.append(None if said is None else _claim(said))
            operands = tuple(operand for said in _operands_of(step) if (operand := _operand(said)) is not None)
            operation = step.operation if isinstance(step, Calculation) else "identity"
            if is_of_list(operation):
                operands = list_operands(operation, operands, draft.look_ups, located) or operands
            steps.append(Compute(number, operation, operands))
            continue
        claim = _claim(step.value)
        claims.append(claim)
        quantity = Quantity(Decimal(claim.value.value), claim.scale or Scale.ONE)
        place = locate(quantity, step.what, step.where, numbers)
        findings += [Finding(kind, number, text) for kind, text in place.remarks]
        if place.number is not None:
            located[number] = place.number
            steps.append(extract_number(number, place.number, place.reading, step.what))
        else:
            constant = Constant(quantity.number, format(quantity.number, "f"))
            steps.append(Compute(number, "identity", (constant,)))
            if not place.given(question):
                findings.append(Finding("ungrounded", number, f"{claim.words} ({step.what[:80]}) is not on the page"))
    answer = None if draft.answer is None or draft.ends_in_words else _claim(draft.answer, draft.scale)
    plan = Plan(tuple(steps), draft.reasoning[:1000])
    return ParsedDraft(plan, tuple(claims), answer, tuple(findings), draft.assumption or "")


def draft_words(draft: Draft) -> str:
    """Return a draft as it was written, a step a line, for critics."""
    lines = [f"Reasoning: {' '.join(draft.reasoning.split())}"] if draft.reasoning.strip() else []
    for number, step in enumerate(draft.steps, 1):
        if isinstance(step, LookUp):
            said = f"{step.what} = {step.value}" + (f" ({step.where})" if step.where else "")
        elif isinstance(step, EarlierAnswer):
            said = f"the earlier answer {step.answer}"
        elif isinstance(step, QuotedWords):
            said = f'the words "{step.words}"'
        else:
            said = f"{step.operation} {', '.join(step.operands)}" + (f" = {step.result}" if step.result else "")
        lines.append(f"{number}. {said}")
    if draft.answer is not None:
        lines.append(f"Answer: {draft.answer}" + (f" (in {draft.scale})" if draft.scale else ""))
    if draft.assumption:
        lines.append(f"Assumption: {draft.assumption}")
    lines += [f"Explanation: {' '.join(draft.explanation)}"] if draft.explanation else []
    lines += [f"Verdict of the passages: {draft.verdict}"] if draft.verdict else []
    return "\n".join(lines)


def read_claim(said: bool | int | float | str, scale: ScaleName | None = None) -> DraftClaim | None:
    """Return the one number, yes or no that a reply says; None if it says none, or several.

    >>> read_claim("14.1 %").words
    '14.1 percent'
    """
    given = None if scale is None else Scale(scale)
    if isinstance(said, bool):
        return DraftClaim(YesNo(said))
    text = str(said).strip()
    if text.casefold() in ("yes", "true", "no", "false"):
        return DraftClaim(YesNo(text.casefold() in ("yes", "true")))
    if len(text) > _LONGEST:
        return None
    try:
        return DraftClaim(Number(require_in_range(Decimal(text.replace(",", "")))), given)
    except MagnitudeError:
        return None
    except InvalidOperation:  # no bare number: one with words, such as $ 5.2 million
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


def _claim(said: Said, scale: ScaleName | None = None) -> DraftClaim:
    claim = read_claim(said, scale)
    assert claim is not None, "a draft with faults has no plan"
    return claim


def _operand(said: Said) -> Operand | None:
    text = str(said).strip()
    digits = text.removeprefix("#")
    if text.startswith("#"):
        return Ref(int(digits)) if digits.removeprefix("-").isdecimal() and len(digits) < 6 else None
    try:
        return Constant(read_literal(text), text)
    except ProgramError:
        return None


def _quoted(said: Said) -> str:
    text = " ".join(str(said).split())
    return repr(text if len(text) <= 60 else text[:57] + "...")
