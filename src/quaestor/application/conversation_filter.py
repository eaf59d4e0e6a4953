"""Selects conversations of a file: the first few, some by name, a sample, or those of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quaestor.application.resolve import match_id, read_answerable
from quaestor.datasets.dataset import Dataset, Selection
from quaestor.datasets.formats import read_dataset
from quaestor.errors import InputError
from quaestor.evaluation.spec import RunSpec
from quaestor.readers.cache import ByteCache
from quaestor.store.records import RunRecord

_LARGEST = 2**63 - 1
"""The largest integer that a store can save."""


@dataclass(frozen=True, slots=True)
class ConversationFilter:
    """Selects conversations of a file by at most one of three criteria; without one, all of them."""

    limit: int | None = None
    conversations: Sequence[str] = ()
    sample: int | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        given = {
            "a limit": self.limit is not None,
            "conversations by name": bool(self.conversations),
            "a sample": self.sample is not None,
        }
        if sum(given.values()) > 1:
            names = " and ".join(name for name, chosen in given.items() if chosen)
            raise InputError(f"{names} cannot be combined")
        if self.seed is not None and self.sample is None:
            raise InputError("a seed needs a sample size")
        for name, number in {"limit": self.limit, "sample": self.sample, "seed": self.seed}.items():
            if number is not None and abs(number) > _LARGEST:
                raise InputError(f"{name} {number} is too large: the maximum is {_LARGEST}")


def read_filtered(
    path: Path, wanted: ConversationFilter, folder: Path | None = None, cache: ByteCache | None = None
) -> tuple[Dataset, Selection | None]:
    """Return the conversations that a filter selects, and the selection for the record unless it is a limit or all."""
    if wanted.sample is None and not wanted.conversations:
        return read_answerable(path, wanted.limit, folder=folder, cache=cache), None
    dataset = read_answerable(path, folder=folder, cache=cache)
    if wanted.sample is None:
        selection = Selection(_find_ids(dataset, wanted.conversations))
    else:
        selection = Selection((), wanted.sample, wanted.seed or 0)
    return selection.of(dataset), selection


def _find_ids(dataset: Dataset, names: Sequence[str]) -> tuple[str, ...]:
    known = [one.id for one in dataset.listed]
    pages = {one.page.id: None for one in dataset.listed}
    wanted = {match_id(name, [*known, *(page for page in pages if page not in known)], dataset.path) for name in names}
    found = (one.id for one in dataset.listed if one.id in wanted or one.page.id in wanted)
    return tuple(dict.fromkeys(found))


def read_conversations_of_run(
    path: Path, run: RunRecord, cache: ByteCache | None = None, folder: Path | None = None
) -> Dataset:
    """Return the conversations of a file that a run answered."""
    spec = RunSpec.of_run(run)
    run_folder = None if spec.folder is None else Path(spec.folder)
    dataset = read_dataset(path, spec.limit, cache, folder=folder or run_folder)
    return spec.selection.of(dataset) if spec.selection else dataset
