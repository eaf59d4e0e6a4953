"""Weights for questions about whole filings, from files."""

from collections.abc import Sequence
from pathlib import Path

from quaestor.datasets.formats import read_document
from quaestor.errors import InputError
from quaestor.learning.filing_training import FilingTraining, save_filing_weights, train_on_filings
from quaestor.learning.filings import read_labelled


def train_filing_weights(questions: Sequence[Path], filings: Path, output: Path, *, force: bool) -> FilingTraining:
    """Train weights on labelled questions, and write them.

    Args:
        output: The folder of weights; a folder `filings` is written there.
        force: Whether to replace one that exists.

    Raises:
        InputError: A filing is missing, or the folder exists.
        DatasetError: A file cannot be read.
    """
    folder = output / "filings"
    if folder.exists() and not force:
        raise InputError(f"{folder} exists; choose another folder, or replace it by force")
    documents = {path.stem: read_document(_find(path.stem, filings)) for path in questions}
    trained = train_on_filings(read_labelled(questions), documents)
    save_filing_weights(trained.weights, folder)
    return trained


def _find(name: str, folder: Path) -> Path:
    found = sorted(path for path in folder.iterdir() if path.name.partition(".")[0] == name)
    if not found:
        raise InputError(f"{folder} has no filing {name!r}; the questions about a filing are named as its file")
    return found[0]
