"""The reflection solver through the real client: drafts, evidence and verdicts, round by round."""

import json
from decimal import Decimal
from typing import Any

import pytest
from model_replies import say
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
    role_of,
)

from quaestor.conversation.events import DraftSettled, EvidenceFound, VerdictMissing
from quaestor.conversation.turn import Turn
from quaestor.core.quantity import Scale
from quaestor.testing.models import Protocol, Reply

pytestmark = pytest.mark.usefixtures("local_models")


def final_draft(turn: Turn) -> tuple[int, bool]:
    """Return the number of the final draft and whether it was accepted."""
    (event,) = [event for event in turn.events if isinstance(event, DraftSettled)]
    return event.draft, event.accepted


@pytest.mark.parametrize(
    ("protocol", "native"), [("openai", True), ("openai", False), ("anthropic", True), ("anthropic", False)]
)
def test_a_sound_draft_is_accepted_at_once(protocol: Protocol, native: bool) -> None:
    run = play(playing(expert=[change()]), protocol=protocol, native=native)
    answer = run.turn.answer
    assert near(answer.number)
    assert answer.scale is Scale.ONE
    assert answer.reason is None
    assert run.turn.verified
    assert len(answer.sources) == 2
    assert run.phases[0] == "EXPERT_1"
    assert sorted(run.phases[1:]) == ["CALCULATION_CRITIC_1", "EXTRACTION_CRITIC_1"]
    assert final_draft(run.turn) == (1, True)


def test_draft_without_findings_has_one_critic_for_both_duties() -> None:
    run = play(playing(expert=[change()], extraction=[objects("the wrong base"), APPROVES]), critics=1)
    assert near(run.turn.answer.number)
    assert run.phases == ["EXPERT_1", "EXTRACTION_CRITIC_1", "EXPERT_2", "EXTRACTION_CRITIC_2"]
    critic = run.requests[1].system
    for text in ("the right numbers were taken", "the right calculation was made", "Relevance", "Operands"):
        assert text in critic, text
    assert "another critic" not in critic


def test_draft_with_a_finding_has_two_critics() -> None:
    swapped = draft(
        look_up(IN_2009, 206588, "T0R1C1"),
        look_up(IN_2008, 181001, "T0R1C2"),
        calculate("subtract", "#2", "#1", result=-25587),
    )
    run = play(playing(expert=[swapped, change()]), "what was the change from 2008 to 2009?", critics=1)
    assert {"EXTRACTION_CRITIC_1", "CALCULATION_CRITIC_1"} <= set(run.phases)


def test_draft_rejected_by_one_critic_is_corrected() -> None:
    wrong_year = draft(look_up(IN_2008, 181001, "T0R1C2"), answer=181001)
    run = play(
        playing(expert=[wrong_year, change()], extraction=[objects("a change is asked for, not a value"), APPROVES])
    )
    assert near(run.turn.answer.number)
    assert run.turn.answer.reason is None
    assert sorted(run.phases) == [
        "CALCULATION_CRITIC_2", "EXPERT_1", "EXPERT_2", "EXTRACTION_CRITIC_1", "EXTRACTION_CRITIC_2",
    ]  # fmt: skip
    prompt = next(a.prompts[-1] for a in run.requests[2:] if "You are an expert" in a.system)
    assert "This draft was not accepted" in prompt
    assert "a change is asked for, not a value" in prompt
    assert "mend it" in prompt
    assert "calculation critic" not in prompt


def test_last_draft_is_contested_without_agreement() -> None:
    run = play(playing(calculation=[objects("no")] * 9))
    answer = run.turn.answer
    assert near(answer.number)
    assert run.turn.verified
    assert all(word in str(answer.reason) for word in ("calculation", "no", "mend it"))
    assert final_draft(run.turn) == (2, False)


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
def test_evidence_rejects_a_plan_that_critics_approve(wrong: dict[str, Any], kind: str) -> None:
    run = play(playing(expert=[wrong, change()]))
    assert near(run.turn.answer.number)
    assert run.turn.answer.reason is None
    evidence = [event for event in run.turn.events if isinstance(event, EvidenceFound)]
    assert kind in {f"step {event.step} ({event.finding})" for event in evidence if event.draft == 1}
    prompts = [a.prompts[-1] for a in run.requests if "This draft was not accepted" in a.prompts[-1]]
    assert kind in prompts[0]
    judged = [a.prompts[-1] for a in run.requests if "You are a critic" in a.system]
    assert all(kind in prompt for prompt in judged[:2])
    assert not any(kind in prompt for prompt in judged[2:])


