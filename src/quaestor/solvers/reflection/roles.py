"""Expert and critics as a model plays them: what they are told.

Which model plays a role is the turn's to say.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from quaestor.conversation.events import Note
from quaestor.core.computing import compute
from quaestor.errors import ModelReplyError
from quaestor.llm.structured.request import TypedRequest
from quaestor.ontology.core import CoreRule
from quaestor.prompts import render
from quaestor.solvers import briefing
from quaestor.solvers.answer_kinds import asks_beyond_numbers
from quaestor.solvers.base import TurnContext
from quaestor.solvers.explaining import may_be_explained
from quaestor.solvers.reflection.candidates import likely_lines, shown_numbers, shown_sources
from quaestor.solvers.reflection.drafts import Draft, NumberDraft, faults, quotation_faults
from quaestor.solvers.reflection.proposals import DraftProposal
from quaestor.solvers.reflection.verdicts import Duty, NoVerdict, Verdict, salvage_verdict

_DUTIES: Mapping[Duty, str] = {
    "extraction": "whether the right numbers were taken from the page",
    "calculation": "whether the right calculation was made with the numbers taken",
}


class ExpertRole:
    """The expert of one turn."""

    def __init__(
        self,
        question: str,
        context: TurnContext,
        attempts: int,
        *,
        doubt: Callable[[Draft], Sequence[str]],
        always_answer: bool = False,
    ) -> None:
        """Take the question, the turn, how many replies to one request there may be, and whether to guess.

        Args:
            doubt: Returns what the expert is told once of a draft that can be used.
        """
        self._question, self._context, self._attempts = question, context, attempts
        self._doubt, self._always_answer = doubt, always_answer
        asked = context.read(question)
        self._explains = may_be_explained(asked, context)
        self._all_kinds = self._explains or asks_beyond_numbers(asked)
        self._talk = self._new_talk()

    def _new_talk(self) -> TypedRequest[Draft]:
        return TypedRequest(
            self._context.model_for("expert"),
            Draft,
            "write_draft",
            "Steps and answer, for critics to judge.",
            attempts=self._attempts,
            on_rejected=self._context.note_rejected,
            check=self._faults,
            doubt=self._doubt,
            told=None if self._all_kinds else NumberDraft,
        )

    def _faults(self, draft: Draft) -> Sequence[str]:
        if self._all_kinds and draft.no_answer == "other":
            return ["no_answer cannot be 'other', because every kind of answer is allowed"]
        found = faults(draft, len(self._context.memory.turns))
        return found or quotation_faults(draft, self._question, self._context.document)

    async def draft(self, number: int, objections: Sequence[str]) -> Draft:
        """Return the next draft.

        Args:
            number: Which draft of the turn, from 1.
            objections: Why the one before was not accepted.

        Raises:
            ModelReplyError: No reply could be used.
            OutageError: The model cannot be asked.
        """
        draft = await self._ask(number, objections)
        if draft.no_answer == "other" and not self._all_kinds:
            self._all_kinds = self._explains = True
            self._talk = self._new_talk()
            draft = await self._ask(number, objections)
        return draft

    async def _ask(self, number: int, objections: Sequence[str]) -> Draft:
        told = {"all_kinds": self._all_kinds, "explains": self._explains, "always_answer": self._always_answer}
        system = render("reflection/expert_system", rules=briefing.rules(), **told)
        return await self._talk.ask(await compute(self._prompt, objections), f"EXPERT_{number}", system)

    def _prompt(self, objections: Sequence[str]) -> str:
        context = self._context
        if self._talk.begun:
            return render("reflection/expert_again", objections=objections)
        return render(
            "reflection/expert",
            **briefing.prompt_variables(self._question, context),
            page=shown_numbers(context.document, all_sentences=self._all_kinds),
            likely=likely_lines(self._question, context),
        )


_BOTH = ", and ".join(_DUTIES.values())


class CriticRoles:
    """The critics of one turn: two, or one with both duties where computing finds nothing against the first draft."""

    def __init__(self, question: str, context: TurnContext, attempts: int) -> None:
        """Take the question, the turn, and how many replies to one request there may be."""
        self._question, self._context = question, context
        self._once: bool | None = None
        self._talks = {
            duty: TypedRequest(
                context.model_for(f"{duty}_critic"),
                Verdict,
                "give_verdict",
                "Whether the draft is correct, and if not, what to change.",
                attempts=attempts,
                on_rejected=context.note_rejected,
                check=_unexplained,
                salvage=salvage_verdict,
            )
            for duty in _DUTIES
        }

    async def judge(self, proposal: DraftProposal, number: int) -> Mapping[Duty, Verdict | NoVerdict]:
        """Return what the critics say, who are asked at the same time; only one of a draft that needs no two.

        Args:
            number: Which draft of the turn, from 1.

        Raises:
            OutageError: One of them cannot be asked.
        """
        if self._once is None:
            one_model = len({id(talk.connection) for talk in self._talks.values()}) == 1
            self._once = one_model and proposal.computes and not proposal.findings
        duties = [duty for duty in _DUTIES if duty == "extraction" or (proposal.computes and not self._once)]
        if not proposal.computes:
            said = f"draft {number} calculates nothing, so the calculation critic is skipped"
            self._context.trace.append(Note(said))
        prompts = [await compute(self._prompt, duty, proposal) for duty in duties]
        asked = [
            asyncio.create_task(self._verdict(duty, number, prompt))
            for duty, prompt in zip(duties, prompts, strict=True)
        ]
        try:
            verdicts = await asyncio.gather(*asked)
        finally:  # where one fails the other is not asked on
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
        return dict(zip(duties, verdicts, strict=True))

    def _prompt(self, duty: Duty, proposal: DraftProposal) -> str:
        # The extraction critic judges what else the page has; the other one, what was done with what was taken.
        document, begun = self._context.document, self._talks[duty].begun
        told = {
            "draft": proposal.words,
            "result": proposal.result,
            "findings": proposal.findings,
            "checked": proposal.checked,
            "computes": proposal.computes,
        }
        if duty == "calculation":
            told["page"] = shown_sources(document, proposal.plan)
        else:
            words = any(step.text is not None for step in proposal.plan.extracts)
            told["page"] = None if begun else shown_numbers(document, all_sentences=words)
        if begun:
            return render("reflection/critic_again", **told)
        return render("reflection/critic", **briefing.prompt_variables(self._question, self._context), **told)

    async def _verdict(self, duty: Duty, number: int, prompt: str) -> Verdict | NoVerdict:
        role, told = ("both", _BOTH) if self._once else (duty, _DUTIES[duty])
        system = render("reflection/critic_system", role=role, duty=told, rules=_rules(role))
        try:
            return await self._talks[duty].ask(prompt, f"{duty.upper()}_CRITIC_{number}", system)
        except ModelReplyError as error:
            return NoVerdict(str(error))


def _rules(role: str) -> Sequence[CoreRule]:
    """Who judges only which numbers were taken needs the rules of how they are taken, others those of calculation."""
    return briefing.rules("scale") if role == "extraction" else briefing.rules("calculation", "transformation", "scale")


def _unexplained(verdict: Verdict) -> Sequence[str]:
    if verdict.is_correct or any(issue.strip() for issue in verdict.issues):
        return ()
    return ("a draft that is not correct needs at least one issue",)
