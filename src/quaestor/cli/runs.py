"""`quaestor runs` and `export`: inspect the run store, why a run answered as it did, and write answers to a file."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import (
    ConversationArgument,
    ForceOption,
    JsonOption,
    LabelledOption,
    RunArgument,
    RunsArgument,
    StoreOption,
    TurnArgument,
    command_group,
)
from quaestor.cli.printing import announce, confirm, count_noun, make_console, print_json
from quaestor.cli.stored import labelled_file, output_file, scores_of_run, store_uri, use_store
from quaestor.errors import InputError
from quaestor.extras import require_extra
from quaestor.settings import load_settings

if TYPE_CHECKING:
    from quaestor.application.files import OutputFile
    from quaestor.store.base import RunStore

SHOWN_FAILURES = 200
"""Default number of wrong turns to show."""

AttemptOption = Annotated[
    int | None,
    typer.Option("--attempt", min=1, help="Which attempt at the conversation; the last by default.", metavar="N"),
]

runs = command_group("Inspect the run store.")


@runs.command("list")
def list_runs(store: StoreOption = None, json: JsonOption = False) -> None:
    """List all runs, the latest first."""
    from quaestor.application.score_service import read_latest_scores
    from quaestor.cli.render_runs import show_runs
    from quaestor.core import serial
    from quaestor.store.base import display_uri

    records = use_store(store, lambda opened: opened.runs())
    scores = asyncio.run(read_latest_scores(store_uri(store), records))
    if json:
        print_json([{**serial.dump(record), "score": scores.get(record.id)} for record in records])
    elif not records:
        print(f"{display_uri(store_uri(store))} has no runs yet")
    else:
        show_runs(records, scores)


@runs.command("show")
def show_run_command(run: RunArgument, store: StoreOption = None, json: JsonOption = False) -> None:
    """Show one run: its settings, progress, accuracy, speed and failures."""
    from quaestor.application.run_figures import read_run_figures
    from quaestor.cli.render_runs import correction_figures, figure_lines, score_lines, show_run, stage_lines
    from quaestor.core import serial

    found = use_store(store, lambda opened: read_run_figures(opened, run, every_example=json))
    record, plans, stages, corrections = found.run, found.plans, found.stages, found.corrections
    scores = scores_of_run(store, record, figures_only=not json)
    if json:
        optional = {"plans": plans, "stages": stages or None, "corrections": corrections or None}
        examples = [
            {**serial.dump(example), "score": scores.conversations.get(example.conversation)}
            for example in found.examples
        ]
        print_json(
            {
                **serial.dump(record),
                **{name: value for name, value in optional.items() if value is not None},
                "figures": found.figures,
                "scores": scores.latest,
                "examples": examples,
            }
        )
    else:
        lines = figure_lines(found.figures, plans or {}, imported=record.kind == "import")
        corrected = {"corrections": correction_figures(corrections)} if corrections else {}
        show_run(found, {**score_lines(scores), **lines, **stage_lines(stages), **corrected})


@runs.command("failures")
def failures(
    run: RunArgument,
    dataset: LabelledOption = None,
    full: Annotated[
        bool, typer.Option("--full", help="Also show how the solver understood the question and which tools it called.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            min=1,
            help=f"Maximum number of turns to show; {SHOWN_FAILURES} by default, all with --json.",
            metavar="N",
        ),
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """List the wrong turns of a run, each with its cause, and the conversations that did not finish.

    Turns are judged if the dataset of the run has reference answers, or if the run was scored; otherwise the turns
    without an answer are listed. The cause is computed by comparing the solver's plan with the reference's
    (docs/inspection.md lists the causes). For runs of more than 1,000 conversations the saved score is used; --dataset
    FILE compares with the references again and shows them.
    """
    from quaestor.application.judged_runs import find_wrong_turns, wrong_turn_objects
    from quaestor.cli.render_runs import show_wrong_turns

    file, uri = labelled_file(dataset), store_uri(store)
    most = limit or (None if json else SHOWN_FAILURES)
    found = use_store(store, lambda opened: find_wrong_turns(opened, run, file, uri, graphs=full, most=most))
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
    """Show one turn: question, interpretation, tool calls with inputs and outputs, answer, sources."""
    from quaestor.application.stored_turns import kind_objects, read_stored_turn
    from quaestor.cli.render import show_stored_turn
    from quaestor.cli.render_runs import verdict_words
    from quaestor.core import serial

    found = use_store(store, lambda opened: read_stored_turn(opened, run, conversation, turn, attempt))
    verdict = scores_of_run(store, found.run).verdicts.get((found.record.conversation, found.record.index))
    if json:
        output = serial.dump(found.record) | kind_objects(found.record)
        # The cause is listed by `runs failures`.
        output["verdict"] = verdict and {"correct": verdict.correct, "program_correct": verdict.program_correct}
        print_json(output | ({"corrected": found.corrected.answer} if found.corrected else {}))
    else:
        show_stored_turn(make_console(), found.record, found.graph, verdict_words(verdict), found.corrected)


@runs.command("prompts")
def prompts(
    run: RunArgument,
    conversation: ConversationArgument,
    turn: TurnArgument,
    attempt: AttemptOption = None,
    raw: Annotated[bool, typer.Option("--raw", help="Print message bodies verbatim.")] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show the model requests and replies of a turn, omitting what earlier requests already contained."""
    from quaestor.application.stored_turns import read_exchanges
    from quaestor.cli.render_runs import show_exchanges

    found = use_store(store, lambda opened: read_exchanges(opened, run, conversation, turn, attempt))
    if json:
        print_json(found)
    elif not found:
        print("no model requests are stored for this turn")
    else:
        show_exchanges(make_console(), found, raw=raw)


