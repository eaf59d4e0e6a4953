"""The two phases with a model behind HTTP: requests, answers, and faults."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest
from agent_bench import Step
from model_replies import say
from sparql_bench import CASH_2008, CASH_2009, formula, play, scripted, values

from quaestor.conversation.events import NoAnswerGiven, event_lines
from quaestor.core.quantity import Scale
from quaestor.plan.steps import Compute, Extract, Ref
from quaestor.solvers.sparql.spec import SparqlLimits
from quaestor.testing.models import Call, Reply

pytestmark = pytest.mark.usefixtures("local_models")

BOTH = values(new=CASH_2009, old={"sparql": CASH_2008, "description": "the year before"})
RIGHT = (values(cash=CASH_2008), formula("cash"))
AT_ONCE = {**values(cash=CASH_2008), "answer": "cash"}


def test_values_then_a_formula() -> None:
    run = play(scripted([BOTH], [formula("(new - old) / old")]), "what was the percentage change from 2008 to 2009?")
    turn = run.turn
    assert isinstance(turn.answer.number, Decimal)
    assert (round(turn.answer.number, 4), turn.verified, turn.error) == (Decimal("0.1414"), True, None)
    assert turn.answer.formula == "(206588 - 181001) / 181001"
    assert turn.answer.plan is not None
    assert [type(step) for step in turn.answer.plan.steps] == [Extract, Extract, Compute, Compute]
    assert turn.answer.plan.extracts[0].query == CASH_2009
    assert [(v.name, str(v.value)) for v in turn.answer.variables] == [("new", "206588"), ("old", "181001")]
    assert turn.answer.metric_type == "percentage_change"
    assert run.phases == ["PLAN", "CALCULATE"]
    assert [call.input["name"] for call in turn.tool_calls if isinstance(call.input, dict)] == ["new", "old"]
    first, *_, last, reasoned = event_lines(turn.events)
    assert json.loads(first)["values"][1]["description"] == "the year before"
    assert "(new - old) / old" in last
    assert "by the rule" in reasoned


def test_a_value_that_is_the_answer_needs_no_formula() -> None:
    run = play(scripted([AT_ONCE], []))
    turn = run.turn
    assert (turn.answer.number, turn.error, turn.verified) == (Decimal(181001), None, True)
    assert run.phases == ["PLAN"]
    assert turn.answer.plan is not None
    assert turn.answer.plan.thought == "these are needed"
    nowhere = play(scripted([{**AT_ONCE, "answer": "profit"}, AT_ONCE], []))
    assert "'profit'" in "\n".join((*nowhere.requests[1].results, *nowhere.requests[1].prompts))
    assert nowhere.turn.answer.number == Decimal(181001)


def test_earlier_results_are_described_and_can_be_used() -> None:
    replies = [values(cash=CASH_2008), values(cash=CASH_2009), values(now="result_1", then={"result": "result_0"})]
    run = play(
        scripted(replies, [formula("cash"), formula("cash"), formula("now - then")]),
        "what was the net cash from operating activities in 2008?",
        "and in 2009?",
        "what is the difference?",
    )
    last = run.turns[-1].answer
    assert (last.number, last.scale) == (Decimal(25587), Scale.THOUSAND)
    assert last.plan is not None
    assert last.plan.steps == (Compute(1, "subtract", (Ref(-1), Ref(-2))),)
    assert len(last.sources) == 2
    assert [(v.name, str(v.value)) for v in last.variables] == [("result_1", "206588"), ("result_0", "181001")]
    prompt = run.requests[4].prompts[0]
    for text in ("result_0 = 181001", "result_1 = 206588", "entity net cash", "asked: and in 2009?", "period 2009"):
        assert text in prompt, text
    assert ": calculated from result_0 and result_1\n" in prompt


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        (values(cash="SELECT ?v WHERE { kg:CashFlow_1999 kg:cash ?v }"), "kg:CashFlow_1999"),
        (values(cash="SELECT ?v WHERE { ?i kg:net_cash_from_operating_activities ?v }"), "3"),
        (values(cash=181001), "181001"),
        (values(cash="result_0"), ""),
        ({"values": []}, "no_answer"),
        ({**RIGHT[0], "no_answer": "ambiguous"}, ""),
        ({"values": 5}, ""),
        ({"values": [{"sparql": CASH_2008}]}, ""),
        ({"values": {f"v{n}": 1 for n in range(99)}}, ""),
        ({}, ""),
        (Reply(calls=(Call("name_values", '{"values": {"cash": '),)), "JSON"),
        (Reply(calls=(Call("run_query", {"query": CASH_2008}),)), "run_query"),
        (say("The net cash was 181001."), "JSON"),
        (say(""), ""),
        (replace(say('{"values": {'), truncated=True), ""),
    ],
)  # fmt: skip
def test_error_in_the_first_phase_is_returned_and_repaired(fault: Step, named: str) -> None:
    run = play(scripted([fault, RIGHT[0]], [RIGHT[1]]))
    assert run.turn.answer.number == Decimal(181001), run.turn
    assert named in "\n".join((*run.requests[1].results, *run.requests[1].prompts))
    assert run.phases == ["PLAN", "PLAN_repair_1", "CALCULATE"]


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        (formula("cash_2008"), "'cash_2008'"),
        (formula("cash / 0"), ""),
        (formula("eval('cash')"), ""),
        (formula("181001"), "181001"),
        (formula(""), ""),
        ({"formula": None}, "no_answer"),
        ({**RIGHT[1], "no_answer": "ambiguous"}, ""),
        ({"formula": ["cash"]}, ""),
        ({"reasoning": "none"}, ""),
        (say("cash"), "JSON"),
    ],
)
def test_error_in_the_second_phase_is_returned_and_repaired(fault: Step, named: str) -> None:
    run = play(scripted([RIGHT[0]], [fault, RIGHT[1]]))
    assert (run.turn.answer.number, run.turn.answer.reason) == (Decimal(181001), None), run.turn
    assert named in "\n".join((*run.requests[2].results, *run.requests[2].prompts))
    assert run.phases == ["PLAN", "CALCULATE", "CALCULATE_repair_1"]


def test_faults_are_bounded_and_end_in_a_named_error() -> None:
    nowhere = values(cash="SELECT ?v WHERE { kg:none kg:none ?v }")
    run = play(scripted([nowhere] * 9, []), limits=SparqlLimits(attempts=3))
    assert str(run.turn.error).startswith("ModelReplyError: ")
    assert run.phases == ["PLAN", "PLAN_repair_1", "PLAN_repair_2"]
    assert run.turn.answer.value is None
    run = play(scripted([RIGHT[0]], [formula("x")] * 9), limits=SparqlLimits(attempts=2))
    assert str(run.turn.error).startswith("ModelReplyError: ")
    assert run.phases == ["PLAN", "CALCULATE", "CALCULATE_repair_1"]


@pytest.mark.parametrize(
    ("named", "written", "reason", "explanation"),
    [
        ({**values(), "no_answer": "not_on_page"}, None, "not_on_page", "these are needed"),
        ({**values(), "no_answer": "ambiguous"}, None, "ambiguous", "these are needed"),
        (values(), None, "not_on_page", "these are needed"),
        (RIGHT[0], {**formula(None), "no_answer": "ambiguous"}, "ambiguous", "by the rule"),
    ],
)
def test_model_may_decline_to_answer(
    named: Step, written: dict[str, object] | None, reason: str, explanation: str
) -> None:
    turn = play(scripted([named], [written] if written else [])).turn
    assert (turn.answer.value, turn.error) == (None, None)
    given = turn.events[-1]
    assert isinstance(given, NoAnswerGiven)
    assert (given.reason, given.explanation) == (reason, explanation)
    assert explanation in str(turn.answer.reason)


def test_a_value_that_the_formula_lacks_is_named_in_a_second_list() -> None:
    run = play(scripted([RIGHT[0], BOTH], [formula(None), formula("new - old")]), "what was the change?")
    assert run.phases == ["PLAN", "CALCULATE", "PLAN_again_1", "CALCULATE"]
    assert "You named cash. No formula could be written over them: by the rule" in run.requests[2].prompts[0]
    assert run.turn.answer.number == Decimal(25587)
    silent = play(scripted([RIGHT[0]] * 2, [formula(None)] * 2)).turn
    assert silent.error is None
    assert "by the rule" in str(silent.answer.reason)


def test_models_without_tools_write_json() -> None:
    fenced = say("Here it is:\n```json\n" + json.dumps(values(cash=CASH_2008)) + "\n```")
    run = play(scripted([fenced], [RIGHT[1]]), native=False)
    assert run.turn.answer.number == Decimal(181001)
    assert "Every reply is one JSON object of this schema" in run.requests[0].system
