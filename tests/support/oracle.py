"""Run a solver with a perfect model, which is given the reference of each turn.

Remaining errors are those of quaestor (graph, tools, memory, scales), not of a model. A perfect model has a plan, which
is made from the reference, and `oracle_SOLVER.py` writes the replies for it that a solver expects.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from gold_plans import plan_of
from model_replies import counted, say
from model_server import ModelServer, Script
from oracle_agent import agent_script
from oracle_reflection import reflection_script
from oracle_sparql import sparql_script
from oracle_workflow import workflow_script
from solver_bench import SolverRun, run_with_script
from values import a_value

from quaestor.conversation.answer import Answer
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.evaluation.runner import answer_conversation
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig, open_session
from quaestor.llm.usage import Usage
from quaestor.plan.steps import Plan, Step
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.metrics import executed_equal
from quaestor.solvers.base import Excerpts, Solver, TurnContext
from quaestor.solvers.registry import make_solver
from quaestor.testing.models import ReceivedRequest, Reply

_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """The result of one turn.

    Attributes:
        turn: Index of the turn, from 0.
        right: Whether the answer is right by official execution accuracy.
        cause: Why the answer is wrong.
        remark: Doubts that the answer states; with a perfect model there should be none.
    """

    conversation: str
    turn: int
    right: bool
    cause: str = ""
    remark: str = ""


@dataclass(frozen=True)
class OracleRun:
    """The results of a file.

    Attributes:
        usage: Usage of the model; a token is a quarter of the characters (see `counted`).
    """

    outcomes: tuple[Outcome, ...]
    usage: Usage


Oracle = Callable[[TurnContext, Sequence[GoldTurn]], Script]
"""Returns the script that answers the requests of a turn, given the references up to and including this turn.

It may use the reference program, but not the reference's result."""

SCRIPTS: Mapping[str, Callable[[TurnContext, Callable[[], Plan]], Script]] = {
    "agent": agent_script,
    "workflow": workflow_script,
    "sparql": sparql_script,
    "reflection": reflection_script,
}
"""For each solver the function that returns the script of a turn, given a function that returns its plan."""


def oracle_of(solver: str) -> Oracle:
    """Return the oracle of a solver whose plans are those of the reference programs."""

    def oracle(context: TurnContext, golds: Sequence[GoldTurn]) -> Script:
        def plan() -> Plan:
            return replace(plan_of(context.question.text, context, golds), thought=golds[-1].program)

        return SCRIPTS[solver](context, plan)

    return oracle


def question_of(request: ReceivedRequest) -> str:
    """Return the question of a turn, read from the prompt as a model would."""
    questions: list[str] = _QUESTION.findall("\n".join(request.prompts))
    return questions[-1]


class PlannedSolver:
    """A solver under test whose model has a plan for each question of the conversation.

    `reply` is the script of its model.
    """

    name = "planned"

    def __init__(self, solver: Solver, plans: Sequence[Plan]) -> None:
        self._solver, self._plans = solver, plans
        self._script: Script = lambda request: say("")

    async def solve(self, question: str, context: TurnContext) -> Answer:
        plan = self._plans[len(context.memory.turns)]
        self._script = SCRIPTS[self._solver.name](context, lambda: plan)
        return await self._solver.solve(question, context)

    def reply(self, request: ReceivedRequest) -> Reply:
        return self._script(request)


def play_plans(solver: str, page: str | Document, questions: Sequence[str], *plans: Sequence[Step]) -> SolverRun:
    """Run a solver whose model has the steps of a plan for each question."""
    planned = PlannedSolver(make_solver(solver), [Plan(tuple(steps)) for steps in plans])
    return run_with_script(planned, planned.reply, questions, page)


class GuidedSolver:
    """A solver under test whose model is given the reference of every turn before it is asked."""

    name = "guided"

    def __init__(self, solver: Solver, server: ModelServer, golds: Sequence[GoldTurn], oracle: Oracle) -> None:
        self._solver, self._server, self._golds, self._oracle = solver, server, golds, oracle

    async def solve(self, question: str, context: TurnContext) -> Answer:
        script = self._oracle(context, self._golds[: len(context.memory.turns) + 1])
        self._server.script = lambda request: counted(request, script(request), self._server.requests[:-1])
        return await self._solver.solve(question, context)


async def run_with_oracle(
    conversations: Sequence[Conversation],
    golds: Mapping[str, Sequence[GoldTurn]],
    solver: Solver,
    oracle: Oracle,
    excerpts: Callable[[Document], Excerpts | None] = lambda _: None,
) -> OracleRun:
    """Run a solver with a perfect model, through the real client and a local server, and return the outcomes."""
    knowledge = GraphProvider.of({c.document.id: c.document for c in conversations}.values())
    outcomes: list[Outcome] = []
    with ModelServer(lambda request: say("")) as server:
        spec = find_model(f"openai:oracle@{server.url}/v1")
        async with open_session(ModelConfig(spec)) as line:
            for conversation in conversations:
                gold = golds[conversation.id]
                guided, parts = GuidedSolver(solver, server, gold, oracle), excerpts(conversation.document)
                turns = await answer_conversation(conversation, guided, knowledge, line, parts)
                line.take(conversation.id)
                server.requests.clear()
                records = turn_records(TurnPlace("oracle", conversation.id), turns)
                for record, reference in zip(records, gold, strict=True):
                    right = executed_equal(
                        None if record.number is None else a_value(record.number), reference.executed
                    )
                    answered = record.error or f"answers {record.number} ({record.answer['formula']})"
                    cause = f"{reference.program} = {reference.executed}; {answered}; {record.answer['reason'] or ''}"
                    remark = str(record.answer["reason"] or "") if record.error is None else ""
                    outcomes.append(Outcome(conversation.id, record.index, right, "" if right else cause, remark))
            return OracleRun(tuple(outcomes), line.connection.meter.total)