@pytest.mark.parametrize("wrong", [MADE_UP, WRONG_SIGN, WRONG_ARITHMETIC])
def test_critics_cannot_approve_a_draft_with_factual_errors(wrong: dict[str, Any]) -> None:
    run = play(playing(expert=[wrong] * 9))
    assert final_draft(run.turn)[1] is False
    assert run.turn.verified


def test_later_turn_uses_an_earlier_answer() -> None:
    again = draft(calculate("multiply", "#-1", "100", result=14.14), answer=14.14)
    run = play(playing(expert=[change(), again]), "the change?", "and what is that in percent?")
    assert [turn.error for turn in run.turns] == [None, None]
    assert isinstance(value := run.turns[1].answer.number, Decimal)
    assert near(value / 100)
    assert len(run.turns[1].answer.sources) == 2


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
def test_unusable_draft_is_requested_again(fault: Any) -> None:
    run = play(playing(expert=[fault, change()]))
    assert near(run.turn.answer.number)
    assert "EXPERT_1_repair_1" in run.phases
    assert "This cannot be used" in run.requests[1].prompts[-1]


def test_unusable_verdict_is_requested_again() -> None:
    unexplained = {**APPROVES, "is_correct": False}
    run = play(playing(extraction=[unexplained, APPROVES], calculation=[say("fine"), APPROVES]))
    assert near(run.turn.answer.number)
    assert {"EXTRACTION_CRITIC_1_repair_1", "CALCULATION_CRITIC_1_repair_1"} <= set(run.phases)


def test_turn_without_a_draft_is_an_error_and_the_conversation_continues() -> None:
    run = play(playing(expert=[*[say("no")] * 4, change()]), "the change?", "the change?")
    assert str(run.turns[0].error).startswith("ModelReplyError: ")
    assert near(run.turns[1].answer.number)


PROSE = say("The draft holds, as far as I can tell, and I would sign it.")


@pytest.mark.parametrize("silent", ["extraction", "calculation"])
@pytest.mark.parametrize("verdict", [PROSE, say(""), Reply('{"reasoning": "the dra', truncated=True), say("{}")])
def test_unusable_verdicts_keep_the_draft(silent: str, verdict: Reply) -> None:
    run = play(playing(expert=[change()], **{silent: [verdict] * 9}))
    answer = run.turn.answer
    assert near(answer.number)
    assert run.turn.error is None
    assert len(answer.sources) == 2
    assert silent in str(answer.reason)
    assert run.phases.count("EXPERT_1") == 1
    assert f"{silent.upper()}_CRITIC_1_repair_3" in run.phases
    assert [e.critic for e in run.turn.events if isinstance(e, VerdictMissing)] == [silent]


@pytest.mark.parametrize(
    ("protocol", "native"), [("openai", True), ("openai", False), ("anthropic", True), ("anthropic", False)]
)
def test_later_rounds_get_only_new_information(protocol: Protocol, native: bool) -> None:
    run = play(playing(expert=[WRONG_ARITHMETIC, change()]), protocol=protocol, native=native)
    assert near(run.turn.answer.number)
    rounds: dict[str, list[Any]] = {}
    for request in run.requests:
        rounds.setdefault(role_of(request), []).append(request.body)
    assert set(rounds) == {"expert", "extraction", "calculation"}
    for first, second in rounds.values():
        count = len(first["messages"])
        assert second["messages"][:count] == first["messages"]  # byte for byte, for the servers' prompt cache
        new = json.dumps(second["messages"][count:])
        assert "The page " not in new or "what the draft takes of it" in new
        assert "Conversation so far" not in new
        assert '"properties"' not in new
        assert first.get("tools") == second.get("tools")
