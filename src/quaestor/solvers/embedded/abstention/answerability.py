"""Whether a document likely holds the answer: the probability that was learned, and what is missing where it is low.

Learned on pages. Of a filing only the parts are read that fit a question, so what they lack the filing may have: there
it takes more to doubt, and less where the question names a thing that the filing prints nowhere.
"""

from collections.abc import Container
from dataclasses import dataclass

import numpy as np

from quaestor.conversation.answer import Answer
from quaestor.core.provenance import CellRef
from quaestor.documents.document import Document
from quaestor.plan.steps import Plan
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.retrieval.everyday import in_words_of_reports
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.abstention.measures import answerable_measures
from quaestor.solvers.embedded.abstention.missing import missing_words, telling_stems
from quaestor.solvers.embedded.abstention.years import KnownYears, known_years, printed_texts
from quaestor.solvers.embedded.decode.beam import Hypotheses
from quaestor.solvers.embedded.decode.labels import line_called, lines_named
from quaestor.solvers.embedded.model.answerable import Answerability
from quaestor.solvers.embedded.page.matrix import NumberMatrix

_IN_PARTS, _NOWHERE = 0.25, 5.0
"""What the least probability is multiplied by on a filing: as a rule, and where it prints a word nowhere."""
_NOTHING = 2.0
"""The same on a page of which no number is about any word of the question: too few of such questions teach."""


@dataclass(slots=True)
class _Whole:
    """The years and the words of a filing, once they were needed."""

    years: KnownYears | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class _ToCome:
    """The years to come that a filing has, in the parts that were not read too: of debts, leases and plans.

    Of past years the parts that fit a question are found by the year.
    """

    known: KnownYears
    reported: int

    def __contains__(self, year: object) -> bool:
        return isinstance(year, int) and year > self.reported and not self.known.lacks(year)


class AnswerabilityModel:
    """Tells how likely documents hold answers."""

    def __init__(self, learned: Answerability | None, below: float) -> None:
        """Take what was learned, and the probability below which an answer is doubted."""
        self._learned, self._below = learned, below

    def holds(self, choices: Hypotheses, context: TurnContext) -> float | None:
        """Return the probability that the document holds the answer; None if nothing was learned of that."""
        if self._learned is None:
            return None
        first = choices.first
        elsewhere = self._elsewhere(first.reading.turn.leaves, context) if first is not None else ()
        measured = answerable_measures(choices, self._learned.stems, elsewhere)
        return None if measured is None else round(self._learned.probability(measured), 4)

    def missing(self, nearest: Answer, question: Question, page: NumberMatrix, context: TurnContext) -> str | None:
        """Return what the document lacks, in words, where it hardly holds the answer; else None.

        Args:
            nearest: The likeliest answer, with the probability.
        """
        if self._learned is None or nearest.answerable is None:
            return None
        below = self._below
        if not context.document.is_page:
            if self._calls_lines_otherwise(question, nearest.plan, page, context.document):
                return None
            below *= _NOWHERE if self._names_what_is_nowhere(question, page, context) else _IN_PARTS
        elif (telling := telling_stems(question, self._learned.stems)) and telling.isdisjoint(page.vocabulary):
            below *= _NOTHING
        if nearest.answerable >= below:
            return None
        return missing_words(question, nearest.plan, page, self._learned.stems)

    def names_what_is_unknown(self, question: Question, page: NumberMatrix) -> bool:
        """Return whether a question names a thing that no number is about."""
        learned = self._learned
        return learned is not None and not telling_stems(question, learned.stems) <= page.vocabulary.keys()

    def _calls_lines_otherwise(
        self, question: Question, plan: Plan | None, page: NumberMatrix, document: Document
    ) -> bool:
        """Whether all that a filing prints nothing about are other names of lines that were taken: "capex"."""
        assert self._learned is not None
        unknown = {stem for stem in telling_stems(question, self._learned.stems) if stem not in page.vocabulary}
        sources = [step.source for step in plan.extracts] if plan is not None else []
        rows = (document.table(at.table).rows[at.row] for at in sources if isinstance(at, CellRef))
        taken = {line_called(row.label) for row in rows} - {""}
        named = lines_named(in_words_of_reports(question.lowered))
        called = {stem for line, name in named.items() if line in taken for stem in stems(name)}
        return bool(unknown) and unknown <= called

    def _names_what_is_nowhere(self, question: Question, page: NumberMatrix, context: TurnContext) -> bool:
        elsewhere = self._elsewhere(page, context)
        if any(year not in page.years and year not in elsewhere for year in question.years):
            return True
        learned = self._learned
        return learned is not None and any(s not in self._text(context) for s in telling_stems(question, learned.stems))

    def _elsewhere(self, page: NumberMatrix, context: TurnContext) -> Container[int]:
        of_years = page.year[page.year > 0]
        if context.document.is_page or not len(of_years):
            return ()
        return _ToCome(self._years(context), int(np.bincount(of_years).argmax()))

    def _years(self, context: TurnContext) -> KnownYears:
        kept = context.session.kept(self, _Whole)
        if kept.years is None:
            kept.years = known_years(context.document)
        return kept.years

    def _text(self, context: TurnContext) -> str:
        kept = context.session.kept(self, _Whole)
        if kept.text is None:
            document: Document = context.document.whole or context.document
            kept.text = " ".join(printed_texts(document))
        return kept.text
