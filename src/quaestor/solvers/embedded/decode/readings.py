"""How a conversation was read so far: turn by turn, on the page that is asked of, in the ways that are carried on.

Which plan answers a question is for the answerers to say.
"""

from dataclasses import dataclass, field, replace
from math import isnan

from quaestor.core.caching import BoundedCache
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.operations import OPERATIONS
from quaestor.questions.no_numbers import why_no_number
from quaestor.questions.question import Question
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.decode.beam import START, BeamState, Hypotheses, advance, expand, same_answer
from quaestor.solvers.embedded.decode.overrides import in_benchmark_words
from quaestor.solvers.embedded.decode.prior import Prior, prior_of
from quaestor.solvers.embedded.decode.writing import read_state
from quaestor.solvers.embedded.followups.converting import restated_turns
from quaestor.solvers.embedded.model.loading import EmbeddedWeights
from quaestor.solvers.embedded.page.features import PageFeatures, page_features
from quaestor.solvers.embedded.page.matrix import number_matrix
from quaestor.solvers.embedded.state.dialogue import DialogueState, TurnAction

_PAGE, _PAGES = 2_500, 20_000
"""Up to eight pages are kept ready, for conversations of one page mostly follow each other; of documents with more
numbers than `_PAGE` fewer, so that `_PAGES` numbers are kept in all."""


@dataclass(frozen=True, slots=True)
class ReadingHistory:
    """The readings of the turns so far, the likeliest first, and the product of the shares of this solver's answers."""

    paths: tuple[BeamState, ...]
    share: float


@dataclass(slots=True)
class ConversationReading:
    """How a conversation was read so far, on one page or one excerpt.

    Attributes:
        start: Before the first question that is asked of it.
        told: How many questions came before, of other excerpts: they are taken as they were answered.
        filing: Whether it is a person's document, and no benchmark's page.
        turns: The question and what was answered, turn by turn after those, and the readings after it.
        last: The plans for the last question, and after which readings: the next turn asks for them again.
    """

    page: PageFeatures
    start: ReadingHistory = field(default_factory=lambda: ReadingHistory(START, 1.0))
    told: int = 0
    filing: bool = False
    turns: list[tuple[Question, TurnAction, ReadingHistory]] = field(default_factory=list)
    last: tuple[ReadingHistory, Question, Hypotheses] | None = None


@dataclass(slots=True)
class _Kept:
    """What is kept of a conversation: the excerpt that the last question was asked of, and how it is read on it."""

    key: tuple[str, str] | None = None
    reading: ConversationReading | None = None


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """A question where it is asked: all that is known of it before anybody answers.

    Attributes:
        reading: How the conversation was read so far, on its page.
        so_far: The same in the ways in which they are read.
    """

    question: Question
    context: TurnContext
    reading: ConversationReading
    given: DialogueState
    so_far: ReadingHistory

    @property
    def page(self) -> PageFeatures:
        """The numbers of the page, and what is measured of them once for all turns."""
        return self.reading.page

    @property
    def worded(self) -> Question:
        """The question as the weights know it."""
        return self.reworded(self.question)

    def reworded(self, question: Question) -> Question:
        """Return a question as the weights know it: of a filing in the words of reports, of a page as it is."""
        return in_benchmark_words(question) if self.reading.filing else question

    @property
    def state(self) -> DialogueState:
        """The likeliest reading of the turns before."""
        return self.so_far.paths[0].state


