"""`quaestor runs`: what the run store has, and why a run answered as it did."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from quaestor.cli.groups import print_help_alone
from quaestor.cli.options import (
    ConversationArgument,
    ForceOption,
    JsonOption,
    RunArgument,
    RunsArgument,
    StoreOption,
    TurnArgument,
)

if TYPE_CHECKING:
    from quaestor.store.base import RunStore
    from quaestor.store.records import RunRecord

T = TypeVar("T")

SHOWN_FAILURES = 200
"""So many wrong turns are shown where nobody says how many."""

AttemptOption = Annotated[
    int | None,
    typer.Option("--attempt", min=1, help="Which attempt at the conversation; by default the last.", metavar="N"),
]

runs = typer.Typer(help="Look into the run store.", invoke_without_command=True, callback=print_help_alone)


@runs.command("list")
def list_runs(store: StoreOption = None, json: JsonOption = False) -> None:
    """List all runs, the latest first."""
    from quaestor.cli.printing import print_json
    from quaestor.cli.render_runs import show_runs
    from quaestor.cli.scores import scores_of_runs
    from quaestor.core import serial
    from quaestor.settings import load_settings
    from quaestor.store.base import shown_uri

    async def read(opened: "RunStore") -> "Sequence[RunRecord]":
        return await opened.runs()

    records = _read_store(store, read)
    scores = scores_of_runs(store, records)
    if json:
        print_json([serial.dump(record) | {"score": serial.dump(scores.get(record.id))} for record in records])
    elif not records:
        print(f"{shown_uri(load_settings({'store': store}).store)} has no runs yet")
    else:
        show_runs(records, scores)


@runs.command("show")
def show_run_command(run: RunArgument, store: StoreOption = None, json: JsonOption = False) -> None:
    """Show one run: what it was started with, how far it is, how right and how fast, what failed."""
    from quaestor.application.run_figures import read_run_figures
    from quaestor.cli.printing import print_json
    from quaestor.cli.render_figures import figure_lines, stage_lines
    from quaestor.cli.render_runs import correction_figures, show_run
    from quaestor.cli.scores import example_objects, score_lines, scores_of_run
    from quaestor.core import serial

    found = _read_store(store, lambda opened: read_run_figures(opened, run, every_example=json))
    record, plans, stages, corrections = found.run, found.plans, found.stages, found.corrections
    scores = scores_of_run(store, record, figures_only=not json)
    if json:
        written: dict[str, object] = {} if plans is None else {"plans": plans}
        written |= {"stages": [serial.dump(stage) for stage in stages]} if stages else {}
        written |= {"corrections": [serial.dump(made) for made in corrections]} if corrections else {}
        written |= {"figures": serial.dump(found.figures), "scores": [serial.dump(score) for score in scores.latest]}
        print_json({**serial.dump(record), **written, "examples": example_objects(found.examples, scores)})
    else:
        lines = figure_lines(found.figures, plans or {}, imported=record.kind == "import")
        corrected = {"corrections": correction_figures(corrections)} if corrections else {}
        show_run(found, {**score_lines(scores), **lines, **stage_lines(stages), **corrected})


@runs.command("failures")
def failures(
    run: RunArgument,
    dataset: Annotated[
        str | None, typer.Option("--dataset", help="The labelled file, where it has moved.", metavar="FILE")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Show what the solver understood and which tools it called, too.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", min=1, help=f"Show the first so many; by default {SHOWN_FAILURES}, as JSON all.", metavar="N"
        ),
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """List the turns that went wrong, each with its cause, and the conversations that broke off.

    Wrong answers are known where the run's dataset has reference answers, or where it was scored; else turns without
    an answer are listed. The cause is computed from the solver's plan beside the reference's: docs/inspection.md lists
    the causes. Of a run of more than 1,000 conversations that was scored, the score says what is wrong; --dataset FILE
    compares with the references again, and shows them.
    """
    from quaestor.application.resolve import dataset_path
    from quaestor.application.wrong_turns import WrongTurns, find_wrong_turns, wrong_turn_objects
    from quaestor.cli.printing import make_console, print_json
    from quaestor.cli.render_runs import show_wrong_turns
    from quaestor.settings import load_settings

    settings = load_settings({"store": store})

    async def read(opened: "RunStore") -> WrongTurns:
        file = dataset_path(dataset) if dataset else None
        most = limit or (None if json else SHOWN_FAILURES)
        return await find_wrong_turns(opened, run, file, settings.store, graphs=full, most=most)

    found = _read_store(store, read)
    if json:
        broken = {example.conversation: example.error or example.status for example in found.broken}
        turns = wrong_turn_objects(found, full=full)
        causes = {cause.value: count for cause, count in found.causes.items()}
        print_json({"turns": turns, "causes": causes, "conversations": broken})
    else:
        show_wrong_turns(make_console(), found, full=full)


@runs.command("turn")
def show_one_turn(
    run: RunArgument,
    conversation: ConversationArgument,
    turn: TurnArgument,
    attempt: AttemptOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show one turn: question, understanding, tool calls with inputs and outputs, answer, sources."""
    from quaestor.application.answer_kinds import stored_kind_objects
    from quaestor.application.stored_turns import StoredTurn, read_stored_turn
    from quaestor.cli.printing import make_console, print_json
    from quaestor.cli.render import show_stored_turn
    from quaestor.cli.scores import verdict_object, verdict_on, verdict_words
    from quaestor.core import serial

    async def read(opened: "RunStore") -> StoredTurn:
        return await read_stored_turn(opened, run, conversation, turn, attempt)

    found = _read_store(store, read)
    verdict = verdict_on(store, found.run, found.turn)
    if json:
        told = serial.dump(found.turn) | stored_kind_objects(found.turn) | {"verdict": verdict_object(verdict)}
        print_json(told | ({"corrected": serial.dump(found.corrected.answer)} if found.corrected else {}))
    else:
        show_stored_turn(make_console(), found.turn, found.graph, verdict_words(verdict), found.corrected)


