"""The two phases through a model behind HTTP: what is asked, what comes of it, and what faults do."""

import asyncio
import json
import random
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest
from agent_bench import Step
from model_replies import Asked, Call, Reply, broken, garbled, say, structured, too_many
from model_server import ModelServer, Script
from solver_bench import at_once, context_of, spec_for
from sparql_bench import CASH_2008, CASH_2009, QUESTION, formula, is_calculation, play, scripted, values
from values import a_value

from quaestor.conversation.events.lines import event_lines
from quaestor.core.quantity import Scale
from quaestor.datasets.formats import read_dataset
from quaestor.errors import SettingsError
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.llm.models import connect
from quaestor.llm.session import ModelConfig
from quaestor.llm.structured.schema import is_closed
from quaestor.plan.steps import Compute, Extract, Ref
from quaestor.sample import sample_path
from quaestor.solvers.registry import make_solver
from quaestor.solvers.sparql.messages import Formula, WantedValues
from quaestor.solvers.sparql.spec import SparqlLimits
from quaestor.store.base import open_store

pytestmark = pytest.mark.usefixtures("local_models")

BOTH = values(new=CASH_2009, old={"sparql": CASH_2008, "description": "the year before"})
RIGHT = (values(cash=CASH_2008), formula("cash"))


def test_values_then_a_formula() -> None:
    played = play(scripted([BOTH], [formula("(new - old) / old")]), "what was the percentage change from 2008 to 2009?")
    turn = played.turn
    assert isinstance(turn.answer.number, Decimal)
    assert (round(turn.answer.number, 4), turn.verified, turn.error) == (Decimal("0.1414"), True, None)
    assert turn.answer.formula == "(206588 - 181001) / 181001"
    assert turn.answer.plan is not None
    assert [type(step) for step in turn.answer.plan.steps] == [Extract, Extract, Compute, Compute]
    assert turn.answer.plan.extracts[0].query == CASH_2009
    assert [(v.name, str(v.value)) for v in turn.answer.variables] == [("new", "206588"), ("old", "181001")]
    assert turn.answer.metric_type == "percentage_change"
    assert played.phases == ["PLAN", "CALCULATE"]
    assert [call.input["name"] for call in turn.tool_calls if isinstance(call.input, dict)] == ["new", "old"]
    first, *_, last, reasoned = event_lines(turn.events)
    assert json.loads(first)["values"][1]["description"] == "the year before"
    assert (last, reasoned) == ("formula: (new - old) / old", "reasoned: by the rule")


def test_what_the_model_is_told() -> None:
    played = play(scripted([BOTH], [formula("new - old")]), "and the change?")
    plan, calculate = (asked.prompts[0] for asked in played.asked)
    system = played.asked[0].system
    for text in (
        "kg:CashFlow_2008 (2008)",
        'kg:net_cash_from_operating_activities "net cash from operating activities"',
        "[doc:mention_",
        "SELECT ?value WHERE { kg:CashFlow_",
        "this is the first question",
    ):
        assert text in plan, text
    assert "206588" not in plan
    assert "the page HALC/2009/page_52.pdf" in plan
    assert "- new = 206588 thousand USD (net cash from operating activities | 2009" in calculate
    assert "the year before" in calculate
    assert "(later - earlier) / earlier" in system
    assert "halcyra" not in system.casefold()


def test_earlier_results_are_shown_with_what_they_mean_and_can_be_used() -> None:
    told = [values(cash=CASH_2008), values(cash=CASH_2009), values(now="result_1", then={"result": "result_0"})]
    played = play(
        scripted(told, [formula("cash"), formula("cash"), formula("now - then")]),
        "what was the net cash from operating activities in 2008?",
        "and in 2009?",
        "what is the difference?",
    )
    last = played.turns[-1].answer
    assert (last.number, last.scale) == (Decimal(25587), Scale.THOUSAND)
    assert last.plan is not None
    assert last.plan.steps == (Compute(1, "subtract", (Ref(-1), Ref(-2))),)
    assert len(last.sources) == 2
    assert [(v.name, str(v.value)) for v in last.variables] == [("result_1", "206588"), ("result_0", "181001")]
    prompt = played.asked[4].prompts[0]
    for text in ("result_0: 181001", "result_1: 206588", "Entity: net cash", "Question: and in 2009?", "Period: 2009"):
        assert text in prompt, text
    assert ": calculated from result_0 and result_1\n" in prompt


