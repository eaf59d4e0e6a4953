"""Run the workflow on a page of the sample with a scripted model behind HTTP, and build the steps of models."""

from collections.abc import Sequence
from typing import Any

from model_server import Script
from solver_bench import SolverRun, run_with_script
from toolboxes import CASH_FLOWS

from quaestor.documents.document import Document
from quaestor.solvers.workflow.solver import WorkflowSolver
from quaestor.solvers.workflow.spec import WorkflowLimits
from quaestor.testing.models import Protocol, ReceivedRequest, Reply, structured

Json = dict[str, Any]

QUESTION = "what was the net cash from operating activities in 2008?"
OPERATING = "net cash from operating activities"


def table(step: int, row: str, column: str) -> Json:
    params = {"row_query": row, "col_query": column}
    return {"step_id": step, "tool": "extract_value", "source": "table", "params": params}


def text(step: int, sought: str, context: str, unit: str = "any", period: str = "any") -> Json:
    params = {"sought": sought, "value_context": context, "unit": unit, "period": period}
    return {"step_id": step, "tool": "extract_value", "source": "text", "params": params}


def cells(step: int, rows: Sequence[str], columns: Sequence[str]) -> Json:
    return {"step_id": step, "tool": "select_cells", "rows": list(rows), "columns": list(columns)}


def words(step: int, sentence: str) -> Json:
    return {"step_id": step, "tool": "quote", "words": sentence}


def compute(step: int, operation: str, *operands: int | list[float]) -> Json:
    """Return a step whose operands are references, or literals in a list of one."""
    return {
        "step_id": step,
        "tool": "compute",
        "operation": operation,
        "operands": [
            {"type": "literal", "value": operand[0]}
            if isinstance(operand, list)
            else {"type": "reference", "step_ref": operand}
            for operand in operands
        ],
    }


def plan(*steps: Json) -> Json:
    return {"thought_process": "as asked", "steps": list(steps)}


def change(later: str = "2009", earlier: str = "2008") -> Json:
    return plan(table(1, OPERATING, later), table(2, OPERATING, earlier), compute(3, "percentage_change", 1, 2))


def script_of(replies: Sequence[Json | Reply]) -> Script:
    """Return a script that gives plans (or any replies) in order."""
    left = iter(replies)

    def answer(request: ReceivedRequest) -> Reply:
        following = next(left, Reply("no reply left", status=400))
        return following if isinstance(following, Reply) else structured(request, following)

    return answer


def play(
    script: Script,
    *questions: str,
    page: str | Document = CASH_FLOWS,
    protocol: Protocol = "openai",
    native: bool = True,
    limits: WorkflowLimits | None = None,
    **spec: Any,
) -> SolverRun:
    return run_with_script(WorkflowSolver(limits), script, questions or (QUESTION,), page, protocol, native, **spec)
