"""Answers to questions: value, plan, and cited places of the document."""

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from quaestor.core.answer_value import AnswerValue, Number, Text, ValueList, YesNo, number_of
from quaestor.core.explanation import ExplainedSentence, Explanation
from quaestor.core.periods import Period
from quaestor.core.provenance import Source
from quaestor.core.quantity import Scale
from quaestor.plan.steps import Extract, Plan
from quaestor.questions.instructions import RequestedForm

FRACTIONS = frozenset({"percentage_change", "percentage"})
"""Metric types of numbers that are shown in percent."""

AnswerKind = Literal["number", "count", "yes_no", "label", "text", "list", "explanation", "none"]
"""Kind of an answer: a number; a count; yes or no; the label of a row, a column or a thing; text from the document; a
list of these; sentences that explain; no answer."""


def _is_unknown(value: object) -> bool:
    return value is None


@dataclass(frozen=True, slots=True)
class Variable:
    """A number used for a result, with a descriptive name.

    Attributes:
        name: An identifier: `net_revenue_2008`; `result_N` for the answer of turn N, counted from 0.
        value: The number, in units of `scale`.
        source: The cell or span, or None for an earlier answer.
    """

    name: str
    value: Decimal
    scale: Scale
    source: Source | None


@dataclass(frozen=True, slots=True)
class OtherReading:
    """An alternative reading of a question, with its result.

    Attributes:
        shown: The answer as it was displayed when the question was asked.
        confidence: The solver's probability that this is the right answer, or None.
    """

    plan: Plan
    shown: str
    description: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Corrected:
    """The origin of an answer's value that a person has corrected.

    Attributes:
        was: The solver's value, as displayed.
        author: The author of the latest correction that affects the answer.
        number: The number of that correction in the conversation, from 1.
        reason: The author's reason, or "".
    """

    was: str
    author: str
    made: datetime
    number: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A solver's answer to one question. The question is in the `Turn`.

    Units: a number is in units of `scale`: a looked-up `13.7 %` is 13.7 with `Scale.PERCENT`, a computed ratio or
        percentage change is a fraction with `Scale.ONE`.

    Attributes:
        value: The value; None if the solver found none.
        unit: The unit, if the document states it.
        description: A description of the number ("Change in net revenue from 2007 to 2008").
        entity: The row, column or thing that it is about ("net revenue"); the part in a percentage; the selected line
            or few lines of a selection.
        metric_type: A metric type of the ontology's core: `value`, `change`, `percentage_change`, `percentage`,
            `ratio`, `sum`, `average`, `product`, `maximum`, `minimum`, `comparison`; for a list of numbers that of each
            of them, or `list`; `selection` for a selected label, `count` for the number of entries.
        period: The period that it is about, or None; the range of a change between years; the selected year of a
            selection.
        base: The reference of a percentage change, a percentage or a ratio ("net revenue in 2007"), else None.
        formula: The arithmetic ("(206588 - 181001) / 181001").
        variables: The numbers of the page and the earlier answers used, in the order of the plan.
        plan: The steps; None without an answer, and for answers of other programs.
        sources: All cells and spans that the value depends on, including those of earlier turns, without duplicates;
            for a selection all that were compared, selected ones first.
        confidence: The solver's probability that the answer is right, or None.
        reason: Why there is no answer, or why a reader should doubt it.
        grounds: Why this reading was chosen, in terms that can be checked in the page and the question.
        answerable: The solver's probability that the document contains an answer, whether or not one is given; 0 if a
            rule is certain that it does not; None if unknown.
        in_ones: True if the page states that it counts single units (dollars, years, per share); otherwise the
            multiplier of an answer with `Scale.ONE` is unknown.
        other_readings: Alternative readings of the question, most likely first.
        explanation: The sentences of the explanation with their sources, or None. If they are the answer, the value is
            their text.
        corrected: The correction of the value by a person, or None.
        form: How to display the value: as the question asks, fractions in percent; None if unspecified.
    """

    value: AnswerValue | None
    scale: Scale = Scale.ONE
    unit: str | None = None
    description: str = ""
    entity: str | None = None
    metric_type: str = "value"
    period: Period | None = None
    base: str | None = None
    formula: str = ""
    variables: tuple[Variable, ...] = ()
    plan: Plan | None = None
    sources: tuple[Source, ...] = ()
    confidence: float | None = None
    reason: str | None = None
    grounds: str | None = None
    in_ones: Annotated[bool, Field(exclude_if=operator.not_)] = False
    answerable: Annotated[float | None, Field(exclude_if=_is_unknown)] = None
    other_readings: Annotated[tuple[OtherReading, ...], Field(exclude_if=operator.not_)] = ()
    explanation: Annotated[Explanation | None, Field(exclude_if=_is_unknown)] = None
    corrected: Annotated[Corrected | None, Field(exclude_if=_is_unknown)] = None
    form: Annotated[RequestedForm | None, Field(exclude_if=_is_unknown)] = None

    @property
    def kind(self) -> AnswerKind:
        """The kind of the answer, by its value and its plan."""
        match self.value:
            case None:
                return "none"
            case YesNo():
                return "yes_no"
            case ValueList():
                return "list"
            case Number():
                return "count" if self._last == "count" else "number"
            case Text(value=text) if self.explanation is not None and text == self.explanation.text:
                return "explanation"
            case Text():
                return "label" if self._last else "text"

    @property
    def _last(self) -> str:
        """The operation of the plan's last step; "" if that step extracts a value from the document."""
        last = self.plan.steps[-1] if self.plan is not None and self.plan.steps else None
        return "" if last is None or isinstance(last, Extract) else last.operation

    @property
    def number(self) -> Decimal | None:
        """The numeric value in units of `scale`; None for other kinds of answers."""
        return number_of(self.value)

    @property
    def fraction(self) -> bool:
        """Whether the number is shown in percent: a share, a relative change, or an average of these."""
        shown = self.form is not None and self.form.scale is Scale.PERCENT and not self.unit
        return self.scale is Scale.ONE and (shown or self.metric_type in FRACTIONS)

    def __repr__(self) -> str:
        from quaestor.conversation.display import answer_line

        return answer_line(self)

    def _repr_html_(self) -> str:
        """Return the answer with its arithmetic as HTML for notebooks."""
        from quaestor.conversation.display import answer_html

        return answer_html(self)

    def __str__(self) -> str:
        """Return the value in display form: `$ 48.65`, `14.1 %`, `yes`, `no answer`."""
        from quaestor.conversation.display import show_number

        return show_number(self)


