"""Expert and critics as a model plays them: what they are told.

Owns the prompts. Which model plays a role is the turn's to say.
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.core import serial
from quaestor.core.computing import compute
from quaestor.llm.structured.replies import initial_messages
from quaestor.llm.structured.request import request_structured
from quaestor.prompts import render
from quaestor.solvers import briefing
from quaestor.solvers.base import TurnContext
from quaestor.solvers.reflection.candidates import likely, shown_page
from quaestor.solvers.reflection.drafts import Draft, faults
from quaestor.solvers.reflection.findings import Duty, Finding, Verdict

_DUTIES: dict[Duty, str] = {
    "extraction": "whether the right numbers were taken from the page",
    "calculation": "whether the right calculation was made with them",
}


@dataclass(frozen=True, slots=True)
class CriticVerdicts:
    """A draft as critics are shown it.

    Attributes:
        draft: Its steps, as they were written.
        result: What they come to, recomputed.
        findings: What computed evidence says against it.
    """

    draft: str
    result: str
    findings: tuple[Finding, ...]


async def ask_expert(
    question: str, context: TurnContext, number: int, attempts: int, last: Draft | None, objections: Sequence[str]
) -> Draft:
    """Returns the expert's draft.

    Args:
        question: As asked.
        context: The turn.
        number: Which draft of the turn, from 1.
        attempts: Replies in all until one can be used.
        last: The draft before, which was not accepted; None for the first.
        objections: Why it was not.

    Raises:
        ModelReplyError: No reply could be used.
        OutageError: The model cannot be asked.
    """
    prompt = await compute(
        lambda: render(
            "reflection/expert",
            **briefing.prompt_variables(question, context),
            page=_page(question, context),
            draft=json.dumps(serial.dump(last, compact=True), ensure_ascii=False) if last else None,
            objections=objections,
        )
    )
    reply = await request_structured(
        context.model_for("expert"),
        Draft,
        initial_messages(render("reflection/expert_system", rules=briefing.rules()), prompt),
        name="write_draft",
        description="Steps and answer, for critics to judge.",
        phase=f"EXPERT_{number}",
        attempts=attempts,
        on_rejected=context.note_rejected,
        check=lambda draft: faults(draft, len(context.memory.turns)),
    )
    return reply.value


async def ask_critics(
    question: str, context: TurnContext, number: int, attempts: int, judged: CriticVerdicts
) -> dict[Duty, Verdict]:
    """Returns the verdicts of both critics, who are asked at the same time.

    Args:
        question: As asked.
        context: The turn.
        number: Which draft of the turn, from 1.
        attempts: Replies in all until one can be used, for each critic.
        judged: The draft.

    Raises:
        ModelReplyError: No reply of one of them could be used.
        OutageError: One of them cannot be asked.
    """
    prompt = await compute(
        lambda: render(
            "reflection/critic",
            **briefing.prompt_variables(question, context),
            page=_page(question, context),
            draft=judged.draft,
            result=judged.result,
            findings=judged.findings,
        )
    )
    asked = [asyncio.create_task(_judge(duty, prompt, context, number, attempts)) for duty in _DUTIES]
    try:
        verdicts = await asyncio.gather(*asked)
    finally:  # where one fails the other is not asked on
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
    return dict(zip(_DUTIES, verdicts, strict=True))


async def _judge(duty: Duty, prompt: str, context: TurnContext, number: int, attempts: int) -> Verdict:
    reply = await request_structured(
        context.model_for(f"{duty}_critic"),
        Verdict,
        initial_messages(
            render("reflection/critic_system", role=duty, duty=_DUTIES[duty], rules=briefing.rules()), prompt
        ),
        name="give_verdict",
        description="Whether the draft is correct, and if not, what to change.",
        phase=f"{duty.upper()}_CRITIC_{number}",
        attempts=attempts,
        on_rejected=context.note_rejected,
        check=_unexplained,
    )
    return reply.value


def _unexplained(verdict: Verdict) -> Sequence[str]:
    if verdict.is_correct or any(issue.strip() for issue in verdict.issues):
        return ()
    return ("a draft that is not correct needs at least one issue",)


def _page(question: str, context: TurnContext) -> object:
    return shown_page(context.document, likely(question, context.memory, context.document, context.graph))
