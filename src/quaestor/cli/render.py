"""Turns, sources and graphs on a terminal, in the wording of `quaestor.conversation.display`."""

import json
from collections.abc import Sequence

from pydantic import JsonValue
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from quaestor.cli.printing import print_grid, print_rows
from quaestor.conversation.answer import cite_explanation, confidence_words, show_confidence
from quaestor.conversation.display import arithmetic, locate_source, show_correction, show_number, show_source
from quaestor.conversation.events import ToolCalled, event_lines
from quaestor.conversation.meaning import period_words
from quaestor.conversation.references.expressions import References
from quaestor.conversation.turn import Turn
from quaestor.core.answer_value import print_amount, print_value
from quaestor.core.provenance import CellRef, Source
from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.exports.rows import fact_at
from quaestor.graph.facts import MentionFact, Observation, TextCell, period_code
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.store.records import TurnRecord

_CONTEXT = 60
"""Characters of a sentence shown on each side of a number."""

_AROUND = 50
"""The same for a stored turn."""

_LABEL = 16
"""Width of the labels of a stored turn's parts."""

_SHOWN = 2
"""Number of interpretations of a reference to show."""

_UNLIKELY = 0.02
"""Sets of earlier results with a lower probability are not shown."""


def show_turn(console: Console, number: int, turn: Turn, document: Document) -> None:
    """Print a question with its answer, formula, confidence, warnings, evidence and sources."""
    answer = turn.answer
    console.print(f"[bold cyan]{number}. {escape(turn.question)}[/]")
    cited = cite_explanation(answer)
    shown = "" if answer.kind == "explanation" else show_number(answer)
    parts = [Text(shown, style="bold green" if turn.error is None else "bold red")] if shown else []
    if formula := arithmetic(answer):
        parts.append(Text(f"= {formula}"))
    if answer.value is not None and not turn.verified:
        parts.append(Text("(not verified)", style="yellow"))
    if answer.value is not None and (confidence := confidence_words(answer.confidence)):
        parts.append(Text(confidence, style="dim"))
    line = Text("   ").join(parts)
    sentences = [Text(sentence) for sentence in cited.lines] if cited is not None else []
    for printed in [line, *sentences] if shown else [*sentences, line]:
        if printed.plain:
            console.print(Padding(printed, (0, 0, 0, 3), expand=False))
    _remark(console, turn.error or answer.reason, "red" if answer.value is None else "yellow")
    _remark(console, show_correction(answer), "magenta")
    _remark(console, answer.grounds, "dim")
    if cited is not None:
        _sources(console, cited.sources, document, numbered=True)
    _sources(console, answer.sources if cited is None else cited.rest, document)


def _sources(console: Console, sources: Sequence[Source], document: Document, *, numbered: bool = False) -> None:
    """Print sources; in a filing, below a heading for each place."""
    last = ""
    for number, source in enumerate(sources, start=1):
        where = "" if document.is_page else locate_source(source, document).words
        if where and where != last:
            console.print(Padding(Text(where, style="dim"), (0, 0, 0, 5), expand=False))
        last = where
        line = Text(f"[{number}] " if numbered else "").append(source_line(source, document))
        console.print(Padding(line, (0, 0, 0, 7 if where else 5), expand=False))


def _remark(console: Console, text: str | None, style: str) -> None:
    if text:
        console.print(Padding(Text(text, style=style), (0, 0, 0, 3), expand=False))


def source_line(source: Source, document: Document) -> Text:
    """Return a source as `row | column | cell text`, or as a sentence with the span in brackets."""
    shown = show_source(source, document)
    if source.kind == "cell":
        return Text(f"{shown.place} | ", style="dim").append(shown.text, style="bold not dim")
    before, after = shown.surrounding_text(_CONTEXT, "...")
    return Text(f"{shown.place} | {before}", style="dim").append(f"[{shown.span}]", style="bold not dim").append(after)


