"""Run the agent on a page of the sample with a scripted model behind HTTP."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from model_server import Script
from solver_bench import SolverRun, run_with_script
from toolboxes import CASH_FLOWS

from quaestor.documents.document import Document
from quaestor.solvers.agent.solver import AgentSolver
from quaestor.solvers.agent.spec import AgentLimits
from quaestor.testing.models import Call, Protocol, ReceivedRequest, Reply, structured

QUESTION = "what was the net cash from operating activities in 2008?"
CASH = "net_cash_from_operating_activities"
UNDERSTOOD = {"description": "net cash from operating activities in 2008", "entityType": "CashFlow", "property": CASH}

Step = Reply | Callable[[ReceivedRequest], Reply]


def query(year: int, property: str = CASH, entity: str = "CashFlow") -> Call:
    return Call("query_kg", {"entityType": entity, "filters": {"year": str(year)}, "property": property})


def final(answer: object, **more: Any) -> Call:
    return Call("final_answer", {"answer": answer, **more})


def reply(*calls: Call) -> Reply:
    return Reply(calls=calls)


TWO_PHASES = AgentLimits(two_phases=True)
ONE_TALK = AgentLimits()

LOOKED_UP = (reply(query(2008)), reply(final(181001, steps=[1])))
"""Replies of a model that makes no mistake."""


def is_understanding(request: ReceivedRequest) -> bool:
    return "Before anything is looked up, say what is asked" in request.prompts[0]


def understood(**more: Any) -> Call:
    """Return the call with which a model states its understanding along with its first calls."""
    return Call("describe_understanding", {"description": "the net cash of 2008", **more})


def scripted(steps: Sequence[Step], understanding: Sequence[Step] = ()) -> Script:
    """Return a script that replies to the phases in order; by default the first phase succeeds at once."""
    first: Iterator[Step] = iter(understanding)
    second: Iterator[Step] = iter(steps)

    def answer(request: ReceivedRequest) -> Reply:
        if is_understanding(request):
            step = next(first, lambda request: structured(request, UNDERSTOOD))
        else:
            step = next(second, Reply("no reply left", status=400))
        return step if isinstance(step, Reply) else step(request)

    return answer


def play(
    script: Script,
    *questions: str,
    page: str | Document = CASH_FLOWS,
    protocol: Protocol = "openai",
    native: bool = True,
    limits: AgentLimits = TWO_PHASES,
    **spec: Any,
) -> SolverRun:
    return run_with_script(AgentSolver(limits), script, questions or (QUESTION,), page, protocol, native, **spec)
