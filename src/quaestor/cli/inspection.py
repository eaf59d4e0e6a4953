"""`quaestor runs failures | turn | tools | kg`: why a run answered as it did."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from quaestor.cli.options import JsonOption, RunArgument, StoreOption

if TYPE_CHECKING:
    from pydantic import JsonValue

    from quaestor.graph.knowledge_graph import KnowledgeGraph
    from quaestor.scoring.report import Scored
    from quaestor.store.base import RunStore
    from quaestor.store.records import ExampleRecord, RunRecord, TurnRecord

T = TypeVar("T")

ConversationArgument = Annotated[
    str, typer.Argument(metavar="CONVERSATION", help="The conversation's id.", show_default=False)
]


def failures(
    run: RunArgument,
    dataset: Annotated[
        Path | None, typer.Option("--dataset", help="The labelled file, where it has moved.", metavar="FILE")
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """List the turns that went wrong, and the conversations that broke off.

    Wrong answers are known where the run's dataset has reference answers; without them, turns without an answer are
    listed.
    """
    from quaestor.cli.playing import find_run

    async def read(opened: "RunStore") -> "tuple[RunRecord, Sequence[ExampleRecord], Sequence[TurnRecord]]":
        record = await find_run(opened, run)
        return record, await opened.examples(record.id), await opened.turns(record.id)

    record, examples, turns = read_store(store, read)
    scored = _scored(record, turns, dataset)
    broken = [example for example in examples if example.status != "complete"]
    if scored is None:
        wrong = [_failure(turn) for turn in turns if turn.number is None]
    else:
        stored = {(turn.conversation, turn.index): turn for turn in turns}
        wrong = [
            _failure(stored[s.conversation, s.turn], s)
            for s in scored
            if not s.correct and (s.conversation, s.turn) in stored
        ]
    if json:
        print_json({"turns": wrong, "conversations": {e.conversation: e.error or e.status for e in broken}})
        return
    for failure in wrong:
        _show_failure(failure)
    for example in broken:
        print(f"\n{example.conversation}: {example.error or example.status}")
    if scored is None:
        print(
            f"\n{len(wrong)} of {len(turns)} turns have no answer; {record.dataset} has no reference answers to compare"
        )
    else:
        ended = f"{len(broken)} conversation{'s' * (len(broken) != 1)} broke off"
        print(f"\n{len(wrong)} of {len(turns)} played turns are wrong, {ended}")


def turn(
    run: RunArgument,
    conversation: ConversationArgument,
    number: Annotated[int, typer.Argument(metavar="TURN", min=0, help="Its place in the conversation, from 0.")],
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show one turn: question, understanding, tool calls with inputs and outputs, answer, sources."""
    from quaestor.cli.playing import find_run
    from quaestor.core import serial

    async def read(opened: "RunStore") -> "tuple[TurnRecord, KnowledgeGraph | None]":
        record = await find_run(opened, run)
        found = await opened.turn(record.id, conversation, number)
        return found, await _graph_or_none(opened, record.id, conversation)

    found, graph = read_store(store, read)
    if json:
        print_json(serial.dump(found))
    else:
        _show_turn(found, graph)


def tools(run: RunArgument, store: StoreOption = None, json: JsonOption = False) -> None:
    """Count the calls of each tool, those that were refused, and their mean duration."""
    from quaestor.cli.playing import find_run

    async def read(opened: "RunStore") -> "Sequence[TurnRecord]":
        return await opened.turns((await find_run(opened, run)).id)

    usage = tool_usage(read_store(store, read))
    if json:
        print_json(usage)
        return
    if not usage:
        print("no tool was called in this run")
        return
    from rich.console import Console
    from rich.table import Table as Grid

    grid = Grid("tool", "calls", "refused", "mean ms")
    for name, counts in usage.items():
        grid.add_row(name, str(counts["calls"]), str(counts["refused"]), f"{1000 * counts['mean_seconds']:.2f}")
    for column in grid.columns[1:]:
        column.justify = "right"
    Console(highlight=False).print(grid)


def graph(
    run: RunArgument,
    conversation: ConversationArgument,
    turtle: Annotated[bool, typer.Option("--turtle", help="Print all triples as Turtle.")] = False,
    store: StoreOption = None,
) -> None:
    """Show the knowledge graph that a conversation was played on, as it is stored."""
    from rich.console import Console

    from quaestor.cli.graphs import show_facts, show_statistics
    from quaestor.cli.playing import find_run
    from quaestor.graph.loading import from_triples

    async def read(opened: "RunStore") -> "KnowledgeGraph":
        record = await find_run(opened, run)
        return from_triples(await opened.load_graph(record.id, conversation), f"the graph of {conversation}")

    found = read_store(store, read)
    if turtle:
        print(found.to_turtle(), end="")
        return
    console = Console(highlight=False)
    show_facts(console, found)
    show_statistics(console, found)


