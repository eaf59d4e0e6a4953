"""Answers and documents in a terminal, rendered by `rich`. Imported only when needed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quaestor.conversation.answer import cite_explanation, confidence_words, show_confidence, sources_of
from quaestor.conversation.display import arithmetic, show_source
from quaestor.core.visible import visible
from quaestor.documents.document import Document
from quaestor.documents.shown import contents_words, table_line

if TYPE_CHECKING:
    from quaestor.library.answered import AnsweredQuestion

_PLACES, _TABLES = 8, 12


def answered_view(answered: "AnsweredQuestion") -> RenderableType:
    """Return the view of an answer: question, number, formula and sources."""
    answer = answered.answer
    cited = cite_explanation(answer)
    line = Text.assemble(("" if answer.kind == "explanation" else visible(answered.display), "bold"))
    if formula := arithmetic(answer):
        line.append(visible(f" = {formula}"))
    if words := confidence_words(answer.confidence):
        line.append(f"  {words}", "dim")
    sentences = [Text(visible(sentence)) for sentence in cited.lines] if cited is not None else []
    lines = [line, *sentences] if answer.kind != "explanation" else [*sentences, line]
    parts = [Text(visible(answered.question), "italic"), *filter(None, lines)]
    if answer.reason:
        parts.append(Text(visible(answer.reason), "yellow"))
    places = sources_of(answer)
    numbered = len(cited.sources) if cited is not None else 0
    most = max(_PLACES, numbered)
    for number, source in enumerate((show_source(place, answered.page) for place in places[:most]), start=1):
        mark = f"[{number}] " if number <= numbered else ""
        parts.append(Text(visible(f"  {mark}{source.place}: {source.span}"), "dim"))
    if (more := len(places) - most) > 0:
        parts.append(Text(f"  and {more} more", "dim"))
    return Group(*parts)


def answers_view(answers: "Sequence[AnsweredQuestion]") -> RenderableType:
    """Return a table with a row for each answer."""
    table = Table("question", "answer", "formula", "confidence", box=None, header_style="dim", padding=(0, 2, 0, 0))
    for answered in answers:
        answer = answered.answer
        formula = arithmetic(answer) if answer.value is not None else answer.reason or ""
        confidence = "" if answer.confidence is None else show_confidence(answer.confidence)
        cells = (answered.question, answered.display, formula, confidence)
        table.add_row(*(Text(visible(text), "bold" if place == 1 else "") for place, text in enumerate(cells)))
    return table


def opened_view(name: str, document: Document) -> RenderableType:
    """Return a summary of a document and its first tables."""
    lines = [Text(visible(name), "bold"), Text(contents_words(document), "dim")]
    lines += [Text(f"  {table_line(table)}") for table in document.tables[:_TABLES]]
    if (more := len(document.tables) - _TABLES) > 0:
        lines.append(Text(f"  and {more} more", "dim"))
    return Group(*lines)
