"""Short constructors for the steps of plans over a page."""

from decimal import Decimal

from quaestor.core.provenance import CellRef
from quaestor.documents.document import Document
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref


def cell(document: Document, row: int, column: int, step: int = 1) -> Extract:
    ref = CellRef(document.id, 0, row, column)
    quantity = document.cell(ref).quantity
    assert quantity is not None
    return Extract(step, ref, "as the solver says", quantity)


def extract_from_sentence(document: Document, sentence: int, order: int, step: int = 1) -> Extract:
    mention = document.sentences[sentence].mentions[order]
    return Extract(step, mention.ref, "words around", mention.quantity)


def compute(step: int, operation: str, *operands: Operand | int) -> Compute:
    return Compute(step, operation, tuple(Ref(item) if isinstance(item, int) else item for item in operands))


def number(value: str, text: str | None = None) -> Constant:
    return Constant(Decimal(value), text or value)


def needs_more_than_numbers(plan: Plan) -> bool:
    """Return whether a plan needs more than the prompt for a number offers: words of the page, or lists."""
    return any(step.text is not None for step in plan.extracts) or any(
        OPERATIONS[step.operation].of_list for step in plan.computes
    )
