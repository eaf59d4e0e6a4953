"""Rounds of the agent: understanding with the first calls, many calls in one reply, and tool results in prompts."""

from dataclasses import replace
from decimal import Decimal

import pytest
from agent_bench import CASH, ONE_TALK, QUESTION, final, play, query, reply, scripted, understood
from model_replies import say
from pages import page

from quaestor.conversation.events import NotUnderstood, ReplyRejected, Understood
from quaestor.core.quantity import Scale
from quaestor.solvers.signs import SIGN_DROPPED
from quaestor.testing.models import Call, ReceivedRequest, Reply

pytestmark = pytest.mark.usefixtures("local_models")

CHANGE = Call("calculate", {"operation": "subtract", "values": ["#2", "#1"]})


def test_the_first_reply_states_the_understanding_looks_up_and_calculates() -> None:
    run = play(
        scripted([reply(understood(operation="subtract"), query(2008), query(2009), CHANGE), reply(final("#3"))]),
        limits=ONE_TALK,
    )
    turn = run.turn
    assert turn.answer.number == 25587
    assert (turn.verified, turn.answer.reason) == (True, None)
    assert run.phases == ["ANSWER_iteration_1", "ANSWER_iteration_2"]
    stated = turn.events[0]
    assert isinstance(stated, Understood)
    assert stated.reading["operation"] == "subtract"
    assert stated.reading["lookups"] == [query(2008).arguments, query(2009).arguments]
    assert turn.answer.plan is not None
    assert turn.answer.plan.thought == "the net cash of 2008"
    assert [call.tool for call in turn.tool_calls] == ["query_kg", "query_kg", "calculate"]


@pytest.mark.parametrize("native", [True, False])
def test_missing_or_invalid_understanding_needs_no_extra_request(native: bool) -> None:
    for stated in ((), (Call("describe_understanding", "{"),)):
        calls = [reply(*stated, query(2008)), reply(final("#1"))]
        if not native:
            calls = [say("\n".join(f"TOOL: {c.tool}({c.text})" for c in reply.calls)) for reply in calls]
        run = play(scripted(calls), limits=ONE_TALK, native=native)
        assert run.turn.answer.number == 181001
        assert run.turn.usage.requests == 2
        assert sum(isinstance(event, NotUnderstood) for event in run.turn.events) == 1


@pytest.mark.parametrize(
    ("answer", "number"), [("#1", 181001), ("step #2", 206588), ("#-1", 181001), ("the answer is #2.", 206588)]
)
def test_an_answer_names_a_step_or_an_earlier_answer(answer: str, number: int) -> None:
    first = [reply(understood(), query(2008)), reply(final("#1"))]
    second = [reply(understood(), query(2008), query(2009)), reply(final(answer))]
    turn = play(scripted([*first, *second]), QUESTION, "and that?", limits=ONE_TALK).turns[1]
    assert turn.answer.number == number
    assert turn.answer.reason is None
    assert turn.answer.sources
    claimed = next(event for event in turn.events if event.kind == "answer_claimed")
    assert claimed.value == turn.answer.value


@pytest.mark.parametrize("resting", [CHANGE, final("#2"), final(206588, steps=[2])])
def test_call_that_uses_steps_is_refused_after_a_failed_call_in_the_same_reply(resting: Call) -> None:
    """The numbers of the steps are not those that the model assumed."""
    hasty = reply(understood(), query(1999), query(2008), query(2009), resting)
    run = play(scripted([hasty, reply(final("#1"))]), limits=ONE_TALK)
    assert '"success": false' in run.requests[1].results[-1]
    assert run.turn.answer.number == 181001


def test_copied_number_takes_no_step_number_within_a_reply() -> None:
    spent = Call("calculate", {"operation": "divide", "values": ["#1", "38.6 million"]})
    twice = Call("calculate", {"operation": "multiply", "values": ["#2", 2]})
    run = play(scripted([reply(understood(), query(2008), spent, twice, final("#3"))]), limits=ONE_TALK)
    assert run.turn.answer.formula == "181001 thousand / (38.6 million * 1000) * 2"
    assert run.turn.answer.number == pytest.approx(Decimal("9.378"), abs=Decimal("0.001"))


@pytest.mark.parametrize("years", [["2009", "2008"], ["2008", "2009"]])
def test_values_of_a_filter_are_steps_in_their_order(years: list[str]) -> None:
    both = Call("query_kg", {"entityType": "CashFlow", "filters": {"year": years}, "property": CASH})
    run = play(scripted([reply(understood(), both, CHANGE, final("#3"))]), limits=ONE_TALK)
    assert run.turn.answer.number == 25587 * (1 if years[0] == "2008" else -1)


