"""Answers questions about a page with the first kind of answer that fits."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import CandidateChosen, CandidatePassedOver
from quaestor.core.answer_value import AnswerKinds
from quaestor.errors import ExecutionError, SolverError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.questions.instructions import read_instructions, without_instructions
from quaestor.questions.question import read_question
from quaestor.questions.splitting import split_question
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.abstention import Abstention, decline_for_turns
from quaestor.solvers.embedded.beam import Hypotheses, find_agreeing_turns
from quaestor.solvers.embedded.choosing import answer_with_choice
from quaestor.solvers.embedded.direct_answers import answer_follow_up
from quaestor.solvers.embedded.grounds import (
    CLOSE,
    add_runner_up,
    describe_rereading,
    explain_answer,
    find_other_reading,
    withhold_value,
)
from quaestor.solvers.embedded.loading import EmbeddedWeights
from quaestor.solvers.embedded.models import shared_confidence
from quaestor.solvers.embedded.page import NumberMatrix, PageFeatures
from quaestor.solvers.embedded.readings import Answerer, AskedTurn, ConversationReader, answer_by_first
from quaestor.solvers.embedded.several import answer_with_list
from quaestor.solvers.embedded.spans import answer_in_words, answer_with_text
from quaestor.solvers.embedded.turn_state import DialogueState, TurnAction
from quaestor.solvers.embedded.writing import is_no_number, write_plan
from quaestor.solvers.parts import answer_in_parts, split_parts


def _find_usable_turns(state: DialogueState, given: DialogueState, context: TurnContext) -> Sequence[bool]:
    """Return for each turn whether its answer agrees with the reading and is a number."""
    same = zip(find_agreeing_turns(state, given), context.memory.answers, strict=True)
    return [agrees and not is_no_number(answer) for agrees, answer in same]


def _describe_rereadings(
    outcome: TurnAction, state: DialogueState, same: Sequence[bool], leaves: NumberMatrix, context: TurnContext
) -> str | None:
    """Describe the earlier questions that a plan interprets differently from their answers."""
    changes = []
    answers = context.memory.answers
    for turn in sorted(turn for turn in _find_reread_turns(outcome, state, same) if not is_no_number(answers[turn])):
        # These steps are part of the plan that was just executed, so they cannot fail.
        now = answer_from_plan(write_plan(state.outcomes[turn], leaves, state, same), context)
        changes.append(describe_rereading(turn, answers[turn], now))
    return "; ".join(changes) or None


def _find_unanswered_turns(
    outcome: TurnAction, state: DialogueState, same: Sequence[bool], context: TurnContext
) -> list[int]:
    """Return the unanswered turns whose results an outcome would use."""
    answers = context.memory.answers
    return sorted(turn for turn in _find_reread_turns(outcome, state, same) if answers[turn].plan is None)


def _find_reread_turns(outcome: TurnAction, state: DialogueState, same: Sequence[bool]) -> set[int]:
    """Return the turns whose results an outcome uses although they were answered differently."""
    found: set[int] = set()
    for operand in outcome.operands:
        if operand.kind == "result" and not same[operand.index]:
            found |= {operand.index, *_find_reread_turns(state.outcomes[operand.index], state, same)}
    return found


class PageAnswerer:
    """Answers questions about one page with the first kind of answer that fits."""

    def __init__(
        self,
        weights: EmbeddedWeights,
        abstain_below: float = 0.0,
        *,
        decline: bool = False,
        decline_below: float = 0.0,
        answers: AnswerKinds = "numbers",
    ) -> None:
        """Set the weights and the options of `EmbeddedOptions`."""
        self._abstain_below, self._any_kind = abstain_below, answers == "all"
        self._weights, self._declines = weights, decline
        self._reader = ConversationReader(weights, declines=decline, any_kind=self._any_kind)
        self._abstention = Abstention(self._reader, weights.answerable, decline_below, self._any_kind)
        self._answerers: list[Answerer] = [self._rank_answers]
        if self._any_kind:
            others: list[Answerer] = [partial(answer_with_choice, weights), partial(answer_with_list, weights)]
            self._answerers = [*others, answer_with_text, self._rank_answers]

    def answer(self, question: str, context: TurnContext) -> Answer:
        """Return the likeliest answer, without a value if its confidence is too low.

        Raises:
            SolverError: The page has no usable number, or the likeliest plans cannot be calculated.
        """
        if not self._any_kind:
            return self._answer_one(question, context)
        form = read_instructions(question.lower()).form
        question = without_instructions(question)
        parts = split_question(question)
        parts_context, joined = split_parts(replace(context, question=read_question(question)), question)
        if len(parts) > 1:
            return replace(joined(answer_in_parts(question, parts, parts_context, self._answer_one)), form=form)
        return replace(joined(self._answer_one(question, parts_context)), form=form)

    def _answer_one(self, question: str, context: TurnContext) -> Answer:
        if self._any_kind:
            leaves = self._reader.find_reading(context).page.leaves
            if (direct := answer_follow_up(question, context, leaves, decline=self._declines)) is not None:
                return direct
        turn = self._reader.begin_turn(question, context)
        answers = answer_by_first(self._answerers, turn, CLOSE)
        if self._declines:
            words = answer_in_words(turn.question, context) if self._any_kind else None
            declined = self._abstention.decline_certainly(turn.question, context, lambda: next(answers, None), words)
            if declined is not None:
                return declined
        first = next(answers, None)
        if first is None:
            why = f"{context.document.id} has no usable number"
            if len(turn.page.leaves):
                why = "the likeliest plans cannot be calculated"
            raise SolverError(f"no plan fits the question {question[:80]!r}; {why}")
        first = self._abstention.add_answerability(first, turn)
        if self._declines and (refused := self._abstention.decline(first, turn)) is not None:
            return refused
        if (first.confidence or 0.0) < self._abstain_below:
            return withhold_value(first, self._abstain_below)
        return add_runner_up(first, find_other_reading(first, answers))

    def answers(self, question: str, context: TurnContext) -> Iterator[Answer]:
        """Yield the likeliest answers of the first kind that fits, best first, each result once."""
        yield from answer_by_first(self._answerers, self._reader.begin_turn(question, context), least=0.0)

    def read(self, question: str, context: TurnContext) -> Hypotheses:
        """Return the ranked plans for a question."""
        return self._reader.rank_plans(self._reader.begin_turn(question, context))

    def page(self, graph: KnowledgeGraph) -> PageFeatures:
        """Return the features of a page, from a cache for the last few pages."""
        return self._reader.page(graph)

    def _rank_answers(self, asked_turn: AskedTurn, least: float) -> Iterator[Answer]:
        """Yield the answers of the likeliest plans, best first, each result once; none for a page without numbers."""
        choices = self._reader.rank_plans(asked_turn)
        if not choices.ranked:
            return
        context, leaves = asked_turn.context, asked_turn.page.leaves
        evidence = choices.evidence(asked_turn.history.share, len(asked_turn.answered.outcomes))
        surest, share_of_first = 0.0, 0.0
        unanswered_turns: list[int] = []
        for choice, share in choices.results:
            confidence = (
                shared_confidence(surest, share_of_first, share)
                if surest
                else self._weights.calibration.confidence(replace(evidence, share=share))
            )
            if confidence < least * surest:
                return
            state = choice.before.state
            same = _find_usable_turns(state, asked_turn.answered, context)
            plan = write_plan(choice.outcome, leaves, state, same)
            try:
                answer = answer_from_plan(plan, context, question=asked_turn.question.text)
            except ExecutionError as error:
                # Ranking uses floating point numbers, so an exact divisor may be zero although the ranked one was not.
                context.trace.append(CandidatePassedOver(choice.outcome.operation, str(error)))
                continue
            if self._declines and (turns := _find_unanswered_turns(choice.outcome, state, same, context)):
                # A self-contained question cannot depend on earlier ones, even if the likeliest plan uses them.
                unanswered_turns = unanswered_turns or turns
                if not surest and not asked_turn.question.is_self_contained:
                    break
                continue
            context.trace.append(CandidateChosen(choices.count, choice.outcome.operation, share))
            surest, share_of_first = (surest, share_of_first) if surest else (confidence, share)
            reason = _describe_rereadings(choice.outcome, state, same, leaves, context)
            answer = replace(answer, confidence=confidence, reason=reason)
            turn = choices.turn(choice)
            yield replace(answer, grounds=explain_answer(answer, asked_turn.question, turn, context))
        if unanswered_turns and not surest:
            yield decline_for_turns(unanswered_turns)
