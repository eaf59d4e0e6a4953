"""`quaestor train`, `crossvalidate`, `train-filings`: train the embedded solver. `learn`: draft advice from runs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import (
    AddressOption,
    DatasetsArgument,
    EngineOption,
    ForceOption,
    JsonOption,
    RunsArgument,
    StoreOption,
    command_group,
)
from quaestor.cli.printing import make_console
from quaestor.cli.stored import output_file, store_uri, use_store
from quaestor.extras import require_extra
from quaestor.settings import load_settings

if TYPE_CHECKING:
    from quaestor.application.training import HeldOutReport
    from quaestor.store.records import RunRecord

LinesOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--dialogues",
        help="A .jsonl file of dialogues or single questions, to learn follow-up questions from. Can be repeated.",
        metavar="FILE.jsonl",
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", help="The same seed always gives the same weights.", metavar="N")]


def train_command(
    datasets: DatasetsArgument,
    dialogues: LinesOption = None,
    output: Annotated[
        Path, typer.Option("--output", help="Folder to write the weights to.", metavar="DIR", file_okay=False)
    ] = Path("weights"),
    force: ForceOption = False,
    seed: SeedOption = 0,
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures",
            help="Output of `crossvalidate --json` for this training, for the model card.",
            metavar="FILE.json",
        ),
    ] = None,
) -> None:
    """Train the embedded solver's weights on labelled conversations. Use them with `eval --weights DIR`."""
    from quaestor.application.resolve import dataset_path
    from quaestor.application.training import TrainingRequest, train_weights, weights_folder

    request = TrainingRequest([dataset_path(name) for name in datasets], dialogues or (), seed, figures)
    used = [*request.datasets, *request.dialogues, *([figures] if figures else [])]
    conversations, turns = train_weights(request, weights_folder(output, used, force=force))
    print(f"trained on {turns} turns of {conversations} conversations; weights written to {output}")


def crossvalidate_command(
    datasets: DatasetsArgument,
    extra: Annotated[
        list[str] | None,
        typer.Option(
            "--extra", help="A labelled file that is only used for training. Can be repeated.", metavar="DATASET"
        ),
    ] = None,
    dialogues: LinesOption = None,
    folds: Annotated[int, typer.Option("--folds", min=2, help="Number of folds to split the companies into.")] = 5,
    seed: SeedOption = 0,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Folds to train in parallel.", metavar="N")] = 2,
    engine: EngineOption = None,
    address: AddressOption = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Save the answers in the run store, one run per file, and print the run ids.")
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Cross-validate by company: answer each dataset with weights trained on other companies, and score the answers."""
    import sys

    from quaestor.application.resolve import dataset_path
    from quaestor.application.run_import import save_held_out_runs
    from quaestor.application.training import CrossValidationRequest, judge_held_out

    def report(done: int) -> None:
        print(f"{done} of {folds} folds done", file=sys.stderr, flush=True)

    require_extra("train", "cross-validation")
    paths, only_train = ([dataset_path(name) for name in names] for names in (datasets, extra or ()))
    request = CrossValidationRequest(paths, only_train, dialogues or (), folds, seed)
    settings = load_settings({"store": store, "engine": engine, "address": address})

    def save(found: "Sequence[HeldOutReport]") -> "Sequence[RunRecord]":
        return use_store(settings.store, lambda opened: save_held_out_runs(opened, request, found), create=True)

    if keep:
        save(())  # fails before minutes of training if the store cannot be opened
    print(f"training {folds} folds, {workers} in parallel; each takes several minutes", file=sys.stderr, flush=True)
    found = judge_held_out(request, workers, report, settings)
    _show(found, save(found) if keep else [None] * len(found), json=json)


def _show(found: "Sequence[HeldOutReport]", stored: "Sequence[RunRecord | None]", *, json: bool) -> None:
    from quaestor.cli.render_runs import show_score
    from quaestor.scoring.figures import score_to_json

    if json:
        import json as encoder

        from quaestor.core import serial

        figures = {
            one.name: {
                "score": score_to_json(one.report.score),
                "reachable": one.reachable,
                "turns": len(one.turns),
                "second_questions": serial.dump(one.second_questions),
            }
            | ({"run": run.id} if run else {})
            for one, run in zip(found, stored, strict=True)
        }
        print(encoder.dumps(figures[found[0].name] if len(found) == 1 else {"files": figures}))
        return
    for one, run in zip(found, stored, strict=True):
        if len(found) > 1:
            print(f"{one.name}:")
        show_score(make_console(), one.report.score)
        recall = f"{one.reachable} of {len(one.turns)} turns"
        print(f"candidate recall: the reference number is among the candidates in {recall}")
        if (second := one.second_questions).total:
            interval = f"95 % interval {100 * second.low:.1f} to {100 * second.high:.1f}"
            right = f"{second.correct} of {second.total} are correct, {100 * second.value:.1f} %, {interval}"
            print(f"first turns of a second question: {right}")
        if run:
            print(f"saved as run {run.id}")


def train_filings_command(
    questions: Annotated[
        list[Path],
        typer.Argument(
            help="Files of labelled questions, each named like the filing they are about.", metavar="FILE.jsonl..."
        ),
    ],
    filings: Annotated[Path, typer.Option("--filings", help="Folder of the filings.", file_okay=False, metavar="DIR")],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            help="Folder to write the weights to, in its subfolder `filings`.",
            metavar="DIR",
            file_okay=False,
        ),
    ] = Path("weights"),
    force: ForceOption = False,
) -> None:
    """Train the embedded solver's weights for whole filings on labelled questions."""
    from quaestor.application.training import train_filing_weights

    require_extra("train", "training")
    trained = train_filing_weights(questions, filings, output, force=force)
    print(
        f"trained on {trained.questions} questions; {trained.right / trained.questions:.0%} of them are answered right "
        f"by weights that have not seen their filings; weights written to {output / 'filings'}"
    )


learn = command_group("Learn advice from runs, for review and for later runs.")


@learn.command("tools")
def learn_tools_command(
    runs: RunsArgument,
    output: Annotated[Path, typer.Option("--output", help="File to write.", metavar="FILE")] = Path("advice.txt"),
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Draft advice for the agent solver from runs: which tools suit which questions, and why calls were refused.

    The advice contains kinds of questions, tools, rates and reasons, but no answers, numbers or questions of the runs.
    Review and edit it, then use it with --solver agent --advice FILE.
    """
    from quaestor.application.tool_advice import tool_table, write_advice

    target = output_file(output, store, (), force=force)
    table = use_store(store, lambda opened: tool_table(opened, runs, store_uri(store)))
    lines = write_advice(table, target, f"--solver agent --advice {output.name}")
    print(f"{lines} line{'s' * (lines != 1)} of advice in {output}: review it, then use it with --advice {output}")
