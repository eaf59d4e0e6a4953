"""Sentences that explain, each bound to steps of a plan: how they are written, and what they are filled in.

A template names steps where a sentence would have numbers: `{#3}` becomes what step 3 came to, as people are shown it;
`[#4]` cites step 4, and leaves no text. Owns this notation and the record of filled sentences; what a step comes to and
how it is printed is known to who fills them in.
"""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from pydantic import Discriminator, Field

from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import Source

MOST_SENTENCES = 6
"""The most sentences of an explanation."""

LONGEST_SENTENCE = 1000
"""The most characters of a sentence as it is written."""

FILLED_IN = "\ufffc"
"""What stands for a number that is filled in, where only the words of a sentence are read."""

_REFERENCE = lazy_regex(r"\{#(?P<filled>\d{1,4})\}| ?\[#(?P<cited>\d{1,4})\]", re.ASCII)


@dataclass(frozen=True, slots=True)
class Reference:
    """What a sentence takes from a step of the plan.

    Attributes:
        end: The character after the last one; of a citation, which has no text of its own, `start`.
        step: The number of the step, from 1.
        assumed: Whether it is a number that neither the document nor the question has, such as a threshold.
    """

    start: int
    end: int
    step: int
    sources: tuple[Annotated[Source, Discriminator("kind")], ...] = ()
    assumed: Annotated[bool, Field(exclude_if=operator.not_)] = False


@dataclass(frozen=True, slots=True)
class ExplainedSentence:
    """One sentence.

    Attributes:
        text: As people read it, its numbers filled in.
        references: In the order of the text; at least one.
    """

    text: str
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why or how, in one to six sentences."""

    sentences: tuple[ExplainedSentence, ...]

    @property
    def text(self) -> str:
        """All sentences, in one line."""
        return " ".join(sentence.text for sentence in self.sentences)


def steps_referred(template: str) -> tuple[int, ...]:
    """Return the steps that a sentence names, each once, in the order of the text.

    >>> steps_referred("Sales rose {#3} to {#1} [#2], [#1].")
    (3, 1, 2)
    """
    return tuple(dict.fromkeys(map(_step, _REFERENCE.finditer(template))))


def without_references(template: str) -> str:
    """Return the own words of a sentence, a sign in place of what is filled in.

    >>> without_references("Sales rose {#3} [#2].")
    'Sales rose \ufffc.'
    """
    return _REFERENCE.sub(lambda found: FILLED_IN if found["filled"] else "", template)


def fill_sentence(
    template: str,
    printed: Callable[[int], str],
    sources: Callable[[int], tuple[Source, ...]] = lambda _: (),
    assumed: Callable[[int], bool] = lambda _: False,
) -> ExplainedSentence:
    """Return a sentence with what its steps came to.

    >>> fill_sentence("Sales rose {#1}.", lambda step: "14.1 %").text
    'Sales rose 14.1 %.'

    Args:
        printed: What a step came to, as people are shown it.
        assumed: Whether a step is a number of nobody but who wrote the sentence.
    """
    template, text, at, references = template.strip(), "", 0, []
    for found in _REFERENCE.finditer(template):
        text += template[at : found.start()] if text else template[at : found.start()].lstrip()
        step, start = _step(found), len(text)
        text += printed(step) if found["filled"] else ""
        references.append(Reference(start, len(text), step, sources(step), assumed(step)))
        at = found.end()
    return ExplainedSentence(text + (template[at:] if text else template[at:].lstrip()), tuple(references))


def _step(found: re.Match[str]) -> int:
    return int(found["filled"] or found["cited"])
