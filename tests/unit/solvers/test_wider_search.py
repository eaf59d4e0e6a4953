"""If a model finds no answer in a part of a long document, it is shown a wider part once."""

import re

import pytest
from agent_bench import final, query, reply
from agent_bench import scripted as agent_script
from long_filing import a_long_filing
from model_server import Script
from solver_bench import run_with_script
from sparql_bench import scripted, values
from word_excerpts import WordExcerpts
from workflow_bench import plan, script_of, table

from quaestor.conversation.events import NoAnswerGiven
from quaestor.core.provenance import SentenceRef
from quaestor.solvers.agent.solver import AgentSolver
from quaestor.solvers.base import Solver
from quaestor.solvers.sparql.solver import SparqlSolver
from quaestor.solvers.workflow.solver import WorkflowSolver
from quaestor.testing.models import Call, ReceivedRequest, Reply

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
    return script_of(steps) if isinstance(solver, WorkflowSolver) else scripted(steps, [])


@pytest.mark.parametrize(("solver", "steps"), CASES)
def test_wider_part_is_shown_once(solver: Solver, steps: list[dict[str, object]]) -> None:
    excerpts = WordExcerpts(FILING)
    run = run_with_script(solver, script(solver, steps), (QUESTION,), FILING, excerpts=excerpts)
    assert run.turn.error is None
    assert run.turn.answer.number == 4
    assert run.phases == ["PLAN", "PLAN_wider"]
    assert excerpts.queries == [QUESTION, f"{QUESTION} {MISSING}"]


@pytest.mark.parametrize(("solver", "steps"), CASES)
def test_second_answer_is_accepted(solver: Solver, steps: list[dict[str, object]]) -> None:
    run = run_with_script(solver, script(solver, steps[:1] * 2), (QUESTION,), FILING, excerpts=WordExcerpts(FILING))
    assert isinstance(run.turn.events[-1], NoAnswerGiven)
    assert run.phases == ["PLAN", "PLAN_wider"]


def test_an_agent_that_did_not_search_is_shown_more() -> None:
    steps = [SEEN, LOST, reply(query(2023, "current_state", "IncomeTax")), reply(final("#1"))]
    run = run_with_script(AgentSolver(), agent_script(steps), (QUESTION,), FILING, excerpts=WordExcerpts(FILING))
    assert run.turn.answer.number == 4
    searched = reply(Call("search_document", {"query": MISSING}))
    run = run_with_script(
        AgentSolver(), agent_script([searched, LOST]), (QUESTION,), FILING, excerpts=WordExcerpts(FILING)
    )
    assert isinstance(run.turn.events[-1], NoAnswerGiven)
    assert len(run.requests) == 2


def test_search_takes_no_step_number() -> None:
    calls = (
        Call("search_document", {"query": MISSING}),
        query(2023, "current_state", "IncomeTax"),
        Call("calculate", {"operation": "multiply", "values": ["#1", 2]}),
        final("#2"),
    )
    run = run_with_script(
        AgentSolver(), agent_script([reply(*calls)]), (QUESTION,), FILING, excerpts=WordExcerpts(FILING)
    )
    assert run.turn.answer.number == 8


def test_names_of_cited_passages_are_stable_across_searches() -> None:
    """Passages are named by their order in the whole report."""
    read: list[str] = []

    def model(request: ReceivedRequest) -> Reply:
        read[:] = request.results
        if not read:
            return reply(Call("search_document", {"section": "Note 7"}), Call("find_in_text", {"words": "segments"}))
        if len(read) == 2:
            return reply(Call("find_in_text", {"words": "company employees", "unit": "employees"}))
        names = [found[0] for text in read if (found := re.search(r"\bp\d+(?=: )", text))]
        return reply(Call("final_answer", {"explanation": [f"It says so [{name}]." for name in names]}))

    why = "why is the company what it is, explain?"
    turn = run_with_script(AgentSolver(), model, (why,), FILING, excerpts=WordExcerpts(FILING)).turn
    assert turn.answer.explanation is not None
    cited = [FILING.sentence(source).text for source in turn.answer.sources if isinstance(source, SentenceRef)]
    assert cited == [
        "future principal payments of the notes are as follows :",
        "the company reports europe and the americas as its segments :",
        "the company had 3200 employees in 2023 and 12 plants .",
    ]


def test_names_are_omitted_unless_an_explanation_is_requested() -> None:
    steps = [reply(Call("find_in_text", {"words": "company employees"})), reply(final("#1"))]
    run = run_with_script(
        AgentSolver(), agent_script(steps), ("how many employees?",), FILING, excerpts=WordExcerpts(FILING)
    )
    assert "the company had 3200 employees" in "".join(run.requests[1].results)
    assert not re.search(r"\bp\d+: ", "".join(run.requests[1].results + run.requests[1].prompts))
