"""Sentence templates of explanations, which refer to steps of a plan, and the sentences made from them.

In a template, `{#3}` is replaced by the printed result of step 3; `[#4]` cites step 4 and leaves no text.
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
"""Maximum number of sentences of an explanation."""

LONGEST_SENTENCE = 1000
"""Maximum number of characters of a template."""

FILLED_IN = "\ufffc"
"""Placeholder of a filled-in number in the output of `without_references`."""

_REFERENCE = lazy_regex(r"\{#(?P<filled>\d{1,4})\}| ?\[#(?P<cited>\d{1,4})\]", re.ASCII)


@dataclass(frozen=True, slots=True)
class Reference:
    """Reference of a sentence to a step of the plan.

    Attributes:
        start: First character of the filled-in text in the sentence.
        end: The character after the last one; equals `start` for a citation, which has no text.
        step: The number of the step, from 1.
        assumed: Whether the number is in neither the document nor the question, such as a threshold.
    """

    start: int
    end: int
    step: int
    sources: tuple[Annotated[Source, Discriminator("kind")], ...] = ()
    assumed: Annotated[bool, Field(exclude_if=operator.not_)] = False


@dataclass(frozen=True, slots=True)
class ExplainedSentence:
    """Sentence of an explanation.

    Attributes:
        text: The sentence with its numbers filled in.
        references: In the order of the text; at least one.
    """

    text: str
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Explanation of why or how, in one to six sentences."""

    sentences: tuple[ExplainedSentence, ...]

    @property
    def text(self) -> str:
        """All sentences on one line."""
        return " ".join(sentence.text for sentence in self.sentences)


def steps_referred(template: str) -> tuple[int, ...]:
    """Return the steps that a template refers to, each once, in the order of the text.

    >>> steps_referred("Sales rose {#3} to {#1} [#2], [#1].")
    (3, 1, 2)
    """
    return tuple(dict.fromkeys(map(_step, _REFERENCE.finditer(template))))


def without_references(template: str) -> str:
    """Return a template with `FILLED_IN` in place of its results, and without citations.

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
    """Fill the results of steps into a template.

    >>> fill_sentence("Sales rose {#1}.", lambda step: "14.1 %").text
    'Sales rose 14.1 %.'

    Args:
        printed: Returns the printed result of a step.
        sources: Returns the places in the document that a step uses.
        assumed: Returns whether the number of a step is in neither the document nor the question.
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
