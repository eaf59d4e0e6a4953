"""The embedded solver: reads the question against the page, ranks every plan that fits, writes out the best."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quaestor.conversation.answer import Answer
from quaestor.conversation.events.kinds import CandidateChosen, CandidatePassedOver
from quaestor.errors import ExecutionError, SolverError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.questions.question import Question
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.asked import read_turn
from quaestor.solvers.embedded.beam import (
    START,
    Choices,
    Path,
    agreeing,
    go_on,
    read_question_after,
    same_answer,
)
from quaestor.solvers.embedded.leaves import leaf_table
from quaestor.solvers.embedded.named_ratios import spelled_out
from quaestor.solvers.embedded.reasons import CLOSE, grounds, with_runner_up, withheld
from quaestor.solvers.embedded.results import distinct, evidence_of
from quaestor.solvers.embedded.state import Outcome, State
from quaestor.solvers.embedded.views import PageView, page_view
from quaestor.solvers.embedded.weights import Weights
from quaestor.solvers.embedded.writing import read_state, write_plan

_PAGES = 8
"""How many pages are kept ready."""
_TURNS = 256
"""Of how many turns the readings are kept."""


@dataclass(frozen=True, slots=True)
class _SoFar:
    """The readings of the turns so far, and the product of the shares of this solver's own answers."""

    paths: tuple[Path, ...]
    share: float


class EmbeddedSolver:
    """Answers without a model. Deterministic: one question in one conversation always gets one answer."""

    name = "embedded"

    def __init__(self, weights: Weights, abstain_below: float = 0.0) -> None:
        """Takes what was learned, and the confidence below which an answer is withheld."""
        self._weights = weights
        self._abstain_below = abstain_below
        self._pages: OrderedDict[tuple[str, str], PageView] = OrderedDict()
        self._read: OrderedDict[tuple[object, ...], _SoFar] = OrderedDict()
        self._last: tuple[_SoFar, Question, Choices] | None = None

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Returns the answer of the likeliest plan that can be executed; one that is not sure enough, without a value.

        Raises:
            SolverError: The page holds no number that a plan could start from.
        """
        answers = self.answers(question, context, least=CLOSE)
        first = next(answers, None)
        if first is None:
            raise SolverError(
                f"no plan fits the question {question[:80]!r}: {context.document.id} has no number to use"
            )
        if (first.confidence or 0.0) < self._abstain_below:
            return withheld(first, self._abstain_below, context)
        return with_runner_up(first, next(answers, None), context)

    def answers(self, question: str, context: TurnContext, least: float = 0.0) -> Iterator[Answer]:
        """Yields the answers of the likeliest plans, best first, each result once.

        Args:
            question: As asked.
            context: The turn's.
            least: The end comes with an answer that is less sure than this share of the first.
        """
        page, given = self._given(context)
        so_far, read = self._so_far(context, page, given), context.read(question)
        choices = self._choices(so_far, read, page)
        if not choices.ranked:
            return
        evidence, surest = evidence_of(choices, so_far.share, len(given.outcomes)), 0.0
        for choice, share in distinct(choices):
            confidence = self._weights.calibration.confidence(replace(evidence, share=share))
            if confidence < least * surest:
                return
            state = choice.before.state
            same = agreeing(state, given)
            plan = write_plan(choice.outcome, page.leaves, state, same)
            try:
                answer = answer_from_plan(plan, context, question=question)
            except ExecutionError as error:
                # Ranking works in floating point: a divisor can be zero exactly where it was not there.
                context.trace.append(CandidatePassedOver(choice.outcome.operation, str(error)))
                continue
            context.trace.append(CandidateChosen(choices.count, choice.outcome.operation, share))
            surest = max(surest, confidence)
            answer = replace(answer, confidence=confidence, reason=_anew(choice.outcome, state, same))
            told = spelled_out(read, page.leaves)
            asked = read_turn(told, choice.before.state, page.leaves, self._weights.references)
            yield replace(answer, grounds=grounds(answer, read, asked, page.leaves, context))

    def read(self, question: str, context: TurnContext) -> Choices:
        """Returns the plans for a question, after each likely reading of the turns before."""
        page, given = self._given(context)
        return self._choices(self._so_far(context, page, given), context.read(question), page)

    def _given(self, context: TurnContext) -> tuple[PageView, State]:
        page = self.page(context.graph)
        return page, read_state(context.memory, page.leaves)

    def _so_far(self, context: TurnContext, page: PageView, given: State) -> _SoFar:
        """The readings of the turns so far. Answers that are not this solver's own are taken as they are."""
        key: tuple[object, ...] = (context.graph.document, context.graph.digest_of_document)
        so_far = self._read.setdefault(key, _SoFar(START, 1.0))
        for turn, (question, outcome) in enumerate(zip(given.questions, given.outcomes, strict=True)):
            key = (*key, question, outcome)
            if key not in self._read:
                told = State(given.questions[: turn + 1], given.outcomes[: turn + 1])
                self._read[key] = self._after(so_far, question, told, page)
                while len(self._read) > _TURNS:
                    self._read.popitem(last=False)
            so_far = self._read[key]
        return so_far

    def _choices(self, so_far: _SoFar, question: Question, page: PageView) -> Choices:
        """The plans for a question. Those of the last question are kept: the next one asks for them again."""
        last = self._last
        if last is None or last[0] is not so_far or last[1] != question:
            choices = read_question_after(so_far.paths, question, page, self._weights)
            last = self._last = (so_far, question, choices)
        return last[2]

    def _after(self, so_far: _SoFar, question: Question, told: State, page: PageView) -> _SoFar:
        choices = self._choices(so_far, question, page)
        # What was withheld is no answer that binds: the conversation goes on as it was read.
        given = told.outcomes[-1]
        own = bool(choices.ranked) and (given.value is None or same_answer(choices.ranked[0].outcome, given))
        if not own:
            return _SoFar((Path(told),), so_far.share)
        _, share = next(distinct(choices))
        return _SoFar(go_on(choices, question), so_far.share * share)

    def page(self, graph: KnowledgeGraph) -> PageView:
        """Returns a page ready for questions; the last few are kept."""
        key = (graph.document, graph.digest_of_document)
        page = self._pages.pop(key, None) or page_view(leaf_table(graph), self._weights.idf)
        self._pages[key] = page
        while len(self._pages) > _PAGES:
            self._pages.popitem(last=False)
        return page


def _anew(outcome: Outcome, state: State, same: Sequence[bool]) -> str | None:
    """Says which earlier questions a plan reads otherwise than they were answered."""
    turns = sorted(_rewritten(outcome, state, same))
    if not turns:
        return None
    named = " and ".join(str(turn + 1) for turn in turns)
    return f"question{'s' * (len(turns) > 1)} {named} now read otherwise than answered"


def _rewritten(outcome: Outcome, state: State, same: Sequence[bool]) -> set[int]:
    """The turns whose results an outcome takes, though they were answered otherwise."""
    found: set[int] = set()
    for operand in outcome.operands:
        if operand.kind == "result" and not same[operand.index]:
            found |= {operand.index, *_rewritten(state.outcomes[operand.index], state, same)}
    return found
