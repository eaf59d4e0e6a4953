"""Conversations as CSV, JSON, Markdown, and a standalone HTML page without scripts or other files."""

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from pydantic import JsonValue

from quaestor.conversation.answer import (
    Answer,
    cite_explanation,
    confidence_words,
    sentence_objects,
    show_confidence,
    sources_of,
)
from quaestor.conversation.display import show_correction, show_entries, show_number
from quaestor.conversation.turn import Correction, NumberCorrection, Turn
from quaestor.core import serial
from quaestor.core.answer_value import value_to_plain, value_to_text
from quaestor.core.provenance import CellRef, Source
from quaestor.core.visible import escaped_in_json, html_text, visible
from quaestor.graph.facts import MentionFact, Observation
from quaestor.graph.knowledge_graph import KnowledgeGraph

COLUMNS = (
    "conversation", "turn", "question", "answer", "value", "scale", "unit", "kind", "formula", "sources", "confidence",
    "remark", "explanation",
)  # fmt: skip
_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; overflow-wrap: anywhere; }
ol { padding-left: 1.5rem; }
li { margin-bottom: 1.4rem; }
.answer { font-size: 1.25rem; font-weight: 600; overflow-wrap: anywhere; }
.explained { margin: 0.15rem 0 0.3rem; overflow-wrap: anywhere; }
.none { opacity: 0.7; }
.more { font-size: 0.9rem; opacity: 0.85; margin: 0.15rem 0; overflow-wrap: anywhere; }
.sources { font-size: 0.9rem; margin: 0.3rem 0; padding-left: 1.2rem; list-style: square; }
.sources li { margin: 0; overflow-wrap: anywhere; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_LEADING = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class ExportedConversation:
    """A conversation; `graph` and `turns` have the corrections applied."""

    id: str
    graph: KnowledgeGraph
    turns: tuple[Turn, ...]
    corrections: tuple[Correction, ...] = ()

    def note(self, source: Source) -> str | None:
        """Describe who corrected the number at a place, when and why; None if it was not corrected."""
        for one in reversed(self.corrections):
            if isinstance(one.act, NumberCorrection) and one.act.source == source:
                why = f" ({one.reason})" if one.reason else ""
                was = one.act.was.text if one.act.was is not None else "nothing"
                return f"corrected by {one.author} on {one.time:%Y-%m-%d %H:%M} UTC{why}, originally read as: {was}"
        return None


def to_csv(conversations: Sequence[ExportedConversation]) -> str:
    """Return CSV with a header and one line per question."""
    written = StringIO()
    lines = csv.writer(written, lineterminator="\n")
    lines.writerow(COLUMNS)
    for conversation in conversations:
        for number, turn in enumerate(conversation.turns, start=1):
            lines.writerow([_escape_formula(visible(words)) for words in _words(conversation, number, turn)])
    return written.getvalue()


def to_json(conversations: Sequence[ExportedConversation]) -> str:
    """Return JSON with one object per conversation, which has one object per question."""
    objects: list[JsonValue] = [
        {
            "conversation": conversation.id,
            "document": conversation.graph.document,
            "turns": [_object(turn, conversation) for turn in conversation.turns],
        }
        for conversation in conversations
    ]
    return escaped_in_json(json.dumps(objects, indent=2, ensure_ascii=False)) + "\n"


def to_markdown(conversations: Sequence[ExportedConversation]) -> str:
    """Return a Markdown table per conversation: question, answer, arithmetic, sources."""
    parts = []
    for conversation in conversations:
        lines = [
            f"## {markdown_cell(conversation.id)}",
            "",
            "| # | question | answer | arithmetic | sources |",
            "|---|---|---|---|---|",
        ]
        for number, turn in enumerate(conversation.turns, start=1):
            question, answer = turn.question, answer_words(turn.answer)
            formula, sources = turn.answer.formula, source_words(turn, conversation)
            if (text := show_correction(turn.answer)) is not None:
                answer = f"{answer} ({text})"
            lines.append(
                f"| {number} | {' | '.join(map(markdown_cell, (question, answer, formula, '; '.join(sources))))} |"
            )
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def to_html(conversations: Sequence[ExportedConversation]) -> str:
    """Return an HTML page with every question, its answer, the arithmetic and the sources."""
    sections = []
    for one in conversations:
        turns = "\n".join(_entry(turn, one) for turn in one.turns)
        sections.append(f"<section>\n<h1>{html_text(one.id)}</h1>\n<ol>\n{turns}\n</ol>\n</section>")
    parts = "\n".join(sections)
    title = html_text(conversations[0].id) if len(conversations) == 1 else f"{len(conversations)} conversations"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n{parts}\n</main>\n</body>\n</html>\n"
    )


