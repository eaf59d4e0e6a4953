"""The answer to a question: its value, its plan, and the places of the document that it cites."""

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
from quaestor.questions.instructions import AskedForm

FRACTIONS = frozenset({"percentage_change", "percentage"})
"""The metric types of numbers that people read in percent."""

AnswerKind = Literal["number", "count", "yes_no", "label", "text", "list", "explanation", "none"]
"""What an answer is: a number; how many of something; yes or no; what a row, a column or a thing is called; words as
the document has them; several of these; sentences that explain; none."""


def _is_unknown(value: object) -> bool:
    return value is None


@dataclass(frozen=True, slots=True)
class Variable:
    """A number that went into a result, under a name that describes it.

    Attributes:
        name: An identifier: `net_revenue_2008`; of an earlier answer `result_N`, with its turn from 0.
        value: The number, in units of `scale`.
        scale: What one unit of the value stands for.
        source: The cell or span, or None for an earlier answer.
    """

    name: str
    value: Decimal
    scale: Scale
    source: Source | None


@dataclass(frozen=True, slots=True)
class OtherReading:
    """What a question may ask for instead, and would come to.

    Attributes:
        shown: The answer that it gave when the question was asked, as people were shown it.
        confidence: The solver's probability that this is the answer, if it gives one.
    """

    plan: Plan
    shown: str
    description: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Corrected:
    """The source of an answer's value, if it is not the one which the solver gave.

    Attributes:
        was: The solver's, as it was shown.
        author: Who made the latest correction that the answer rests on.
        number: Its number among those of the conversation, from 1.
        reason: Why, in the author's words, or "".
    """

    was: str
    author: str
    made: datetime
    number: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a solver answered to one question. The question is in the `Turn`.

    Units: a number is in units of `scale`: a looked-up `13.7 %` is 13.7 with `Scale.PERCENT`, a computed ratio or
        percentage change is a fraction with `Scale.ONE`.

    Attributes:
        value: What the answer is; None if the solver found none.
        scale: What one unit of the value stands for.
        unit: What is counted, if the document states it.
        description: What the number is ("Change in net revenue from 2007 to 2008").
        entity: The row, column or thing that it is about ("net revenue"); of a percentage the part; the line, or the
            few lines, that a selection came to.
        metric_type: A name of the core's metric types: `value`, `change`, `percentage_change`, `percentage`, `ratio`,
            `sum`, `average`, `product`, `maximum`, `minimum`, `comparison`; of a list of numbers that of each of them,
            or `list`; `selection` of a label that is selected, `count` of how many there are.
        period: The period that it is about, if there is one; of a change from one year to another their range; the
            year that a selection came to.
        base: What a percentage change, a percentage or a ratio is relative to ("net revenue in 2007"), else None.
        formula: The arithmetic for people ("(206588 - 181001) / 181001").
        variables: The numbers of the page and the earlier answers that went into it, in the order of the plan.
        plan: The steps; None without an answer, and of one that another program gave.
        sources: Every cell and span that the value rests on, earlier turns' included, each once; of a selection all
            that were compared, the selected ones first.
        confidence: The solver's probability that the answer is right, if it gives one.
        reason: Why there is no answer, or what a reader should doubt.
        grounds: Why this reading was chosen, in terms that can be checked on the page and in the question.
        answerable: The solver's probability that the document holds an answer, whether or not one is given; 0 if a
            rule is certain that it does not; None if the solver gives none.
        in_ones: True if the page states that single things are counted (dollars, years, per share); of other answers
            of `Scale.ONE` it is unknown what they count in.
        other_readings: What the question was nearly read as, the likeliest first.
        explanation: The sentences of the value, with what they rest on; None if nothing is explained. Where they
            are the answer, the value is their text.
        corrected: Who made it what it is, if a person did; None of what a solver answered.
        form: How it is to be shown: as the question wants it, a fraction in percent; None if not given.
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
    form: Annotated[AskedForm | None, Field(exclude_if=_is_unknown)] = None

    @property
    def kind(self) -> AnswerKind:
        """What it is, by its value and its plan."""
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
        """The operation of the plan's last step; "" if it takes words or a number of the document as they are."""
        last = self.plan.steps[-1] if self.plan is not None and self.plan.steps else None
        return "" if last is None or isinstance(last, Extract) else last.operation

    @property
    def number(self) -> Decimal | None:
        """The number that the answer is, in units of `scale`; None for every other answer, and if there is none."""
        return number_of(self.value)

    @property
    def fraction(self) -> bool:
        """True of a number that people read in percent: a share, a relative change, an average of such."""
        shown = self.form is not None and self.form.scale is Scale.PERCENT and not self.unit
        return self.scale is Scale.ONE and (shown or self.metric_type in FRACTIONS)

    def __repr__(self) -> str:
        from quaestor.conversation.display import answer_line

        return answer_line(self)

    def _repr_html_(self) -> str:
        """Return it with its arithmetic as notebooks show it."""
        from quaestor.conversation.display import answer_html

        return answer_html(self)

    def __str__(self) -> str:
        """Return the value as people read it: `$ 48.65`, `14.1 %`, `yes`, `no answer`."""
        from quaestor.conversation.display import show_number

        return show_number(self)


