"""A label looked up among known ones, rung by rung, with the score and the reason.

How labels compare is `labels`'; what they name is the caller's.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from quaestor.ontology.labels import RUNGS, SPELLING, plain, spellings


@dataclass(frozen=True, slots=True)
class PropertyMatch:
    """A known label that a label is.

    Attributes:
        rule: The rung on which they met.
        score: The rung's score, 1 for the same words.
        reason: What the rung forgives.
        shared: Whether several lines of one table may be this property, told apart by their own captions.
    """

    property: str
    label: str
    rule: str
    score: float
    reason: str
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A known label that resembles a label, but not enough.

    Attributes:
        score: From 0 to 1, of the words and letters that they share.
    """

    property: str
    label: str
    score: float


class LabelIndex:
    """Known labels, by their key on every rung."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        """Take the property of each label, in the order of preference where a rung finds several."""
        self._properties = dict(labels)
        self._rungs = tuple((rung, self._keyed(rung.key)) for rung in RUNGS)
        self._spellings: dict[str, list[str]] | None = None
        self._plain: tuple[tuple[str, ...], tuple[str, ...]] | None = None

    def _keyed(self, key: Callable[[str], str]) -> dict[str, list[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for label in self._properties:
            found[key(label)].append(label)
        found.pop("", None)
        return found

    def find(self, label: str) -> tuple[PropertyMatch, ...]:
        """Return the known labels that `label` is, on the first rung on which it is any."""
        for rung, keyed in self._rungs:
            if found := keyed.get(rung.key(label)):
                return tuple(PropertyMatch(self._properties[x], x, rung.name, rung.score, rung.reason) for x in found)
        return self._find_spelling(label)

    def _find_spelling(self, label: str) -> tuple[PropertyMatch, ...]:
        if self._spellings is None:
            index: defaultdict[str, list[str]] = defaultdict(list)
            for known in self._properties:
                for key in spellings(known):
                    index[key].append(known)
            self._spellings = index
        own = max(spellings(label), key=len, default="")
        found = dict.fromkeys(self._spellings.get(own, ()))
        for key in sorted(spellings(label)):
            found |= dict.fromkeys(
                known for known in self._spellings.get(key, ()) if key == max(spellings(known), key=len)
            )
        rung = SPELLING
        return tuple(PropertyMatch(self._properties[x], x, rung.name, rung.score, rung.reason) for x in found)

    def nearest(self, label: str, limit: int = 3) -> tuple[Suggestion, ...]:
        """Return the known labels that share most with `label`, one for each property, best first."""
        from rapidfuzz import fuzz, process

        if self._plain is None:
            self._plain = tuple(map(plain, self._properties)), tuple(self._properties)
        texts, known = self._plain
        found = process.extract(plain(label), texts, scorer=fuzz.token_sort_ratio, limit=4 * limit)
        best: dict[str, Suggestion] = {}
        for _, score, place in found:
            name = self._properties[known[place]]
            best.setdefault(name, Suggestion(name, known[place], round(score / 100, 2)))
        return tuple(best.values())[:limit]
