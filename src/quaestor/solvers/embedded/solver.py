"""The embedded solver: reads the question against the page, asks each kind of answer in turn, and tells the best."""

from collections.abc import Iterator
from dataclasses import replace

from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import AnswerKinds
from quaestor.core.computing import compute
from quaestor.errors import SolverError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.questions.instructions import read_instructions, with_instructions_last, without_instructions
from quaestor.questions.question import read_question
from quaestor.questions.splitting import split_question
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.abstention.answerability import AnswerabilityModel
from quaestor.solvers.embedded.abstention.policy import AbstentionPolicy
from quaestor.solvers.embedded.abstention.rules import AbstentionRules
from quaestor.solvers.embedded.answerer import Answerer, first_answered
from quaestor.solvers.embedded.decode.answering import RankedNumbers
from quaestor.solvers.embedded.decode.beam import Hypotheses
from quaestor.solvers.embedded.decode.explanation import CLOSE, abstained, other_reading, with_runner_up
from quaestor.solvers.embedded.decode.readings import ConversationReader
from quaestor.solvers.embedded.filings.answering import FilingAnswerer
from quaestor.solvers.embedded.followups.answering import count_parts, follow_up
from quaestor.solvers.embedded.model.loading import EmbeddedWeights
from quaestor.solvers.embedded.named.answering import named_measure
from quaestor.solvers.embedded.page.features import PageFeatures
from quaestor.solvers.embedded.selection.answering import ChosenCells
from quaestor.solvers.embedded.several.answering import ListedNumbers
from quaestor.solvers.embedded.spans.answering import WordsOfText, words_answer
from quaestor.solvers.parts import answer_in_parts, with_parts_apart


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
        """Take what was learned, and the options as `EmbeddedOptions` has them."""
        self._abstain_below, self._any_kind = abstain_below, answers == "all"
        self._decliner = AbstentionRules(answers) if decline else None
        self._reader = ConversationReader(weights, declines=decline, restates=self._any_kind, whole=self._any_kind)
        self._refuser = AbstentionPolicy(
            self._reader, AnswerabilityModel(weights.answerable, decline_below), self._decliner
        )
        self._filings = (
            FilingAnswerer(weights.filings, decline=decline) if self._any_kind and weights.filings is not None else None
        )
        others: tuple[Answerer, ...] = (ChosenCells(weights), ListedNumbers(weights), WordsOfText())
        numbers = RankedNumbers(self._reader, weights, declines=decline)
        self._answerers: tuple[Answerer, ...] = (*others, numbers) if self._any_kind else (numbers,)

    @property
    def reads_whole(self) -> bool:
        """Whether it answers questions about a long document from all of its facts."""
        return self._filings is not None

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the answer of the likeliest plan that can be executed; one that is not sure enough, without a value.

        Raises:
            SolverError: The page holds no number that a plan could start from.
        """
        question, context = context.in_words_of_document(question)
        if (asked := with_instructions_last(question)) != question:
            question, context = asked, replace(context, question=read_question(asked))
        return await compute(self._solve, question, context)

    def _solve(self, question: str, context: TurnContext) -> Answer:
        if self._any_kind and (counted := count_parts(question, context)) is not None:
            return counted
        if self._filings is not None and context.is_long:
            found = self._filings.answer(question, context)
            if found is not None:
                return found
            context.widen(question)
        if not self._any_kind:
            return self._solve_one(question, context)
        form = read_instructions(question.lower()).form
        question = without_instructions(question)
        parts = split_question(question)
        there, joined = with_parts_apart(replace(context, question=read_question(question)), question)
        if len(parts) > 1:
            return replace(joined(answer_in_parts(question, parts, there, self._solve_one)), form=form)
        return replace(joined(self._solve_one(question, there)), form=form)

    def _solve_one(self, question: str, context: TurnContext) -> Answer:
        told = self._told_at_once(question, context)
        if told is not None:
            return told
        asked = self._reader.asked(question, context)
        answers = first_answered(self._answerers, asked, CLOSE)
        if self._decliner is not None:
            words = words_answer(asked.question, context) if self._any_kind else None
            declined = self._decliner.declined(question, context, lambda: next(answers, None), words)
            if declined is not None:
                return declined
        first = next(answers, None)
        if first is None:
            raise SolverError(
                f"no plan fits the question {question[:80]!r}; {context.document.id} has no usable number"
            )
        first = self._refuser.doubted(first, asked)
        if (refused := self._refuser.refused(first, asked)) is not None:
            return refused
        if (first.confidence or 0.0) < self._abstain_below:
            return abstained(first, self._abstain_below)
        return with_runner_up(first, other_reading(first, answers))

    def _told_at_once(self, question: str, context: TurnContext) -> Answer | None:
        """The answer to what goes on from the last one, or to a measure of a filing: there is nothing to rank."""
        if not self._any_kind:
            return None
        leaves = self._reader.reading(context).page.leaves
        decline = self._decliner is not None
        told = follow_up(question, context, leaves, decline=decline)
        return told if told is not None else named_measure(question, context, decline=decline)

    def answers(self, question: str, context: TurnContext, least: float = 0.0) -> Iterator[Answer]:
        """Yield the likeliest answers, best first, each result once: of the first kind that the question asks for.

        Args:
            least: The end comes with an answer that is less sure than this share of the first.
        """
        yield from first_answered(self._answerers, self._reader.asked(question, context), least)

    def read(self, question: str, context: TurnContext) -> Hypotheses:
        """Return the plans for a question, after each likely reading of the turns before."""
        return self._reader.choices(self._reader.asked(question, context))

    def page(self, graph: KnowledgeGraph) -> PageFeatures:
        """Return a page ready for questions; the last few are kept."""
        return self._reader.page(graph)
