"""Where a model finds no answer in a part of a long document, more of it is shown once before that is believed."""

import pytest
from agent_bench import final, query, reply
from agent_bench import scripted as agent_script
from long_filing import a_long_filing
from model_replies import Call
from model_server import Script
from solver_bench import play_solver
from sparql_bench import scripted, values
from word_excerpts import WordExcerpts
from workflow_bench import plan, saying, table

from quaestor.conversation.events import NoAnswerGiven
from quaestor.solvers.agent.solver import AgentSolver
from quaestor.solvers.base import Solver
from quaestor.solvers.sparql.solver import SparqlSolver
from quaestor.solvers.workflow.solver import WorkflowSolver

pytestmark = pytest.mark.usefixtures("local_models")

FILING = a_long_filing()
QUESTION = "what were net sales of products after deferred taxes?"
MISSING = "current federal, current state and current foreign taxes, deferred"
FOUND = {
    **values(taxes="SELECT ?v { ?o kg:rowLabel 'current state' ; kg:year '2023' ; kg:value ?v }"),
    "answer": "taxes",
}
SEEN = reply(query(2023, "current_federal", "IncomeTax"))
LOST = reply(final(None, no_answer="not_on_page", explanation=MISSING))
CASES = [
    (
        WorkflowSolver(),
        [{**plan(), "no_answer": "not_on_page", "thought_process": MISSING}, plan(table(1, "current state", "2023"))],
    ),
    (SparqlSolver(), [{**values(), "no_answer": "not_on_page", "reasoning": MISSING}, FOUND]),
]


def script(solver: Solver, steps: list[dict[str, object]]) -> Script:
    return saying(steps) if isinstance(solver, WorkflowSolver) else scripted(steps, [])


@pytest.mark.parametrize(("solver", "steps"), CASES)
def test_more_is_shown_and_asked_once_more(solver: Solver, steps: list[dict[str, object]]) -> None:
    excerpts = WordExcerpts(FILING)
    played = play_solver(solver, script(solver, steps), (QUESTION,), FILING, excerpts=excerpts)
    assert played.turn.error is None
    assert played.turn.answer.number == 4
    assert played.phases == ["PLAN", "PLAN_wider"]
    assert excerpts.asked == [QUESTION, f"{QUESTION} {MISSING}"]


@pytest.mark.parametrize(("solver", "steps"), CASES)
def test_it_is_believed_the_second_time(solver: Solver, steps: list[dict[str, object]]) -> None:
    played = play_solver(solver, script(solver, steps[:1] * 2), (QUESTION,), FILING, excerpts=WordExcerpts(FILING))
    assert isinstance(played.turn.events[-1], NoAnswerGiven)
    assert played.phases == ["PLAN", "PLAN_wider"]


def test_an_agent_that_did_not_search_is_shown_more() -> None:
    steps = [SEEN, LOST, reply(query(2023, "current_state", "IncomeTax")), reply(final("#1"))]
    played = play_solver(AgentSolver(), agent_script(steps), (QUESTION,), FILING, excerpts=WordExcerpts(FILING))
    assert played.turn.answer.number == 4
    searched = reply(Call("search_document", {"query": MISSING}))
    played = play_solver(
        AgentSolver(), agent_script([searched, LOST]), (QUESTION,), FILING, excerpts=WordExcerpts(FILING)
    )
    assert isinstance(played.turn.events[-1], NoAnswerGiven)
    assert len(played.asked) == 2


def test_a_search_takes_no_step_so_what_follows_can_name_steps() -> None:
    calls = (
        Call("search_document", {"query": MISSING}),
        query(2023, "current_state", "IncomeTax"),
        Call("calculate", {"operation": "multiply", "values": ["#1", 2]}),
        final("#2"),
    )
    played = play_solver(
        AgentSolver(), agent_script([reply(*calls)]), (QUESTION,), FILING, excerpts=WordExcerpts(FILING)
    )
    assert played.turn.answer.number == 8
