"""The reflection solver through the real client: drafts, evidence and verdicts, round by round."""

from decimal import Decimal
from typing import Any

import pytest
from model_replies import Protocol, Reply, say
from reflection_bench import (
    APPROVES,
    IN_2008,
    IN_2009,
    NEW,
    OLD,
    calculate,
    change,
    draft,
    look_up,
    near,
    objects,
    play,
    playing,
)

from quaestor.conversation.events.lines import event_lines
from quaestor.core.quantity import Scale
from quaestor.solvers.reflection.solver import ReflectionSolver
from quaestor.solvers.reflection.spec import ReflectionLimits

pytestmark = pytest.mark.usefixtures("local_models")


@pytest.mark.parametrize(
    ("protocol", "native"), [("openai", True), ("openai", False), ("anthropic", True), ("anthropic", False)]
)
def test_a_sound_draft_is_accepted_at_once(protocol: Protocol, native: bool) -> None:
    played = play(playing(expert=[change()]), protocol=protocol, native=native)
    answer = played.turn.answer
    assert near(answer.number)
    assert answer.scale is Scale.ONE
    assert answer.reason is None
    assert played.turn.verified
    assert len(answer.sources) == 2
    assert played.phases[0] == "EXPERT_1"
    assert sorted(played.phases[1:]) == ["CALCULATION_CRITIC_1", "EXTRACTION_CRITIC_1"]
    assert "draft 1 is accepted" in event_lines(played.turn.events)


def test_a_draft_that_one_critic_rejects_is_mended() -> None:
    wrong_year = draft(look_up(IN_2008, 181001, "T0R1C2"), answer=181001)
    played = play(
        playing(expert=[wrong_year, change()], calculation=[objects("a change is asked for, not a value"), APPROVES])
    )
    assert near(played.turn.answer.number)
    assert played.turn.answer.reason is None
    assert len(played.asked) == 6
    told = next(a.prompts[0] for a in played.asked[3:] if "You are an expert" in a.system)
    assert "Your last draft" in told
    assert "the calculation critic: a change is asked for, not a value" in told
    assert "the calculation critic would change: mend it" in told
    assert "extraction critic" not in told


def test_what_both_critics_reject_goes_back_with_all_their_issues() -> None:
    script = playing(
        expert=[change(), change()], extraction=[objects("the wrong line")], calculation=[objects("the wrong base")]
    )
    played = play(script)
    assert near(played.turn.answer.number)
    assert played.turn.answer.reason is None
    told = [a.prompts[0] for a in played.asked if "Your last draft" in a.prompts[0]]
    assert "the wrong line" in told[0]
    assert "the wrong base" in told[0]


def test_without_agreement_the_draft_is_contested() -> None:
    played = play(playing(calculation=[objects("no")] * 9))
    answer = played.turn.answer
    assert near(answer.number)
    assert played.turn.verified
    assert (
        answer.reason
        == "contested after 2 drafts: the calculation critic: no; the calculation critic would change: mend it"
    )
    assert "no draft of 2 is accepted; draft 2 has least against it" in event_lines(played.turn.events)


def test_drafts_go_on_while_they_improve_up_to_the_hard_limit() -> None:
    drafts = [
        change(look_up(IN_2009, 206599, "T0R1C3"), look_up(IN_2008, 181099, "T0R1C2")),
        change(look_up(IN_2009, 206599, "T0R1C3")),
        change(),
    ]
    played = play(playing(expert=drafts))
    assert near(played.turn.answer.number)
    assert played.turn.answer.reason is None
    assert [phase for phase in played.phases if phase.startswith("EXPERT")] == ["EXPERT_1", "EXPERT_2", "EXPERT_3"]
    stopped = play(playing(expert=drafts), solver=ReflectionSolver(ReflectionLimits(max_iterations=2, hard_limit=2)))
    assert str(stopped.turn.answer.reason).startswith("contested after 2 drafts: step 1 (ungrounded)")


