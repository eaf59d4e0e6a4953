"""What a result is, in words: description, entity, kind of metric, period. Made from the plan alone, by rule."""

from dataclasses import dataclass

from quaestor.conversation.memory import Memory
from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef
from quaestor.documents.document import Document
from quaestor.plan.steps import Compute, Constant, Extract, Label, Operand, Plan, Ref

_METRICS = {
    "add": "sum", "sum": "sum", "table_sum": "sum", "subtract": "change", "divide": "ratio", "percentage": "ratio",
    "percentage_change": "percentage_change", "multiply": "product", "exp": "product", "greater": "comparison",
    "average": "average", "table_average": "average", "minimum": "value", "maximum": "value", "table_min": "value",
    "table_max": "value",
}  # fmt: skip

_WORDS = {
    "add": "{0} plus {1}", "subtract": "{0} less {1}", "multiply": "{0} times {1}", "divide": "{0} over {1}",
    "exp": "{0} to the power of {1}", "greater": "whether {0} is greater than {1}",
    "percentage": "{0} as a part of {1}",
    "percentage_change": "relative change to {0} from {1}", "table_sum": "sum of the row {0}",
    "table_average": "average of the row {0}", "table_max": "largest of the row {0}",
    "table_min": "smallest of the row {0}",
}  # fmt: skip

_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Description:
    """What a result is.

    Attributes:
        text: For people ("net revenue, 2008 less net revenue, 2007").
        entity: The row, column or thing that it is about, where all its numbers share one.
        metric_type: As `Answer.metric_type`.
        period: The latest period of its numbers, or None.
    """

    text: str
    entity: str | None
    metric_type: str
    period: Period | None


def describe(plan: Plan, memory: Memory, document: Document) -> Description:
    """Returns what the result of a plan is.

    Args:
        plan: A valid plan.
        memory: The turns before.
        document: The page that the plan's cells stand on.
    """
    words: list[str] = []
    for step in plan.steps:
        words.append(step.label if isinstance(step, Extract) else _compute_words(step, words, memory))
    last = plan.steps[-1]
    text = words[-1]
    return Description(
        text=text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...",
        entity=_entity(plan, memory, document),
        metric_type=_metric_type(last, memory),
        period=_period(plan, memory, document),
    )


def _compute_words(step: Compute, words: list[str], memory: Memory) -> str:
    operands = [_operand_words(operand, words, memory) for operand in step.operands]
    if step.operation == "identity":
        return operands[0]
    pattern = _WORDS.get(step.operation)
    return pattern.format(*operands) if pattern else f"{step.operation} of {', '.join(operands)}"


def _operand_words(operand: Operand, words: list[str], memory: Memory) -> str:
    match operand:
        case Constant(text=text):
            return text.removeprefix("const_").replace("m1", "-1")
        case Label(text=text):
            return text
        case Ref(step=step) if step > 0:
            return _nested(words[step - 1])
        case Ref(step=step):
            return _nested(memory.answers[step].description)


def _nested(text: str) -> str:
    compound = any(f" {word} " in text for word in ("less", "plus", "times", "over"))
    return f"({text})" if compound else text


def _metric_type(last: Extract | Compute, memory: Memory) -> str:
    if isinstance(last, Extract):
        return "value"
    if last.operation == "identity":
        operand = last.operands[0]
        earlier = isinstance(operand, Ref) and operand.step < 0
        return memory.answers[operand.step].metric_type if earlier and isinstance(operand, Ref) else "value"
    return _METRICS.get(last.operation, "value")


def _entity(plan: Plan, memory: Memory, document: Document) -> str | None:
    """The label that all numbers of the plan share; that of the first where they differ in nothing but the period."""
    names: list[str | None] = [_extract_entity(step, document) for step in plan.extracts]
    names += [memory.answers[ref].entity for ref in _earlier(plan)]
    known = [name for name in names if name]
    return known[0] if known and len(set(known)) == 1 else (" and ".join(dict.fromkeys(known)) or None)


def _extract_entity(step: Extract, document: Document) -> str:
    if not isinstance(step.source, CellRef):
        return step.label
    table = document.tables[step.source.table]
    row, column = table.rows[step.source.row], table.columns[step.source.column]
    # The axis without the periods names the thing.
    return (column.label if table.orientation == "rows" else row.label) or row.label or column.label


def _period(plan: Plan, memory: Memory, document: Document) -> Period | None:
    found: list[Period] = []
    for step in plan.extracts:
        if isinstance(step.source, CellRef):
            period = document.tables[step.source.table].period_at(step.source.row, step.source.column)
            if period is not None:
                found.append(period)
    found += [period for ref in _earlier(plan) if (period := memory.answers[ref].period) is not None]
    return max(found, key=lambda period: (period.last or period.year, period.quarter or 0), default=None)


def _earlier(plan: Plan) -> list[int]:
    return [
        operand.step
        for step in plan.steps
        if isinstance(step, Compute)
        for operand in step.operands
        if isinstance(operand, Ref) and operand.step < 0
    ]
