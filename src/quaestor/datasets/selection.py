"""Which conversations of a file are taken: some by their ids, or a sample.

A larger sample of one seed holds the smaller, and a conversation that is added to the file changes it by one at most.
"""

import hashlib
from dataclasses import dataclass, replace

from quaestor.datasets.dataset import Dataset


@dataclass(frozen=True, slots=True)
class Selection:
    """Some conversations of a file, as a run keeps it.

    Attributes:
        conversations: Their ids, in the file's order; none if a sample is drawn.
        sample: How many are drawn; None where ids are given.
        seed: What decides the draw.
    """

    conversations: tuple[str, ...] = ()
    sample: int | None = None
    seed: int = 0

    def of(self, dataset: Dataset) -> Dataset:
        """Return the dataset of what is taken, in the file's order; of a sample that is larger than it, all."""
        if self.sample is None:
            taken = self.conversations
        else:
            taken = tuple(sorted((one.id for one in dataset.listed), key=self._place)[: self.sample])
        chosen = Dataset.of(dataset.path, dataset.format, dataset.taking(taken))
        return replace(dataset, digest=chosen.digest, conversations=chosen.conversations)

    def _place(self, id: str) -> tuple[str, str]:
        return hashlib.sha256(f"{self.seed} {id}".encode()).hexdigest(), id
