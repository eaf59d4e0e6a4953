"""Run the reflection solver on a page of the sample with scripted roles, and build the drafts of models."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from model_server import Script
from solver_bench import SolverRun, run_with_script
from toolboxes import CASH_FLOWS

from quaestor.documents.document import Document
from quaestor.solvers.base import Solver
from quaestor.solvers.reflection.solver import ReflectionSolver
from quaestor.testing.models import Protocol, ReceivedRequest, Reply, structured

Json = dict[str, Any]

QUESTION = "what was the percentage change in net cash from operating activities from 2008 to 2009?"
IN_2008 = "net cash from operating activities, 2008"
IN_2009 = "net cash from operating activities, 2009"


RIGHT = Decimal(25587) / Decimal(181001)


def near(value: object) -> bool:
    """Return whether a value is the answer to `QUESTION`."""
    return isinstance(value, Decimal) and abs(value - RIGHT) < Decimal("1e-20")


def look_up(what: str, value: object, where: str = "") -> Json:
    return {"kind": "look_up", "what": what, "value": value, "where": where}


def calculate(operation: str, *operands: object, result: object) -> Json:
    return {"kind": "calculate", "operation": operation, "operands": list(operands), "result": result}


def draft(*steps: Json, answer: object = None, scale: str | None = None) -> Json:
    return {"reasoning": "as asked", "steps": list(steps), "answer": answer, "scale": scale}


NEW, OLD = look_up(IN_2009, 206588, "T0R1C3"), look_up(IN_2008, 181001, "T0R1C2")


def change(new: Json = NEW, old: Json = OLD, result: object = 14.14, answer: object | None = None) -> Json:
    """Return the right draft, with the given parts replaced."""
    step = calculate("percentage_change", "#1", "#2", result=result)
    return draft(new, old, step, answer=result if answer is None else answer, scale="percent")


APPROVES: Json = {"reasoning": "it holds", "is_correct": True, "issues": [], "changes": []}


def objects(issue: str, change: str = "mend it") -> Json:
    return {"reasoning": "it does not hold", "is_correct": False, "issues": [issue], "changes": [change]}


def role_of(request: ReceivedRequest) -> str:
    """Return the role that a request addresses: `expert`, `extraction` or `calculation`."""
    if "You are an expert" in request.system:
        return "expert"
    return "extraction" if "whether the right numbers" in request.system else "calculation"


RoleReply = Json | Reply


def playing(**replies: Sequence[RoleReply]) -> Script:
    """Return a script with replies for each role; without replies left a critic approves and an expert repeats."""
    left: Mapping[str, Iterator[RoleReply]] = {role: iter(answers) for role, answers in replies.items()}
    last: dict[str, RoleReply] = {}

    def answer(request: ReceivedRequest) -> Reply:
        role = role_of(request)
        otherwise = last.get(role, change()) if role == "expert" else APPROVES
        reply = last[role] = next(left.get(role, iter(())), otherwise)
        return reply if isinstance(reply, Reply) else structured(request, reply)

    return answer


def play(
    script: Script,
    *questions: str,
    solver: Solver | None = None,
    page: str | Document = CASH_FLOWS,
    protocol: Protocol = "openai",
    native: bool = True,
    critics: int = 2,
    **spec: Any,
) -> SolverRun:
    """Ask questions; with two critics, the calculation critic has its own model."""
    roles = ("calculation_critic",) if critics == 2 else ()
    texts = questions or (QUESTION,)
    return run_with_script(solver or ReflectionSolver(), script, texts, page, protocol, native, roles=roles, **spec)
