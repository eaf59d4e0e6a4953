"""The embedded solver, which answers from the facts of long documents and by ranking plans for pages."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import AnswerKinds
from quaestor.core.computing import compute
from quaestor.documents.combining import files_of
from quaestor.ontology.lexicon import read_lexicon
from quaestor.questions.developments import asks_for_yearly_change
from quaestor.questions.instructions import with_instructions_last
from quaestor.questions.question import read_question
from quaestor.questions.understanding import read_filing_question
from quaestor.solvers.base import TurnContext

if TYPE_CHECKING:
    from quaestor.solvers.embedded.filings.answering import FilingAnswerer
    from quaestor.solvers.embedded.loading import EmbeddedWeights
    from quaestor.solvers.embedded.page_answers import PageAnswerer


_FEW_TABLES = 2
"""Maximum number of tables of a file that is answered like a page; questions about more are answered from facts."""


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
        return self._choose_answerer(question, context).answer(question, context)

    def answers(self, question: str, context: TurnContext) -> Iterator[Answer]:
        """Yield the likeliest answers, best first, each result once.

        For a page, only answers of the first kind that fits.
        """
        question, context = context.normalize(question)
        return self._choose_answerer(question, context).answers(question, context)

    def _choose_answerer(self, question: str, context: TurnContext) -> "FilingAnswerer | PageAnswerer":
        document = context.document
        few = _FEW_TABLES * max(1, len(files_of(document)))
        is_filing = context.is_long or (
            not document.is_page and (len(document.tables) > few or _asks_for_measure(question, context))
        )
        return self._filings if is_filing else self.pages

    def load(self) -> None:
        """Load the weights for pages and for filings."""
        _ = self.pages, self._filings

    @cached_property
    def pages(self) -> "PageAnswerer":
        """The answerer for pages."""
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
        """The answerer for long documents."""
        from quaestor.solvers.embedded.filings.answering import FilingAnswerer
        from quaestor.solvers.embedded.filings.loading import load_filing_weights

        folder = self._weights if isinstance(self._weights, Path) else None
        return FilingAnswerer(
            load_filing_weights(folder), self._abstain_below, decline=self._decline, answers=self._answers
        )


def _asks_for_measure(question: str, context: TurnContext) -> bool:
    """Return whether a question, or the one that it follows up, asks for something that has to be computed.

    That is a measure with a formula whose name no line has as its label, or an average yearly change.
    """
    measures = read_lexicon().measures
    for text in (question, *reversed(context.memory.questions)):
        reading = read_filing_question(text)
        named = {
            operand.phrase[match.start : match.end]
            for operand in reading.operands
            for match in operand.matches
            if any(measures[name].formula is not None for name in match.measures)
        }
        if named or not reading.goes_on or reading.terms:
            return not _are_labels(named, context) or asks_for_yearly_change(text.lower())
    return False


def _are_labels(names: AbstractSet[tuple[str, ...]], context: TurnContext) -> bool:
    """Return whether each of some names, as terms, is the label of a line."""
    if not names:
        return True
    from quaestor.solvers.embedded.filings.answering import facts_of

    return names <= {line.label_terms for table in facts_of(context) for line in table.lines}