def test_a_yes_or_no() -> None:
    played = play(scripted([BOTH], [formula("new < old")]), "did it fall?")
    assert played.turn.answer.value == a_value(False)
    assert played.turn.verified


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (values(cash="SELECT ?v WHERE { kg:CashFlow_1999 kg:cash ?v }"), "the graph has no kg:CashFlow_1999"),
        (values(cash="SELECT ?v WHERE { ?i kg:net_cash_from_operating_activities ?v }"), "3 numbers, and a"),
        (values(cash=181001), "the page prints 181001: query it"),
        (values(cash="result_0"), "this is the first question"),
        ({"values": 5}, "does not fit its schema"),
        ({"values": [{"sparql": CASH_2008}]}, "does not fit its schema"),
        ({"values": {f"v{n}": 1 for n in range(99)}}, "does not fit its schema"),
        ({}, "does not fit its schema"),
        (Reply(calls=(Call("name_values", '{"values": {"cash": '),)), "not valid JSON"),
        (Reply(calls=(Call("run_query", {"query": CASH_2008}),)), "no tool run_query"),
        (say("The net cash was 181001."), "holds no JSON object"),
        (say(""), "the reply was empty"),
        (replace(say('{"values": {'), truncated=True), "cut off at its limit of tokens"),
    ],
)  # fmt: skip
def test_a_fault_of_the_first_phase_is_told_and_repaired(fault: Step, told: str) -> None:
    played = play(scripted([fault, RIGHT[0]], [RIGHT[1]]))
    assert played.turn.answer.number == Decimal(181001), played.turn
    assert told in "\n".join((*played.asked[1].results, *played.asked[1].prompts))
    assert played.phases == ["PLAN", "PLAN_repair_1", "CALCULATE"]


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (formula("cash_2008"), "no value named 'cash_2008'; there are cash"),
        (formula("cash / 0"), "cannot be divided by zero"),
        (formula("eval('cash')"), "unexpected"),
        (formula("181001"), "ungrounded: 181001 stands on no page"),
        (formula(""), "it is empty"),
        ({"formula": ["cash"]}, "does not fit its schema"),
        ({"reasoning": "none"}, "does not fit its schema"),
        (say("cash"), "holds no JSON object"),
    ],
)
def test_a_fault_of_the_second_phase_is_told_and_repaired(fault: Step, told: str) -> None:
    played = play(scripted([RIGHT[0]], [fault, RIGHT[1]]))
    assert (played.turn.answer.number, played.turn.answer.reason) == (Decimal(181001), None), played.turn
    assert told in "\n".join((*played.asked[2].results, *played.asked[2].prompts))
    assert played.phases == ["PLAN", "CALCULATE", "CALCULATE_repair_1"]


def test_faults_are_bounded_and_end_in_a_named_error() -> None:
    nowhere = values(cash="SELECT ?v WHERE { kg:none kg:none ?v }")
    played = play(scripted([nowhere] * 9, []), limits=SparqlLimits(attempts=3))
    assert str(played.turn.error).startswith("ModelReplyError: after 3 replies that could not be used: cash: ")
    assert played.phases == ["PLAN", "PLAN_repair_1", "PLAN_repair_2"]
    assert played.turn.answer.value is None
    played = play(scripted([RIGHT[0]], [formula("x")] * 9), limits=SparqlLimits(attempts=2))
    assert str(played.turn.error).startswith("ModelReplyError: after 2 replies that could not be used: cannot read")


def test_a_model_may_say_that_there_is_no_answer() -> None:
    played = play(scripted([RIGHT[0]], [formula(None)]))
    assert played.turn.error == "SolverError: the model finds no answer: by the rule"


def test_a_model_may_say_that_the_page_does_not_have_it() -> None:
    played = play(scripted([values()], []))
    assert played.turn.error == "SolverError: the model names no values: these are needed"


def test_what_has_no_source_stands_with_a_remark() -> None:
    played = play(scripted([RIGHT[0]], [formula("cash * 0.35")] * 2))
    assert played.turn.answer.reason == "ungrounded: 0.35 stands on no page"
    assert played.turn.verified


