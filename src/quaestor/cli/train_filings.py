"""`quaestor train-filings`: weights for questions about whole filings, from labelled conversations about some."""

from pathlib import Path
from typing import Annotated

import typer

from quaestor.cli.options import ForceOption


def train_filings_command(
    questions: Annotated[
        list[Path],
        typer.Argument(
            help="Files of labelled questions, each named as the filing they are about.", metavar="FILE.jsonl..."
        ),
    ],
    filings: Annotated[Path, typer.Option("--filings", help="Folder of the filings.", file_okay=False, metavar="DIR")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", help="Folder of weights; they go into `filings` there.", metavar="DIR", file_okay=False
        ),
    ] = Path("weights"),
    force: ForceOption = False,
) -> None:
    """Train the embedded solver's weights for whole filings on labelled questions about some."""
    from quaestor.application.training import train_filing_weights
    from quaestor.extras import require_extra

    require_extra("train", "training")
    trained = train_filing_weights(questions, filings, output, force=force)
    print(
        f"trained on {trained.questions} questions; {trained.right / trained.questions:.0%} of them are answered right "
        f"by weights that have not seen their filings; weights written to {output / 'filings'}"
    )
