"""Template values for the page of a turn."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from quaestor.application.run_views import TurnDetail
from quaestor.conversation.answer import cite_explanation, sources_of
from quaestor.conversation.display import show_number
from quaestor.conversation.events import ToolCalled
from quaestor.conversation.references.expressions import References
from quaestor.core.answer_value import print_value
from quaestor.core.provenance import CellRef, Source
from quaestor.exports.rows import source_text
from quaestor.scoring.verdicts import TurnScore
from quaestor.web.ask.cards import ShownPlace, place_of_source
from quaestor.web.document_view import Paper, part_view
from quaestor.web.runs.drawing import draw, step_words

_CONTEXT = 160
"""Characters of a sentence shown on each side of a number."""

_MAX_CANDIDATES = 2

_MAX_PARTS = 4
"""Maximum number of document parts shown."""


def turn_values(found: TurnDetail) -> dict[str, Any]:
    """Return the template values for a turn."""
    record, answer = found.record, found.turn.answer
    indexes = [turn.number - 1 for turn in found.conversation]

    def address(index: int) -> str:
        return f"/runs/{quote(record.run)}/turns/{index + 1}/{quote(record.conversation)}"

    def places(sources: Sequence[Source]) -> list[ShownPlace]:
        return [_place(source, found) for source in sources]

    by_key = {node.key: node for node in found.nodes}
    return {
        "found": found,
        "record": record,
        "shown": show_number(answer) if answer.value is not None or record.status == "complete" else "…",
        "verdict": found.verdict,
        "reference_words": _reference_words(found.reference) if found.reference else "",
        "referred": _describe_references(found.turn.references, record.question),
        "drawing": draw(found.nodes) if found.nodes else None,
        "plan_steps": [(node, step_words(node, by_key)) for node in found.nodes],
        "places": places,
        "source_places": places(sources_of(answer)),
        "cited": cite_explanation(answer),
        "events": [event for event in found.turn.events if not isinstance(event, ToolCalled)],
        "turn_address": address,
        **_document_values(found),
        "before": address(record.index - 1) if record.index - 1 in indexes else None,
        "after": address(record.index + 1) if record.index + 1 in indexes else None,
    }


def _document_values(found: TurnDetail) -> dict[str, Any]:
    """Return the parts of the document that contain sources of the answer, or else the first part."""
    if found.document is None:
        return {"parts": [], "parts_left": 0}
    paper, used = Paper(found.document), frozenset(sources_of(found.turn.answer))
    numbers = sorted({number for source in used if (number := _part_of(paper, source)) is not None})[:_MAX_PARTS]
    shown = [paper.parts[number] for number in numbers] or list(paper.parts[:1])
    left = len(paper.parts) - len(shown)
    return {"parts": [(part, part_view(paper, part, used)) for part in shown], "parts_left": left}


def _part_of(paper: Paper, source: Source) -> int | None:
    try:
        return paper.part_of(source)
    except LookupError:
        return None  # imported runs may cite places that do not exist


def _place(source: Source, found: TurnDetail) -> ShownPlace:
    if found.document is not None:
        with suppress(LookupError):  # imported runs may cite places that do not exist
            return place_of_source(source, found.document, _CONTEXT)
    if found.graph is not None:
        return ShownPlace(source_text(source, found.graph), "", "", "")
    where = f"table {source.table + 1}" if isinstance(source, CellRef) else source.section
    return ShownPlace(where, "", "", "")


def _reference_words(reference: TurnScore) -> str:
    if reference.display is not None:
        return reference.display
    if reference.kind.filing is not None:
        return str(reference.kind.filing.wanted)
    if reference.kind.stated is not None:
        stated = reference.kind.stated.answer
        return " ".join(part for part in ("; ".join(stated.spans), stated.scale) if part)
    return print_value(reference.gold)


def _describe_references(references: References, question: str) -> list[str]:
    lines = []
    for expression in references.expressions:
        means = [
            f"turn {candidate.turn + 1} ({candidate.score:.0%}: {candidate.reason})"
            for candidate in expression.candidates[:_MAX_CANDIDATES]
        ]
        if expression.means:
            means.insert(0, expression.means)
        text = "the whole question" if expression.text == question else f"“{expression.text}”"
        lines.append(f"{text}: {', or '.join(means) if means else 'nothing earlier'}")
    return lines
