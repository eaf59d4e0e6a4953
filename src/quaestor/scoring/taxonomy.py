"""Kinds of labelled turns (operation, source of the new operands, position) and causes of wrong ones.

Kinds are derived from the gold programs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from quaestor.plan.program import parse_program
from quaestor.plan.scales import read_literal
from quaestor.plan.steps import LEAVES, Compute, Tree, program_tree
from quaestor.scoring.filing_answers import FilingReference
from quaestor.scoring.gold import GoldTurn, StatedReference
from quaestor.scoring.pages import PageNumbers


class Cause(StrEnum):
    """Why a turn is wrong. Each turn has the first of these causes that applies."""

    NO_ANSWER = "no answer"
    """The solver gave no answer, or the turn was not run."""
    UNUSABLE = "refused or unusable reply"
    """The turn failed with a named error, or the answer cannot be read."""
    DOUBT = "reference in doubt"
    """The reference program does not give the reference answer, or reads a number that is not on the page; or the
    answer equals the annotators' displayed answer, which differs from the result of their program.
    """
    INHERITED = "inherited from an earlier error"
    """The plan is right except that it uses the wrong answer of an earlier turn, or repeats an earlier mistake about
    something that this question does not name.
    """
    OPERATION = "operation"
    """Different arithmetic, or a different number of operands."""
    REFERENCE = "reference to the wrong earlier answer"
    """The answer of another turn; or an earlier answer instead of a new value, or vice versa."""
    ORDER = "operand order"
    """The same arithmetic on the same numbers, in another order."""
    PLACE = "wrong table or text"
    """A number from another table or passage, or not from the page."""
    LINE = "wrong line"
    """Another line of the same table, or another item of the same sentence."""
    PERIOD = "wrong period"
    """The same line in another period."""
    SIGN = "sign"
    """Only the sign differs."""
    SCALE = "scale"
    """Differs by a power of ten only, such as a percentage instead of its fraction."""
    ROUNDED = "rounded"
    """An answer without a plan that equals the reference rounded to fewer digits."""
    NO_PLAN = "no plan to compare with"
    """The answer has no plan, as with imported predictions, and the numbers alone do not show the cause."""
    UNKNOWN = "no program to compare with"
    """The dataset gives no program, and the numbers alone do not show the cause."""


NO_PROGRAM = "no program"
"""Operation of a turn whose dataset gives no program."""


class OperandSource(StrEnum):
    """Source of the new operands of a turn.

    A number that an earlier turn's program has is not new. A turn with new numbers is classified by them, even if it
    also uses earlier results; a turn without is classified by whether it introduces constants.
    """

    TABLE = "table"
    TEXT = "text"
    SEVERAL = "table and text"
    EARLIER = "earlier turns"
    CONSTANTS = "earlier turns and constants"
    NOWHERE = "not on the page"
    UNKNOWN = "no program"


@dataclass(frozen=True, slots=True)
class TurnKind:
    """Kind of a labelled turn.

    Attributes:
        operation: The last operation of the program, `lookup` for a single literal, `NO_PROGRAM` without a program.
        joined: Whether the conversation was joined from two questions about one page ("Double").
    """

    index: int
    operation: str
    origin: OperandSource
    joined: bool
    stated: StatedReference | None = None
    begins_second: bool = False
    filing: FilingReference | None = None


def turn_kinds(turns: Sequence[GoldTurn], page: PageNumbers, *, joined: bool = False) -> tuple[TurnKind, ...]:
    """Return the kind of each turn of a conversation."""
    joined = joined or any(turn.question_part for turn in turns)
    results: set[Tree] = set()
    known: set[str] = set()
    kinds: list[TurnKind] = []
    for index, turn in enumerate(turns):
        if not turn.program:
            unknown = OperandSource.UNKNOWN
            kinds.append(TurnKind(index, NO_PROGRAM, unknown, joined, turn.stated, filing=turn.filing))
            continue
        begins_second = index > 0 and turn.question_part > turns[index - 1].question_part
        plan = parse_program(turn.program)
        tree, last = program_tree(plan), plan.steps[-1]
        operation = last.operation if isinstance(last, Compute) else "lookup"
        new, constants = _new_operands(tree, results, known)
        named = "lookup" if operation == "identity" else operation
        origin = _origin(new, constants, page)
        kinds.append(TurnKind(index, named, origin, joined, turn.stated, begins_second))
        results.add(tree)
        known |= new
    return tuple(kinds)


def missing_literals(program: str, page: PageNumbers) -> tuple[str, ...]:
    """Return the literals of a program that are not on the page, without constants."""
    found, _ = _new_operands(program_tree(parse_program(program)), set(), set())
    return tuple(sorted(literal for literal in found if _place(literal, page) is OperandSource.NOWHERE))


def _new_operands(tree: Tree, results: set[Tree], known: set[str]) -> tuple[set[str], bool]:
    """Return the literals and row labels that no earlier turn has, and whether there are constants."""
    new: set[str] = set()
    constants = False
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node in results:
            continue
        if node[0] not in LEAVES:
            waiting.extend(child for child in node[1:] if isinstance(child, tuple))
        elif node[0] == "constant":
            constants = True
        elif node[0] == "row":
            new.add("")
        elif str(node[-1]) not in known:
            new.add(str(node[-1]))
    return new, constants


def _origin(new: set[str], constants: bool, page: PageNumbers) -> OperandSource:
    places = {_place(literal, page) for literal in new}
    if not places:
        return OperandSource.CONSTANTS if constants else OperandSource.EARLIER
    if len(places) == 1:
        return places.pop()
    return OperandSource.NOWHERE if OperandSource.NOWHERE in places else OperandSource.SEVERAL


def _place(literal: str, page: PageNumbers) -> OperandSource:
    """Return the source of a literal; the table has priority, because text often repeats its numbers.

    The empty literal is a table row. A fraction may be printed as a percentage.
    """
    if not literal:
        return OperandSource.TABLE
    value = abs(read_literal(literal))
    printed = [value * 100] if literal.endswith("%") else [value]
    printed += [value * 100] if value < 10 else []
    places = ((page.table, OperandSource.TABLE), (page.text, OperandSource.TEXT))
    found = (source for number in printed for numbers, source in places if number in numbers)
    return next(found, OperandSource.NOWHERE)