def test_models_without_tools_write_json() -> None:
    fenced = say("Here it is:\n```json\n" + json.dumps(values(cash=CASH_2008)) + "\n```")
    played = play(scripted([fenced], [RIGHT[1]]), native=False)
    assert played.turn.answer.number == Decimal(181001)
    assert "Reply with one JSON object of this schema" in played.asked[0].prompts[0]


def test_replies_can_be_held_to_the_letter_of_their_schemas() -> None:
    assert is_closed(WantedValues)
    assert is_closed(Formula)


@pytest.mark.parametrize("options", [{"attempts": 0}, {"attempts": "4"}, {"iterations": 3}])
def test_options_are_checked(options: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match="sparql"):
        make_solver("sparql", options)


def test_options_are_taken() -> None:
    assert make_solver("sparql", {"attempts": 2, "model": "m"}).name == "sparql"


def test_a_turn_without_a_model_is_refused() -> None:
    with pytest.raises(SettingsError, match="this turn comes without one"):
        asyncio.run(make_solver("sparql", {}).solve(QUESTION, context_of()))


def any_fault(draw: random.Random, asked: Asked) -> Reply:
    """A reply that is anything."""
    noise = "".join(draw.choices('{}[]":, \n\\SELECT?v(0123456789.*-/%$)WHERE<>\u2028\U0001f600', k=draw.randrange(90)))
    said = draw.choice(
        [noise, noise[:9], None, True, -1, 1e300, 10**300, [noise], {noise: noise}, "result_9", CASH_2008]
    )
    name = draw.choice(["cash", noise[:20], "sum", ""])
    query = draw.choice([noise, f"SELECT ?v WHERE {{ {noise} }}", f"SELECT ({noise}) WHERE {{ ?s ?p ?v }}", CASH_2008])
    return draw.choice(
        [
            say(noise),
            say(""),
            structured(asked, values(**{name: said})),  # type: ignore[arg-type]
            structured(asked, values(cash=query)),
            structured(asked, values(cash={"sparql": query, "result": said, "constant": said})),
            structured(asked, values(cash=CASH_2008)),
            structured(asked, formula(draw.choice([noise, "cash" + noise[:5], "cash ** 9 ** 9", "(" * 99, None]))),
            structured(asked, {noise: said}),
            Reply(calls=(Call(asked.tools[-1] if asked.tools else "x", noise),)),
            Reply(noise, truncated=True),
            garbled(noise),
            say("cut off").cut_at(draw.randrange(60)),
            broken(500),
            too_many("0"),
            Reply("not so", status=400),
        ]
    )


@pytest.mark.parametrize("native", [True, False])
def test_a_run_of_faulty_replies_completes(native: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quaestor.llm.models.connect", partial(connect, sleep=at_once))
    dataset = replace(whole := read_dataset(sample_path()), conversations=whole.conversations[:24])

    async def run(server: ModelServer) -> None:
        async with open_store(str(tmp_path / "runs.db")) as store:
            spec = RunSpec.of(dataset, "sparql")
            config = ModelConfig(spec_for(server, native=native))
            record = await run_dataset(dataset, spec, store, InlineEngine(1), config=config)
            assert record.status == "complete"
            turns = await store.turns(record.id)
            assert len(turns) == sum(len(conversation.questions) for conversation in dataset.conversations)
            failed = [turn for turn in turns if turn.error]
            assert 5 < len(failed) < len(turns)
            assert {turn.error.partition(":")[0] for turn in failed if turn.error} <= {"ModelReplyError", "SolverError"}
            assert all(turn.verified for turn in turns if not turn.error)

    with ModelServer(faulty(random.Random(7))) as server:
        asyncio.run(run(server))


def faulty(draw: random.Random, faults: int = 150) -> Script:
    left = iter(range(faults))

    def answer(asked: Asked) -> Reply:
        if next(left, None) is not None:
            return any_fault(draw, asked)
        if is_calculation(asked):
            return structured(asked, formula("value"))
        return structured(asked, values(value="SELECT ?o WHERE { ?o a kg:Observation } ORDER BY ?o LIMIT 1"))

    return answer
