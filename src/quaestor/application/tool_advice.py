"""Statistics of which tools suited which questions and why tools refused calls, and advice for the agent from them.

The kind of a question is found by the patterns of the core ontology, and the advice has a fixed vocabulary. So neither
contains words of questions, numbers of pages or answers. The advice is used only if a person passes it on.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

from pydantic import Field, JsonValue

from quaestor.application.files import OutputFile
from quaestor.application.run_service import find_runs
from quaestor.application.score_service import read_run_scores
from quaestor.conversation.turn import ToolCall
from quaestor.errors import InputError
from quaestor.ontology.core import read_core
from quaestor.questions.question import read_question
from quaestor.solvers.tools.toolbox import TOOLS
from quaestor.store.base import RunStore
from quaestor.store.records import RunRecord, TurnRecord

OTHER = "another reason"

_REASONS = (
    ("several fit", r"values match|in several tables|rows are labelled|returns \d+ numbers"),
    ("no such property", r"^Property .* not found"),
    ("no such type", r"^No instances of type"),
    ("no such filter", r"^Unknown filter"),
    ("nothing fits", r"^No instance found|^No number in the text|^the query returns nothing"),
    ("an empty cell", r"is empty \("),
    ("no number there", r"and no number$|which is no number"),
    ("wrong operands", r"requires (?:exactly )?\d|cannot be used: "),
    ("no such operation", r"^Unknown operation"),
    ("no such row", r"^No row is labelled"),
    ("no such step", r"^(?:Unknown|There is no) step or answer"),
    ("no such tool", r"^Unknown tool"),
    ("wrong arguments", r"cannot take these arguments|^The arguments of|needs (?:an entityType|some)|is no period"),
)  # fmt: skip
REASONS = (*(reason for reason, _ in _REASONS), OTHER)
"""The reasons for which a tool refuses a call."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """The turns that asked for the same kind of result and used the same tools."""

    metric_type: Annotated[str, Field(alias="asked")]
    tools: tuple[str, ...]
    turns: int
    calls: int
    refused: int
    judged: int
    right: int


@dataclass(frozen=True, slots=True)
class ToolRefusals:
    """The calls of a tool that were refused for one reason, and the scored and the right turns among theirs."""

    tool: str
    reason: str
    calls: int
    judged: int
    right: int


@dataclass(frozen=True, slots=True)
class ToolCount:
    """The calls of one tool."""

    calls: int
    refused: int
    mean_seconds: float


@dataclass(frozen=True, slots=True)
class ToolTable:
    """Statistics of tool calls in runs."""

    runs: tuple[str, ...]
    conversations: tuple[str, ...]
    turns: int
    judged: int
    tools: Mapping[str, ToolCount]
    uses: tuple[ToolUse, ...]
    refusals: tuple[ToolRefusals, ...]


@dataclass(frozen=True, slots=True)
class _TurnCalls:
    """A turn with the kind of result asked for; `reasons` has None for calls that were not refused."""

    conversation: str
    metric_type: str
    calls: tuple[ToolCall, ...]
    reasons: tuple[str | None, ...]
    right: bool | None


async def tool_table(store: RunStore, names: Sequence[str], uri: str) -> ToolTable:
    """Collect the statistics of tool calls over all turns of some runs."""
    runs = await find_runs(store, names)
    turns: list[_TurnCalls] = []
    for run in runs:
        verdicts = (await read_run_scores(uri, run)).verdicts
        right = {key: verdict.correct for key, verdict in verdicts.items()}
        turns += _read_turns(await store.turns(run.id), right)
    return _table(runs, turns)


def _read_turns(turns: Iterable[TurnRecord], right: Mapping[tuple[str, int], bool]) -> Iterable[_TurnCalls]:
    """Yield turns in order, with the kind of result asked for: "and in 2008?" has the kind of the question before."""
    conversation, metric_type = "", ""
    for turn in turns:
        previous = metric_type if conversation == turn.conversation else None
        conversation, metric_type = (
            turn.conversation,
            read_question(turn.question).metric_types(previous)[0].metric_type,
        )
        calls = tuple(ToolCall.of_record(call) for call in turn.tool_calls)
        reasons = tuple(refusal_reason(call.output) for call in calls)
        yield _TurnCalls(conversation, metric_type, calls, reasons, right.get((conversation, turn.index)))


def _table(runs: Sequence[RunRecord], turns: Sequence[_TurnCalls]) -> ToolTable:
    by_use: defaultdict[tuple[str, tuple[str, ...]], list[_TurnCalls]] = defaultdict(list)
    by_reason: defaultdict[tuple[str, str], list[_TurnCalls]] = defaultdict(list)
    by_tool: defaultdict[str, list[tuple[bool, float]]] = defaultdict(list)
    for turn in turns:
        by_use[turn.metric_type, tuple(sorted({call.tool for call in turn.calls}))].append(turn)
        for call, reason in zip(turn.calls, turn.reasons, strict=True):
            by_tool[call.tool].append((reason is not None, call.seconds))
            if reason is not None:
                by_reason[call.tool, reason].append(turn)
    tools = {
        tool: ToolCount(len(calls), sum(refused for refused, _ in calls), sum(took for _, took in calls) / len(calls))
        for tool, calls in sorted(by_tool.items(), key=lambda item: (-len(item[1]), item[0]))
    }
    uses = [
        ToolUse(
            *use,
            turns=len(found),
            calls=sum(len(turn.calls) for turn in found),
            refused=sum(reason is not None for turn in found for reason in turn.reasons),
            judged=_count_right(found)[0],
            right=_count_right(found)[1],
        )
        for use, found in by_use.items()
    ]
    # A turn is listed once for each of its refused calls, but counted once as judged.
    refusals = [
        ToolRefusals(*refused, len(found), *_count_right({id(turn): turn for turn in found}.values()))
        for refused, found in by_reason.items()
    ]
    return ToolTable(
        runs=tuple(run.id for run in runs),
        conversations=tuple(dict.fromkeys(turn.conversation for turn in turns)),
        turns=len(turns),
        judged=_count_right(turns)[0],
        tools=tools,
        uses=tuple(sorted(uses, key=lambda use: (use.metric_type, -use.turns, use.tools))),
        refusals=tuple(sorted(refusals, key=lambda found: (-found.calls, found.tool, found.reason))),
    )


def _count_right(turns: Collection[_TurnCalls]) -> tuple[int, int]:
    return sum(turn.right is not None for turn in turns), sum(turn.right is True for turn in turns)


def refusal_reason(output: JsonValue) -> str | None:
    """Return why a tool refused a call, one of `REASONS`; None if it did not."""
    if not isinstance(output, dict) or output.get("success") is not False:
        return None
    error = str(output.get("error") or "")
    return next((reason for reason, pattern in _REASONS if re.search(pattern, error)), OTHER)


FEW = 5
"""The minimum number of turns or calls to draw a conclusion from."""

_MARKS = "# played "
_PER_LINE = 8
"""The number of conversation marks per line."""

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
"""The advice for each reason of a refusal."""


def write_advice(table: ToolTable, output: OutputFile, use: str) -> int:
    """Write advice, and return the number of lines that the agent sees."""
    output.require_free()
    lines = [*_advise_on_kinds(table.uses), *_warn_of_refusals(table)]
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
    """Yield marks of the conversations that the advice was learned from, to recognise them when scoring."""
    marks = sorted(map(_mark, table.conversations))
    yield from (f"{_MARKS}{' '.join(marks[at : at + _PER_LINE])}" for at in range(0, len(marks), _PER_LINE))


def _mark(conversation: str) -> str:
    return hashlib.sha256(conversation.encode("utf-8", "replace")).hexdigest()[:12]


def _advise_on_kinds(uses: Iterable[ToolUse]) -> Iterable[str]:
    """Yield a line for each kind of question with enough scored turns: the tools, the most often right first."""
    labels = {metric.name: metric.label for metric in read_core().metric_types.values()}
    known: dict[str, list[ToolUse]] = {}
    for use in uses:
        if use.judged >= FEW and set(use.tools) <= set(TOOLS):
            known.setdefault(use.metric_type, []).append(use)
    for metric_type, found in known.items():
        rates = (
            f"{' and '.join(use.tools) or 'no tool'}: right in {use.right / use.judged:.0%} of {use.judged} turns"
            for use in sorted(found, key=lambda use: (-use.right / use.judged, -use.judged, use.tools))
        )
        yield f"- Where the {labels.get(metric_type, 'result')} is asked for, {'; '.join(rates)}."


def _warn_of_refusals(table: ToolTable) -> Iterable[str]:
    for name, count in table.tools.items():
        found = [r for r in table.refusals if r.tool == name and r.reason in WAYS_OUT and r.calls >= FEW]
        if name in TOOLS and found:
            shares = (f"{r.reason} ({r.calls / count.calls:.0%}): {WAYS_OUT[r.reason]}" for r in found)
            yield f"- {name} refused {count.refused / count.calls:.0%} of {count.calls} calls. {'; '.join(shares)}."


def count_learned(path: Path, conversations: Iterable[str]) -> int:
    """Count the conversations that advice was learned from, for which a score with it is not representative."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return 0
    marks = {mark for line in lines if line.startswith(_MARKS) for mark in line.removeprefix(_MARKS).split()}
    return sum(_mark(conversation) in marks for conversation in conversations)
