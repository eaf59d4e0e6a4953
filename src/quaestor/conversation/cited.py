"""Explanations as people read them: every number and claim with the numbers of the places that it rests on."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from quaestor.conversation.answer import Answer
from quaestor.core.explanation import ExplainedSentence
from quaestor.core.provenance import Source

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
        rest: The other places that the answer beside it rests on.
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
        if text or part.mark != mark or any(map(str.isalnum, between)):  # what cites its own place says it once
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
