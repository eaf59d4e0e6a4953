"""A threshold that no page prints: each solver marks it as an assumption of the model without asking again."""

import agent_bench
import pytest
import reflection_bench
import sparql_bench
import workflow_bench
from pages import page

from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import YesNo
from quaestor.testing import Call

PAGE = page([["in millions", "2012", "2011"], ["term loans", "325", "310"]])
QUESTION = "were term loans in 2012 high?"
ASSUMED = {"assumption": "above 313 is high"}


def check_threshold_is_marked(answer: Answer) -> None:
    assert answer.value == YesNo(True)
    assert answer.reason == "assuming above 313 is high; the model assumes 313, which no page prints"


@pytest.mark.usefixtures("local_models")
def test_agent_marks_the_threshold() -> None:
    steps = [
        agent_bench.reply(Call("query_kg", {"filters": {"row": 1, "column": 1}})),
        agent_bench.reply(Call("calculate", {"operation": "greater", "values": ["#1", 313]})),
        agent_bench.reply(agent_bench.final("#2", **ASSUMED)),
    ]
    check_threshold_is_marked(agent_bench.play(agent_bench.scripted(steps), QUESTION, page=PAGE).turn.answer)


@pytest.mark.usefixtures("local_models")
def test_sparql_solver_marks_the_threshold() -> None:
    loans = "SELECT ?value WHERE { ?o kg:rowLabel 'term loans' ; kg:year '2012' ; kg:value ?value }"
    first = sparql_bench.values(loans=loans) | ASSUMED
    script = sparql_bench.scripted([first], [sparql_bench.formula("loans > 313")])
    check_threshold_is_marked(sparql_bench.play(script, QUESTION, page=PAGE).turn.answer)


@pytest.mark.usefixtures("local_models")
def test_workflow_marks_the_threshold() -> None:
    plan = workflow_bench.plan(
        workflow_bench.table(1, "term loans", "2012"), workflow_bench.compute(2, "greater", 1, [313])
    )
    script = workflow_bench.script_of([plan | ASSUMED])
    check_threshold_is_marked(workflow_bench.play(script, QUESTION, page=PAGE).turn.answer)


@pytest.mark.usefixtures("local_models")
def test_reflection_marks_the_threshold() -> None:
    draft = reflection_bench.draft(
        reflection_bench.look_up("term loans, 2012", 325, "T0R1C1"),
        reflection_bench.calculate("greater", "#1", 313, result="yes"),
        answer="yes",
    )
    script = reflection_bench.playing(expert=[draft | ASSUMED])
    check_threshold_is_marked(reflection_bench.play(script, QUESTION, page=PAGE).turn.answer)
