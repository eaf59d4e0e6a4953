"""The embedded solver: long documents from their facts, and pages by ranking plans. Loads what a question needs."""

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
    """Answers without a model. Deterministic: the same question in the same conversation has the same answer."""

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
            weights: The folder of the learned weights, which are read when a question needs them; None for those of the
                package. Or weights for pages; those for filings are then the package's.
        """
        self._weights, self._abstain_below, self._answers = weights, abstain_below, answers
        self._decline, self._decline_below = decline, decline_below

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the likeliest answer; without a value if it is not sure enough.

        Raises:
            SolverError: The page has no number that a plan could start from.
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
        return self._choose_answerer(question, context).answer(question, context)

    def answers(self, question: str, context: TurnContext) -> Iterator[Answer]:
        """Yield the likeliest answers, best first, each result once.

        Of a page they are of the first kind that the question asks for.
        """
        question, context = context.normalize(question)
        return self._choose_answerer(question, context).answers(question, context)

    def _choose_answerer(self, question: str, context: TurnContext) -> "FilingAnswerer | PageAnswerer":
        if context.is_long or self._asks_for_measure(question, context):
            return self._filings
        return self.pages

    def _asks_for_measure(self, question: str, context: TurnContext) -> bool:
        if context.document.is_page:
            return False
        from quaestor.solvers.embedded.filings.answering import asks_for_measure

        return asks_for_measure(question, context)

    def load(self) -> None:
        """Load what was learned for pages and for filings."""
        _ = self.pages, self._filings

    @cached_property
    def pages(self) -> "PageAnswerer":
        """What answers questions about pages."""
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
        """What answers questions about long documents from their facts."""
        from quaestor.solvers.embedded.filings.answering import FilingAnswerer
        from quaestor.solvers.embedded.filings.loading import load_filing_weights

        folder = self._weights if isinstance(self._weights, Path) else None
        return FilingAnswerer(
            load_filing_weights(folder), self._abstain_below, decline=self._decline, answers=self._answers
        )