@pytest.mark.parametrize(
    ("answer", "stated", "scale", "requests"),
    [
        ("#1", "one", Scale.ONE, 3),
        ("#1", "thousand", Scale.THOUSAND, 2),
        ("#1", "million", Scale.THOUSAND, 2),
        (181_001_000, "one", Scale.THOUSAND, 2),
    ],
)
def test_repeated_scale_of_one_overrides_the_caption(answer: object, stated: str, scale: Scale, requests: int) -> None:
    script = [reply(understood(), query(2008)), *[reply(final(answer, scale=stated))] * 2]
    run = play(scripted(script), limits=ONE_TALK)
    assert (run.turn.answer.number, run.turn.answer.scale) == (Decimal(181001), scale)
    assert len(run.requests) == requests
    assert ("though the page gives thousand" in str(run.turn.answer.reason)) == (scale is Scale.ONE)


def test_scale_stated_by_a_model_applies_if_the_page_has_none_and_is_reported() -> None:
    sales = page([["", "2009", "2008"], ["net sales", "120.5", "100.1"]])
    looked_up = Call("query_kg", {"filters": {"row": "net sales", "year": "2009"}})
    for value in ("#1", 120.5):
        script = [reply(understood(), looked_up), reply(final(value, scale="million"))]
        answer = play(scripted(script), page=sales, limits=ONE_TALK).turn.answer
        assert (answer.number, answer.scale, answer.formula) == (Decimal("120.5"), Scale.MILLION, "120.5 * 1 million")
        assert "no scale for 120.5" in str(answer.reason)


@pytest.mark.parametrize(
    "row", ["exercise price", "effective tax rate", "operating margin", "employees", "number of stores"]
)
def test_model_cannot_scale_numbers_printed_in_full(row: str) -> None:
    table = page([["", "2009", "2008"], [row, "48.65", "33.20"], ["net sales", "7.25", "5.10"]])
    looked_up = Call("query_kg", {"filters": {"row": row, "year": "2009"}})
    script = [reply(understood(), looked_up), reply(final("#1", scale="million"))]
    answer = play(scripted(script), page=table, limits=ONE_TALK).turn.answer
    assert (answer.number, answer.scale) == (Decimal("48.65"), Scale.ONE)
    assert "the model gives the scale million" in str(answer.reason)


def test_steps_of_earlier_replies_can_be_used_after_a_failed_call() -> None:
    script = [reply(query(2008), query(2009)), reply(query(1999), CHANGE), reply(final("#3"))]
    assert play(scripted(script), limits=ONE_TALK).turn.answer.number == 25587


def test_prompt_has_the_nearest_text_and_its_numbers_have_sources() -> None:
    document = page(
        [["", "2012"], ["net sales", "$ 5"]],
        before=["rental expense of office space was $ 7.5 million .", "the company was founded long ago ."],
    )
    run = play(
        scripted([reply(understood(), final("7.5 million"))]),
        "what was the rental expense of office space?",
        page=document,
        limits=ONE_TALK,
    )
    prompt = run.requests[0].prompts[0]
    assert "- rental expense of office space was $ 7.5 million ." in prompt
    assert "founded" not in prompt
    answer = run.turn.answer
    assert (str(answer.number), answer.reason, len(answer.sources)) == ("7.5", None, 1)


def test_unparsable_reply_is_reported_within_one_dialogue() -> None:
    faults: list[Reply] = [say(""), replace(say("The net cash"), truncated=True), reply(Call("query_kg", "{"))]

    def asks(request: ReceivedRequest) -> Reply:
        return faults.pop(0) if faults else reply(final("#1")) if request.results[1:] else reply(query(2008))

    turn = play(asks, limits=ONE_TALK).turn
    assert turn.answer.number == 181001
    assert CASH in str(turn.tool_calls[-1].input)


def test_unrequested_absolute_value_is_reported_once_and_remarked() -> None:
    fall = Call("calculate", {"operation": "subtract", "values": ["#1", "#2"]})
    size = Call("calculate", {"operation": "absolute", "values": ["#3"]})
    calls = [reply(understood(), query(2008), query(2009), fall, size), reply(final("#4")), reply(final("#4"))]
    turn = play(scripted(calls), "what was the change in net cash?", limits=ONE_TALK).turn
    rejections = [event for event in turn.events if isinstance(event, ReplyRejected)]
    assert ["absolute" in str(event.faults) for event in rejections] == [True]
    assert turn.answer.number == 25587
    assert SIGN_DROPPED in str(turn.answer.reason)
