"""A number for every question: the likeliest plans, executed, with how sure they are and what led to them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quaestor.conversation.answer import Answer
from quaestor.conversation.events.kinds import CandidateChosen, CandidatePassedOver
from quaestor.errors import ExecutionError
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.abstention.rules import without_turns
from quaestor.solvers.embedded.decode.beam import Hypotheses, Hypothesis, agreeing
from quaestor.solvers.embedded.decode.explanation import explanation, reread
from quaestor.solvers.embedded.decode.readings import AskedTurn, ConversationReader
from quaestor.solvers.embedded.decode.writing import write_plan
from quaestor.solvers.embedded.model.confidence import shared_confidence
from quaestor.solvers.embedded.model.loading import EmbeddedWeights
from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.selection.remembering import is_no_number
from quaestor.solvers.embedded.state.dialogue import DialogueState, TurnAction
from quaestor.solvers.embedded.state.turn_view import TurnView, read_turn


@dataclass(frozen=True, slots=True)
class RankedNumbers:
    """Answers by ranking every plan that fits.

    Attributes:
        declines: Whether a question may be told that it needs an earlier one without an answer.
    """

    reader: ConversationReader
    weights: EmbeddedWeights
    declines: bool

    def answers(self, asked: AskedTurn, least: float) -> Iterator[Answer]:
        """Yield the answers of the likeliest plans, best first, each result once; none of a page without numbers.

        Args:
            asked: The question, the page and the conversation.
            least: The end comes with an answer that is less sure than this share of the first.
        """
        choices = self.reader.choices(asked)
        if not choices.ranked:
            return
        context, leaves = asked.context, asked.page.leaves
        evidence = choices.evidence(asked.so_far.share, len(asked.given.outcomes))
        surest, share_of_first = 0.0, 0.0
        unanswered: list[int] = []
        for choice, share in choices.results:
            confidence = (
                shared_confidence(surest, share_of_first, share)
                if surest
                else self.weights.calibration.confidence(replace(evidence, share=share))
            )
            if confidence < least * surest:
                return
            state = choice.before.state
            same = _referable(state, asked.given, context)
            plan = write_plan(choice.outcome, leaves, state, same)
            try:
                answer = answer_from_plan(plan, context, question=asked.question.text)
            except ExecutionError as error:
                # Ranking works in floating point: a divisor can be zero exactly where it was not there.
                context.trace.append(CandidatePassedOver(choice.outcome.operation, str(error)))
                continue
            if self.declines and (taken := _unanswered(choice.outcome, state, same, context)):
                # A question that stands alone needs no earlier one, whatever the likeliest reading makes of it.
                unanswered = unanswered or taken
                if not surest and not asked.question.stands_alone:
                    break
                continue
            context.trace.append(CandidateChosen(choices.count, choice.outcome.operation, share))
            surest, share_of_first = (surest, share_of_first) if surest else (confidence, share)
            reason = _anew(choice.outcome, state, same, leaves, context)
            sure = min(confidence, _sure_before(choice.outcome, asked)) if asked.reading.filing else confidence
            answer = replace(answer, confidence=sure, reason=reason)
            turn = self._turn(choice, choices, asked)
            yield replace(answer, grounds=explanation(answer, asked.question, turn, context))
        if unanswered and not surest:
            yield without_turns(unanswered)

    def _turn(self, choice: Hypothesis, choices: Hypotheses, asked: AskedTurn) -> TurnView:
        """The question as a plan answers it; a filing's question may have been put in other words to be read."""
        if asked.worded is not asked.question:
            return read_turn(asked.question, choice.before.state, asked.page, self.weights.references)
        return choices.turn(choice)


def _sure_before(outcome: TurnAction, asked: AskedTurn) -> float:
    """How sure the earlier answers are that an outcome rests on: it is not a surer than they are."""
    turns = {operand.index for operand in outcome.operands if operand.kind == "result"}
    taken = {operand.index for operand in outcome.operands if operand.kind == "leaf"}
    turns |= {turn for turn, leaf in asked.given.lookups.items() if leaf in taken}
    answers = asked.context.memory.answers
    if not asked.question.stands_alone and answers:
        turns.add(len(answers) - 1)
    return min((sure for turn in turns if (sure := answers[turn].confidence) is not None), default=1.0)


def _referable(state: DialogueState, given: DialogueState, context: TurnContext) -> Sequence[bool]:
    """Which turns were answered as they are read, by something that a plan can calculate with."""
    same = zip(agreeing(state, given), context.memory.answers, strict=True)
    return [agrees and not is_no_number(answer) for agrees, answer in same]


def _anew(
    outcome: TurnAction, state: DialogueState, same: Sequence[bool], leaves: NumberMatrix, context: TurnContext
) -> str | None:
    """Say which earlier questions a plan reads otherwise than they were answered, and how."""
    said = []
    rewritten = (turn for turn in _rewritten(outcome, state, same) if not is_no_number(context.memory.answers[turn]))
    for turn in sorted(rewritten):
        # The steps of the plan that was just executed, so they can be.
        now = answer_from_plan(write_plan(state.outcomes[turn], leaves, state, same), context)
        said.append(reread(turn, context.memory.answers[turn], now))
    return "; ".join(said) or None


def _unanswered(outcome: TurnAction, state: DialogueState, same: Sequence[bool], context: TurnContext) -> list[int]:
    """The turns without an answer whose results an outcome would take."""
    answers = context.memory.answers
    return sorted(turn for turn in _rewritten(outcome, state, same) if answers[turn].plan is None)


def _rewritten(outcome: TurnAction, state: DialogueState, same: Sequence[bool]) -> set[int]:
    """The turns whose results an outcome takes, though they were answered otherwise."""
    found: set[int] = set()
    for operand in outcome.operands:
        if operand.kind == "result" and not same[operand.index]:
            found |= {operand.index, *_rewritten(state.outcomes[operand.index], state, same)}
    return found
