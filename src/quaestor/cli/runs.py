"""`quaestor runs`: what the run store has."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from quaestor.cli import export, inspection, prompts
from quaestor.cli.options import JsonOption, RunArgument, StoreOption
from quaestor.cli.plans import has_plans, plan_figures, plan_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quaestor.store.records import ExampleRecord, RunRecord, TurnRecord

runs = typer.Typer(no_args_is_help=True, help="Look into the run store.")


@runs.command("list")
def list_runs(store: StoreOption = None, json: JsonOption = False) -> None:
    """List all runs, the latest first."""
    from quaestor.settings import load_settings
    from quaestor.store.base import open_store

    settings = load_settings({"store": store})

    async def read() -> "Sequence[RunRecord]":
        async with open_store(settings.store, create=False) as opened:
            return await opened.runs()

    records = asyncio.run(read())
    if json:
        _print_json([_run_json(record) for record in records])
    elif not records:
        from quaestor.store.base import shown_uri

        print(f"{shown_uri(settings.store)} has no runs yet")
    else:
        _show_runs(records)


@runs.command("show")
def show_run(run: RunArgument, store: StoreOption = None, json: JsonOption = False) -> None:
    """Show one run: what it was started with, how far it is, what failed."""
    from quaestor.cli.playing import find_run
    from quaestor.settings import load_settings
    from quaestor.store.base import open_store

    settings = load_settings({"store": store})

    async def read() -> "tuple[RunRecord, Sequence[ExampleRecord], Sequence[TurnRecord]]":
        async with open_store(settings.store, create=False) as opened:
            record = await find_run(opened, run)
            turns = await opened.turns(record.id) if has_plans(record) else ()
            return record, await opened.examples(record.id), turns

    record, examples, turns = asyncio.run(read())
    figures = plan_figures(turns) if has_plans(record) else None
    if json:
        from quaestor.core import serial

        plans = {} if figures is None else {"plans": figures}
        _print_json({**_run_json(record), **plans, "examples": [serial.dump(example) for example in examples]})
    else:
        _show_run(record, examples, plan_lines(figures or {}))


def _run_json(record: "RunRecord") -> dict[str, object]:
    from quaestor.core import serial

    return dict(serial.dump(record))


def _print_json(value: object) -> None:
    import json

    print(json.dumps(value, indent=2, ensure_ascii=False))


def _show_runs(records: "Sequence[RunRecord]") -> None:
    from rich.console import Console
    from rich.table import Table as Grid

    grid = Grid("run", "status", "conversations", "dataset")  # when it began is in its id
    grid.columns[0].no_wrap = True
    for record in records:
        grid.add_row(record.id, record.status, str(record.conversations), Path(record.dataset).name)
    Console(highlight=False).print(grid)


def _show_run(record: "RunRecord", examples: "Sequence[ExampleRecord]", plans: dict[str, str]) -> None:
    from collections import Counter

    statuses = Counter(example.status for example in examples)
    never = record.conversations - len(examples)
    counts = [f"{count} {status}" for status, count in sorted(statuses.items())] + (
        [f"{never} not begun"] if never else []
    )
    lines = {
        "run": record.id,
        "status": record.status,
        "solver": f"{record.spec['solver']} {record.spec.get('solver_options') or ''}".strip(),
        "dataset": record.dataset,
        "conversations": ", ".join(counts),
        "turns": str(sum(example.turns for example in examples)),
        "started": record.started.astimezone().isoformat(" ", "seconds"),
        "finished": record.finished.astimezone().isoformat(" ", "seconds") if record.finished else "not yet",
        "model": _model(record),
        "used": _used(examples),
        **plans,
        "ontology": f"{record.spec.get('ontology') or 'none'} ({record.spec.get('policy') or 'none'})",
        "spec": record.spec_digest,
    }
    for name, value in lines.items():
        if value is not None:
            print(f"{name + ':':<15}{value}")
    for example in examples:
        if example.error:
            print(f"{example.conversation}: {example.error}")


def _model(record: "RunRecord") -> str | None:
    options, model = record.spec.get("solver_options"), record.spec.get("model")
    if not isinstance(options, dict) or not isinstance(model, dict):
        return None
    prompts = str(record.spec.get("prompts") or "none")
    return f"{options.get('model')} (temperature {model.get('temperature')}, prompts {prompts[:12]})"


def _used(examples: "Sequence[ExampleRecord]") -> str | None:
    """Returns what a run has used of its model, all attempts included; None where it has not asked one."""
    from quaestor.llm.usage import Usage

    used = sum((Usage.of_counts(example.usage) for example in examples), Usage())
    return used.words if used.requests else None


runs.command("failures")(inspection.failures)
runs.command("turn")(inspection.turn)
runs.command("prompts")(prompts.prompts)
runs.command("tools")(inspection.tools)
runs.command("kg")(inspection.graph)
runs.command("export")(export.export)
