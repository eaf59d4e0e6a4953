"""`quaestor train` and `quaestor crossvalidate`: weights of the embedded solver from labelled conversations."""

from pathlib import Path
from typing import Annotated

import typer

from quaestor.cli.options import JsonOption

_LINES_HELP = "A .jsonl file of dialogues or single questions, to learn what a turn does. May be given again."

DatasetsArgument = Annotated[
    list[Path], typer.Argument(metavar="DATASET...", help="Labelled ConvFinQA files.", show_default=False)
]
LinesOption = Annotated[list[Path] | None, typer.Option("--dialogues", help=_LINES_HELP, metavar="FILE.jsonl")]
SeedOption = Annotated[int, typer.Option("--seed", help="One seed always gives the same weights.", metavar="N")]

FiguresOption = Annotated[
    Path | None,
    typer.Option(
        "--figures", help="What `crossvalidate --json` printed of this training, for the card.", metavar="FILE.json"
    ),
]


def train(
    datasets: DatasetsArgument,
    dialogues: LinesOption = None,
    output: Annotated[
        Path, typer.Option("--output", help="The folder that the weights go to.", metavar="DIR", file_okay=False)
    ] = Path("weights"),
    seed: SeedOption = 0,
    figures: FiguresOption = None,
) -> None:
    """Learn the embedded solver's weights from labelled conversations; `eval --weights DIR` uses them."""
    from quaestor.learning.alike import processes
    from quaestor.learning.examples import read_examples, read_lines
    from quaestor.learning.saving import held_out_figures, save_weights, training_card
    from quaestor.learning.train import train as learn

    measured = held_out_figures(figures) if figures else None
    examples, lines = read_examples(datasets), read_lines(dialogues or ())
    with processes(1) as pool:
        weights = pool.submit(learn, examples, lines, seed).result()
    save_weights(weights, output, training_card([*datasets, *(dialogues or ())], examples, lines, seed, measured))
    turns = sum(len(example.questions) for example in (*examples, *lines))
    print(f"learned from {turns} turns of {len(examples) + len(lines)} conversations; the weights are in {output}")


def crossvalidate(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="The labelled file to be answered.")],
    extra: Annotated[
        list[Path] | None,
        typer.Option("--extra", help="A labelled file that only ever trains. May be given again.", metavar="DATASET"),
    ] = None,
    dialogues: LinesOption = None,
    folds: Annotated[int, typer.Option("--folds", min=2, help="Parts that the companies are split into.")] = 5,
    seed: SeedOption = 0,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Folds trained at once.", metavar="N")] = 2,
    json: JsonOption = False,
) -> None:
    """Answer a dataset with weights that never saw the company in question, and score the answers."""
    from rich.console import Console

    from quaestor.cli.results import show_score
    from quaestor.core import serial
    from quaestor.datasets.formats import read_dataset
    from quaestor.learning.crossvalidate import cross_validate
    from quaestor.learning.examples import read_examples, read_lines
    from quaestor.scoring.gold import read_gold
    from quaestor.scoring.report import score

    held_out = cross_validate(
        read_examples([dataset]),
        read_examples(extra or ()),
        read_lines(dialogues or ()),
        folds=folds,
        seed=seed,
        workers=workers,
    )
    documents = {conversation.id: conversation.document for conversation in read_dataset(dataset).conversations}
    report = score([turn.prediction for turn in held_out], read_gold(dataset), documents)
    reachable = sum(turn.reachable for turn in held_out)
    if json:
        import json as encoder

        print(encoder.dumps({"score": serial.dump(report.score), "reachable": reachable, "turns": len(held_out)}))
        return
    show_score(Console(highlight=False), report.score)
    print(f"candidate recall: the reference number is among the candidates in {reachable} of {len(held_out)} turns")