@runs.command("prompts")
def prompts(
    run: RunArgument,
    conversation: ConversationArgument,
    turn: TurnArgument,
    attempt: AttemptOption = None,
    raw: Annotated[bool, typer.Option("--raw", help="Print the bodies word for word.")] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show every request of a turn to its model, and every reply. What an earlier request said is not repeated."""
    from quaestor.application.stored_turns import read_exchanges
    from quaestor.cli.printing import make_console, print_json
    from quaestor.cli.render_runs import show_exchanges
    from quaestor.core import serial

    found = _read_store(store, lambda opened: read_exchanges(opened, run, conversation, turn, attempt))
    if json:
        print_json([serial.dump(prompt) for prompt in found])
    elif not found:
        print("no request to a model is kept of this turn")
    else:
        show_exchanges(make_console(), found, raw=raw)


@runs.command("tools")
def tools(runs: RunsArgument, store: StoreOption = None, json: JsonOption = False) -> None:
    """Show which tools were called for which questions, how often that came out right, and why calls were refused."""
    from quaestor.application.tool_questions import tool_table
    from quaestor.cli.printing import make_console, print_json
    from quaestor.cli.render_tools import show_tool_table
    from quaestor.core import serial
    from quaestor.settings import load_settings

    uri = load_settings({"store": store}).store
    table = _read_store(store, lambda opened: tool_table(opened, runs, uri))
    if json:
        print_json(serial.dump(table))
    elif not table.tools:
        print("no tool was called")
    else:
        show_tool_table(make_console(), table)


@runs.command("kg")
def show_graph(
    run: RunArgument,
    conversation: ConversationArgument,
    turtle: Annotated[bool, typer.Option("--turtle", help="Print all triples as Turtle.")] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show the knowledge graph that a conversation was played on, as it is stored."""
    from quaestor.application.graph_objects import graph_object
    from quaestor.application.stored_turns import read_graph
    from quaestor.cli.printing import make_console, print_json
    from quaestor.cli.render import show_facts, show_statistics

    found = _read_store(store, lambda opened: read_graph(opened, run, conversation))
    if turtle:
        print(found.to_turtle(), end="")
    elif json:
        print_json(graph_object(found))
    else:
        console = make_console()
        show_facts(console, found)
        show_statistics(console, found)


@runs.command("import")
def import_answers(
    file: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="One JSON object a turn.", show_default=False)],
    dataset: Annotated[str, typer.Option("--dataset", help="The file that was asked, or `sample`.", metavar="DATASET")],
    name: Annotated[
        str | None, typer.Option("--name", help="What the run is called; by default as the file.", metavar="NAME")
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Keep answers of another program as a run, to be scored and compared. Prints the run's id.

    A line has `conversation`, `turn` (from 0) and `answer`; `unit` says whether it is `percent`. docs/evaluation.md has
    all fields. Nothing is taken from a file with a line that cannot be used.
    """
    from quaestor.application.file_cache import reading_limits
    from quaestor.application.resolve import dataset_path
    from quaestor.application.run_import import ImportedRun, import_run
    from quaestor.cli.printing import announced, print_json
    from quaestor.core import serial
    from quaestor.datasets.formats import read_dataset
    from quaestor.settings import load_settings
    from quaestor.store.base import open_store

    path, settings = dataset_path(dataset), load_settings({"store": store})
    with announced(f"reading {path}"):
        asked = read_dataset(path, limits=reading_limits(settings))

    async def keep() -> ImportedRun:
        async with open_store(settings.store) as opened:
            return await import_run(opened, file, asked, name)

    found = asyncio.run(keep())
    if found.unanswered:
        turns = f"{found.unanswered} of {found.answered + found.unanswered} turns"
        print(f"quaestor: {file} has no answer to {turns} of {path}: they count as wrong", file=sys.stderr)
    if json:
        counts = {"answered": found.answered, "unanswered": found.unanswered}
        print_json({**serial.dump(found.run), **counts})
    else:
        print(found.run.id)


@runs.command("delete")
def delete_runs(
    names: RunsArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    store: StoreOption = None,
) -> None:
    """Delete runs for good: their conversations, turns, prompts, graphs and scores. Asks first. Ontologies stay."""
    from quaestor.application.run_service import find_runs, status_word
    from quaestor.cli.printing import agreed

    found = _read_store(store, lambda opened: find_runs(opened, names))
    for record in found:
        print(f"{record.id}: {record.dataset}, {record.conversations} conversations, {status_word(record)}")
    if not yes and not agreed(f"delete {len(found)} run{'s' * (len(found) != 1)} for good?"):
        print("nothing was deleted")
        return

    async def delete(opened: "RunStore") -> None:
        for record in found:
            await opened.delete_run(record.id)

    _read_store(store, delete)
    print(f"deleted {len(found)} run{'s' * (len(found) != 1)}")


@runs.command("export")
def export(
    run: RunArgument,
    traces: Annotated[
        Path, typer.Option("--traces", help="Write one JSON object a turn to this file.", metavar="FILE.jsonl")
    ],
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Write the traces of a run: of every turn what was asked, said, called, judged and answered.

    A conversation that broke off has its exchanges with the model, and no answers.
    """
    from quaestor.application.files import OutputFile
    from quaestor.application.resolve import store_file
    from quaestor.application.traces import read_traces, write_traces
    from quaestor.settings import load_settings

    kept = store_file(load_settings({"store": store}).store)
    output = OutputFile(traces, [kept] if kept else [], force)
    output.require_free()
    turns = _read_store(store, lambda opened: read_traces(opened, run))
    write_traces(output, turns)
    print(f"{len(turns)} turns in {traces}")


def _read_store(store: str | None, read: "Callable[[RunStore], Awaitable[T]]") -> T:
    """Returns what is done with the store in force, which must be there."""
    from quaestor.settings import load_settings
    from quaestor.store.base import open_store

    async def opened() -> T:
        async with open_store(load_settings({"store": store}).store, create=False) as found:
            return await read(found)

    return asyncio.run(opened())
