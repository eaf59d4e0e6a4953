"""Which earlier results the programs of labelled conversations use.

Memories are made from the programs alone, so dialogues without pages serve as well as those with them. Owns what counts
as using an earlier result: its whole program occurs in the turn's program as a proper part.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Memory, Turn
from quaestor.core.answer_value import Number
from quaestor.core.provenance import SentenceRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.learning.examples import Example
from quaestor.plan.operations import metric_of
from quaestor.plan.program import parse_program
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref, Step, Tree, program_tree

Used = frozenset[Tree]
"""The programs of the earlier turns whose results are used: a result that was asked twice is one."""

_WHEN = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class LabelledReference:
    """A question after the first, with what its program uses.

    Attributes:
        turn: The question's place, from 0.
        memory: The turns before, as their programs answer them.
        programs: Those of the turns before.
        used: Of those whose results the question's own program uses; empty if it uses none.
        program: The question's own.
    """

    conversation: str
    company: str
    turn: int
    question: str
    memory: Memory
    programs: tuple[Tree, ...]
    used: Used
    program: Tree

    def is_right(self, turns: Iterable[int]) -> bool:
        """Return whether these turns, or others of the same programs, are what is used."""
        return frozenset(self.programs[turn] for turn in turns) == self.used


def labelled_references(examples: Iterable[Example]) -> Iterator[LabelledReference]:
    """Yield every question but the first of each conversation."""
    for example in examples:
        trees = tuple(program_tree(parse_program(gold.program)) for gold in example.gold)
        memory = Memory()
        for turn, question in enumerate(example.questions):
            if turn:
                used = frozenset(_used(trees[turn], frozenset(trees[:turn])))
                before, own = trees[:turn], trees[turn]
                yield LabelledReference(example.id, example.company, turn, question, memory, before, used, own)
            plan = _plan_of(example.gold[turn].program)
            answer = Answer(Number(Decimal(0)), plan=plan, metric_type=_metric(trees[turn]))
            memory = memory.add(Turn(question, answer, verified=True, started=_WHEN, finished=_WHEN))


def _used(tree: Tree, earlier: frozenset[Tree]) -> Iterator[Tree]:
    for part in tree[1:]:
        if isinstance(part, tuple) and part[0] not in ("constant", "row"):
            if part in earlier:
                yield part
            else:
                yield from _used(part, earlier)


def _metric(tree: Tree) -> str:
    name, first = str(tree[0]), tree[1]
    if name == "divide" and isinstance(first, tuple) and first[0] == "subtract" and first[2] == tree[2]:
        return "percentage_change"
    return metric_of(name)


def _plan_of(program: str) -> Plan:
    """Return the plan of a program whose literals come from a made-up place: one for each text."""
    steps: list[Step] = []
    numbers: dict[int, int] = {}

    def operand_of(operand: Operand) -> Operand:
        if isinstance(operand, Ref):
            return Ref(numbers[operand.step])
        if not isinstance(operand, Constant) or operand.text.startswith("const_"):
            return operand
        place = int.from_bytes(operand.text.encode(), "big")
        source = SentenceRef("unknown", "pre_text", 0, place, place)
        quantity = Quantity(operand.value, Scale.ONE, None, operand.text)
        steps.append(Extract(len(steps) + 1, source, operand.text, quantity))
        return Ref(len(steps))

    for step in parse_program(program).steps:
        assert isinstance(step, Compute)
        operands = tuple(map(operand_of, step.operands))
        if step.operation == "identity" and isinstance(operands[0], Ref):
            numbers[step.id] = operands[0].step
        else:
            steps.append(Compute(len(steps) + 1, step.operation, operands))
            numbers[step.id] = len(steps)
    return Plan(tuple(steps))
