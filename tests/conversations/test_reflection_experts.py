"""Critics around other solvers: plans are judged, and findings are returned to the solvers."""

import asyncio
from collections.abc import Sequence

import pytest
from agent_bench import UNDERSTOOD, final, is_understanding, query
from agent_bench import reply as calls
from model_server import Script
from reflection_bench import APPROVES, QUESTION, near, objects, play, role_of
from solver_bench import context_of
from toolboxes import CASH_FLOWS, OPTIONS, sample_knowledge, sample_pages

from quaestor.conversation.events import DraftSettled, NoAnswerGiven
from quaestor.datasets.dataset import Conversation
from quaestor.errors import SettingsError
from quaestor.evaluation.runner import answer_conversation
from quaestor.solvers.reflection.solver import ReflectionRounds, Round, no_critics
from quaestor.solvers.registry import make_solver
from quaestor.testing.models import Call, ReceivedRequest, Reply, structured

pytestmark = pytest.mark.usefixtures("local_models")


def with_critics(expert: Script, *verdicts: object) -> Script:
    """Return a script that lets the expert reply; critics give the verdicts in order, then approve."""
    left = iter(verdicts)

    def answer(request: ReceivedRequest) -> Reply:
        if "You are a critic" not in request.system:
            return expert(request)
        verdict = next(left, APPROVES) if role_of(request) == "calculation" else APPROVES
        assert isinstance(verdict, dict)
        return structured(request, verdict)

    return answer


def expert_prompts(requests: Sequence[ReceivedRequest]) -> list[str]:
    return [a.prompts[0] for a in requests if "You are a critic" not in a.system]


def test_agent_gets_the_objections_of_critics() -> None:
    def agent(request: ReceivedRequest) -> Reply:
        if is_understanding(request):
            return structured(request, UNDERSTOOD)
        if not request.results:
            return calls(query(2008), query(2009))
        if len(request.results) == 2:
            return calls(Call("calculate", {"operation": "percentage_change", "values": [181001, 206588]}))
        return calls(final(14.14, scale="percent", steps=[3]))

    run = play(with_critics(agent, objects("the base is 2008")), solver=make_solver("reflection", {"expert": "agent"}))
    assert near(run.turn.answer.number)
    assert len(run.turn.tool_calls) == 6
    prompts = [prompt for prompt in expert_prompts(run.requests) if "was not accepted" in prompt]
    assert prompts
    assert all("the base is 2008" in prompt for prompt in prompts)


def test_remark_of_the_expert_is_kept() -> None:
    def agent(request: ReceivedRequest) -> Reply:
        return structured(request, UNDERSTOOD) if is_understanding(request) else calls(final(999.5))

    run = play(with_critics(agent), solver=make_solver("reflection", {"expert": "agent"}))
    assert "999.5" in str(run.turn.answer.reason)
    assert "step 1 (ungrounded)" in str(run.turn.answer.reason)


@pytest.mark.parametrize("expert", ["agent", "workflow", "sparql"])
def test_missing_answer_of_the_expert_is_kept_with_its_reason(expert: str) -> None:
    none = {"no_answer": "not_on_page"}

    def replies(request: ReceivedRequest) -> Reply:
        if is_understanding(request):
            return structured(request, UNDERSTOOD)
        if expert == "agent":
            return calls(Call("final_answer", {**none, "explanation": "it has no such line"}))
        if expert == "workflow":
            return structured(request, {"thought_process": "it has no such line", "steps": [], **none})
        return structured(request, {"values": [], "reasoning": "it has no such line", **none})

    turn = play(with_critics(replies), solver=make_solver("reflection", {"expert": expert})).turn
    assert turn.error is None
    assert turn.answer.value is None
    assert "it has no such line" in str(turn.answer.reason)
    assert [event.reason for event in turn.events if isinstance(event, NoAnswerGiven)] == ["not_on_page"]


def test_embedded_expert_needs_no_model() -> None:
    solver = make_solver("reflection", {"expert": "embedded"})
    conversation = Conversation("made up", sample_pages()[CASH_FLOWS], (QUESTION, "and what was it in 2007?"))
    turns = asyncio.run(answer_conversation(conversation, solver, sample_knowledge()))
    assert near(turns[0].answer.number)
    assert all(turn.verified and turn.error is None for turn in turns)
    assert [(e.draft, e.accepted) for e in turns[0].events if isinstance(e, DraftSettled)] == [(1, True)]


def best_round(rounds: ReflectionRounds) -> Round:
    best = asyncio.run(rounds.play())
    assert isinstance(best, Round)
    return best


def test_plan_with_findings_is_replaced_by_the_next_plan() -> None:
    from quaestor.solvers.reflection.solver import RankedExpert
    from quaestor.solvers.reflection.spec import ReflectionOptions

    context = context_of(CASH_FLOWS)
    embedded = make_solver("embedded", {})
    question = "what was the net cash from operating activities in 2009?"
    wrong = asyncio.run(embedded.solve("what was the net cash from operating activities in 2008?", context))
    right = asyncio.run(embedded.solve(question, context))
    rounds = ReflectionRounds(
        RankedExpert(question, context, iter([wrong, right])), no_critics, ReflectionOptions(), context.trace
    )
    assert best_round(rounds).proposal.plan == right.plan
    only = ReflectionRounds(
        RankedExpert(question, context, iter([wrong])), no_critics, ReflectionOptions(), context.trace
    )
    assert best_round(only).proposal.plan == wrong.plan
    twice = ReflectionRounds(
        RankedExpert(question, context, iter([wrong, wrong])), no_critics, ReflectionOptions(), context.trace
    )
    assert best_round(twice).number == 1


def test_expert_with_a_model_requires_one() -> None:
    with pytest.raises(SettingsError, match="model"):
        asyncio.run(make_solver("reflection", {}).solve(QUESTION, context_of(OPTIONS)))
