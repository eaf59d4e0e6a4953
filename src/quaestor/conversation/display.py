"""Display of answers."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Context, Decimal

from quaestor.conversation.answer import Answer, CitedPart, cite_explanation, confidence_words, sources_of
from quaestor.conversation.turn import Turn
from quaestor.core.answer_value import ValueList, numbers_of_value, print_value
from quaestor.core.currencies import is_currency, sign_of
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.core.quantity import Scale
from quaestor.core.visible import html_text, visible
from quaestor.documents.combining import file_of
from quaestor.documents.document import Document
from quaestor.documents.shown import marked_text, shorten_text, table_html, wrap_for_notebook
from quaestor.documents.table import Header, Table
from quaestor.plan.steps import Compute, Constant
from quaestor.questions.instructions import RequestedForm

_DIGITS = 60
_CONVERTERS = frozenset({Decimal(10) ** power for power in (3, 4, 6, 9)})
_SECTIONS_SHOWN = 2
"""The innermost headings are the most informative; the JSON has all."""


@dataclass(frozen=True, slots=True)
class ShownSource:
    """The place of a number, in words.

    Attributes:
        place: `row | column` of a cell; section and number of a sentence.
        start: The start of the number's span in `text`.
        end: The character after the span.
    """

    place: str
    text: str
    start: int
    end: int

    @property
    def span(self) -> str:
        """The text of the span."""
        return self.text[self.start : self.end]

    def surrounding_text(self, most: int, dots: str) -> tuple[str, str]:
        """Return the text before and after the span in whole words, `dots` for what is cut off."""
        before, after = self.text[: self.start], self.text[self.end :]
        if len(before) > most:
            before = f"{dots} {before[-most:].partition(' ')[2]}"
        if len(after) > most:
            after = f"{after[:most].rpartition(' ')[0]} {dots}"
        return before, after


def show_number(answer: Answer) -> str:
    """Format an answer's value with its unit and scale, rounded for reading.

    Units: a percentage, a percentage change, and a ratio of like numbers between -1 and 1 are shown as a percentage.
    """
    if answer.value is None:
        return "no answer"
    return print_value(
        answer.value,
        lambda number: _amount(number, answer),
        lambda number, scale, unit: _amount(number, replace(answer, scale=scale, unit=unit)),
    )


def show_entries(answer: Answer) -> tuple[str, ...]:
    """Format an answer like `show_number`, with each entry of a list separately."""
    if not isinstance(answer.value, ValueList) or not answer.value.items:
        return (show_number(answer),)
    return tuple(show_number(replace(answer, value=ValueList((item,)))) for item in answer.value.items)


def _amount(value: Decimal, answer: Answer) -> str:
    """Format a number with the answer's unit and scale, or in the form that the question asks for."""
    scale, unit = answer.scale, answer.unit
    form = answer.form or RequestedForm()
    if _as_percentage(value, answer):
        return f"{_rounded(value * 100, form, 1)} %"
    if scale is Scale.PERCENT:
        return f"{_rounded(value, form, 4)} %"
    if form.scale not in (None, Scale.PERCENT) and (scale is not Scale.ONE or answer.in_ones):
        asked_for = value * scale.factor / form.scale.factor
        if not _rounds_to_nothing(asked_for, form):
            value, scale = asked_for, form.scale
    elif scale.factor > 1 and abs(value) < 1 and (last := _find_last(answer)) and last.operation == "divide":
        value, scale = value * scale.factor, Scale.ONE  # an amount per share
    whole = _is_in_other_scale(answer) and value == value.to_integral_value()
    shown = value.to_integral_value() if whole else value
    words = [_rounded(shown, form, 2 if answer.metric_type == "ratio" else 4)]
    if scale is not Scale.ONE:
        words.append(scale.value)
    if unit:
        sign = sign_of(unit)
        words = [sign, *words] if sign else [unit, *words] if is_currency(unit) else [*words, unit]
    return " ".join(words)


def _rounds_to_nothing(value: Decimal, form: RequestedForm) -> bool:
    """Return whether rounding reduces a number to zero, such as $ 2.63 a share in millions."""
    return bool(value) and form.decimals is not None and abs(value) < Decimal(1).scaleb(-form.decimals) / 2


