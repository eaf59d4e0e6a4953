"""Answers as Python shows them: in one line, and as elements for a notebook, with the tables that they come from."""

from collections.abc import Iterator

from quaestor.conversation.answer import Answer
from quaestor.conversation.cited import CitedPart, cite_explanation, sources_of
from quaestor.conversation.display import (
    confidence_words,
    show_correction,
    show_entries,
    show_number,
    show_source,
    whereabouts,
)
from quaestor.conversation.turn import Turn
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.core.visible import html_text, visible
from quaestor.documents.document import Document
from quaestor.documents.shown import boxed, marked_text, shortened, table_html
from quaestor.plan.steps import Compute, Extract

_TABLES, _SENTENCES, _PLACES = 3, 4, 8
"""The most of each that is shown with an answer."""


def answer_line(answer: Answer) -> str:
    """Return an answer in one line: `<$ 20.70 = 48.65 - 27.95, 93% sure>`."""
    formula = f" = {shortened(words, 120)}" if (words := arithmetic(answer)) else ""
    sure = f", {words}" if (words := confidence_words(answer.confidence)) else ""
    return visible(f"<{shortened(show_number(answer))}{formula}{sure}>")


def answer_html(answer: Answer) -> str:
    """Return an answer with its arithmetic, as elements."""
    return boxed("<p>", _value(answer), "</p>")


def turn_html(turn: Turn, document: Document) -> str:
    """Return a question with its answer, and the tables and sentences that it comes from, as elements."""
    asked = f'<p style="margin:.3em 0"><i>{html_text(turn.question)}</i><br>{_value(turn.answer)}</p>'
    cited = cite_explanation(turn.answer)
    return boxed(asked, *_grounds(sources_of(turn.answer), document, len(cited.sources) if cited is not None else 0))


def arithmetic(answer: Answer) -> str:
    """Return the formula of an answer that is computed; "" of one that is looked up or is words of the document."""
    if answer.value is None or " " not in answer.formula:
        return ""
    if answer.plan is None:  # of another program
        return answer.formula
    taken = [step for step in answer.plan.steps if isinstance(step, Extract)]
    words = bool(taken) and all(step.text is not None for step in taken)
    computed = any(isinstance(step, Compute) for step in answer.plan.steps)
    return answer.formula if computed and not words else ""


def explanation_html(answer: Answer) -> str:
    """Return the sentences of an explanation with their marks, as an element; "" if there is none."""
    cited = cite_explanation(answer)
    if cited is None:
        return ""
    parts = (part for sentence in cited.sentences for part in (*sentence, CitedPart(" ")))
    return "".join(html_text(part.text) + (f"<sup>{part.mark}</sup>" if part.mark else "") for part in parts).strip()


def _value(answer: Answer) -> str:
    formula = f" = {html_text(shortened(words, 300))}" if (words := arithmetic(answer)) else ""
    said = [confidence_words(answer.confidence), answer.reason or "", show_correction(answer) or ""]
    small = "".join(f"<br><small>{html_text(words)}</small>" for words in said if words)
    explained = explanation_html(answer)
    if answer.kind == "explanation":
        return f"{explained}{small}"
    told = f"<br>{explained}" if explained else ""
    return f'<b style="font-size:1.25em">{"<br>".join(map(html_text, show_entries(answer)))}</b>{formula}{told}{small}'


def _grounds(sources: tuple[Source, ...], document: Document, cited: int) -> Iterator[str]:
    cells = [source for source in sources if isinstance(source, CellRef)]
    for index in list(dict.fromkeys(cell.table for cell in cells))[:_TABLES]:
        marked = [cell for cell in cells if cell.table == index]
        yield table_html(document.table(index), marked, _caption(marked[0], document))
    sentences: dict[tuple[str, int], list[SentenceRef]] = {}
    for source in sources:
        if isinstance(source, SentenceRef):
            sentences.setdefault((source.section, source.sentence), []).append(source)
    for found in list(sentences.values())[:_SENTENCES]:
        text = marked_text(document.sentence(found[0]).text, [(source.start, source.end) for source in found])
        where = html_text(shortened(whereabouts(found[0], document).words))
        yield f'<p style="margin:.3em 0">{f"<small>{where}</small><br>" if where else ""}{text}</p>'
    yield _places(sources, document, cited)


def _caption(cell: CellRef, document: Document) -> str:
    where, table = whereabouts(cell, document).words, document.table(cell.table)
    return shortened(where or table.title or table.caption)


def _places(sources: tuple[Source, ...], document: Document, cited: int) -> str:
    """The places in words too: a mark is not read out, and what is beyond the most is not shown."""
    shown = [show_source(source, document) for source in sources[: max(_PLACES, cited)]]
    listed = [
        f"{f'[{number}] ' if number <= cited else ''}{shortened(source.place, 80)}: {shortened(source.span, 60)}"
        for number, source in enumerate(shown, start=1)
    ]
    if (more := len(sources) - len(shown)) > 0:
        listed.append(f"{more} more")
    return f"<small>from {html_text('; '.join(listed))}</small>" if listed else ""
