"""Labelled turns in terms of the solver.

A gold program contains numbers, not cells: this module infers the leaf of each literal.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.core.answer_value import AnswerValue, as_float
from quaestor.errors import ExecutionError
from quaestor.plan.execute import execute
from quaestor.plan.program import parse_program
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import Plan, Tree, program_tree
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.scoring.gold import GoldTurn
from quaestor.solvers.embedded.candidates import OPERATIONS, compute_result, find_result_dimension
from quaestor.solvers.embedded.page import NumberMatrix
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnAction

_OF_ROW = {"table_sum": "sum", "table_average": "average"}
"""Solver's names for operations on a whole row of the table."""

Chooser = Callable[[Sequence[int]], int]
"""Chooses among the leaves that print the number of a literal."""


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    """Turn with its gold action.

    Attributes:
        outcome: Gold operation on leaves, earlier results and constants; any other operand becomes a constant.
        answer: Executed number; 1 or 0 for yes or no.
        acceptable: For each leaf operand, all leaves that print its number.
    """

    question: Question
    outcome: TurnAction
    answer: float
    acceptable: tuple[tuple[int, ...], ...]


def label_turn(
    question: Question,
    gold: GoldTurn,
    earlier: Sequence[Tree],
    state: DialogueState,
    leaves: NumberMatrix | None,
    choose: Chooser,
) -> tuple[LabelledTurn, Tree]:
    """Return a turn with its gold action, and its program tree for later turns.

    Args:
        gold: The reference program and its result.
        earlier: The program trees of the earlier turns.
        state: The conversation so far, with gold actions.
        leaves: The page; None if only the dialogue is known: then every literal is a separate leaf.
        choose: Chooses the leaf if several print the number.
    """
    plan = parse_program(gold.program)
    tree = program_tree(plan)
    answer = _as_number(gold.executed)
    operation, parts = _operation(tree, earlier, state)
    operands, acceptable = list[Operand](), list[tuple[int, ...]]()
    for part in parts:
        row = _row(part, leaves)
        operands += [Operand("leaf", leaf, value) for leaf, value in row]
        acceptable += [(leaf,) for leaf, _ in row]
        if not row:
            operand, options = _operand(part, earlier, state, leaves, choose)
            operands.append(operand)
            acceptable.append(options)
    counts = _counts(operation, operands, state, leaves)
    if gold.stated is not None and leaves is not None:
        answer = _solver_value(operation, operands, leaves, answer)
    outcome = TurnAction(operation, tuple(operands), _history_value(operation, operands, plan, answer), counts)
    return LabelledTurn(question, outcome, answer, tuple(acceptable)), tree


def _solver_value(operation: str, operands: Sequence[Operand], leaves: NumberMatrix, answer: float) -> float:
    """Result of an operation on numbers of the page by the solver's rules: percentages in points, one scale.

    A stated answer can have any scale, and its program returns fractions.
    """
    counts = tuple(leaves.counts[o.index] if o.kind == "leaf" else Dimension() for o in operands)
    if operation not in OPERATIONS or any(operand.kind != "leaf" for operand in operands):
        return answer
    value = compute_result(operation, [operand.value for operand in operands], counts)
    return answer if value is None else value


def _as_number(value: AnswerValue) -> float:
    """A number, or 1 and 0 for yes and no, as in the benchmark's programs."""
    number = as_float(value)
    assert number is not None  # programs do not return words
    return number


def _history_value(operation: str, operands: Sequence[Operand], plan: Plan, answer: float) -> float:
    """Value in the solver's own history: unrounded; a looked-up percentage as printed."""
    if operation == "lookup":
        return operands[0].value
    try:
        return _as_number(execute(plan).result.value)
    except ExecutionError:
        # Operations on table rows need the row, which a program only names.
        return answer


def _counts(
    operation: str, operands: Sequence[Operand], state: DialogueState, leaves: NumberMatrix | None
) -> Dimension:
    counts = []
    for operand in operands:
        if operand.kind == "leaf" and leaves is not None:
            counts.append(leaves.counts[operand.index])
        elif operand.kind == "result":
            counts.append(state.outcomes[operand.index].counts)
        else:
            counts.append(Dimension())
    fits = len(counts) > 1 if operation in ("sum", "average") else len(counts) == (1 if operation == "lookup" else 2)
    if operation not in OPERATIONS or not fits:
        return Dimension()
    return find_result_dimension(operation, tuple(counts))


def _operation(tree: Tree, earlier: Sequence[Tree], state: DialogueState) -> tuple[str, tuple[Tree, ...]]:
    if _earlier_turn(tree, earlier, state) is not None or tree[0] in ("number", "constant"):
        return "lookup", (tree,)
    name, operands = str(tree[0]), tuple(part for part in tree[1:] if isinstance(part, tuple))
    if name in _OF_ROW:
        return _OF_ROW[name], operands
    if (change := _change(name, operands)) is not None and _earlier_turn(operands[0], earlier, state) is None:
        # If an earlier turn computed the difference or ratio, its result is used.
        return "percentage_change", change
    if name == "add" and len(terms := _terms(tree, earlier, state)) > 2:
        return "sum", terms
    if name == "divide" and operands[0][0] in ("add", "subtract", "multiply"):
        terms = _terms(_add_negatives(operands[0]), earlier, state)
        if len(terms) > 1 and _is_number(operands[1], len(terms)):
            return "average", terms
    return name, operands