def _is_in_other_scale(answer: Answer) -> bool:
    """Return whether an answer multiplies a result by a thousand or a similar factor, to give it in another scale."""
    last = _find_last(answer)
    if last is None or last.operation != "multiply":
        return False
    return any(isinstance(operand, Constant) and operand.value in _CONVERTERS for operand in last.operands)


def _find_last(answer: Answer) -> Compute | None:
    last = answer.plan.steps[-1] if answer.plan is not None else None
    return last if isinstance(last, Compute) else None


def is_shown_as_percentage(answer: Answer) -> bool:
    """Return whether an answer's number, or each of a list, is displayed times a hundred: 0.1414 as `14.1 %`."""
    numbers = numbers_of_value(answer.value)
    items = answer.value.items if isinstance(answer.value, ValueList) else ()
    plain = all(item.number is not None and item.scale is None for item in items)
    return bool(numbers) and plain and all(_as_percentage(number, answer) for number in numbers)


def _as_percentage(value: Decimal, answer: Answer) -> bool:
    ratio = answer.metric_type == "ratio" and answer.scale is Scale.ONE and not answer.unit and abs(value) <= 1
    return answer.fraction or ratio


def show_source(source: Source, document: Document) -> ShownSource:
    """Describe the place of a number."""
    if isinstance(source, SentenceRef):
        section = (not document.is_page and document.section(source).title) or source.section.replace("_", " ")
        return ShownSource(
            f"{section}, sentence {source.sentence + 1}", document.sentence(source).text, source.start, source.end
        )
    cell, (row, column) = document.cell(source), labels_of(source, document)
    text = cell.text if cell.misread is None else f"{cell.text} (corrected; read as {cell.misread or 'nothing'})"
    return ShownSource(f"{row} | {column}", text, 0, len(cell.text))


def show_correction(answer: Answer) -> str | None:
    """Describe the correction of an answer, with the previous value; None if it was not corrected.

    >>> from datetime import UTC, datetime
    >>> from quaestor.conversation.answer import Corrected
    >>> made = Corrected("14.1 %", "Ada", datetime(2026, 11, 22, 15, 4, tzinfo=UTC), 1, "misread")
    >>> show_correction(Answer(None, corrected=made))
    'corrected by Ada on 2026-11-22 15:04 UTC: misread (was 14.1 %)'
    """
    corrected, note = answer.corrected, correction_note(answer)
    return f"{note} (was {corrected.was})" if corrected is not None else None


def correction_note(answer: Answer) -> str | None:
    """Describe the correction of an answer; None if it was not corrected."""
    corrected = answer.corrected
    if corrected is None:
        return None
    why = f": {corrected.reason}" if corrected.reason else ""
    return f"corrected by {corrected.author} on {corrected.made:%Y-%m-%d %H:%M} UTC{why}"


def labels_of(source: Source, document: Document) -> tuple[str | None, str | None]:
    """Return the labels of a cell's row and column; None for both if the source is a sentence."""
    if isinstance(source, SentenceRef):
        return None, None
    table = document.table(source.table)
    row = _heading(table.rows[source.row]) or f"row {source.row + 1}"
    return row, _heading(table.columns[source.column]) or f"column {source.column + 1}"


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """The place of a source in a file.

    Attributes:
        file: The name of the file; None if there is only one.
        page: The page number, from 1 as viewers count, or None if unknown.
        section: The headings above it in the file, outermost first.
        title: The printed title of a table, or "".
        anchor: See `Block.anchor`.
    """

    file: str | None
    page: int | None
    section: tuple[str, ...]
    title: str
    anchor: str | None

    @property
    def words(self) -> str:
        """The place in one line: `page 30, Notes > 7. Debt`; "" if unknown."""
        section = self.section[-_SECTIONS_SHOWN:]
        if self.title and self.title.casefold() not in (heading.casefold() for heading in section):
            section = (*section, self.title)
        page = f"page {self.page}" if self.page is not None else None
        return ", ".join(part for part in (self.file, page, " > ".join(section)) if part)


def locate_source(source: Source, document: Document) -> SourceLocation:
    """Locate a source in its file."""
    block, path, file = document.block(source), document.section(source).path, file_of(document, source)
    title = " ".join(block.content.title.split()) if isinstance(block.content, Table) else ""
    return SourceLocation(file, block.page, path if file is None else path[1:], title, block.anchor)


def _heading(header: Header) -> str:
    return " > ".join(level for level in header.levels if level) or header.label


