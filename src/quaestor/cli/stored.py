"""A stored turn on a terminal: what was asked, how it was understood, what the tools said, what was answered."""

import json
from decimal import Decimal

from pydantic import JsonValue
from rich.console import Console
from rich.markup import escape

from quaestor.conversation.answer import Answer, Variable
from quaestor.conversation.describe import period_words
from quaestor.conversation.events.kinds import ToolCalled, load_events
from quaestor.conversation.events.lines import event_lines
from quaestor.conversation.references.resolved import References
from quaestor.conversation.turn import ToolCall
from quaestor.core import serial
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.core.quantity import Scale
from quaestor.graph.facts import Mention, Observation
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.llm.usage import Usage
from quaestor.store.records import TurnRecord

_AROUND = 50
"""Characters of a sentence that are shown on each side of a number."""


_SHOWN = 2
"""Readings of a reference that are shown."""

_UNLIKELY = 0.02
"""A set of earlier results with a smaller probability is not shown."""


def show_stored_turn(console: Console, turn: TurnRecord, graph: KnowledgeGraph | None) -> None:
    """Prints a turn.

    Args:
        console: Where to.
        turn: As stored.
        graph: The page's graph as stored, by which sources are named; None where there is none.
    """
    answer = serial.load(Answer, turn.answer)
    console.print(f"[bold]{escape(turn.conversation)}, turn {turn.index}[/]")
    _section(console, "question", turn.question)
    _references(console, serial.load(References, turn.references))
    # Tool calls are shown below, with what they were given and what they returned.
    events = [event for event in load_events(turn.events) if not isinstance(event, ToolCalled)]
    _section(console, "understanding", "\n".join(event_lines(events)) or "(none stored)")
    for number, stored in enumerate(turn.tool_calls, start=1):
        _call(console, number, serial.load(ToolCall, stored))
    verified = "" if turn.number is None else " (verified)" if turn.verified else " (not verified)"
    _section(console, "answer", f"{turn.number or 'none'}{verified}")
    for name, said in (
        ("error", turn.error),
        ("confidence", None if answer.confidence is None else f"{answer.confidence:.0%}"),
        ("remark", answer.reason if turn.error is None else None),
        ("grounds", answer.grounds),
        ("description", answer.description),
        ("entity", answer.entity),
        ("metric type", None if answer.value is None else answer.metric_type),
        ("period", period_words(answer.period) if answer.period else None),
        ("base", answer.base),
        ("variables", "\n".join(map(_variable, answer.variables))),
        ("formula", answer.formula),
        ("program", turn.program),
    ):
        if said:
            _section(console, name, said)
    for source in answer.sources:
        _section(console, "source", place_of(source, graph))
    if turn.usage:
        _section(console, "usage", Usage.of_counts(turn.usage).words)
    _section(console, "took", f"{1000 * (turn.finished - turn.started).total_seconds():.0f} ms")


def place_of(source: Source, graph: KnowledgeGraph | None) -> str:
    """Returns where a number stands, in the words of the page's graph where there is one."""
    numbers: tuple[Observation | Mention, ...] = (*graph.observations, *graph.mentions) if graph else ()
    found = next((number for number in numbers if number.source == source), None)
    if isinstance(source, CellRef):
        where = f"table {source.table}, row {source.row}, column {source.column}"
        return f"{found.label} | {found.quantity.text} ({where})" if isinstance(found, Observation) else where
    where = f"{source.section}, sentence {source.sentence + 1}"
    return f"{_around(found, source)} ({where})" if isinstance(found, Mention) else where


def _variable(variable: Variable) -> str:
    scale = "" if variable.scale is Scale.ONE else f" {variable.scale.value}"
    return f"{variable.name} = {variable.value:f}{scale}"


def _around(mention: Mention, ref: SentenceRef) -> str:
    text = mention.sentence
    before, after = text[max(0, ref.start - _AROUND) : ref.start], text[ref.end : ref.end + _AROUND]
    return f"{before}[{text[ref.start : ref.end]}]{after}".strip()


def _section(console: Console, name: str, text: str) -> None:
    console.print(f"[dim]{name + ':':<15}[/]", end="")
    console.print(("\n" + " " * 15).join(escape(text).splitlines()), soft_wrap=True)


def _references(console: Console, references: References) -> None:
    """Prints what the question referred to, and which earlier results it was taken to use."""
    for reference in references.expressions:
        meant = [f"turn {c.turn} ({c.score:.0%}): {c.reason}" for c in reference.candidates[:_SHOWN]]
        _section(
            console, "refers", "\n".join([f'"{reference.text}"', *meant] if meant else [f'"{reference.text}": none'])
        )
    for chosen in (chosen for chosen in references.sets[:_SHOWN] if chosen.score >= _UNLIKELY):
        turns = " and ".join(f"turn {turn}" for turn in chosen.turns) or "no earlier result"
        _section(console, "may use", f"{turns} ({chosen.score:.0%}): {chosen.reason}")
    if references.focus:
        _section(console, "in focus", references.focus + (" (switched)" if references.switched else ""))


def _call(console: Console, number: int, call: ToolCall) -> None:
    _section(console, f"tool call {number}", f"{call.tool}, {1000 * call.seconds:.2f} ms")
    _section(console, "  input", _compact(call.input))
    _section(console, "  output", _compact(call.output))


def _compact(text: str) -> str:
    """Returns JSON text without what only programs need; text that is no JSON as it is."""
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return text
    return json.dumps(value, ensure_ascii=False)


def shown_number(number: str | None) -> str:
    """Returns an answer of the benchmark's convention for people: six significant digits."""
    if number is None:
        return "no answer"
    return number if number in ("yes", "no") else f"{Decimal(number):.6g}"
