"""Run the two-phase solver on a page with a scripted model behind HTTP."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agent_bench import Step
from model_server import Script
from solver_bench import SolverRun, context_of, run_with_script
from toolboxes import CASH_FLOWS

from quaestor.conversation.turn import Memory
from quaestor.documents.document import Document
from quaestor.solvers.sparql.retrieval import Retrieval
from quaestor.solvers.sparql.solver import SparqlSolver
from quaestor.solvers.sparql.spec import SparqlLimits
from quaestor.testing.models import ReceivedRequest, Reply, structured

QUESTION = "what was the net cash from operating activities in 2008?"
CASH_2008 = "SELECT ?value WHERE { kg:CashFlow_2008 kg:net_cash_from_operating_activities ?value }"
CASH_2009 = CASH_2008.replace("2008", "2009")


def retrieval(page: str | Document = CASH_FLOWS, question: str = QUESTION, memory: Memory | None = None) -> Retrieval:
    return Retrieval(question, context_of(page, memory))


def values(**named: str | float | Mapping[str, Any]) -> dict[str, Any]:
    """Return the model's reply in the first phase."""
    return {"values": named, "reasoning": "these are needed"}


def formula(text: str | None) -> dict[str, Any]:
    """Return the model's reply in the second phase."""
    return {"formula": text, "reasoning": "by the rule"}


def is_calculation(request: ReceivedRequest) -> bool:
    return "The values that you named" in request.prompts[0]


def scripted(first: Sequence[Step | dict[str, Any]], second: Sequence[Step | dict[str, Any]]) -> Script:
    """Return a script that replies to the phases in order."""
    planned: Iterator[Step | dict[str, Any]] = iter(first)
    calculated: Iterator[Step | dict[str, Any]] = iter(second)

    def answer(request: ReceivedRequest) -> Reply:
        step = next(calculated if is_calculation(request) else planned, Reply("no reply left", status=400))
        if isinstance(step, dict):
            return structured(request, step)
        return step if isinstance(step, Reply) else step(request)

    return answer


def play(
    script: Script,
    *questions: str,
    page: str | Document = CASH_FLOWS,
    native: bool = True,
    limits: SparqlLimits | None = None,
) -> SolverRun:
    return run_with_script(SparqlSolver(limits), script, questions or (QUESTION,), page, native=native)
