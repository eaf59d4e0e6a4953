"""Turns as cards: the answer, its formula, confidence and sources."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from quaestor.conversation.answer import Answer, CitedExplanation, cite_explanation, sources_of
from quaestor.conversation.display import arithmetic, locate_source, show_source
from quaestor.conversation.turn import Turn
from quaestor.core.provenance import SentenceRef, Source
from quaestor.documents.document import Document
from quaestor.plan.steps import CellGroup, Compute, Extract, Plan, RowRef
from quaestor.web.document_view import Paper, source_key

_CONTEXT = 70
"""Characters of a sentence shown on each side of a number."""

_MAX_SOURCES = 12


@dataclass(frozen=True, slots=True)
class ShownPlace:
    """The place of a number, for display."""

    place: str
    before: str
    text: str
    after: str
    key: str = ""
    part: int = 0
    where: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A turn with its sources."""

    number: int
    turn: Turn
    cited: CitedExplanation | None
    formula: tuple[tuple[str, ShownPlace | None], ...]
    places: tuple[ShownPlace, ...]
    more_places: int


def cards(turns: Sequence[Turn], paper: Paper, first: int = 0) -> list[Card]:
    """Return the cards of a conversation."""
    return [_card(turns, index, paper) for index in range(first, len(turns))]


def place_of_source(source: Source, document: Document, context: int) -> ShownPlace:
    """Return a place with at most `context` characters of its text on each side of the number."""
    shown = show_source(source, document)
    before, after = shown.surrounding_text(context, "…")
    return ShownPlace(shown.place, before, shown.span, after, source_key(source))


def _linked(source: Source, paper: Paper) -> ShownPlace:
    where = "" if paper.document.is_page else locate_source(source, paper.document).words
    place = place_of_source(source, paper.document, _CONTEXT)
    after = place.after if isinstance(source, SentenceRef) else ""
    return replace(place, after=after, part=paper.part_of(source), where=where)


def _card(turns: Sequence[Turn], index: int, paper: Paper) -> Card:
    turn = turns[index]
    cited, sources = cite_explanation(turn.answer), sources_of(turn.answer)
    most = max(_MAX_SOURCES, len(cited.sources) if cited is not None else 0)
    parts = formula_parts(turn.answer, [one.answer for one in turns[:index]]) if arithmetic(turn.answer) else ()
    return Card(
        number=index + 1,
        turn=turn,
        cited=cited,
        formula=tuple(
            (f"{Decimal(text):,}", _linked(source, paper)) if source else (text, None) for text, source in parts
        ),
        places=tuple(_linked(source, paper) for source in sources[:most]),
        more_places=max(0, len(sources) - most),
    )


# Matches a number that is neither part of a word nor the key of a group entry (`{2009: 3}`).
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*:)(?!\w)")


def formula_parts(answer: Answer, earlier: Sequence[Answer] = ()) -> tuple[tuple[str, Source | None], ...]:
    """Split the formula of an answer into parts; joined, they are the formula again.

    Each part has its text and the source of its number; None for signs, constants and names.
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
        if text not in waiting and text.startswith("-"):  # a minus sign followed by the number
            text, start = text[1:], start + 1
        if not (sources := waiting.get(text)):
            continue
        if start > end:
            parts.append((answer.formula[end:start], None))
        # Cells with the same number are used in order, and again from the first after the last.
        parts.append((text, sources[0]))
        sources.append(sources.pop(0))
        end = match.end()
    if end < len(answer.formula):
        parts.append((answer.formula[end:], None))
    return tuple(parts)


def _printed_numbers(plan: Plan) -> Iterator[tuple[str, Source]]:
    """Yield the numbers that a plan takes from the document, formatted as in the formula."""
    for step in plan.steps:
        if isinstance(step, Extract):
            if step.number is not None:
                yield format(step.number, "f"), step.source
        elif isinstance(step, Compute):
            for operand in step.operands:
                if isinstance(operand, CellGroup | RowRef):
                    for quantity, source in zip(operand.values, operand.sources, strict=True):
                        yield format(quantity.value, "f"), source
