"""Reference plans broken in one known way: what a solver that errs might end in, with the cause that it errs by."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from gold_plans import GoldPlans, Number
from values import a_value

from quaestor.core.answer_value import value_to_text
from quaestor.core.provenance import CellRef
from quaestor.datasets.dataset import Conversation
from quaestor.documents.table import Table
from quaestor.errors import PlanError
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.graph.facts import MentionFact, Observation
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.expressions import bind_labels
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref
from quaestor.scoring.cause import Cause
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.metrics import executed_equal
from quaestor.scoring.pages import benchmark_rows_of
from quaestor.scoring.predictions import Prediction

_OTHER = {"add": "subtract", "subtract": "add", "multiply": "divide", "divide": "multiply"}


@dataclass(frozen=True)
class Labelled:
    """A conversation with its references and the plans that they are on its page."""

    conversation: Conversation
    golds: tuple[GoldTurn, ...]
    plans: tuple[Plan, ...]
    graph: KnowledgeGraph


@dataclass(frozen=True)
class Broken:
    """A conversation whose plans are the references' but for one thing.

    Attributes:
        predictions: What the plans come to; None if nothing was answered.
        turn: The turn that is looked at.
        cause: Why it is wrong.
    """

    of: Labelled
    golds: tuple[GoldTurn, ...]
    predictions: tuple[Prediction | None, ...]
    turn: int
    cause: Cause


def labelled(conversations: Sequence[Conversation], golds: Mapping[str, Sequence[GoldTurn]]) -> list[Labelled]:
    """The conversations whose plans all give their references."""
    provider = GraphProvider.of({c.document.id: c.document for c in conversations}.values())
    found = []
    for conversation in conversations:
        references = tuple(golds[conversation.id])
        graph = provider.graph(conversation.document)
        plans, rows = GoldPlans(graph), benchmark_rows_of(conversation.document)
        made = tuple(
            bind_labels(plans.add(question, gold.program), rows)
            for question, gold in zip(conversation.questions, references, strict=True)
        )
        one = Labelled(conversation, references, made, graph)
        if not any(_wrong(one, answered(one, made))):
            found.append(one)
    return found


def answered(of: Labelled, plans: Sequence[Plan]) -> tuple[Prediction, ...]:
    """What plans come to, one after the other."""
    history: list[StepResult | None] = []
    predictions = []
    for turn, plan in enumerate(plans):
        result, error = None, None
        try:
            result = execute(plan, history).result
        except PlanError as failure:
            error = f"{type(failure).__name__}: {failure}"
        history.append(result)
        number = None if result is None else value_to_text(result.value)
        predictions.append(Prediction(of.conversation.id, turn, number, None, error, plan=plan))
    return tuple(predictions)


def _wrong(of: Labelled, predictions: Sequence[Prediction]) -> list[bool]:
    return [not executed_equal(p.value, gold.executed) for p, gold in zip(predictions, of.golds, strict=True)]


Breaking = Callable[[Labelled, int, random.Random], Plan | None]
"""Breaks the plan of a turn; None if there is nothing to break."""


def _with(plan: Plan, step: Extract | Compute) -> Plan:
    return Plan(tuple(step if old.id == step.id else old for old in plan.steps))


def _read_instead(of: Labelled, turn: int, draw: random.Random, fits: Callable[[Extract, Number], bool]) -> Plan | None:
    """Read another number of the page in the place of one, of those that fit."""
    plan = of.plans[turn]
    numbers: tuple[Number, ...] = (*of.graph.observations, *of.graph.mentions)
    choices = [
        (extract, number)
        for extract in plan.extracts
        for number in numbers
        if extract.number is not None
        and abs(number.quantity.value) != abs(extract.number)
        and number.source != extract.source
        and fits(extract, number)
    ]
    if not choices:
        return None
    extract, number = draw.choice(choices)
    return _with(plan, replace(extract, source=number.source, label=number.label, quantity=number.quantity))


def _fact(of: Labelled, extract: Extract) -> Number | None:
    numbers: tuple[Number, ...] = (*of.graph.observations, *of.graph.mentions)
    return next((n for n in numbers if n.source == extract.source and n.quantity == extract.quantity), None)


def _table(of: Labelled, number: Observation) -> Table:
    return of.conversation.document.tables[number.source.table]


def another_line(of: Labelled, turn: int, draw: random.Random) -> Plan | None:
    def fits(extract: Extract, number: Number) -> bool:
        here = _fact(of, extract)
        if not isinstance(here, Observation) or not isinstance(number, Observation):
            return False
        one, other = here.source, number.source
        by_row = _table(of, here).orientation == "columns"
        same = one.column == other.column if by_row else one.row == other.row
        return one.table == other.table and same and _table(of, here).orientation != "neither"

    return _read_instead(of, turn, draw, fits)


def another_period(of: Labelled, turn: int, draw: random.Random) -> Plan | None:
    def fits(extract: Extract, number: Number) -> bool:
        here = _fact(of, extract)
        if isinstance(here, Observation) and isinstance(number, Observation):
            one, other = here.source, number.source
            by_row = _table(of, here).orientation == "columns"
            same = one.table == other.table and (one.row == other.row if by_row else one.column == other.column)
        elif isinstance(here, MentionFact) and isinstance(number, MentionFact):
            same = here.sentence == number.sentence
        else:
            return False
        return same and None not in (here.period, number.period) and here.period != number.period

    return _read_instead(of, turn, draw, fits)


def another_text(of: Labelled, turn: int, draw: random.Random) -> Plan | None:
    def fits(extract: Extract, number: Number) -> bool:
        return isinstance(extract.source, CellRef) != isinstance(number.source, CellRef)

    return _read_instead(of, turn, draw, fits)


def swapped(of: Labelled, turn: int, draw: random.Random) -> Plan | None:
    steps = [
        step
        for step in of.plans[turn].steps
        if isinstance(step, Compute) and step.operation in ("subtract", "divide", "greater", "power")
    ]
    if not steps:
        return None
    step = draw.choice(steps)
    return _with(of.plans[turn], replace(step, operands=step.operands[::-1]))


def another_operation(of: Labelled, turn: int, draw: random.Random) -> Plan | None:
    plan = of.plans[turn]
    last = plan.steps[-1]
    if isinstance(last, Compute) and last.operation in _OTHER and not _converts(last):
        return _with(plan, replace(last, operation=_OTHER[last.operation]))
    if isinstance(last, Extract):
        other = draw.choice(of.graph.observations)
        more = Extract(last.id + 1, other.source, other.label, other.quantity)
        operation = draw.choice(("add", "subtract", "divide"))
        return Plan((*plan.steps, more, Compute(last.id + 2, operation, (Ref(last.id), Ref(more.id)))))
    return None


def _converts(step: Compute) -> bool:
    return any(isinstance(o, Constant) and abs(o.value) in (1, 100, 1000, 1000000) for o in step.operands)


def another_scale(of: Labelled, turn: int, draw: random.Random) -> Plan | None:
    return _turned(of, turn, draw.choice(("multiply", "divide")), draw.choice((100, 1000, 1000000)))


def another_sign(of: Labelled, turn: int, draw: random.Random) -> Plan | None:
    plan = of.plans[turn]
    negative = [extract for extract in plan.extracts if extract.number is not None and extract.number < 0]
    if negative and draw.random() < 0.5:
        return _with(plan, replace(draw.choice(negative), reading="magnitude"))
    return _turned(of, turn, "multiply", -1)


def _turned(of: Labelled, turn: int, operation: str, factor: int) -> Plan | None:
    plan = of.plans[turn]
    if execute_alone(of, turn) is None:
        return None
    name = "const_m1" if factor == -1 else f"const_{factor}"
    number = len(plan.steps)
    return Plan((*plan.steps, Compute(number + 1, operation, (Ref(number), Constant(Decimal(factor), name)))))


def execute_alone(of: Labelled, turn: int) -> StepResult | None:
    """The result of a turn, where it is a number."""
    history: list[StepResult | None] = []
    for plan in of.plans[: turn + 1]:
        history.append(execute(plan, history).result)
    found = history[-1]
    return found if found is not None and found.number is not None else None


def another_reference(of: Labelled, turn: int, draw: random.Random) -> Plan | None:
    steps = [(step, n) for step in of.plans[turn].steps if isinstance(step, Compute) for n in _back(step)]
    if not steps or turn < 2:
        return None
    step, place = draw.choice(steps)
    other = draw.choice([back for back in range(-turn, 0) if Ref(back) not in step.operands] or [0])
    if not other:
        return None
    operands: list[Operand] = list(step.operands)
    operands[place] = Ref(other)
    return _with(of.plans[turn], replace(step, operands=tuple(operands)))


def _back(step: Compute) -> list[int]:
    return [n for n, operand in enumerate(step.operands) if isinstance(operand, Ref) and operand.step < 0]


BREAKINGS: Mapping[Cause, Breaking] = {
    Cause.LINE: another_line,
    Cause.PERIOD: another_period,
    Cause.PLACE: another_text,
    Cause.ORDER: swapped,
    Cause.OPERATION: another_operation,
    Cause.SCALE: another_scale,
    Cause.SIGN: another_sign,
    Cause.REFERENCE: another_reference,
}
"""By the cause that each makes."""

_ELSE = (Cause.INHERITED, Cause.UNUSABLE, Cause.NO_ANSWER, Cause.DOUBT)


def broken_plans(conversations: Sequence[Labelled], count: int, seed: int = 11) -> Iterator[Broken]:
    """So many conversations, each broken in one turn, each cause in its turn.

    A plan that still gives the reference is not broken; another one is tried.
    """
    draw = random.Random(seed)
    kinds = (*BREAKINGS, *_ELSE)
    for number in range(count):
        made = None
        while made is None:
            of = draw.choice(conversations)
            made = _broken(of, draw.randrange(len(of.plans)), kinds[number % len(kinds)], draw)
        yield made


def _broken(of: Labelled, turn: int, cause: Cause, draw: random.Random) -> Broken | None:
    if breaking := BREAKINGS.get(cause):
        return _replanned(of, turn, breaking(of, turn, draw), turn, cause)
    right = answered(of, of.plans)
    match cause:
        case Cause.INHERITED:
            users = [t for t, plan in enumerate(of.plans) if any(turn - t in _refs(s) for s in plan.steps)]
            if not users:
                return None
            plan = draw.choice(list(BREAKINGS.values()))(of, turn, draw)
            return _replanned(of, turn, plan, draw.choice(users), cause)
        case Cause.DOUBT:
            executed = right[turn].value
            other = a_value("no") if executed == a_value("yes") else a_value(draw.choice((3.14159, 271.82)))
            golds = (*of.golds[:turn], replace(of.golds[turn], executed=other), *of.golds[turn + 1 :])
            return Broken(of, golds, right, turn, cause)
        case Cause.UNUSABLE:
            failed: Prediction | None = replace(right[turn], number=None, error="SolverError: no plan", plan=None)
        case _:
            failed = draw.choice((None, replace(right[turn], number=None, plan=None)))
    return Broken(of, of.golds, (*right[:turn], failed, *right[turn + 1 :]), turn, cause)


def _refs(step: Extract | Compute) -> set[int]:
    return {o.step for o in step.operands if isinstance(o, Ref) and o.step < 0} if isinstance(step, Compute) else set()


def _replanned(of: Labelled, turn: int, plan: Plan | None, looked_at: int, cause: Cause) -> Broken | None:
    """The conversation with another plan in one turn, where both that turn and the one looked at are wrong by it."""
    if plan is None:
        return None
    predictions = answered(of, (*of.plans[:turn], plan, *of.plans[turn + 1 :]))
    wrong = _wrong(of, predictions)
    if not wrong[turn] or not wrong[looked_at] or predictions[looked_at].error or predictions[turn].error:
        return None
    return Broken(of, of.golds, predictions, looked_at, cause)
