"""How telling each stem is, as it was learned; one way to keep it, for pages and for questions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StemWeights:
    """A weight for each stem.

    For pages it is the log of how few training pages have the stem. For questions it is the negative log of how often
    it describes no number of a page that has the answer: high for the words of lines, near 0 for small talk.
    """

    weight: Mapping[str, float]
    unseen: float

    def of(self, stem: str) -> float:
        """Return the weight of one stem."""
        return self.weight.get(stem, self.unseen)

    def of_all(self, stems: Iterable[str]) -> list[float]:
        """Return the weights of stems, in their order."""
        known, unseen = self.weight.get, self.unseen
        return [known(stem, unseen) for stem in stems]
