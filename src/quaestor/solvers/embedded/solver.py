"""The embedded solver: reads the question against the page, ranks every plan that fits, writes out the best."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import isnan

from quaestor.conversation.answer import Answer
from quaestor.conversation.events.kinds import CandidateChosen, CandidatePassedOver
from quaestor.core.answer_value import AnswerKinds
from quaestor.core.caching import BoundedCache
from quaestor.core.computing import compute
from quaestor.errors import ExecutionError, SolverError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.operations import OPERATIONS
from quaestor.questions.no_numbers import why_no_number
from quaestor.questions.question import Question
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.decode.beam import (
    START,
    BeamState,
    Hypotheses,
    advance,
    agreeing,
    expand,
    same_answer,
)
from quaestor.solvers.embedded.decode.explanation import (
    CLOSE,
    abstained,
    explanation,
    other_reading,
    reread,
    with_runner_up,
)
from quaestor.solvers.embedded.decode.overrides import in_benchmark_words
from quaestor.solvers.embedded.decode.prior import Prior, prior_of
from quaestor.solvers.embedded.decode.results import distinct_results, evidence_of
from quaestor.solvers.embedded.decode.writing import read_state, write_plan
from quaestor.solvers.embedded.followups.answering import follow_up
from quaestor.solvers.embedded.followups.converting import restated_turns
from quaestor.solvers.embedded.model.confidence import shared_confidence
from quaestor.solvers.embedded.model.loading import EmbeddedWeights
from quaestor.solvers.embedded.page.features import PageFeatures, page_features
from quaestor.solvers.embedded.page.matrix import NumberMatrix, number_matrix
from quaestor.solvers.embedded.selection.answering import chosen_answers
from quaestor.solvers.embedded.selection.ellipsis import whole_question
from quaestor.solvers.embedded.selection.remembering import is_no_number
from quaestor.solvers.embedded.several.answering import AskedPage, list_answer
from quaestor.solvers.embedded.silence.declining import Decliner, without_turns
from quaestor.solvers.embedded.silence.doubting import Doubter
from quaestor.solvers.embedded.spans.answering import words_answer
from quaestor.solvers.embedded.state.dialogue import DialogueState, TurnAction
from quaestor.solvers.embedded.state.turn_view import read_turn

_PAGE, _PAGES = 2_500, 20_000
"""Up to eight pages are kept ready, for conversations of one page mostly follow each other; of documents with more
numbers than `_PAGE` fewer, so that `_PAGES` numbers are kept in all."""


@dataclass(frozen=True, slots=True)
class _SoFar:
    """The readings of the turns so far, and the product of the shares of this solver's own answers."""

    paths: tuple[BeamState, ...]
    share: float


@dataclass(slots=True)
class _Reading:
    """How a conversation was read so far, on one page or one excerpt.

    Attributes:
        page: What it is about.
        start: Before the first question that is asked of it.
        told: How many questions came before, of other excerpts: they are taken as they were answered.
        filing: Whether it is a person's document, and no benchmark's page.
        turns: The question and what was answered, turn by turn after those, and the readings after it.
        last: The plans for the last question, and after which readings: the next turn asks for them again.
    """

    page: PageFeatures
    start: _SoFar = field(default_factory=lambda: _SoFar(START, 1.0))
    told: int = 0
    filing: bool = False
    turns: list[tuple[Question, TurnAction, _SoFar]] = field(default_factory=list)
    last: tuple[_SoFar, Question, Hypotheses] | None = None


@dataclass(slots=True)
class _Kept:
    """What is kept of a conversation: the excerpt that the last question was asked of, and how it is read on it."""

    key: tuple[str, str] | None = None
    reading: _Reading | None = None