def _add_negatives(tree: Tree) -> Tree:
    """A sum of numbers below zero as a sum of negative numbers: `-(2 + 3)` and `-2 - 3` become `-2 + -3`."""
    if tree[0] == "multiply" and isinstance(tree[1], tuple) and tree[2] == ("constant", -1.0, "const_m1"):
        return _negative(_add_negatives(tree[1]))
    if tree[0] == "subtract" and isinstance(tree[1], tuple) and isinstance(tree[2], tuple):
        first = _add_negatives(tree[1])
        if _below_zero(first) and tree[2][0] == "number":
            return ("add", first, _negative(tree[2]))
    if tree[0] == "add":
        return ("add", *(_add_negatives(part) for part in tree[1:] if isinstance(part, tuple)))
    return tree


def _below_zero(tree: Tree) -> bool:
    if tree[0] == "add":
        return all(isinstance(part, tuple) and _below_zero(part) for part in tree[1:])
    return tree[0] == "number" and float(str(tree[1])) < 0


def _negative(tree: Tree) -> Tree:
    if tree[0] == "number":
        return ("number", -float(str(tree[1])), f"-{tree[2]}")
    if tree[0] == "add":
        return ("add", *(_negative(part) for part in tree[1:] if isinstance(part, tuple)))
    return ("multiply", tree, ("constant", -1.0, "const_m1"))


def _change(name: str, operands: tuple[Tree, ...]) -> tuple[Tree, ...] | None:
    """New and old value of a change, `(a - b) / b` or `a / b - 1`; None for other operations."""
    inside = tuple(part for part in operands[0][1:] if isinstance(part, tuple))
    if name == "divide" and operands[0][0] == "subtract" and inside[1] == operands[1]:
        return inside
    return inside if name == "subtract" and operands[0][0] == "divide" and _is_number(operands[1], 1) else None


def _is_number(part: Tree, number: float) -> bool:
    """Whether a part is this number; derivations by annotators have literals instead of constants."""
    return part[0] in ("constant", "number") and part[1] == number


def _row(part: Tree, leaves: NumberMatrix | None) -> list[tuple[int, float]]:
    """Leaves of the table row that a program names, with their values."""
    if part[0] != "row" or leaves is None:
        return []
    label = stems(str(part[1]))
    found = [n for n, leaf in enumerate(leaves.leaves) if leaf.table >= 0 and leaf.row == label]
    # A program does not name the table, so a row in several tables is ambiguous.
    several = len({leaves.leaves[n].table for n in found}) > 1
    return [] if several else [(n, float(leaves.value[n])) for n in found]


def _terms(tree: Tree, earlier: Sequence[Tree], state: DialogueState) -> tuple[Tree, ...]:
    """Terms of a sum, including those of nested sums that are not earlier results."""
    if tree[0] != "add" or _earlier_turn(tree, earlier, state) is not None:
        return (tree,)
    return tuple(term for part in tree[1:] if isinstance(part, tuple) for term in _terms(part, earlier, state))


def _earlier_turn(tree: Tree, earlier: Sequence[Tree], state: DialogueState) -> int | None:
    """Latest earlier turn with this program."""
    for turn in range(len(earlier) - 1, -1, -1):
        if earlier[turn] == tree and state.outcomes[turn].value is not None:
            return turn
    return None


def _operand(
    part: Tree, earlier: Sequence[Tree], state: DialogueState, leaves: NumberMatrix | None, choose: Chooser
) -> tuple[Operand, tuple[int, ...]]:
    turn = _earlier_turn(part, earlier, state)
    if turn is not None:
        return Operand("result", turn, state.outcomes[turn].value or 0.0), ()
    if part[0] not in ("number", "constant"):
        return Operand("constant", 0, float("nan")), ()
    value, text = float(str(part[1])), str(part[2])
    if leaves is None:
        if part[0] == "constant":
            return Operand("constant", 0, value), ()
        # Without the page a literal is a separate leaf; equal texts are the same one.
        return Operand("leaf", _text_leaf(text), value), ()
    printed = value * 100 if text.endswith("%") else value
    matches = matching_leaves(leaves, printed, percent=text.endswith("%"))
    if not len(matches) or (part[0] == "constant" and value in (1.0, 100.0, 1000.0, 1e6, 1e9, -1.0)):
        return Operand("constant", 0, value), ()
    used = state.used_leaves
    used_before = [leaf for leaf in matches if leaf in used]
    chosen = used_before[-1] if used_before else choose(matches)
    return Operand("leaf", chosen, printed), tuple(matches)


def _text_leaf(text: str) -> int:
    """Number for a literal's text, the same in every process."""
    return int.from_bytes(text.encode()[:24], "big") % (1 << 62)


def matching_leaves(leaves: NumberMatrix, printed: float, *, percent: bool) -> list[int]:
    """Return the indices of the leaves that print a number, ignoring its sign.

    For a literal with a percent sign, only leaves printed as percentages count, if there are any.

    Args:
        printed: The number of a literal in a gold program, as printed: 14 for `14%`.
        percent: Whether the literal has a percent sign.
    """
    close: NDArray[np.bool_] = np.isclose(np.abs(leaves.value), abs(printed), rtol=1e-9, atol=1e-9)
    if percent and (close & leaves.percent).any():
        close &= leaves.percent
    return np.flatnonzero(close).tolist()