_NEARLY_SURE = 0.99


def confidence_words(confidence: float | None) -> str:
    """Describe a confidence; "" if there is none.

    >>> confidence_words(0.934)
    '93% sure'
    """
    return "" if confidence is None else f"{show_confidence(confidence)} sure"


def show_confidence(confidence: float) -> str:
    """Format a probability; values near 0 and 1 are shown as limits, because no answer is certain.

    >>> show_confidence(0.934), show_confidence(0.9961), show_confidence(0.001)
    ('93%', 'over 99%', 'under 1%')
    """
    if confidence > _NEARLY_SURE:
        return "over 99%"
    return f"{confidence:.0%}" if confidence >= 1 - _NEARLY_SURE else "under 1%"


_RANGE = 3
"""Minimum number of consecutive citations that are written as a range."""


@dataclass(frozen=True, slots=True)
class CitedPart:
    """A part of a sentence with its citations.

    Attributes:
        text: The text; "" for a citation alone.
        numbers: The cited places, by number from 1.
        assumed: Whether it is a number found neither in the document nor in the question.
    """

    text: str
    numbers: tuple[int, ...] = ()
    assumed: bool = False

    @property
    def mark(self) -> str:
        """The mark after the text: `[1, 2]`, `[assumed]`, or ""."""
        if self.assumed:
            return "[assumed]"
        return f"[{', '.join(_runs(self.numbers))}]" if self.numbers else ""


@dataclass(frozen=True, slots=True)
class CitedExplanation:
    """An explanation with numbered citations.

    Attributes:
        sources: The cited places, in the order of their numbers.
        rest: The other places that the answer depends on.
    """

    sentences: tuple[tuple[CitedPart, ...], ...]
    sources: tuple[Source, ...]
    rest: tuple[Source, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentences with citation marks, such as `Sales rose 14.1 % [1, 2].`."""
        return tuple(
            "".join(f"{part.text} {part.mark}" if part.mark else part.text for part in sentence).strip()
            for sentence in self.sentences
        )


def cite_explanation(answer: Answer) -> CitedExplanation | None:
    """Number the citations of an answer's explanation; None if there is no explanation or no answer."""
    if answer.explanation is None or answer.value is None:
        return None
    sentences = answer.explanation.sentences
    cited = dict.fromkeys(source for one in sentences for reference in one.references for source in reference.sources)
    numbers = {source: number for number, source in enumerate(cited, start=1)}
    rest = tuple(source for source in dict.fromkeys(answer.sources) if source not in numbers)
    return CitedExplanation(tuple(tuple(_parts(one, numbers)) for one in sentences), tuple(cited), rest)


def sources_of(answer: Answer) -> tuple[Source, ...]:
    """Return all distinct places that an answer and its explanation depend on; cited ones first, by number."""
    cited = cite_explanation(answer)
    return tuple(dict.fromkeys(answer.sources)) if cited is None else (*cited.sources, *cited.rest)


def sentence_objects(answer: Answer) -> list[JsonValue]:
    """Return the sentences of an explanation as JSON, with the spans of citations and the numbers of their places."""
    cited = cite_explanation(answer)
    if cited is None or answer.explanation is None:
        return []
    numbers = {source: number for number, source in enumerate(cited.sources, start=1)}
    return [
        {
            "text": sentence.text,
            "references": [
                {
                    "start": one.start,
                    "end": one.end,
                    "step": one.step,
                    "sources": [numbers[source] for source in one.sources],
                    "assumed": one.assumed,
                }
                for one in sentence.references
            ],
        }
        for sentence in answer.explanation.sentences
    ]


def _parts(sentence: ExplainedSentence, numbers: dict[Source, int]) -> Iterator[CitedPart]:
    at, mark = 0, ""
    for reference in sentence.references:
        between, text = sentence.text[at : reference.start], sentence.text[reference.start : reference.end]
        part = CitedPart(text, tuple(sorted(numbers[one] for one in reference.sources)), reference.assumed)
        at = reference.end
        if between:
            yield CitedPart(between)
        if text or part.mark != mark or any(map(str.isalnum, between)):  # a part that is its own source is cited once
            yield part
        mark = part.mark
    if at < len(sentence.text):
        yield CitedPart(sentence.text[at:])


def _runs(numbers: tuple[int, ...]) -> Iterator[str]:
    start = 0
    for end in range(1, len(numbers) + 1):
        if end == len(numbers) or numbers[end] != numbers[end - 1] + 1:
            run = numbers[start:end]
            yield from (f"{run[0]}-{run[-1]}",) if len(run) >= _RANGE else map(str, run)
            start = end