class ConversationReader:
    """Reads conversations, each kept in its own session."""

    def __init__(self, weights: EmbeddedWeights, *, declines: bool, restates: bool, whole: bool) -> None:
        """Take what was learned, and what the answers before may have been.

        Args:
            declines: Whether there are turns that are told that they ask for no number.
            restates: Whether there are turns that only give the last answer in another form.
            whole: Whether the first question is put as people do who expect no step but the whole answer.
        """
        self._weights, self._declines, self._restates, self._whole = weights, declines, restates, whole
        self._pages = BoundedCache[tuple[str, str], PageFeatures](_PAGES, _leaves)

    def asked(self, question: str, context: TurnContext) -> AskedTurn:
        """Return a question with the page that it is asked of and the conversation before it."""
        reading = self.reading(context)
        given = self._given(context, reading.page)
        return AskedTurn(context.read(question), context, reading, given, self._so_far(reading, given, context))

    def choices(self, asked: AskedTurn) -> Hypotheses:
        """Return the plans for a question, after each likely reading of the turns before."""
        context, leaves = asked.context, asked.page.leaves
        prior = prior_of(asked.worded, leaves, context.document, context.weights)
        return self._choices(asked.reading, asked.so_far, asked.question, prior)

    def reading(self, context: TurnContext) -> ConversationReading:
        """Return how a conversation was read so far on the page that it is about now."""
        kept = context.session.kept(self, _Kept)
        key, last = _key(context.graph), kept.reading
        if last is not None and kept.key == key:
            return last
        page = self.page(context.graph)
        filing = not context.document.is_page
        reading = ConversationReading(page, filing=filing)
        if last is not None:
            # Another excerpt: the sources of earlier answers are on it, what else they might have meant is not.
            share = self._so_far(last, self._given(context, last.page), context).share
            told = self._given(context, page)
            reading = ConversationReading(page, ReadingHistory((BeamState(told),), share), len(told.outcomes), filing)
        kept.key, kept.reading = key, reading
        return reading

    def page(self, graph: KnowledgeGraph) -> PageFeatures:
        """Return a page ready for questions; the last few are kept."""
        return self._pages.get(_key(graph), lambda: page_features(number_matrix(graph), self._weights.idf))

    def _restated(self, context: TurnContext) -> dict[int, int]:
        """The turns that only gave an earlier answer again, each with the turn that it was of."""
        return restated_turns(context.memory) if self._restates else {}

    def _given(self, context: TurnContext, page: PageFeatures) -> DialogueState:
        return read_state(context.memory, page.leaves, self._restated(context))

    def _so_far(self, reading: ConversationReading, given: DialogueState, context: TurnContext) -> ReadingHistory:
        """The readings of the turns so far. Answers that are not this solver's own are taken as they are."""
        so_far, restated = reading.start, self._restated(context)
        for place in range(reading.told, len(given.outcomes)):
            turn, question, outcome = place - reading.told, given.questions[place], given.outcomes[place]
            if reading.turns[turn : turn + 1] and reading.turns[turn][:2] == (question, outcome):
                so_far = reading.turns[turn][2]
                continue
            told = DialogueState(given.questions[: place + 1], given.outcomes[: place + 1])
            again = restated.get(place)
            so_far = self._after(reading, so_far, question, told) if again is None else _again(so_far, told, again)
            reading.turns[turn:] = [(question, outcome, so_far)]
        return so_far

    def _choices(
        self, reading: ConversationReading, so_far: ReadingHistory, question: Question, prior: Prior | None = None
    ) -> Hypotheses:
        """The plans for a question. Those of the last question are kept: the next one asks for them again."""
        last = reading.last
        if last is None or last[0] is not so_far or last[1] != question:
            alone = self._whole and not so_far.paths[0].state.outcomes
            choices = expand(
                so_far.paths, question, reading.page, self._weights, prior, filing=reading.filing, alone=alone
            )
            last = reading.last = (so_far, question, choices)
        return last[2]

    def _after(
        self, reading: ConversationReading, so_far: ReadingHistory, question: Question, told: DialogueState
    ) -> ReadingHistory:
        if _are_words(told.outcomes[-1]) or (self._declines and why_no_number(question)):
            # Thanks between two questions, and reasons, are no turn to lean on: each reading goes on without it.
            unsaid = told.outcomes[-1]
            paths = (replace(path, state=path.state.after(question, unsaid)) for path in so_far.paths)
            return ReadingHistory(tuple(paths), so_far.share)
        choices = self._choices(reading, so_far, question)
        # What was withheld is no answer that binds: the conversation goes on as it was read.
        given = told.outcomes[-1]
        withheld = given.value is None and not _selects(given)
        own = bool(choices.ranked) and (withheld or same_answer(choices.ranked[0].outcome, given))
        if not own:
            return ReadingHistory((BeamState(told),), so_far.share)
        _, share = choices.results[0]
        return ReadingHistory(advance(choices, question), so_far.share * share)


def _leaves(page: PageFeatures) -> int:
    return max(_PAGE, len(page.leaves))


def _key(graph: KnowledgeGraph) -> tuple[str, str]:
    return graph.document, graph.digest_of_document


def _are_words(outcome: TurnAction) -> bool:
    """Whether words of the page were taken, and no number."""
    return outcome.operation == "lookup" and any(isnan(operand.value) for operand in outcome.operands)


def _selects(outcome: TurnAction) -> bool:
    """Whether an outcome is a list or a name, and no number that was withheld."""
    return outcome.operation in OPERATIONS and OPERATIONS[outcome.operation].gives not in ("number", "yes or no")


def _again(so_far: ReadingHistory, told: DialogueState, turn: int) -> ReadingHistory:
    """The readings after a turn that only gave an earlier answer again, or none: each as if that was asked again."""
    given = told.outcomes[-1].value is not None
    states = (path.state for path in so_far.paths)
    outcomes = ((state, state.outcomes[turn] if given else told.outcomes[-1]) for state in states)
    after = [state.after(state.questions[turn], outcome) for state, outcome in outcomes]
    paths = zip(so_far.paths, after, strict=True)
    return ReadingHistory(tuple(replace(path, state=state) for path, state in paths), so_far.share)
