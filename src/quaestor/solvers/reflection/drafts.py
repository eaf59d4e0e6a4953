"""What an expert writes, and the plan that it means.

Owns the names on the wire and the way from a number with its place to a cell or a span. A number is taken from where
the page prints it, never from the draft; what cannot be located is a finding and stands for itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal

from pydantic import Field

from quaestor.core.answer_value import Number, YesNo, print_amount
from quaestor.core.parsing import parse_cell
from quaestor.core.quantity import Quantity, Scale
from quaestor.errors import MagnitudeError, ProgramError, QuantityError
from quaestor.plan.literals import read_literal
from quaestor.plan.operations import require_in_range
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref, Step
from quaestor.plan.validate import validate
from quaestor.solvers.reflection.findings import Finding
from quaestor.solvers.reflection.locating import locate
from quaestor.solvers.reflection.numbers import NumberIndex

Said = int | float | str
Operation = Literal[
    "add", "subtract", "multiply", "divide", "exp", "greater", "percentage", "percentage_change", "sum", "average",
    "minimum", "maximum",
]  # fmt: skip
ScaleName = Literal["one", "thousand", "million", "billion", "percent"]

_LONGEST = 80
"""Of a number with its words, in characters; what is longer tells of something else too."""


@dataclass(frozen=True, slots=True)
class LookUp:
    """A number taken from the page."""

    what: Annotated[str, Field(description="What the number is: line, period, kind.")]
    value: Annotated[Said, Field(description="The number as the page prints it, with its sign and percent sign.")]
    where: Annotated[str, Field(description="Its place as the page shows it, such as T0R1C2 or PRE4.")] = ""
    kind: Literal["look_up"] = field(default="look_up", kw_only=True)


@dataclass(frozen=True, slots=True)
class Calculation:
    """One operation on what went before."""

    operation: Annotated[Operation, Field(description="percentage_change takes new, old; percentage part, whole.")]
    operands: Annotated[
        list[Said], Field(description='In order: "#1" is step 1, "#-1" the last answer; else a constant such as 100.')
    ]
    result: Annotated[bool | Said, Field(description="What it comes to: a number, or yes or no.")]
    kind: Literal["calculate"] = field(default="calculate", kw_only=True)


@dataclass(frozen=True, slots=True)
class Draft:
    """Steps and the answer, which is what the last step comes to."""

    reasoning: Annotated[str, Field(description="What is asked, and how it is found, in a few sentences.")]
    steps: Annotated[list[Annotated[LookUp | Calculation, Field(discriminator="kind")]], Field(min_length=1)]
    answer: Annotated[bool | Said, Field(description="The number of the last step; or yes or no.")]
    scale: Annotated[
        ScaleName | None, Field(description="What one unit of the answer stands for, as its sources print it.")
    ] = None


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """What a draft says that a step comes to.

    Attributes:
        value: The number, in units of `scale`; or yes or no.
        scale: What it says that one unit stands for; None where it says nothing.
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
        claims: What the draft says that each step comes to; of a number looked up, what it says is printed.
        answer: What it says is the answer.
        findings: What could not be located, or stands elsewhere than it says.
    """

    plan: Plan
    claims: tuple[DraftClaim, ...]
    answer: DraftClaim
    findings: tuple[Finding, ...]


def faults(draft: Draft, turns_before: int) -> Sequence[str]:
    """Returns one sentence for each reason why a draft is no plan; empty where it is one."""
    found: list[str] = []
    steps: list[Step] = []
    for number, step in enumerate(draft.steps, 1):
        said = step.value if isinstance(step, LookUp) else step.result
        if read_claim(said) is None:
            found.append(f"step {number} says {_quoted(said)}, which is no single number, yes or no")
        operands: tuple[Operand, ...] = (Constant(Decimal(1), "1"),)
        if isinstance(step, Calculation):
            read = [_operand(operand) for operand in step.operands]
            found += [
                f"step {number} has the operand {_quoted(said)}: write a step as #1, an answer as #-1, or a number"
                for said, operand in zip(step.operands, read, strict=True)
                if operand is None
            ]
            operands = tuple(operand or Constant(Decimal(1), "1") for operand in read)
        steps.append(Compute(number, step.operation if isinstance(step, Calculation) else "identity", operands))
    if read_claim(draft.answer) is None:
        found.append(f"the answer {_quoted(draft.answer)} is no single number, yes or no")
    return [*found, *validate(Plan(tuple(steps)), turns_before)]


def parse_draft(draft: Draft, question: str, numbers: NumberIndex) -> ParsedDraft:
    """Returns the plan that a draft without faults means, with what could not be located.

    Args:
        draft: As it was written.
        question: As asked; a number that it gives needs no place on the page.
        numbers: The numbers of the page.
    """
    steps: list[Step] = []
    claims: list[DraftClaim] = []
    findings: list[Finding] = []
    for number, step in enumerate(draft.steps, 1):
        if isinstance(step, Calculation):
            claims.append(_claim(step.result))
            operands = tuple(operand for said in step.operands if (operand := _operand(said)) is not None)
            steps.append(Compute(number, step.operation, operands))
            continue
        claim = _claim(step.value)
        claims.append(claim)
        quantity = Quantity(Decimal(claim.value.value), claim.scale or Scale.ONE)
        place = locate(quantity, step.what, step.where, numbers)
        findings += [Finding(kind, number, text) for kind, text in place.remarks]
        if place.number is not None:
            taken = place.number
            steps.append(Extract(number, taken.source, taken.label, taken.quantity, place.reading, query=step.what))
        else:
            constant = Constant(quantity.number, format(quantity.number, "f"))
            steps.append(Compute(number, "identity", (constant,)))
            if not place.given(question):
                findings.append(
                    Finding("ungrounded", number, f"{claim.words} ({step.what[:80]}) is printed nowhere on the page")
                )
    answer = _claim(draft.answer, draft.scale)
    return ParsedDraft(Plan(tuple(steps), draft.reasoning[:1000]), tuple(claims), answer, tuple(findings))


def read_claim(said: bool | Said, scale: ScaleName | None = None) -> DraftClaim | None:
    """Returns the one number, yes or no that a reply says; None where it says none, or several.

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


def _claim(said: bool | Said, scale: ScaleName | None = None) -> DraftClaim:
    claim = read_claim(said, scale)
    assert claim is not None, "a draft with faults is no plan"
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


def _quoted(said: bool | Said) -> str:
    text = " ".join(str(said).split())
    return repr(text if len(text) <= 60 else text[:57] + "...")
