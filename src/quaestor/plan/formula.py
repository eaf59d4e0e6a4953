"""Formatting of a plan as a formula for people: `(206588 - 181001) / 181001`, `2.2 billion * 1000 + 325 million`.

Conversions of scales are written out, including scales that come from labels.
"""

from collections.abc import Sequence
from decimal import Decimal
from textwrap import shorten
from typing import NamedTuple

from quaestor.core.quantity import Scale
from quaestor.plan.operations import OPERATIONS, Operation, require_in_range
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, RowRef
from quaestor.plan.validate import require_valid

LONGEST = 400
"""Parts with more characters are named instead of written out, so that chains of turns stay readable."""

MOST_SHOWN = 8
"""Maximum number of cells of a group that are written out; the middle of a larger group is omitted."""

_PRECEDENCE = {">": 0, "<": 0, ">=": 0, "<=": 0, "=": 0, "+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
_ATOM = 4

_LONGEST_NAME = 60
_LONGEST_LABEL = 40
_BRACES = str.maketrans("{}", "()")
_PARENTHESES = str.maketrans("()", "  ")


class _Part(NamedTuple):
    text: str
    precedence: int
    counts: Dimension = Dimension()
    scaled: str = ""
    """A single number with the scale of its labels, if none is printed beside it."""


def render_formula(plan: Plan, history: Sequence[str | None] = (), counts: Sequence[Dimension | None] = ()) -> str:
    """Return a plan as a formula, which includes the formulas of the earlier turns that it uses.

    Args:
        history: The formulas of earlier turns, oldest first; None for a turn without one.
        counts: The scales and units of the answers of those turns; None for a turn without one. Without it conversions
            of earlier answers are not shown.
    """
    require_valid(plan, len(history))
    earlier = _earlier_parts(history, counts)
    parts: list[_Part] = []
    for step in plan.steps:
        parts.append(_extract(step) if isinstance(step, Extract) else _compute(step, parts, earlier))
    return parts[-1].text


def _earlier_parts(history: Sequence[str | None], counts: Sequence[Dimension | None]) -> list[_Part]:
    parts = []
    for place, formula in enumerate(history):
        counted = (counts[place] if counts else None) or Dimension()
        ago = len(history) - place
        if not formula or len(formula) > LONGEST:
            parts.append(_Part("[last answer]" if ago == 1 else f"[answer {ago} turns ago]", _ATOM, counted))
        else:
            single = _precedence(formula) == _ATOM and counted.known and counted.scale is not Scale.ONE
            scaled = f"{formula} {counted.scale.value}" if single and counted.scale.value not in formula else ""
            parts.append(_Part(formula, _precedence(formula), counted, scaled))
    return parts


def _extract(step: Extract) -> _Part:
    number, counts = step.number, step.counts
    if step.quantity is None or number is None:
        return _Part(step.text or "", _ATOM)
    shown = _number(number, counts, step.quantity.scale)
    if counts.percent:
        return _Part(shown, _ATOM, counts)
    printed = shown if step.quantity.scale is Scale.ONE else format(number, "f")
    return _Part(shown, _ATOM, counts, f"{printed} {counts.scale.value}" if counts.scale is not Scale.ONE else printed)


def _number(value: Decimal, counts: Dimension, scale: Scale | None) -> str:
    """Return a number as printed, followed by its percent sign or scale word."""
    printed = format(require_in_range(value), "f")
    if counts.percent:
        return f"{printed}%"
    return printed if scale in (None, Scale.ONE) else f"{printed} {counts.scale.value}"


def _compute(step: Compute, parts: Sequence[_Part], earlier: Sequence[_Part]) -> _Part:
    operation = OPERATIONS[step.operation]
    if operation.of_row:
        return _of_row(step)
    if operation.gives == "words":
        return _Part("", _ATOM)
    operands = [_operand(operand, parts, earlier) for operand in step.operands]
    if operation.of_list:
        return _of_list(operation, operands)
    if operation.name == "identity":
        return operands[0]
    reading = operation.rule([part.counts for part in operands])
    shown = _convert(operands, reading.shifts)
    if operation.symbol == "change":
        new, old = shown
        whole = _infix("-", [new, old])
        whole = whole if old.text == "1" else _infix("/", [whole, old])
    elif operation.symbol in _PRECEDENCE and len(shown) > 1:
        whole = _infix(operation.symbol, shown)
    elif operation.name == "as_printed":
        whole = _Part(f"{operation.symbol}({shown[0].scaled or shown[0].text})", _ATOM)
    else:
        name = operation.name if operation.symbol in _PRECEDENCE else operation.symbol
        whole = _Part(f"{name}({', '.join(part.text for part in shown)})", _ATOM)
    return whole._replace(counts=reading.counts)


def _of_list(operation: Operation, operands: Sequence[_Part]) -> _Part:
    """Format a selection: `highest(net sales {2009: 3; 2010: 4})`, `net sales {2009: 3; 2010: 4} > 3`."""
    if operation.takes == "entries":
        if len(operands) == 1:
            return operands[0]
        return _Part(f"{{{'; '.join(part.text for part in operands)}}}", _ATOM, operands[0].counts)
    counts = operands[0].counts if operation.gives == "list" else Dimension()
    shown = list(operands)
    if len(operands) == 2 and any(operation.rule([part.counts for part in operands]).shifts):
        shown = [part._replace(text=part.scaled or part.text) for part in operands]
    if operation.symbol in _PRECEDENCE:
        return _infix(operation.symbol, shown)._replace(counts=counts)
    return _Part(f"{operation.symbol}({', '.join(part.text for part in shown)})", _ATOM, counts)


def _group(group: CellGroup) -> _Part:
    counts = set(group.counts)
    common = counts.pop() if len(counts) == 1 else Dimension()
    cells = [
        f"{_plainly(label, _LONGEST_LABEL)}: {_number(quantity.value, kind, quantity.scale)}"
        for label, quantity, kind in zip(group.labels, group.values, group.counts, strict=True)
    ]
    if len(cells) > MOST_SHOWN:
        cells = [*cells[: MOST_SHOWN - 2], f"... {len(cells) - MOST_SHOWN + 1} more ...", cells[-1]]
    text = f"{_plainly(group.text, _LONGEST_NAME)} {{{'; '.join(cells)}}}".lstrip()
    named = common.scale not in (Scale.ONE, Scale.PERCENT)
    return _Part(text, _ATOM, common, f"{text} {common.scale.value}" if named else "")


def _plainly(text: str, most: int) -> str:
    """Return words of a page for a formula: on one line, without braces or unbalanced parentheses."""
    words = shorten(text.translate(_BRACES), most, placeholder="...")
    return words if words.count("(") == words.count(")") else " ".join(words.translate(_PARENTHESES).split())


def _of_row(step: Compute) -> _Part:
    label, operation = step.operands[0], OPERATIONS[step.operation]
    counts = operation.rule(label.counts).counts if isinstance(label, RowRef) and label.values else Dimension()
    return _Part(f"{operation.symbol}({label.text})" if isinstance(label, RowRef) else "", _ATOM, counts)


def _convert(operands: Sequence[_Part], shifts: Sequence[int]) -> list[_Part]:
    """Write out the conversions of operands as factors, with the scales of all operands.

    A percentage that is used as a fraction needs no factor, since its percent sign shows it.
    """
    if not any(shift > 0 for shift in shifts):
        return list(operands)
    parts = [part._replace(text=part.scaled or part.text) for part in operands]
    return [
        _infix("*", [part, _Part(str(10**shift), _ATOM)]) if shift > 0 else part
        for part, shift in zip(parts, shifts, strict=True)
    ]


def _operand(operand: Operand, parts: Sequence[_Part], earlier: Sequence[_Part]) -> _Part:
    if isinstance(operand, Constant):
        text = operand.text if operand.text.endswith("%") else _number(operand.value, operand.counts, operand.scale)
        return _Part(text, _ATOM, operand.counts)
    if isinstance(operand, RowRef):
        return _Part(operand.text, _ATOM)
    if isinstance(operand, CellGroup):
        return _group(operand)
    if operand.step > 0:
        part = parts[operand.step - 1]
        return part if len(part.text) <= LONGEST else _Part(f"[step {operand.step}]", _ATOM, part.counts)
    return earlier[operand.step]


def _infix(symbol: str, operands: Sequence[_Part]) -> _Part:
    """Join operands by an operator, with parentheses around those that bind less tightly."""
    own = _PRECEDENCE[symbol]
    shown = [
        # `a - (b - c)` and `a / (b * c)` need parentheses on the right, `a ^ (b ^ c)` and `(a ^ b) ^ c` on both sides.
        _enclose(part, own + (1 if (place and symbol in "-/") or symbol in "^>" else 0), place > 0 or symbol == "^")
        for place, part in enumerate(operands)
    ]
    return _Part(f" {symbol} ".join(shown), own)


def _enclose(part: _Part, least: int, after_operator: bool) -> str:
    bare = part.precedence >= least and not (after_operator and part.text.startswith("-"))
    return part.text if bare else f"({part.text})"


def _precedence(formula: str) -> int:
    """Return the precedence of a formula: the lowest one of its operators outside parentheses."""
    depth, cells, loosest = 0, 0, _ATOM
    for before, character, after in zip(" " + formula, formula, formula[1:] + " ", strict=False):
        cells += (character == "{") - (character == "}")
        depth += 0 if cells else (character == "(") - (character == ")")
        if not depth and not cells and before == " " and after in " =":
            loosest = min(loosest, _PRECEDENCE.get(character, _ATOM))
    return loosest
