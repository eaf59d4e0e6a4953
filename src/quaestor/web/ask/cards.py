"""Turns as cards: what is answered, by what arithmetic, how surely, from where; and what is behind it."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from quaestor.conversation.answer import (
    Answer,
    CitedExplanation,
    cite_explanation,
    sources_of,
)
from quaestor.conversation.display import (
    arithmetic,
    locate_source,
    show_source,
)
from quaestor.conversation.turn import Turn
from quaestor.core.provenance import SentenceRef, Source
from quaestor.plan.steps import CellGroup, Compute, Extract, Plan, RowRef
from quaestor.web.document_view.parts import Paper, source_key

_AROUND = 70
"""Characters of a sentence that are shown on each side of a number."""

_MOST_SOURCES = 12


@dataclass(frozen=True, slots=True)
class ShownPlace:
    """Where a number is, in words.

    Attributes:
        before: What is printed before the number; `after` behind it.
        key: The id of the element that shows it, or "".
        part: The part of the document that it is in.
        where: The headings over it, or "".
    """

    place: str
    before: str
    text: str
    after: str
    key: str = ""
    part: int = 0
    where: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A turn with its places.

    Attributes:
        cited: Its explanation; None if there is none.
        formula: In pieces, numbers of the document with their places; empty of what was merely looked up.
        places: Where its numbers are; those that the explanation cites are first, in the order of their numbers.
        more_places: How many others there are.
    """

    number: int
    turn: Turn
    cited: CitedExplanation | None
    formula: tuple[tuple[str, ShownPlace | None], ...]
    places: tuple[ShownPlace, ...]
    more_places: int


def cards(turns: Sequence[Turn], paper: Paper, first: int = 0) -> list[Card]:
    """Return the cards of a conversation.

    Args:
        first: From which turn on, from 0.
    """
    return [_card(turns, index, paper) for index in range(first, len(turns))]


def place_of_source(source: Source, paper: Paper) -> ShownPlace:
    """Return a source as somewhere to go to."""
    document = paper.document
    shown = show_source(source, document)
    where = "" if document.is_page else locate_source(source, document).words
    before = after = ""
    if isinstance(source, SentenceRef):
        before, after = shown.around(_AROUND, "…")
    return ShownPlace(shown.place, before, shown.span, after, source_key(source), paper.part_of(source), where)


def _card(turns: Sequence[Turn], index: int, paper: Paper) -> Card:
    turn = turns[index]
    cited, sources = cite_explanation(turn.answer), sources_of(turn.answer)
    most = max(_MOST_SOURCES, len(cited.sources) if cited is not None else 0)
    parts = formula_parts(turn.answer, [one.answer for one in turns[:index]]) if arithmetic(turn.answer) else ()
    return Card(
        number=index + 1,
        turn=turn,
        cited=cited,
        formula=tuple(
            (_group_digits(text), place_of_source(source, paper)) if source else (text, None) for text, source in parts
        ),
        places=tuple(place_of_source(source, paper) for source in sources[:most]),
        more_places=max(0, len(sources) - most),
    )


def _group_digits(number: str) -> str:
    """A number with separators between its thousands."""
    return f"{Decimal(number):,}"


# A number that is not part of a word, and no label of a group's entry (`{2009: 3}`).
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*:)(?!\w)")


def formula_parts(answer: Answer, earlier: Sequence[Answer] = ()) -> tuple[tuple[str, Source | None], ...]:
    """Return the formula of an answer in parts, which are the formula again when they are put together.

    Each part has its text, and where the number was taken from; None of a sign, a constant, a name.

    Args:
        earlier: Those of the conversation before it: a formula writes out the ones that it uses.
    """
    waiting: dict[str, list[Source]] = defaultdict(list)
    for one in (answer, *reversed(earlier)):
        if one.plan is not None:
            for printed, source in _printed_numbers(one.plan):
                if source in answer.sources and source not in waiting[printed]:
                    waiting[printed].append(source)
    parts: list[tuple[str, Source | None]] = []
    end = 0
    for match in _NUMBER.finditer(answer.formula):
        text = match[0]
        start = match.start()
        if text not in waiting and text.startswith("-"):  # a minus, and the number after it
            text, start = text[1:], start + 1
        if not (sources := waiting.get(text)):
            continue
        if start > end:
            parts.append((answer.formula[end:start], None))
        # Of two cells with one number the first stands first; after the last they begin again.
        parts.append((text, sources[0]))
        sources.append(sources.pop(0))
        end = match.end()
    if end < len(answer.formula):
        parts.append((answer.formula[end:], None))
    return tuple(parts)


def _printed_numbers(plan: Plan) -> Iterator[tuple[str, Source]]:
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
