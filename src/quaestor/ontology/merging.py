"""Labels that are one property: joined rung by rung, each join with its reason, none against the evidence.

The evidence against: two labels that head two lines of one table are two properties, and so are all that are joined to
them. The result does not depend on the order in which labels come.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from quaestor.ontology.labels import CONCEPT, RUNGS, SPELLING, MatchRule, spellings


@dataclass(frozen=True, slots=True)
class Merge:
    """Two labels that were joined. The merges of a property make a tree over its labels.

    Attributes:
        into: The more frequent label that it met on the rung.
    """

    variant: str
    into: str
    rule: str
    score: float


@dataclass(frozen=True, slots=True)
class KeptDistinct:
    """Two labels that a rung would join, if they did not be in one table.

    Attributes:
        document: The first document that has both.
    """

    label: str
    other: str
    rule: str
    document: str


@dataclass(slots=True)
class _Group:
    labels: list[str]
    places: "array[int]"

    def shared(self, other: "_Group") -> set[int]:
        """Return the tables that both have a line in."""
        few, many = sorted((self.places, other.places), key=len)
        return set(few).intersection(many) if few else set()


@dataclass(frozen=True, slots=True)
class Groups:
    """The labels of each property, its leader first; what was joined, and what was not."""

    groups: tuple[tuple[str, ...], ...]
    merges: tuple[Merge, ...]
    apart: tuple[KeptDistinct, ...]


def group_labels(
    weights: Mapping[str, int],
    places: Mapping[str, Iterable[int]],
    concepts: Iterable[tuple[str, str]] = (),
    *,
    document_of: Callable[[Iterable[int]], str],
) -> Groups:
    """Return labels grouped into properties.

    Args:
        weights: How often each label was seen; the most frequent leads its group, the shorter one of two equals.
        places: The tables in which each label heads a line, by their numbers.
        concepts: Pairs of labels that tags give one concept: they are one before the ladder is asked.
        document_of: Names the first document of some tables.
    """
    groups = {label: _Group([label], array("I", places.get(label, ()))) for label in weights}

    def rank(label: str) -> tuple[int, int, int, str]:
        joined = label.replace(" ", "")
        return -weights[label], len(joined), len(joined) - len(label), label  # of lost spaces the fewest

    merges: list[Merge] = []
    apart: dict[tuple[str, str], KeptDistinct] = {}
    for label, into in concepts:
        _join([into, label], CONCEPT, groups, merges, apart, document_of)
    for rung in (*RUNGS, SPELLING):
        for bucket in _buckets(rung, sorted(groups, key=rank)):
            _join(bucket, rung, groups, merges, apart, document_of)
    distinct = {id(group): group for group in groups.values()}.values()
    grouped = sorted(tuple(sorted(group.labels, key=rank)) for group in distinct)
    return Groups(tuple(grouped), tuple(sorted(merges, key=_of_merge)), tuple(sorted(apart.values(), key=_of_apart)))


def _buckets(rung: MatchRule, labels: Iterable[str]) -> Iterable[list[str]]:
    """Yield the labels that a rung holds to be one, best first."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    whole: set[str] = set()
    for label in labels:
        keys = spellings(label) if rung is SPELLING else frozenset((rung.key(label),))
        for key in keys:
            found[key].append(label)
        if rung is SPELLING:
            whole.add(max(keys, key=len, default=""))
    for key in sorted(found):
        # One letter may be left out of one of two labels, not of both: employer is no employee.
        if len(found[key]) > 1 and key and (rung is not SPELLING or key in whole):
            if rung is SPELLING:
                yield sorted(found[key], key=lambda label: key != max(spellings(label), key=len))
            else:
                yield found[key]


def _join(
    bucket: list[str],
    rung: MatchRule,
    groups: dict[str, _Group],
    merges: list[Merge],
    apart: dict[tuple[str, str], KeptDistinct],
    document_of: Callable[[Iterable[int]], str],
) -> None:
    """Join the groups of a bucket's labels into the first group that has no line in the same table."""
    leaders: list[str] = bucket[:1]
    for label in bucket[1:]:
        group = groups[label]
        for leader in leaders[: 1 if rung is SPELLING else None]:
            target = groups[leader]
            if target is group:
                break
            if shared := target.shared(group):
                one, other = sorted((label, leader))
                if (one, other) not in apart:
                    apart[one, other] = KeptDistinct(one, other, rung.name, document_of(shared))
                continue
            merges.append(Merge(label, leader, rung.name, rung.score))
            target.labels += group.labels
            target.places.extend(group.places)
            for moved in group.labels:
                groups[moved] = target
            break
        else:
            leaders.append(label)


def _of_merge(merge: Merge) -> tuple[str, str, str]:
    return merge.variant, merge.into, merge.rule


def _of_apart(apart: KeptDistinct) -> tuple[str, str, str, str]:
    return apart.label, apart.other, apart.rule, apart.document
