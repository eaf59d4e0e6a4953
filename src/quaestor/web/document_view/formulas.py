"""The arithmetic of an answer, cut where its numbers are, each with the place that it was taken from."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quaestor.conversation.answer import Answer
from quaestor.core.provenance import Source
from quaestor.plan.steps import CellGroup, Compute, Extract, Plan, RowRef

# A number that is not part of a word, and no label of a group's entry (`{2009: 3}`).
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*:)(?!\w)")


@dataclass(frozen=True, slots=True)
class FormulaPart:
    """Some of a formula.

    Attributes:
        source: Where the number was taken from; None of a sign, a constant, a name.
    """

    text: str
    source: Source | None = None


def formula_parts(answer: Answer, earlier: Sequence[Answer] = ()) -> tuple[FormulaPart, ...]:
    """Return the formula of an answer in parts, which are the formula again when they are put together.

    Args:
        earlier: Those of the conversation before it: a formula writes out the ones that it uses.
    """
    waiting: dict[str, list[Source]] = defaultdict(list)
    for told in (answer, *reversed(earlier)):
        if told.plan is not None:
            for printed, source in _taken(told.plan):
                if source in answer.sources and source not in waiting[printed]:
                    waiting[printed].append(source)
    parts: list[FormulaPart] = []
    end = 0
    for match in _NUMBER.finditer(answer.formula):
        text = match[0]
        start = match.start()
        if text not in waiting and text.startswith("-"):  # a minus, and the number after it
            text, start = text[1:], start + 1
        if not (sources := waiting.get(text)):
            continue
        if start > end:
            parts.append(FormulaPart(answer.formula[end:start]))
        # Of two cells with one number the first stands first; after the last they begin again.
        parts.append(FormulaPart(text, sources[0]))
        sources.append(sources.pop(0))
        end = match.end()
    if end < len(answer.formula):
        parts.append(FormulaPart(answer.formula[end:]))
    return tuple(parts)


def _taken(plan: Plan) -> Iterator[tuple[str, Source]]:
    """Yield the numbers that a plan takes from the document, as a formula prints them."""
    for step in plan.steps:
        if isinstance(step, Extract):
            if step.number is not None:
                yield format(step.number, "f"), step.source
        elif isinstance(step, Compute):
            for operand in step.operands:
                if isinstance(operand, CellGroup | RowRef):
                    for quantity, source in zip(operand.values, operand.sources, strict=True):
                        yield format(quantity.value, "f"), source