@runs.command("tools")
def tools(runs: RunsArgument, store: StoreOption = None, json: JsonOption = False) -> None:
    """Show which tools were called for which questions, the accuracy with each, and why calls were refused."""
    from quaestor.application.tool_advice import tool_table
    from quaestor.cli.render_runs import show_tool_table

    table = use_store(store, lambda opened: tool_table(opened, runs, store_uri(store)))
    if json:
        print_json(table)
    elif not table.tools:
        print("no tools were called")
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
    """Show the knowledge graph that a conversation used, as stored."""
    from quaestor.application.graph_query import graph_object
    from quaestor.application.stored_turns import read_graph
    from quaestor.cli.render import show_facts, show_statistics

    found = use_store(store, lambda opened: read_graph(opened, run, conversation))
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
    file: Annotated[
        Path, typer.Argument(metavar="FILE.jsonl", help="File with one JSON object per turn.", show_default=False)
    ],
    dataset: Annotated[
        str, typer.Option("--dataset", help="The file the questions come from, or `sample`.", metavar="DATASET")
    ],
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the run; the file name by default.", metavar="NAME")
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Import answers of another program as a run, to score and compare them. Prints the run's id.

    Each line has `conversation`, `turn` (from 0) and `answer`; `unit` may be `percent`. docs/evaluation.md lists all
    fields. Nothing is imported if any line is invalid.
    """
    from quaestor.application.file_cache import reading_limits
    from quaestor.application.resolve import dataset_path
    from quaestor.application.run_import import import_run
    from quaestor.core import serial
    from quaestor.datasets.formats import read_dataset

    path, settings = dataset_path(dataset), load_settings({"store": store})
    with announce(f"reading {path}"):
        questions = read_dataset(path, limits=reading_limits(settings))

    found = use_store(store, lambda opened: import_run(opened, file, questions, name), create=True)
    if found.unanswered:
        turns = f"{found.unanswered} of {found.answered + found.unanswered} turns"
        print(f"quaestor: {file} has no answer for {turns} of {path}; they count as wrong", file=sys.stderr)
    if json:
        counts = {"answered": found.answered, "unanswered": found.unanswered}
        print_json({**serial.dump(found.run), **counts})
    else:
        print(found.run.id)


@runs.command("delete")
def delete_runs(
    names: RunsArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    store: StoreOption = None,
) -> None:
    """Delete runs permanently: their conversations, turns, prompts, graphs and scores, but not their ontologies."""
    from quaestor.application.run_service import find_runs, status_word

    found = use_store(store, lambda opened: find_runs(opened, names))
    for record in found:
        print(
            f"{record.id}: {record.dataset}, {count_noun(record.conversations, 'conversation')}, {status_word(record)}"
        )
    if not yes and not confirm(f"permanently delete {count_noun(len(found), 'run')}?"):
        print("nothing was deleted")
        return

    async def delete(opened: "RunStore") -> None:
        for record in found:
            await opened.delete_run(record.id)

    use_store(store, delete)
    print(f"deleted {count_noun(len(found), 'run')}")


@runs.command("export")
def export(
    run: RunArgument,
    traces: Annotated[
        Path, typer.Option("--traces", help="Write one JSON object per turn to this file.", metavar="FILE.jsonl")
    ],
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Export the traces of a run: the questions, model requests, tool calls, checks and answers of every turn.

    A conversation that did not finish has its model requests, but no answers.
    """
    from quaestor.application.reports import read_traces, trace_objects

    output = output_file(traces, store, (), force=force)
    turns = use_store(store, lambda opened: read_traces(opened, run))
    output.write_json_lines(trace_objects(turns))
    print(f"wrote {len(turns)} turns to {traces}")