def _rounded(value: Decimal, form: RequestedForm, places: int) -> str:
    """Format a value with the decimals asked for, else with at most `places`."""
    if form.decimals is None:
        return _digits(value, places)
    return f"{value.quantize(Decimal(1).scaleb(-form.decimals), ROUND_HALF_UP, Context(prec=2 * _DIGITS)):,f}"


def _digits(value: Decimal, places: int) -> str:
    """Format a value with thousands separators and at most `places` decimals; more if it would round to zero."""
    places = max(places, 1 - value.adjusted()) if value else places
    shown = max(-int(value.as_tuple().exponent), 0)
    if shown > places:
        value = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, Context(prec=_DIGITS + places))
    return f"{value:,f}"


_TABLES, _SENTENCES, _PLACES = 3, 4, 8
"""Limits of each shown with an answer."""


def answer_line(answer: Answer) -> str:
    """Format an answer in one line: `<$ 20.70 = 48.65 - 27.95, 93% sure>`."""
    formula = f" = {shorten_text(words, 120)}" if (words := arithmetic(answer)) else ""
    sure = f", {words}" if (words := confidence_words(answer.confidence)) else ""
    return visible(f"<{shorten_text(show_number(answer))}{formula}{sure}>")


def answer_html(answer: Answer) -> str:
    """Render an answer with its arithmetic as HTML."""
    return wrap_for_notebook("<p>", _value(answer), "</p>")


def turn_html(turn: Turn, document: Document) -> str:
    """Render a question with its answer and the tables and sentences that it comes from as HTML."""
    heading = f'<p style="margin:.3em 0"><i>{html_text(turn.question)}</i><br>{_value(turn.answer)}</p>'
    cited = cite_explanation(turn.answer)
    return wrap_for_notebook(
        heading, *_grounds(sources_of(turn.answer), document, len(cited.sources) if cited is not None else 0)
    )


def arithmetic(answer: Answer) -> str:
    """Return the formula of a computed answer; "" for one that is looked up or is text."""
    if answer.value is None or " " not in answer.formula:
        return ""
    if answer.plan is None:  # answer of another program
        return answer.formula
    extracts = answer.plan.extracts
    words = bool(extracts) and all(step.text is not None for step in extracts)
    return answer.formula if answer.plan.computes and not words else ""


def explanation_html(answer: Answer) -> str:
    """Render an explanation with citation marks as HTML; "" if there is none."""
    cited = cite_explanation(answer)
    if cited is None:
        return ""
    parts = (part for sentence in cited.sentences for part in (*sentence, CitedPart(" ")))
    return "".join(html_text(part.text) + (f"<sup>{part.mark}</sup>" if part.mark else "") for part in parts).strip()


def _value(answer: Answer) -> str:
    formula = f" = {html_text(shorten_text(words, 300))}" if (words := arithmetic(answer)) else ""
    remarks = [confidence_words(answer.confidence), answer.reason or "", show_correction(answer) or ""]
    small = "".join(f"<br><small>{html_text(words)}</small>" for words in remarks if words)
    explained = explanation_html(answer)
    if answer.kind == "explanation":
        return f"{explained}{small}"
    more = f"<br>{explained}" if explained else ""
    return f'<b style="font-size:1.25em">{"<br>".join(map(html_text, show_entries(answer)))}</b>{formula}{more}{small}'


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
        where = html_text(shorten_text(locate_source(found[0], document).words))
        yield f'<p style="margin:.3em 0">{f"<small>{where}</small><br>" if where else ""}{text}</p>'
    yield _places(sources, document, cited)


def _caption(cell: CellRef, document: Document) -> str:
    where, table = locate_source(cell, document).words, document.table(cell.table)
    return shorten_text(where or table.title or table.caption)


def _places(sources: tuple[Source, ...], document: Document, cited: int) -> str:
    """List the places in words too, for screen readers, and for places beyond the limit of those shown."""
    shown = [show_source(source, document) for source in sources[: max(_PLACES, cited)]]
    listed = [
        f"{f'[{number}] ' if number <= cited else ''}{shorten_text(source.place, 80)}: {shorten_text(source.span, 60)}"
        for number, source in enumerate(shown, start=1)
    ]
    if (more := len(sources) - len(shown)) > 0:
        listed.append(f"{more} more")
    return f"<small>from {html_text('; '.join(listed))}</small>" if listed else ""
