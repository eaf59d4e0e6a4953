"""No reply of a model crashes a turn: it is parsed or rejected with a reason, and the run continues."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_replies import broken, garbled, say
from solver_bench import context_of
from workflow_bench import OPERATING, cells, change, compute, plan, play, script_of, table, text, words

from quaestor.errors import ModelReplyError
from quaestor.llm.structured.replies import read_json
from quaestor.plan.execute import execute
from quaestor.solvers.workflow.checking import CheckedPlan, check_workflow_plan
from quaestor.solvers.workflow.schema import WorkflowPlan
from quaestor.testing.models import Call, Reply

Json = Any

WORDS = st.sampled_from(
    ["", " ", OPERATING, "2008", "[", "[9]", "(number 2)", "\ud800", "a" * 3000, "2008-13-45", "%", "> > >"]
)
NUMBERS = st.one_of(st.integers(), st.floats(), st.sampled_from([10**40, -0.0, 1e308, 5e-324]), st.text(max_size=3))
OPERANDS = st.one_of(
    st.builds(lambda n: {"type": "reference", "step_ref": n}, NUMBERS),
    st.builds(lambda n: {"type": "literal", "value": n}, NUMBERS),
    st.none(),
)
LINES = st.lists(st.one_of(WORDS, st.just("all")), max_size=3)
STEPS = st.one_of(
    st.builds(table, st.integers(-1, 4), WORDS, WORDS),
    st.builds(text, st.integers(-1, 4), WORDS, WORDS, WORDS, WORDS),
    st.builds(cells, st.integers(0, 4), LINES, LINES),
    st.builds(words, st.integers(0, 4), WORDS),
    st.builds(
        lambda number, operation, operands: {**compute(number, operation), "operands": operands},
        st.integers(0, 4),
        st.sampled_from(
            "add divide exp identity absolute sum greater root argmax rank above count labels items".split()
        ),
        st.lists(OPERANDS, max_size=4),
    ),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
)


def check_text(text: str) -> CheckedPlan | str:
    try:
        return check_workflow_plan(read_json(WorkflowPlan, text), "what was it?", context_of())
    except ModelReplyError as fault:
        return str(fault)


@given(st.lists(STEPS, max_size=4))
def test_any_steps_are_accepted_or_refused(steps: list[Json]) -> None:
    found = check_text(json.dumps(plan(*steps)))
    if isinstance(found, CheckedPlan) and not found.issues and not found.open:
        assert found.plan.steps
        assert execute(found.final_plan).result.value == execute(found.plan).result.value
    else:
        assert found


@given(st.text(max_size=200))
def test_any_text_is_accepted_or_refused(text: str) -> None:
    assert check_text(text)


@pytest.mark.usefixtures("local_models")
@pytest.mark.parametrize(
    "reply",
    [
        Reply(calls=(Call("write_plan", "{broken"),)),
        Reply(calls=(Call("another_tool", {}),)),
        say("[" * 5000),
        say(json.dumps(plan(*[table(i, OPERATING, "2008") for i in range(1, 90)]))),
        say(json.dumps(plan(table(1, "\ud800", "2008")))),
        say(json.dumps(plan(words(1, "\ud800 " * 9000)))),
        say(json.dumps(plan(cells(1, ["all"] * 4000, ["all"]), compute(2, "rank", 1, [10**300])))),
        say(json.dumps(plan(cells(1, ["all"], ["all"]), compute(2, "argmax", 2)))),
        say(json.dumps(plan(cells(1, ["all"], ["2008"]), compute(2, "largest", 1, [-(10**5)])))),
        say('{"thought_process": "", "steps": null}'),
        broken(503),
        garbled(),
    ],
)
def test_a_turn_survives_any_reply(reply: Reply) -> None:
    run = play(script_of([reply, change()]))
    assert run.turn.error is None, run.turn.error
    assert run.turn.verified