def show_stored_turn(
    console: Console,
    record: TurnRecord,
    graph: KnowledgeGraph | None,
    verdict: str | None = None,
    corrected: Turn | None = None,
) -> None:
    """Print a stored turn in full."""
    from quaestor.application.stored_turns import turn_of_record  # imports all that plays runs

    turn = turn_of_record(record)
    answer = turn.answer
    console.print(f"[bold]{escape(record.conversation)}, turn {record.index + 1}[/]")
    _section(console, "question", turn.question)
    _references(console, turn.references)
    # Tool calls are shown below with their inputs and outputs.
    events = [event for event in turn.events if not isinstance(event, ToolCalled)]
    _section(console, "interpretation", "\n".join(event_lines(events)) or "(not stored)")
    for number, call in enumerate(turn.tool_calls, start=1):
        _section(console, f"tool call {number}", f"{call.tool}, {1000 * call.seconds:.2f} ms")
        _section(console, "  input", _write_json(call.input))
        _section(console, "  output", _write_json(call.output))
    unverified = " (not verified)" if answer.plan is not None else " (not verified: no plan)"
    verified = "" if record.number is None else " (verified)" if turn.verified else unverified
    _section(console, "answer", f"{'none' if answer.value is None else print_value(answer.value)}{verified}")
    for name, text in (
        ("verdict", verdict),
        ("error", turn.error),
        ("confidence", None if answer.confidence is None else show_confidence(answer.confidence)),
        ("note", answer.reason if turn.error is None else None),
        ("evidence", answer.grounds),
        ("explanation", "\n".join(cited.lines) if (cited := cite_explanation(answer)) is not None else None),
        ("description", answer.description),
        ("entity", answer.entity),
        ("metric type", None if answer.value is None else answer.metric_type),
        ("period", period_words(answer.period) if answer.period else None),
        ("base", answer.base),
        ("variables", "\n".join(f"{one.name} = {one.value:f}{_scale_words(one.scale)}" for one in answer.variables)),
        ("formula", answer.formula),
        ("program", record.program),
    ):
        if text:
            _section(console, name, text)
    for number, register in enumerate(turn.registers, start=1):
        places = "; ".join(place_of(source, graph) for source in register.sources)
        amount = print_amount(register.value, register.scale, register.unit)
        _section(console, f"step {number}", f"{amount}, from {places}" if places else amount)
    for source in answer.sources:
        _section(console, "source", place_of(source, graph))
    if corrected is not None:
        now = corrected.answer
        _section(console, "corrected to", show_number(now))
        for words in (show_correction(now), now.formula if now.value is not None else None, corrected.error):
            if words:
                _section(console, "", words)
        for source in now.sources:
            _section(console, "", place_of(source, graph))
    if record.usage:
        _section(console, "usage", turn.usage.words)
    if record.status != "complete":
        _section(console, "status", record.status)
    if record.finished is not None:
        _section(console, "time", f"{1000 * (record.finished - record.started).total_seconds():.0f} ms")


def place_of(source: Source, graph: KnowledgeGraph | None) -> str:
    """Return the place of a number, with its label from the page's graph if there is one."""
    found = fact_at(source, graph) if graph else None
    if isinstance(source, CellRef):
        where = f"table {source.table}, row {source.row}, column {source.column}"
        return f"{found.label} | {found.quantity.text} ({where})" if isinstance(found, Observation) else where
    where = f"{source.section}, sentence {source.sentence + 1}"
    if not isinstance(found, MentionFact):
        return where
    text = found.sentence
    before, after = text[max(0, source.start - _AROUND) : source.start], text[source.end : source.end + _AROUND]
    return f"{before}[{text[source.start : source.end]}]{after}".strip() + f" ({where})"


def _scale_words(scale: Scale) -> str:
    return "" if scale is Scale.ONE else f" {scale.value}"