def export_command(
    run: RunArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.", metavar="FILE")],
    conversation: Annotated[
        list[str] | None,
        typer.Option(
            "--conversation",
            help="Export only this conversation, or the conversations of this page. Can be repeated.",
            metavar="ID",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help=(
                "xlsx, csv, json, markdown, html, or inspect for an Inspect AI log (.eval). By default chosen by "
                "the file extension."
            ),
            metavar="NAME",
        ),
    ] = None,
    dataset: Annotated[
        Path | None,
        typer.Option("--dataset", help="For an Inspect log: the labelled file, if it has moved.", metavar="FILE"),
    ] = None,
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Export questions and answers of a run. In a workbook, every answer is a live formula over its sources."""
    from quaestor.application.exporting import files_of_run, format_of, is_inspect_log, read_conversations, write_export
    from quaestor.application.files import OutputFile
    from quaestor.application.resolve import store_file

    read_too = use_store(store, lambda opened: files_of_run(opened, run, output))
    stored = store_file(store_uri(store))
    target = OutputFile(output, [*(path for path in (stored, dataset) if path), *read_too], force)
    if is_inspect_log(target, format):
        _export_log(target, run, conversation or (), dataset, store)
        return
    if dataset is not None:
        raise InputError("--dataset applies only to Inspect logs: remove it, or use --format inspect")
    chosen = format_of(target, format)
    target.require_free()

    found = use_store(store, lambda opened: read_conversations(opened, run, conversation or ()))
    write_export(target, chosen, found)
    count = sum(len(one.turns) for one in found)
    print(f"wrote {count} question{'s' * (count != 1)} to {output}")


def _export_log(target: "OutputFile", run: str, names: Sequence[str], dataset: Path | None, store: str | None) -> None:
    """Write an Inspect log, and warn if it has no scores."""
    from quaestor.application.inspect_log import read_logged_run, write_inspect_log

    require_extra("inspect", "writing an Inspect log")
    target.require_free()

    logged = use_store(store, lambda opened: read_logged_run(opened, run, names, dataset))
    write_inspect_log(target, logged)
    if not logged.scored:
        print(
            "the log has no scores: the run is incomplete, or its labelled file was not found (name it with --dataset)",
            file=sys.stderr,
        )
    count = len(logged.conversations)
    print(f"wrote {count} sample{'s' * (count != 1)} to {target.path}")