def tool_usage(turns: "Sequence[TurnRecord]") -> dict[str, dict[str, float]]:
    """Returns the number of calls of each tool, of those that were refused, and the mean duration in seconds."""
    from quaestor.conversation.turn import ToolCall
    from quaestor.core import serial

    calls: dict[str, list[ToolCall]] = {}
    for record in turns:
        for stored in record.tool_calls:
            call = serial.load(ToolCall, stored)
            calls.setdefault(call.tool, []).append(call)
    return {
        name: {
            "calls": len(found),
            "refused": sum(not _succeeded(call.output) for call in found),
            "mean_seconds": sum(call.seconds for call in found) / len(found),
        }
        for name, found in sorted(calls.items(), key=lambda item: (-len(item[1]), item[0]))
    }


def _succeeded(output: str) -> bool:
    reply = json.loads(output)
    return not isinstance(reply, dict) or reply.get("success") is not False


def read_store(store: str | None, read: "Callable[[RunStore], Awaitable[T]]") -> T:
    """Returns what is read from the store in force, which must be there."""
    from quaestor.settings import load_settings
    from quaestor.store.base import open_store

    async def opened() -> T:
        async with open_store(load_settings({"store": store}).store, create=False) as found:
            return await read(found)

    return asyncio.run(opened())


async def _graph_or_none(store: "RunStore", run: str, conversation: str) -> "KnowledgeGraph | None":
    """Returns the stored graph; None where the page had none, for its turns can be shown all the same."""
    from quaestor.errors import StoreError
    from quaestor.graph.loading import from_triples

    try:
        return from_triples(await store.load_graph(run, conversation))
    except StoreError:
        return None


def _scored(record: "RunRecord", turns: "Sequence[TurnRecord]", dataset: Path | None) -> "Sequence[Scored] | None":
    """Returns the verdicts on a run; None where its dataset is not there any more, or has no answers."""
    from quaestor.cli.judging import predicted
    from quaestor.datasets.formats import read_dataset
    from quaestor.errors import InputError, UnlabelledError
    from quaestor.evaluation.spec import RunSpec
    from quaestor.scoring.gold import read_gold
    from quaestor.scoring.report import score

    path = dataset or Path(record.dataset)
    if dataset is None and not path.is_file():
        return None
    pages = read_dataset(path, RunSpec.of_run(record).limit)
    if pages.digest != record.dataset_digest:
        if dataset is None:
            return None
        raise InputError(f"run {record.id} was of {record.dataset} and not of these questions: name that file")
    try:
        gold = read_gold(path)
    except UnlabelledError:
        return None
    documents = {c.id: c.document for c in pages.conversations if c.id in gold}
    played = {turn.conversation for turn in turns}
    predictions = [predicted(turn) for turn in turns]
    report = score(
        [prediction for prediction in predictions if prediction.conversation in documents],
        gold,
        {name: document for name, document in documents.items() if name in played},
    )
    return report.turns


def _failure(turn: "TurnRecord", scored: "Scored | None" = None) -> "dict[str, JsonValue]":
    return {
        "conversation": turn.conversation,
        "turn": turn.index,
        "question": turn.question,
        "answer": turn.number,
        "program": turn.program,
        "error": turn.error,
        "gold": str(scored.gold) if scored else None,
        "gold_program": scored.gold_program if scored else None,
    }


def _show_failure(failure: "Mapping[str, JsonValue]") -> None:
    from quaestor.cli.stored import shown_number

    number = failure["answer"]
    lines = {
        "answer": shown_number(number if isinstance(number, str) else None),
        "program": failure["program"],
        "error": failure["error"],
        "gold": failure["gold"],
        "gold program": failure["gold_program"],
    }
    print(f"\n{failure['conversation']}, turn {failure['turn']}: {failure['question']}")
    for name, value in lines.items():
        if value is not None:
            print(f"  {name + ':':<14}{value}")


def _show_turn(found: "TurnRecord", graph: "KnowledgeGraph | None") -> None:
    from rich.console import Console

    from quaestor.cli.stored import show_stored_turn

    show_stored_turn(Console(highlight=False), found, graph)


def print_json(value: object) -> None:
    """Prints a value as JSON."""
    import json as encoder

    print(encoder.dumps(value, indent=2, ensure_ascii=False))