MADE_UP = change(look_up(IN_2009, 206599, "T0R1C3"))
SWAPPED = change(OLD, NEW, result=-12.39)
WRONG_SIGN = change(look_up(IN_2009, -206588, "T0R1C3"), result=-214.14)
WRONG_ARITHMETIC = change(result=15.2)
MISREAD = change(look_up(IN_2009, -72945, "T0R2C3"), result=-140.3)
ROUNDED_ANSWER = change(answer=14.9)


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (MADE_UP, "step 1 (ungrounded)"),
        (SWAPPED, "step 3 (order)"),
        (WRONG_SIGN, "step 1 (ungrounded)"),
        (WRONG_ARITHMETIC, "step 3 (arithmetic)"),
        (MISREAD, "step 1 (misplaced)"),
        (ROUNDED_ANSWER, "step 3 (arithmetic)"),
    ],
)
def test_evidence_alone_rejects_what_critics_approve(wrong: dict[str, Any], kind: str) -> None:
    played = play(playing(expert=[wrong, change()]))
    assert near(played.turn.answer.number)
    assert played.turn.answer.reason is None
    assert any(line.startswith(f"draft 1, evidence: {kind}: ") for line in event_lines(played.turn.events))
    told = [a.prompts[0] for a in played.asked if "Your last draft" in a.prompts[0]]
    assert kind in told[0]
    judged = [a.prompts[0] for a in played.asked if "Computed, not believed" in a.prompts[0]]
    assert all(kind in prompt for prompt in judged[:2])
    assert not any(kind in prompt for prompt in judged[2:])


@pytest.mark.parametrize("wrong", [MADE_UP, WRONG_SIGN, WRONG_ARITHMETIC])
def test_no_critic_can_approve_against_a_fact(wrong: dict[str, Any]) -> None:
    played = play(playing(expert=[wrong] * 9))
    assert str(played.turn.answer.reason).startswith("contested after 2 drafts")
    assert played.turn.verified


def test_an_expert_may_stand_by_a_draft_against_a_rule_of_reading() -> None:
    played = play(playing(expert=[SWAPPED, SWAPPED]))
    assert str(played.turn.answer.reason).startswith("approved all the same: step 3 (order)")
    assert played.turn.answer.formula == "(181001 - 206588) / 206588"


def test_a_later_turn_takes_the_answer_of_an_earlier_one() -> None:
    again = draft(calculate("multiply", "#-1", "100", result=14.14), answer=14.14)
    played = play(playing(expert=[change(), again]), "the change?", "and what is that in percent?")
    assert [turn.error for turn in played.turns] == [None, None]
    assert isinstance(value := played.turns[1].answer.number, Decimal)
    assert near(value / 100)
    assert len(played.turns[1].answer.sources) == 2


@pytest.mark.parametrize(
    "fault",
    [
        say(""),
        say("14.14 percent, I should think."),
        say('{"steps": [}'),
        Reply('{"reasoning": "', truncated=True),
        draft(answer=1),
        draft(calculate("subtract", "#1", "#2", result=1), answer=1),
        draft(calculate("add", "#-1", "net income", result=1), answer=1),
        draft(look_up(IN_2008, "about 181 thousand or so, or 182", ""), answer=1),
        change(answer="it rose by 14.14 percent from 181001"),
        change(answer="1e999"),
    ],
)
def test_a_draft_that_cannot_be_used_is_asked_for_again(fault: Any) -> None:
    played = play(playing(expert=[fault, change()]))
    assert near(played.turn.answer.number)
    assert "EXPERT_1_repair_1" in played.phases
    assert "This cannot be used" in played.asked[1].prompts[-1]


def test_a_verdict_that_cannot_be_used_is_asked_for_again() -> None:
    unexplained = {**APPROVES, "is_correct": False}
    played = play(playing(extraction=[unexplained, APPROVES], calculation=[say("fine"), APPROVES]))
    assert near(played.turn.answer.number)
    assert {"EXTRACTION_CRITIC_1_repair_1", "CALCULATION_CRITIC_1_repair_1"} <= set(played.phases)


def test_a_second_draft_that_never_comes_leaves_the_first() -> None:
    played = play(playing(expert=[change(result=15.2), *[say("no")] * 9]))
    assert near(played.turn.answer.number)
    assert str(played.turn.answer.reason).startswith("contested after 1 draft: step 3 (arithmetic)")


def test_a_turn_without_any_draft_is_an_error_and_the_conversation_goes_on() -> None:
    played = play(playing(expert=[*[say("no")] * 4, change()]), "the change?", "the change?")
    assert str(played.turns[0].error).startswith("ModelReplyError: after 4 replies")
    assert near(played.turns[1].answer.number)


def test_a_draft_without_a_result_is_not_the_answer_while_there_is_a_better() -> None:
    by_zero = draft(NEW, calculate("divide", "#1", 0, result=1), answer=1)
    assert near(play(playing(expert=[by_zero, change()])).turn.answer.number)
    played = play(playing(expert=[by_zero] * 9))
    assert str(played.turn.error).startswith("DivisionByZeroError")
