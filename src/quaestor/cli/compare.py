"""`quaestor compare`: which of two or more runs is better, by how much, and whether that is more than chance."""

from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import JsonOption, StoreOption
from quaestor.cli.stored import read_store

if TYPE_CHECKING:
    from quaestor.application.comparison import RunsCompared, ShownTurn
    from quaestor.store.base import RunStore

LabelledOption = Annotated[
    str | None, typer.Option("--dataset", help="Labelled file, if it has moved.", metavar="FILE")
]


def compare_command(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN RUN...", help="Run ids, unique prefixes, or `latest`.", show_default=False),
    ],
    dataset: LabelledOption = None,
    scorer: Annotated[
        str | None,
        typer.Option(
            "--scorer",
            help="Metric that decides whether a turn is correct; the benchmark's own by default.",
            metavar="NAME",
        ),
    ] = None,
    differences: Annotated[
        bool,
        typer.Option(
            "--differences", help="Show the turns that only one run answered correctly, with plans and sources."
        ),
    ] = False,
    cascade: Annotated[
        bool,
        typer.Option(
            "--cascade",
            help="For two runs: estimate a cascade that passes the first run's uncertain turns to the second.",
        ),
    ] = False,
    play: Annotated[
        bool,
        typer.Option(
            "--play",
            help=(
                "With --cascade: rerun the first run's solver on top of the second run's answers. Sends no model "
                "requests."
            ),
        ),
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Compare runs of the same questions, turn by turn.

    Shows wins, losses and ties, the exact McNemar test, confidence intervals of the difference (resampled by page and
    by company), a split by turn, operation, origin and kind, and the agreement. With more than two runs, compares every
    pair. Verdicts come from the labelled file of the runs. If it is missing, or the runs have more than 1,000 scored
    conversations, the saved scores are used, which have no split by operation and origin (--dataset FILE reads the
    file).
    """
    if cascade:
        if differences or scorer is not None:
            raise typer.BadParameter("cannot be combined with --differences or --scorer", param_hint="--cascade")
        _show_cascade(runs, dataset, store, json=json, play=play)
        return
    if play:
        raise typer.BadParameter("requires --cascade", param_hint="--play")
    from quaestor.application.comparison import compare_stored, comparison_json, different_turns
    from quaestor.application.resolve import dataset_path
    from quaestor.cli.printing import make_console, print_json
    from quaestor.cli.render_compare import show_comparison, show_differences
    from quaestor.settings import load_settings

    uri = load_settings({"store": store}).store
    file = dataset_path(dataset) if dataset else None

    async def read(opened: "RunStore") -> "tuple[RunsCompared, list[tuple[ShownTurn, ...]]]":
        found = await compare_stored(opened, runs, uri, file, scorer)
        return found, [await different_turns(opened, found, pair) for pair in found.pairs] if differences else []

    found, turn_pairs = read_store(store, read)
    if json:
        print_json(comparison_json(found, turn_pairs))
        return
    console = make_console()
    show_comparison(console, found)
    for pair, turns in zip(found.pairs, turn_pairs, strict=False):
        show_differences(console, found, pair, turns)


def _show_cascade(runs: list[str], dataset: str | None, store: str | None, *, json: bool, play: bool) -> None:
    from quaestor.application.resolve import dataset_path
    from quaestor.application.simulated_cascade import simulate_stored
    from quaestor.cli.printing import make_console, print_json
    from quaestor.cli.render_compare import cascade_object, show_cascade

    file = dataset_path(dataset) if dataset else None

    found = read_store(store, lambda opened: simulate_stored(opened, runs, file, replay=play))
    if json:
        print_json(cascade_object(found))
    else:
        show_cascade(make_console(), found)