def _entry(turn: Turn, conversation: ExportedConversation) -> str:
    answer = turn.answer
    sure = confidence_words(answer.confidence)
    lines = [answer.description, f"= {answer.formula}" if answer.formula and answer.value is not None else "", sure]
    more = "".join(f'<p class="more">{html_text(words)}</p>\n' for words in (*lines, remark_words(turn)) if words)
    sources = "".join(f"<li>{html_text(words)}</li>\n" for words in source_words(turn, conversation))
    listed = f'<ul class="sources">\n{sources}</ul>\n' if sources else ""
    css = "answer" if answer.value is not None else "answer none"
    explained = f'<p class="explained">{html_text(words)}</p>\n' if (words := explanation_words(answer)) else ""
    shown = f'<div class="{css}">{"<br>".join(map(html_text, show_entries(answer)))}</div>\n{explained}'
    if answer.kind == "explanation":
        shown = explained
    return f"<li><div>{html_text(turn.question)}</div>\n{shown.rstrip()}\n{more}{listed}</li>"


def source_words(turn: Turn, conversation: ExportedConversation) -> list[str]:
    """Describe the place of each number in an answer, with the printed text and any correction."""
    cited = cite_explanation(turn.answer)
    marked = len(cited.sources) if cited is not None else 0
    notes = ((source, conversation.note(source)) for source in sources_of(turn.answer))
    return [
        (f"[{number}] " if number <= marked else "")
        + source_text(source, conversation.graph)
        + (f" ({note})" if note else "")
        for number, (source, note) in enumerate(notes, start=1)
    ]


def explanation_words(answer: Answer) -> str:
    """Return the sentences of an explanation with their source marks, in one line; "" if there is none."""
    cited = cite_explanation(answer)
    return "" if cited is None else " ".join(cited.lines)


def answer_words(answer: Answer) -> str:
    """Return an answer as displayed, followed by its explanation."""
    explained = explanation_words(answer)
    if not explained or answer.kind == "explanation":
        return explained or show_number(answer)
    return f"{show_number(answer)}. {explained}"


def remark_words(turn: Turn) -> str:
    """Return why the answer is missing or doubtful, and who corrected it; "" if there is nothing to remark."""
    return "; ".join(filter(None, (turn.error or turn.answer.reason, show_correction(turn.answer))))


def fact_at(source: Source, graph: KnowledgeGraph) -> Observation | MentionFact | None:
    """Return the number at a place, or None."""
    facts: tuple[Observation | MentionFact, ...] = (*graph.observations, *graph.mentions)
    return next((fact for fact in facts if fact.source == source), None)


def source_text(source: Source, graph: KnowledgeGraph) -> str:
    """Describe a place: `net sales | 2012 | $ 642.3`, or the sentence with the number in brackets."""
    found = fact_at(source, graph)
    if isinstance(found, Observation):
        return f"{found.label} | {found.quantity.text}"
    if isinstance(found, MentionFact):
        text = found.sentence
        return f"{text[: found.source.start]}[{text[found.source.start : found.source.end]}]{text[found.source.end :]}"
    if isinstance(source, CellRef):
        return f"table {source.table + 1}, row {source.row + 1}, column {source.column + 1}"
    heading = next(iter(graph.path_of(source.section)[-1:]), source.section.replace("_", " "))
    return f"{heading}, sentence {source.sentence + 1}"


def _words(conversation: ExportedConversation, number: int, turn: Turn) -> tuple[str, ...]:
    answer = turn.answer
    return (
        conversation.id,
        str(number),
        turn.question,
        show_number(answer),
        "" if answer.value is None else value_to_text(answer.value),
        answer.scale.value if answer.value is not None else "",
        answer.unit or "",
        answer.kind,
        answer.formula if answer.value is not None else "",
        "; ".join(source_words(turn, conversation)),
        "" if answer.confidence is None else show_confidence(answer.confidence),
        remark_words(turn),
        explanation_words(answer),
    )


def _object(turn: Turn, conversation: ExportedConversation) -> dict[str, JsonValue]:
    answer = turn.answer
    fields: dict[str, JsonValue] = {
        "question": turn.question,
        "answer": show_number(answer),
        "value": None if answer.value is None else value_to_plain(answer.value),
        "scale": answer.scale.value,
        "unit": answer.unit,
        "kind": answer.kind,
        "formula": answer.formula if answer.value is not None else None,
        "sources": list(source_words(turn, conversation)),
        "confidence": answer.confidence,
        "reason": turn.error or answer.reason,
    }
    if sentences := sentence_objects(answer):
        fields |= {"explanation": sentences}
    return fields | ({"corrected": serial.dump(answer.corrected)} if answer.corrected is not None else {})


def _escape_formula(words: str) -> str:
    """Return text that spreadsheet programs do not run as a formula: an apostrophe precedes a leading sign."""
    if not words.startswith(_LEADING):
        return words
    try:
        float(words)
    except ValueError:
        return f"'{words}"
    return words


def markdown_cell(words: str) -> str:
    """Return text for a cell of a Markdown table: on one line, with special characters escaped."""
    words = visible(words)
    words = words.replace("&", "&amp;").replace("<", "&lt;")
    for sign in ("\\", "|", "`", "[", "*", "_"):
        words = words.replace(sign, f"\\{sign}")
    return " ".join(words.split())
