"""Declines a question that the page does not answer: typed, with what is missing, what is there, and what is nearest.

No rule guesses: of what is not certain the probability decides that was learned, and it is answered as ever where there
is none.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from quaestor.conversation.answer import Answer
from quaestor.conversation.events.kinds import WhyNoAnswer
from quaestor.core.answer_value import AnswerKinds, Text
from quaestor.graph.facts import Observation
from quaestor.questions.no_numbers import why_no_number
from quaestor.questions.question import Question
from quaestor.questions.times import years_asked
from quaestor.solvers.answering import answer_without_value
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.abstention.empty_cells import empty_cell_asked
from quaestor.solvers.embedded.abstention.missing import nearest_words
from quaestor.solvers.embedded.abstention.other_lines import other_line_asked
from quaestor.solvers.embedded.abstention.years import KnownYears, known_years, show_years
from quaestor.solvers.embedded.spans.answering import SpanCandidate

_LONGEST_LABEL = 40
_MOST_YEARS = 12


@dataclass(slots=True)
class _Kept:
    """The years of the document that a conversation is about, once they were needed."""

    years: KnownYears | None = None


def without_turns(turns: Sequence[int]) -> Answer:
    """Return the answer without a value of a question that rests on earlier ones without one; it is on no record yet.

    Args:
        turns: Those questions, from 0.
    """
    numbers = " and ".join(str(turn + 1) for turn in turns)
    which = f"question {numbers}, which was" if len(turns) == 1 else f"questions {numbers}, which were"
    return Answer(value=None, reason=f"this depends on {which} not answered", answerable=0.0)


class AbstentionRules:
    """Declines questions that the page cannot answer."""

    def __init__(self, answers: AnswerKinds = "numbers") -> None:
        """Take which answers there may be."""
        self._words = answers == "all"

    def declined(
        self,
        question: str,
        context: TurnContext,
        nearest: Callable[[], Answer | None],
        words: SpanCandidate | None = None,
    ) -> Answer | None:
        """Return the answer without a value of a question that certainly cannot be answered; None if it may be.

        Args:
            context: The turn's; what is said goes on its record.
            nearest: Finds the nearest reading, if there is one.
            words: The words of the document that may answer it, or None.
        """
        found = self._reason(question, context, words)
        if found is None:
            return None
        reason, said = found
        near = nearest() if reason == "not_on_page" else None
        if near is not None and context.read(question).wants.kind == "span" and not isinstance(near.value, Text):
            # A number is not a near miss of a reason.
            near = None
        said = said if near is None or near.value is None else f"{said}; {nearest_words(near)}"
        return _silent(context, reason, said)

    def doubted(self, nearest: Answer, missing: str, context: TurnContext) -> Answer:
        """Return the answer without a value of a question that is most likely not answered.

        Args:
            nearest: The nearest reading, with the probability that the page holds the answer.
            missing: What the page lacks.
        """
        said = f"{missing}; {nearest_words(nearest)}"
        return _silent(context, "not_on_page", said, nearest.answerable or 0.0)

    def of_another_line(self, nearest: Answer, question: Question, context: TurnContext) -> Answer | None:
        """Return the answer without a value of a question for a line that the document lacks; None if it has it.

        Args:
            nearest: The likeliest answer, of a line that sounds like it.
        """
        document = context.document.whole or context.document
        line = other_line_asked(question, nearest.plan, document)
        if line is None:
            return None
        what = "page" if document.is_page else "document"
        return _silent(context, "not_on_page", f'the {what} has no line "{line}"; {nearest_words(nearest)}')

    def of_another_kind(self, nearest: Answer, lacking: str, context: TurnContext) -> Answer:
        """Return the answer without a value of a question for another kind of number than was found."""
        return _silent(context, "not_on_page", f"{lacking}; {nearest_words(nearest)}")

    def unfounded(self, answer: Answer, context: TurnContext) -> Answer:
        """Return the answer of `without_turns`, put on record.

        Args:
            answer: Whose reason says which questions it needs.
        """
        return _silent(context, "not_on_page", answer.reason or "")

    def _reason(
        self, question: str, context: TurnContext, words: SpanCandidate | None
    ) -> tuple[WhyNoAnswer, str] | None:
        read, told = context.read(question), words is not None and words.sure
        if self._words and read.wants.kind == "span":
            if not told:
                return "not_on_page", f"no sentence answers this; {_what_can_be_asked(context)}"
        elif why := why_no_number(read):
            return "no_question", f"{why}; {_what_can_be_asked(context)}"
        if asked := years_asked(read):
            known = self._years(context)
            if lacking := tuple(sorted(year for year in asked if known.lacks(year))):
                what = "page" if context.document.is_page else "document"
                return (
                    "not_on_page",
                    f"the {what} has no numbers for {show_years(lacking)}; {_what_years(lacking, known.shown)}",
                )
        if cell := empty_cell_asked(question, context):
            return "not_on_page", cell
        return None

    def _years(self, context: TurnContext) -> KnownYears:
        kept = context.session.kept(self, _Kept)
        if kept.years is None:
            kept.years = known_years(context.document)
        return kept.years


def _silent(context: TurnContext, reason: WhyNoAnswer, said: str, holds: float = 0.0) -> Answer:
    return replace(answer_without_value(context, reason, said), answerable=holds)


def _what_years(lacking: tuple[int, ...], shown: tuple[int, ...]) -> str:
    """Return the years that there are; of a document with many the nearest on both sides."""
    if len(shown) <= _MOST_YEARS:
        return f"years covered: {show_years(shown)}"
    before, after = [year for year in shown if year < lacking[0]], [year for year in shown if year > lacking[-1]]
    return f"nearest years covered: {show_years((*before[-1:], *after[:1]))}"


def _what_can_be_asked(context: TurnContext) -> str:
    """Return what can be asked, with a line of the page where it has a plain one."""
    line = next((number for number in context.graph.observations if _plain(number)), None)
    such = f', such as "{line.row.label.lower()} in {line.year}"' if line is not None else ""
    return f"ask for a figure{such}, or for a change, a share or a ratio"


def _plain(number: Observation) -> bool:
    label = number.row.label
    return number.year is not None and 0 < len(label) <= _LONGEST_LABEL and not any(map(str.isdigit, label))
