"""The arithmetic of a plan for people: `(206588 - 181001) / 181001`.

Owns the notation: the fewest parentheses that keep the meaning, numbers as printed, with their percent sign or
scale word. Computes nothing.
"""

from collections.abc import Sequence
from typing import NamedTuple

from quaestor.core.quantity import Scale
from quaestor.plan.operations import OPERATIONS, require_in_range
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref, RowRef
from quaestor.plan.validate import require_valid

LONGEST = 400
"""A part longer than this is named instead of written out, so that chains of turns stay readable."""

_PRECEDENCE = {">": 0, "+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
_ATOM = 4


class _Part(NamedTuple):
    text: str
    precedence: int


def render_formula(plan: Plan, history: Sequence[str | None] = ()) -> str:
    """Returns the plan as arithmetic, with the formulas of earlier turns written out where it uses them.

    Args:
        plan: The plan.
        history: The formulas of earlier turns, oldest first; None where a turn has none.

    Raises:
        PlanValidationError: The plan cannot be run.
        MagnitudeError: It extracts a number too large or too fine to hold.
    """
    require_valid(plan, len(history))
    parts: list[_Part] = []
    for step in plan.steps:
        parts.append(_extract(step) if isinstance(step, Extract) else _compute(step, parts, history))
    return parts[-1].text


def _extract(step: Extract) -> _Part:
    if step.quantity is None or step.number is None:
        return _Part(step.text or "", _ATOM)
    printed = format(require_in_range(step.number), "f")
    scale = step.quantity.scale
    if scale is Scale.PERCENT:
        return _Part(f"{printed}%", _ATOM)
    return _Part(printed if scale is Scale.ONE else f"{printed} {scale.value}", _ATOM)


def _compute(step: Compute, parts: Sequence[_Part], history: Sequence[str | None]) -> _Part:
    operation = OPERATIONS[step.operation]
    operands = [_operand(operand, parts, history) for operand in step.operands]
    if operation.name == "identity":
        return operands[0]
    if operation.symbol == "change":
        new, old = operands
        return _infix("/", [_infix("-", [new, old]), old])
    if operation.symbol in _PRECEDENCE:
        return _infix(operation.symbol, operands)
    return _Part(f"{operation.symbol}({', '.join(part.text for part in operands)})", _ATOM)


def _operand(operand: Operand, parts: Sequence[_Part], history: Sequence[str | None]) -> _Part:
    if isinstance(operand, Constant):
        value = format(operand.value, "f")
        return _Part(operand.text if operand.text.endswith("%") else value, _ATOM)
    if isinstance(operand, RowRef):
        return _Part(operand.text, _ATOM)
    if operand.step > 0:
        part = parts[operand.step - 1]
        return part if len(part.text) <= LONGEST else _Part(f"[step {operand.step}]", _ATOM)
    return _earlier(operand, history[operand.step])


def _earlier(ref: Ref, formula: str | None) -> _Part:
    if not formula or len(formula) > LONGEST:
        return _Part("[last answer]" if ref.step == -1 else f"[answer {-ref.step} turns ago]", _ATOM)
    return _Part(formula, _precedence(formula))


def _infix(symbol: str, operands: Sequence[_Part]) -> _Part:
    """Returns the operands joined, each in parentheses where it binds less than the symbol asks for."""
    own = _PRECEDENCE[symbol]
    shown = [
        # `a - (b - c)`, `a / (b * c)` and `a ^ (b ^ c)` need theirs on the right, `(a ^ b) ^ c` on the left too.
        _closed(part, own + (1 if (place and symbol in "-/") or symbol in "^>" else 0), place > 0 or symbol == "^")
        for place, part in enumerate(operands)
    ]
    return _Part(f" {symbol} ".join(shown), own)


def _closed(part: _Part, least: int, after_operator: bool) -> str:
    bare = part.precedence >= least and not (after_operator and part.text.startswith("-"))
    return part.text if bare else f"({part.text})"


def _precedence(formula: str) -> int:
    """Returns how tightly a rendered formula binds: the loosest operator outside parentheses."""
    depth, loosest = 0, _ATOM
    for before, character, after in zip(" " + formula, formula, formula[1:] + " ", strict=False):
        depth += (character == "(") - (character == ")")
        if not depth and before == after == " ":
            loosest = min(loosest, _PRECEDENCE.get(character, _ATOM))
    return loosest
