"""Advice for the agent on which tools suit which questions, drawn from runs, as a text that a person reads and edits.

It is made of closed words: what is asked for, tools, reasons of refusals, and how often. So it can hold no answer, no
number of a page and no wording of a question. Nothing takes it up by itself.
"""

import hashlib
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

from quaestor.application.files import OutputFile
from quaestor.application.tool_questions import ToolTable, ToolUse
from quaestor.errors import InputError
from quaestor.ontology.core import read_core
from quaestor.solvers.tools.toolbox import TOOLS

FEW = 5
"""Fewer turns or calls than this say nothing."""

_PLAYED = "# played "
_A_LINE = 8
"""Marks of conversations on a line."""

WAYS_OUT = {
    "several fit": "give one of the filters that the candidates come with",
    "no such property": "take a name that introspect_ontology lists, or find_in_text for a number of a sentence",
    "no such type": "take a type that list_entities lists",
    "no such filter": "filter by year, period, entity, row or column",
    "nothing fits": "use fewer filters or words",
    "an empty cell": "the page reports nothing there; look whether another line is meant",
    "no number there": "look whether another line is meant",
    "wrong operands": "give as many values as the operation takes",
    "no such operation": "use an operation of the schema",
    "no such row": "name one row as it is printed, or give its values to sum",
    "no such step": "name only steps of this turn and answers before it",
    "no such tool": "use the tools that there are",
    "wrong arguments": "keep to the parameters of the tool",
}
"""What to do about a reason for which a tool refuses a call."""


def write_advice(table: ToolTable, output: OutputFile, use: str) -> int:
    """Writes advice, and returns how many lines of it the agent is told.

    Args:
        table: What runs say of tools.
        output: Where to.
        use: How the file is used, in the words of the door.

    Raises:
        InputError: The runs say too little, or the file cannot be written.
    """
    output.require_free()
    lines = [*_of_questions(table.uses), *_of_refusals(table)]
    if not lines:
        raise InputError(f"not enough calls and scored turns to learn advice from: at least {FEW} of a kind are needed")
    output.write("\n".join((*_head(table, use), *lines, *_foot(table))) + "\n")
    return len(lines)


def _head(table: ToolTable, use: str) -> Iterable[str]:
    yield f"# Advice for the agent. Review and edit it, then use it: {use}"
    yield "# The agent sees every line that does not start with #."
    yield f"# Based on {table.turns} turns, {table.judged} of them scored (quaestor {version('quaestor')})."
    yield from (f"# run {run}" for run in table.runs)


def _foot(table: ToolTable) -> Iterable[str]:
    """Yields marks of the conversations, by which it is known what a score with this advice says nothing about."""
    marks = sorted(map(_mark, table.conversations))
    yield from (f"{_PLAYED}{' '.join(marks[at : at + _A_LINE])}" for at in range(0, len(marks), _A_LINE))


def _mark(conversation: str) -> str:
    return hashlib.sha256(conversation.encode("utf-8", "replace")).hexdigest()[:12]


def _of_questions(uses: Iterable[ToolUse]) -> Iterable[str]:
    """Yields a line for each kind of question of which enough was scored: the tools, the most often right first."""
    labels = {metric.name: metric.label for metric in read_core().metric_types.values()}
    known: dict[str, list[ToolUse]] = {}
    for use in uses:
        if use.judged >= FEW and set(use.tools) <= set(TOOLS):
            known.setdefault(use.asked, []).append(use)
    for asked, found in known.items():
        best = sorted(found, key=lambda use: (-use.right / use.judged, -use.judged, use.tools))
        rates = (f"{_named(use.tools)}: right in {use.right / use.judged:.0%} of {use.judged} turns" for use in best)
        yield f"- Where the {labels.get(asked, 'result')} is asked for, {'; '.join(rates)}."


def _named(tools: tuple[str, ...]) -> str:
    return " and ".join(tools) if tools else "no tool"


def _of_refusals(table: ToolTable) -> Iterable[str]:
    for name, count in table.tools.items():
        found = [r for r in table.refusals if r.tool == name and r.reason in WAYS_OUT and r.calls >= FEW]
        if name in TOOLS and found:
            shares = (f"{r.reason} ({r.calls / count.calls:.0%}): {WAYS_OUT[r.reason]}" for r in found)
            yield f"- {name} refused {count.refused / count.calls:.0%} of {count.calls} calls. {'; '.join(shares)}."


def rests_on(path: Path, conversations: Iterable[str]) -> int:
    """Returns how many of these conversations advice was drawn from: of those a score says nothing about others.

    Args:
        path: The file of the advice.
        conversations: The ids of those that are to be played.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return 0
    marks = {mark for line in lines if line.startswith(_PLAYED) for mark in line.removeprefix(_PLAYED).split()}
    return sum(_mark(conversation) in marks for conversation in conversations)
