"""The readings of a conversation so far, turn by turn, on the current page; the answerers choose among their plans."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isnan

from quaestor.conversation.answer import Answer
from quaestor.core.caching import BoundedCache
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.operations import OPERATIONS
from quaestor.questions.question import Question
from quaestor.questions.words_asked import why_no_number
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.beam import START, BeamState, Hypotheses, advance_beam, is_same_answer, rank_hypotheses
from quaestor.solvers.embedded.direct_answers import find_restated_turns
from quaestor.solvers.embedded.loading import EmbeddedWeights
from quaestor.solvers.embedded.page import PageFeatures, build_number_matrix, build_page_features
from quaestor.solvers.embedded.turn_state import DialogueState, TurnAction
from quaestor.solvers.embedded.writing import read_state

_PAGES = 8
"""Maximum number of cached pages; a conversation is mostly about one."""


@dataclass(frozen=True, slots=True)
class ReadingHistory:
    """Readings of the turns so far, the likeliest first, and the product of the shares of this solver's answers."""

    paths: tuple[BeamState, ...]
    share: float


@dataclass(slots=True)
class ConversationReading:
    """Readings of a conversation about a page so far.

    Attributes:
        turns: Question, outcome and the readings after it, for each turn.
        last: The plans for the last question with the readings they follow, cached for the next turn.
    """

    page: PageFeatures
    turns: list[tuple[Question, TurnAction, ReadingHistory]] = field(default_factory=list)
    last: tuple[ReadingHistory, Question, Hypotheses] | None = None


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """Question with its page and conversation.

    Attributes:
        reading: The conversation so far, on this page.
        answered: The earlier turns as answered.
        history: The readings of the earlier turns.
    """

    question: Question
    context: TurnContext
    reading: ConversationReading
    answered: DialogueState
    history: ReadingHistory

    @property
    def page(self) -> PageFeatures:
        """The numbers of the page with the features that all turns share."""
        return self.reading.page

    @property
    def state(self) -> DialogueState:
        """The likeliest reading of the earlier turns."""
        return self.history.paths[0].state


class ConversationReader:
    """Reads conversations, with the state of each in its session."""

    def __init__(self, weights: EmbeddedWeights, *, declines: bool, any_kind: bool) -> None:
        """Initialize the reader with weights and the kinds of turns that can occur.

        Args:
            declines: Whether to decline turns that ask for no number.
            any_kind: Whether questions are those of users: a turn can repeat the last answer in another form, and the
                first question can ask for a whole calculation, not only for its first step.
        """
        self._weights, self._declines, self._any_kind = weights, declines, any_kind
        self._pages = BoundedCache[tuple[str, str], PageFeatures](_PAGES)

    def begin_turn(self, question: str, context: TurnContext) -> AskedTurn:
        """Return a question with its page and conversation."""
        reading = self.find_reading(context)
        restated = find_restated_turns(context.memory) if self._any_kind else {}
        answered = read_state(context.memory, reading.page.leaves, restated)
        history = self._update_history(reading, answered, restated)
        return AskedTurn(context.read(question), context, reading, answered, history)

    def rank_plans(self, turn: AskedTurn) -> Hypotheses:
        """Return the plans for a question, after each likely reading of the earlier turns."""
        return self._rank(turn.reading, turn.history, turn.question)

    def find_reading(self, context: TurnContext) -> ConversationReading:
        """Return the readings of the conversation so far."""
        return context.session.get_or_create(self, lambda: ConversationReading(self.page(context.graph)))

    def page(self, graph: KnowledgeGraph) -> PageFeatures:
        """Return a page with its features; the latest pages are cached."""
        key = graph.document, graph.digest_of_document
        return self._pages.get(key, lambda: build_page_features(build_number_matrix(graph), self._weights.idf))

    def _update_history(
        self, reading: ConversationReading, answered: DialogueState, restated: Mapping[int, int]
    ) -> ReadingHistory:
        """Return the readings of all turns so far; answers of other solvers are accepted as certain.

        Args:
            restated: The turns that repeated an earlier answer, each with the turn of that answer.
        """
        history = ReadingHistory(START, 1.0)
        for turn, (question, outcome) in enumerate(zip(answered.questions, answered.outcomes, strict=True)):
            if reading.turns[turn : turn + 1] and reading.turns[turn][:2] == (question, outcome):
                history = reading.turns[turn][2]
                continue
            state = DialogueState(answered.questions[: turn + 1], answered.outcomes[: turn + 1])
            again = restated.get(turn)
            history = (
                self._advance(reading, history, question, state) if again is None else _repeat(history, state, again)
            )
            reading.turns[turn:] = [(question, outcome, history)]
        return history

    def _rank(self, reading: ConversationReading, history: ReadingHistory, question: Question) -> Hypotheses:
        """Return the plans for a question; those of the last question are cached for the next turn."""
        last = reading.last
        if last is None or last[0] is not history or last[1] != question:
            alone = self._any_kind and not history.paths[0].state.outcomes
            choices = rank_hypotheses(history.paths, question, reading.page, self._weights, alone=alone)
            last = reading.last = (history, question, choices)
        return last[2]

    def _advance(
        self, reading: ConversationReading, history: ReadingHistory, question: Question, state: DialogueState
    ) -> ReadingHistory:
        if _is_text(state.outcomes[-1]) or (self._declines and why_no_number(question)):
            # Turns without a number, such as thanks, change no reading.
            no_number = state.outcomes[-1]
            paths = (replace(path, state=path.state.after(question, no_number)) for path in history.paths)
            return ReadingHistory(tuple(paths), history.share)
        choices = self._rank(reading, history, question)
        # A withheld answer does not decide which reading is right.
        given = state.outcomes[-1]
        withheld = given.value is None and not _is_selection(given)
        is_own = bool(choices.ranked) and (withheld or is_same_answer(choices.ranked[0].outcome, given))
        if not is_own:
            return ReadingHistory((BeamState(state),), history.share)
        _, share = choices.results[0]
        return ReadingHistory(advance_beam(choices, question), history.share * share)


def _is_text(outcome: TurnAction) -> bool:
    """Whether an outcome is text of the page, not a number."""
    return outcome.operation == "lookup" and any(isnan(operand.value) for operand in outcome.operands)


def _is_selection(outcome: TurnAction) -> bool:
    """Whether an outcome is a list or a name, not a withheld number."""
    return outcome.operation in OPERATIONS and OPERATIONS[outcome.operation].gives not in ("number", "yes or no")


def _repeat(history: ReadingHistory, dialogue: DialogueState, turn: int) -> ReadingHistory:
    """Readings after a turn that repeated an earlier answer, as if that question were asked again."""
    given = dialogue.outcomes[-1].value is not None
    states = (path.state for path in history.paths)
    outcomes = ((state, state.outcomes[turn] if given else dialogue.outcomes[-1]) for state in states)
    after = [state.after(state.questions[turn], outcome) for state, outcome in outcomes]
    paths = zip(history.paths, after, strict=True)
    return ReadingHistory(tuple(replace(path, state=state) for path, state in paths), history.share)


Answerer = Callable[[AskedTurn, float], Iterator[Answer]]
"""Yields the answers to a question, best first, each result once; none if it asks for another kind of answer.

Answers below a share of the first answer's confidence, the second argument, may be omitted.
"""


def answer_by_first(answerers: Iterable[Answerer], turn: AskedTurn, least: float) -> Iterator[Answer]:
    """Yield the answers of the first answerer that has any."""
    for answerer in answerers:
        found = answerer(turn, least)
        if (best := next(found, None)) is not None:
            yield best
            yield from found
            return