class EmbeddedSolver:
    """Answers without a model. Deterministic: one question in one conversation always gets one answer."""

    name = "embedded"

    def __init__(
        self,
        weights: EmbeddedWeights,
        abstain_below: float = 0.0,
        *,
        decline: bool = False,
        decline_below: float = 0.0,
        answers: AnswerKinds = "numbers",
    ) -> None:
        """Takes what was learned, and the options as `EmbeddedOptions` has them."""
        self._weights = weights
        self._abstain_below = abstain_below
        self._decliner = Decliner(answers) if decline else None
        self._doubter = Doubter(weights.answerable, decline_below)
        self._answers = answers
        self._pages = BoundedCache[tuple[str, str], PageFeatures](_PAGES, lambda page: max(_PAGE, len(page.leaves)))

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Returns the answer of the likeliest plan that can be executed; one that is not sure enough, without a value.

        Raises:
            SolverError: The page holds no number that a plan could start from.
        """
        return await compute(self._solve, question, context)

    def _solve(self, question: str, context: TurnContext) -> Answer:
        if self._answers == "all":
            leaves = self._reading(context).page.leaves
            if (told := follow_up(question, context, leaves, decline=self._decliner is not None)) is not None:
                return told
        answers = self.answers(question, context, least=CLOSE)
        if self._decliner is not None:
            words = words_answer(context.read(question), context) if self._answers == "all" else None
            declined = self._decliner.declined(question, context, lambda: next(answers, None), words)
            if declined is not None:
                return declined
        first = next(answers, None)
        if first is None:
            raise SolverError(
                f"no plan fits the question {question[:80]!r}: {context.document.id} has no number to use"
            )
        if first.plan is not None and first.kind != "text":
            first = self._doubted(first, question, context)
        if (refused := self._refused(first, question, context)) is not None:
            return refused
        if (first.confidence or 0.0) < self._abstain_below:
            return abstained(first, self._abstain_below)
        return with_runner_up(first, other_reading(first, answers))

    def _refused(self, first: Answer, question: str, context: TurnContext) -> Answer | None:
        """Returns the answer without a value, where the likeliest one is not to be given; else None."""
        if self._decliner is None:
            return None
        if first.plan is None:
            return self._decliner.unfounded(first, context)
        if first.kind == "text":
            return None
        page = self._reading(context).page.leaves
        missing = self._doubter.missing(first, context.read(question), page, context)
        if missing is not None:
            return self._decliner.doubted(first, missing, context)
        return self._decliner.of_another_line(first, question, context)

    def _doubted(self, first: Answer, question: str, context: TurnContext) -> Answer:
        """Returns an answer with the probability that the page holds one; a list is no surer than that."""
        holds = self._doubter.holds(self.read(question, context), context)
        sure = first.confidence
        # How sure a choice is has been learned for itself.
        chosen = whole_question(context.read(question), context.memory.asked).wants.selection is not None
        if first.kind == "list" and not chosen and sure is not None and holds is not None:
            sure *= holds
        return replace(first, answerable=holds, confidence=sure)

    def answers(self, question: str, context: TurnContext, least: float = 0.0) -> Iterator[Answer]:
        """Yields the answers of the likeliest plans, best first, each result once.

        Args:
            question: As asked.
            context: The turn's.
            least: The end comes with an answer that is less sure than this share of the first.
        """
        reading = self._reading(context)
        page, given = reading.page, self._given(context, reading.page)
        so_far, read = self._so_far(reading, given, context), context.read(question)
        if self._answers == "all":
            others = self._other_kinds(read, context, page, so_far.paths[0].state)
            if (best := next(others, None)) is not None:
                yield best
                yield from (answer for answer in others if not _is_less_sure(answer, best, least))
                return
        prior = prior_of(read, page.leaves, context.document, context.weights)
        choices = self._choices(reading, so_far, read, prior)
        if not choices.ranked:
            return
        evidence, surest, share_of_first = evidence_of(choices, so_far.share, len(given.outcomes)), 0.0, 0.0
        unanswered: list[int] = []
        for choice, share in distinct_results(choices):
            confidence = (
                shared_confidence(surest, share_of_first, share)
                if surest
                else self._weights.calibration.confidence(replace(evidence, share=share))
            )
            if confidence < least * surest:
                return
            state = choice.before.state
            same = _referable(state, given, context)
            plan = write_plan(choice.outcome, page.leaves, state, same)
            try:
                answer = answer_from_plan(plan, context, question=question)
            except ExecutionError as error:
                # Ranking works in floating point: a divisor can be zero exactly where it was not there.
                context.trace.append(CandidatePassedOver(choice.outcome.operation, str(error)))
                continue
            if self._decliner is not None and (taken := _unanswered(choice.outcome, state, same, context)):
                # A question that stands alone needs no earlier one, whatever the likeliest reading makes of it.
                unanswered = unanswered or taken
                if not surest and not read.stands_alone:
                    break
                continue
            context.trace.append(CandidateChosen(choices.count, choice.outcome.operation, share))
            surest, share_of_first = (surest, share_of_first) if surest else (confidence, share)
            reason = _anew(choice.outcome, state, same, page.leaves, context)
            answer = replace(answer, confidence=confidence, reason=reason)
            # A filing's question may have been put in other words to be read.
            reworded = reading.filing and in_benchmark_words(read) is not read
            turn = read_turn(read, state, page, self._weights.references) if reworded else choices.turn(choice)
            yield replace(answer, grounds=explanation(answer, read, turn, context))
        if unanswered and not surest:
            yield without_turns(unanswered)

    def _other_kinds(
        self, read: Question, context: TurnContext, page: PageFeatures, state: DialogueState
    ) -> Iterator[Answer]:
        """Yields the answers to a question that asks for more, or for something else, than a number; best first."""
        asked = whole_question(read, context.memory.asked)
        if asked.wants.selection is not None:
            chosen = list(chosen_answers(asked, context, page, state, self._weights))
            yield from chosen
            if chosen:
                return
        if (listed := list_answer(read, AskedPage(page, state, self._weights), context)) is not None:
            yield listed
        elif (words := words_answer(read, context)) is not None and (words.sure or words.certain):
            yield words.answer

    def read(self, question: str, context: TurnContext) -> Hypotheses:
        """Returns the plans for a question, after each likely reading of the turns before."""
        reading = self._reading(context)
        so_far = self._so_far(reading, self._given(context, reading.page), context)
        read = context.read(question)
        prior = prior_of(read, reading.page.leaves, context.document, context.weights)
        return self._choices(reading, so_far, read, prior)

    def _reading(self, context: TurnContext) -> _Reading:
        kept = context.session.kept(self, _Kept)
        key, last = _key(context.graph), kept.reading
        if last is not None and kept.key == key:
            return last
        page = self.page(context.graph)
        filing = not context.document.is_page
        reading = _Reading(page, filing=filing)
        if last is not None:
            # Another excerpt: the sources of earlier answers are on it, what else they might have meant is not.
            share = self._so_far(last, self._given(context, last.page), context).share
            told = self._given(context, page)
            reading = _Reading(page, _SoFar((BeamState(told),), share), len(told.outcomes), filing)
        kept.key, kept.reading = key, reading
        return reading

    def _restated(self, context: TurnContext) -> dict[int, int]:
        """The turns that only gave an earlier answer again, each with the turn that it was of."""
        return restated_turns(context.memory) if self._answers == "all" else {}

    def _given(self, context: TurnContext, page: PageFeatures) -> DialogueState:
        """The conversation so far, as it was answered."""
        return read_state(context.memory, page.leaves, self._restated(context))

    def _so_far(self, reading: _Reading, given: DialogueState, context: TurnContext) -> _SoFar:
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

    def _choices(self, reading: _Reading, so_far: _SoFar, question: Question, prior: Prior | None = None) -> Hypotheses:
        """The plans for a question. Those of the last question are kept: the next one asks for them again."""
        last = reading.last
        if last is None or last[0] is not so_far or last[1] != question:
            choices = expand(so_far.paths, question, reading.page, self._weights, prior, filing=reading.filing)
            last = reading.last = (so_far, question, choices)
        return last[2]

    def _after(self, reading: _Reading, so_far: _SoFar, question: Question, told: DialogueState) -> _SoFar:
        if _are_words(told.outcomes[-1]) or (self._decliner is not None and why_no_number(question)):
            # Thanks between two questions, and reasons, are no turn to lean on: each reading goes on without it.
            unsaid = told.outcomes[-1]
            paths = (replace(path, state=path.state.after(question, unsaid)) for path in so_far.paths)
            return _SoFar(tuple(paths), so_far.share)
        choices = self._choices(reading, so_far, question)
        # What was withheld is no answer that binds: the conversation goes on as it was read.
        given = told.outcomes[-1]
        withheld = given.value is None and not _selects(given)
        own = bool(choices.ranked) and (withheld or same_answer(choices.ranked[0].outcome, given))
        if not own:
            return _SoFar((BeamState(told),), so_far.share)
        _, share = next(distinct_results(choices))
        return _SoFar(advance(choices, question), so_far.share * share)

    def page(self, graph: KnowledgeGraph) -> PageFeatures:
        """Returns a page ready for questions; the last few are kept."""
        return self._pages.get(_key(graph), lambda: page_features(number_matrix(graph), self._weights.idf))


def _key(graph: KnowledgeGraph) -> tuple[str, str]:
    return graph.document, graph.digest_of_document


def _are_words(outcome: TurnAction) -> bool:
    """Whether words of the page were taken, and no number."""
    return outcome.operation == "lookup" and any(isnan(operand.value) for operand in outcome.operands)


def _selects(outcome: TurnAction) -> bool:
    """Whether an outcome is a list or a name, and no number that was withheld."""
    return outcome.operation in OPERATIONS and OPERATIONS[outcome.operation].gives not in ("number", "yes or no")


def _is_less_sure(answer: Answer, best: Answer, least: float) -> bool:
    return (answer.confidence or 0.0) < least * (best.confidence or 0.0)


def _referable(state: DialogueState, given: DialogueState, context: TurnContext) -> Sequence[bool]:
    """Which turns were answered as they are read, by something that a plan can calculate with."""
    same = zip(agreeing(state, given), context.memory.answers, strict=True)
    return [agrees and not is_no_number(answer) for agrees, answer in same]


def _again(so_far: _SoFar, told: DialogueState, turn: int) -> _SoFar:
    """The readings after a turn that only gave an earlier answer again, or none: each as if that was asked again."""
    given = told.outcomes[-1].value is not None
    states = (path.state for path in so_far.paths)
    outcomes = ((state, state.outcomes[turn] if given else told.outcomes[-1]) for state in states)
    after = [state.after(state.questions[turn], outcome) for state, outcome in outcomes]
    paths = zip(so_far.paths, after, strict=True)
    return _SoFar(tuple(replace(path, state=state) for path, state in paths), so_far.share)


def _anew(
    outcome: TurnAction, state: DialogueState, same: Sequence[bool], leaves: NumberMatrix, context: TurnContext
) -> str | None:
    """Says which earlier questions a plan reads otherwise than they were answered, and how."""
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