def _section(console: Console, name: str, text: str) -> None:
    console.print(f"[dim]{name + ':' if name else '':<{_LABEL}}[/]", end="")
    console.print(("\n" + " " * _LABEL).join(escape(text).splitlines()), soft_wrap=True)


def _references(console: Console, references: References) -> None:
    for reference in references.expressions:
        candidates = [f"turn {c.turn + 1} ({c.score:.0%}): {c.reason}" for c in reference.candidates[:_SHOWN]]
        meaning = f": {reference.means or 'none'}" if reference.means or not candidates else ""
        _section(console, "reference", "\n".join([f'"{reference.text}"{meaning}', *candidates]))
    for chosen in (chosen for chosen in references.sets[:_SHOWN] if chosen.score >= _UNLIKELY):
        turns = " and ".join(f"turn {turn + 1}" for turn in chosen.turns) or "no earlier result"
        _section(console, "may refer to", f"{turns} ({chosen.score:.0%}): {chosen.reason}")
    if references.focus:
        _section(console, "in focus", references.focus + (" (switched)" if references.switched else ""))


def _write_json(value: JsonValue) -> str:
    """Return JSON on one line; strings stay unquoted."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def show_statistics(console: Console, graph: KnowledgeGraph) -> None:
    """Print the counts of a graph, its ontology and its digest."""
    for name, count in graph.statistics().items():
        console.print(f"{name + ':':<15}{count}")
    console.print(f"{'ontology:':<15}{graph.ontology}")
    console.print(f"{'digest:':<15}{graph.digest}")


def show_reading(console: Console, graph: KnowledgeGraph) -> None:
    """Print how each table and line was classified, and why."""
    for table in graph.tables:
        reasons = "; ".join(table.reasons) or "no evidence"
        console.print(f"[bold]table {table.index}: {table.name}[/] ({table.score:g}: {escape(reasons)})")
        rows = [
            (str(line.index), escape(line.label), line.predicate, line.rule, f"{line.score:.2f}", escape(line.known))
            for line in graph.lines
            if line.table == table.index
        ]
        print_rows(console, (table.axis[:-1], "label", "property", "rule", "score", "known label"), rows, words=6)


def show_facts(console: Console, graph: KnowledgeGraph) -> None:
    """Print the instances with their values, and the numbers in the text."""
    for table in graph.tables:
        cells: tuple[Observation | TextCell, ...] = (*graph.observations, *graph.text_cells)
        facts = [fact for fact in cells if fact.source.table == table.index]
        grid = Grid(title=escape(f"{table.name} {table.caption}"), title_justify="left")
        grid.add_column("property", overflow="fold")
        instances = list(dict.fromkeys(fact.instance for fact in facts))
        for instance in instances:
            grid.add_column(instance, justify="right", overflow="fold")
        for name in dict.fromkeys(fact.predicate for fact in facts):
            values = (_values(facts, name, instance) for instance in instances)
            grid.add_row(escape(name), *values)
        print_grid(console, grid)
    if graph.mentions:
        heads = ("number", "scale", "unit", "period", "context")
        print_rows(console, heads, map(_mention, graph.mentions), title="text", words=5)


def _values(facts: list[Observation | TextCell], name: str, instance: str) -> str:
    found = sorted(
        (fact for fact in facts if (fact.predicate, fact.instance) == (name, instance)),
        key=lambda fact: (fact.source.row, fact.source.column),
    )
    return escape("\n".join(map(_value, found)))


def _value(fact: Observation | TextCell) -> str:
    if isinstance(fact, Observation):
        return f"{fact.quantity.value:f}"
    return f"empty ({fact.why_empty})" if fact.empty else fact.text


def _mention(mention: MentionFact) -> tuple[str, str, str, str, str]:
    quantity = mention.quantity
    return (
        f"{quantity.value:f}",
        _scale_words(quantity.scale).strip(),
        quantity.unit or "",
        period_code(mention.period) if mention.period else "",
        escape(f"{mention.before} [{quantity.text}] {mention.after}"),
    )