_NEARLY_SURE = 0.99


def confidence_words(confidence: float | None) -> str:
    """Return how sure a solver is, or "" if it gives no confidence.

    >>> confidence_words(0.934)
    '93% sure'
    """
    return "" if confidence is None else f"{show_confidence(confidence)} sure"


def show_confidence(confidence: float) -> str:
    """Return a probability in words; no answer is wholly sure, and none impossible.

    >>> show_confidence(0.934), show_confidence(0.9961), show_confidence(0.001)
    ('93%', 'over 99%', 'under 1%')
    """
    if confidence > _NEARLY_SURE:
        return "over 99%"
    return f"{confidence:.0%}" if confidence >= 1 - _NEARLY_SURE else "under 1%"


_RANGE = 3
"""So many citations in a row are written as their first and last."""


@dataclass(frozen=True, slots=True)
class CitedPart:
    """Some of a sentence.

    Attributes:
        text: As it reads; "" of a mere citation.
        numbers: The places that it rests on, by their numbers from 1.
        assumed: Whether it is a number that neither the document nor the question has.
    """

    text: str
    numbers: tuple[int, ...] = ()
    assumed: bool = False

    @property
    def mark(self) -> str:
        """What is behind it: `[1, 2]`, `[assumed]`, or ""."""
        if self.assumed:
            return "[assumed]"
        return f"[{', '.join(_runs(self.numbers))}]" if self.numbers else ""


@dataclass(frozen=True, slots=True)
class CitedExplanation:
    """An explanation with its places.

    Attributes:
        sources: The places that are cited, in the order of their numbers.
        rest: The other places that its answer rests on.
    """

    sentences: tuple[tuple[CitedPart, ...], ...]
    sources: tuple[Source, ...]
    rest: tuple[Source, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentences with their marks, as in `Sales rose 14.1 % [1, 2].`."""
        return tuple(
            "".join(f"{part.text} {part.mark}" if part.mark else part.text for part in sentence).strip()
            for sentence in self.sentences
        )


def cite_explanation(answer: Answer) -> CitedExplanation | None:
    """Return the explanation of an answer with its places numbered; None if there is none, or no answer."""
    if answer.explanation is None or answer.value is None:
        return None
    sentences = answer.explanation.sentences
    cited = dict.fromkeys(source for one in sentences for reference in one.references for source in reference.sources)
    numbers = {source: number for number, source in enumerate(cited, start=1)}
    rest = tuple(source for source in dict.fromkeys(answer.sources) if source not in numbers)
    return CitedExplanation(tuple(tuple(_parts(one, numbers)) for one in sentences), tuple(cited), rest)


def sources_of(answer: Answer) -> tuple[Source, ...]:
    """Return every place that an answer and its explanation rest on, once; those that are cited first, by number."""
    cited = cite_explanation(answer)
    return tuple(dict.fromkeys(answer.sources)) if cited is None else (*cited.sources, *cited.rest)


def sentence_objects(answer: Answer) -> list[JsonValue]:
    """Return the sentences of an explanation as JSON: what spans of them rest on, places by their numbers from 1."""
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
        if text or part.mark != mark or any(map(str.isalnum, between)):  # what cites its own place cites it once
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
