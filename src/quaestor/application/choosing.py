"""Which conversations of a file are played: the first few, some by name, or a sample; and read again as they were."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quaestor.application.resolve import match_id, read_playable
from quaestor.datasets.dataset import Dataset, Selection
from quaestor.datasets.formats import read_dataset
from quaestor.errors import InputError
from quaestor.evaluation.spec import RunSpec
from quaestor.readers.cache import ByteCache
from quaestor.store.records import RunRecord

_LARGEST = 2**63 - 1
"""What a store can hold of a whole number."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person wants played; all of the file if not given. One of the three ways at a time.

    Attributes:
        limit: The first so many conversations.
        conversations: These, each by its id or by that of its page: of a page, all that are about it.
        seed: What decides the draw; 0 if not given.
    """

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


def read_chosen(
    path: Path, choice: Choice, folder: Path | None = None, cache: ByteCache | None = None
) -> tuple[Dataset, Selection | None]:
    """Return what is to be played, and how it is kept with the run; None if a limit, or nothing, says it.

    Raises:
        DatasetError: The file cannot be read, or none of the chosen pages has a number.
        InputError: A name fits several conversations.
        UnknownConversationError: There is no such conversation; the message names the nearest ids.
    """
    if choice.sample is None and not choice.conversations:
        return read_playable(path, choice.limit, folder=folder, cache=cache), None
    dataset = read_playable(path, folder=folder, cache=cache)
    if choice.sample is None:
        selection = Selection(_find_ids(dataset, choice.conversations))
    else:
        selection = Selection((), choice.sample, choice.seed or 0)
    return selection.of(dataset), selection


def _find_ids(dataset: Dataset, names: Sequence[str]) -> tuple[str, ...]:
    known = [one.id for one in dataset.listed]
    pages = {one.page.id: None for one in dataset.listed}
    wanted = {match_id(name, [*known, *(page for page in pages if page not in known)], dataset.path) for name in names}
    found = (one.id for one in dataset.listed if one.id in wanted or one.page.id in wanted)
    return tuple(dict.fromkeys(found))


def read_as_played(path: Path, run: RunRecord, cache: ByteCache | None = None, folder: Path | None = None) -> Dataset:
    """Return the conversations of a file that a run is of.

    Args:
        folder: Where the documents lie that its questions are about; by default where they lay for the run.

    Raises:
        DatasetError: The file cannot be read.
    """
    spec = RunSpec.of_run(run)
    played = None if spec.folder is None else Path(spec.folder)
    dataset = read_dataset(path, spec.limit, cache, folder=folder or played)
    return spec.selection.of(dataset) if spec.selection else dataset
