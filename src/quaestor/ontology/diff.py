"""What one ontology has that another has not."""

from dataclasses import dataclass

from quaestor.ontology.ontology import Ontology


@dataclass(frozen=True, slots=True)
class MovedLabel:
    """A label that both have, under properties of different labels."""

    label: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class OntologyDiff:
    """The difference between two ontologies; all sorted.

    Attributes:
        classes_added: Names of classes that only the second has.
        classes_removed: Names of classes that only the first has.
        properties_added: Names of properties that only the second has.
        properties_removed: Names of properties that only the first has.
        labels_added: Labels that only the second knows.
        labels_removed: Labels that only the first knows.
        labels_moved: Labels of both, under other properties.
    """

    classes_added: tuple[str, ...]
    classes_removed: tuple[str, ...]
    properties_added: tuple[str, ...]
    properties_removed: tuple[str, ...]
    labels_added: tuple[str, ...]
    labels_removed: tuple[str, ...]
    labels_moved: tuple[MovedLabel, ...]

    @property
    def empty(self) -> bool:
        """True if they say the same, counts apart."""
        return not any(getattr(self, name) for name in self.__slots__)


def diff_ontologies(first: Ontology, second: Ontology) -> OntologyDiff:
    """Return what changes from the first ontology to the second."""
    before, after = _labels(first), _labels(second)
    moved = (MovedLabel(x, before[x], after[x]) for x in sorted(before.keys() & after.keys()) if before[x] != after[x])
    classes = {c.name for c in first.classes}, {c.name for c in second.classes}
    properties = {p.name for p in first.properties}, {p.name for p in second.properties}
    return OntologyDiff(
        classes_added=tuple(sorted(classes[1] - classes[0])),
        classes_removed=tuple(sorted(classes[0] - classes[1])),
        properties_added=tuple(sorted(properties[1] - properties[0])),
        properties_removed=tuple(sorted(properties[0] - properties[1])),
        labels_added=tuple(sorted(after.keys() - before.keys())),
        labels_removed=tuple(sorted(before.keys() - after.keys())),
        labels_moved=tuple(moved),
    )


def _labels(ontology: Ontology) -> dict[str, str]:
    return {label: p.name for p in ontology.properties for label in (p.label, *p.variants)}
