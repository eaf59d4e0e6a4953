"""The embedded solver, which answers from the facts of documents and by ranking plans for benchmark pages."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import AnswerKinds
from quaestor.core.computing import compute
from quaestor.questions.instructions import with_instructions_last
from quaestor.questions.question import read_question
from quaestor.solvers.base import TurnContext

if TYPE_CHECKING:
    from quaestor.solvers.embedded.filings.answering import FilingAnswerer
    from quaestor.solvers.embedded.loading import EmbeddedWeights
    from quaestor.solvers.embedded.page_answers import PageAnswerer


class EmbeddedSolver:
    """Deterministic solver without a language model."""

    name = "embedded"
    reads_whole = True

    def __init__(
        self,
        weights: "EmbeddedWeights | Path | None" = None,
        abstain_below: float = 0.0,
        *,
        decline: bool = False,
        decline_below: float = 0.0,
        answers: AnswerKinds = "numbers",
    ) -> None:
        """Set the options of `EmbeddedOptions`.

        Args:
            weights: A folder of trained weights, loaded when they are first needed, or weights for pages; None for the
                weights of the package. Given weights for pages, filings use those of the package.
        """
        self._weights, self._abstain_below, self._answers = weights, abstain_below, answers
        self._decline, self._decline_below = decline, decline_below

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the likeliest answer, without a value if its confidence is too low.

        Raises:
            SolverError: The page has no usable number, or the likeliest plans cannot be calculated.
        """
        question, context = context.normalize(question)
        if (asked := with_instructions_last(question)) != question:
            question, context = asked, replace(context, question=read_question(asked))
        return await compute(self._solve, question, context)

    def _solve(self, question: str, context: TurnContext) -> Answer:
        if self._answers == "all" and context.memory.turns:
            from quaestor.solvers.embedded.counting_parts import answer_part_count

            if (counted := answer_part_count(question, context)) is not None:
                return counted
        return self._choose_answerer(context).answer(question, context)

    def answers(self, question: str, context: TurnContext) -> Iterator[Answer]:
        """Yield the likeliest answers, best first, each result once.

        For a page, only answers of the first kind that fits.
        """
        question, context = context.normalize(question)
        return self._choose_answerer(context).answers(question, context)

    def _choose_answerer(self, context: TurnContext) -> "FilingAnswerer | PageAnswerer":
        return self.pages if context.document.is_page and not context.is_long else self._filings

    def load(self) -> None:
        """Load the weights for pages and for filings."""
        _ = self.pages, self._filings

    @cached_property
    def pages(self) -> "PageAnswerer":
        """The answerer for benchmark pages."""
        from quaestor.solvers.embedded.loading import load_weights
        from quaestor.solvers.embedded.page_answers import PageAnswerer

        given = self._weights
        return PageAnswerer(
            load_weights(given) if given is None or isinstance(given, Path) else given,
            self._abstain_below,
            decline=self._decline,
            decline_below=self._decline_below,
            answers=self._answers,
        )

    @cached_property
    def _filings(self) -> "FilingAnswerer":
        """The answerer for all other documents."""
        from quaestor.solvers.embedded.filings.answering import FilingAnswerer
        from quaestor.solvers.embedded.filings.loading import load_filing_weights

        folder = self._weights if isinstance(self._weights, Path) else None
        return FilingAnswerer(
            load_filing_weights(folder), self._abstain_below, decline=self._decline, answers=self._answers
        )
