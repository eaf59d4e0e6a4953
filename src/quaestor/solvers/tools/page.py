"""Page as seen by the tools: its graph by type, instance and property, with lenient spelling of names.

A name that matches several things is refused.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from quaestor.core.periods import Period, parse_period
from quaestor.graph.facts import Heading, Observation, TextCell, year_of
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.ontology.ontology import Ontology
from quaestor.ontology.terms import ROOT_CLASS

Fact = Observation | TextCell

_NEAR = 50
"""Minimum similarity of a suggested name, from 0 to 100."""

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def local_name(name: str) -> str:
    """Return a name without its prefix: `CashFlow` for `kg:CashFlow`."""
    return name.split(":", 1)[1] if name.startswith(("kg:", "doc:")) else name


@lru_cache(maxsize=8192)
def normalize_name(name: str) -> str:
    """Normalize a name for comparison: without prefix and case, only letters, digits, % and $.

    >>> normalize_name("exercisePrice") == normalize_name("kg:exercise_price") == normalize_name("Exercise price")
    True
    """
    return re.sub(r"[^a-z0-9%$]", "", local_name(name).casefold())


def name_as_label(name: str) -> str:
    """Return a name as a label: `exercisePrice` and `kg:exercise_price` are "exercise price"."""
    return _HUMP.sub(" ", local_name(name)).replace("_", " ").casefold().strip()


def nearest(name: str, known: Iterable[str], most: int = 3) -> tuple[str, ...]:
    """Return the known names most similar to a name."""
    from rapidfuzz import fuzz, process

    wanted = name_as_label(name[:100])
    found = process.extract(wanted, {item: name_as_label(item) for item in known}, scorer=fuzz.WRatio, limit=most)
    return tuple(item for _, score, item in found if score >= _NEAR)


@dataclass(frozen=True, slots=True)
class Instance:
    """A node with properties."""

    name: str
    type: str
    table: int
    period: Period | None
    heading: Heading
    facts: tuple[Fact, ...]

    @property
    def year(self) -> int | None:
        """The last year of its period."""
        return year_of(self.period)

    @property
    def valued(self) -> frozenset[str]:
        """The properties with a value; empty cells give none."""
        return frozenset(fact.predicate for fact in self.facts if isinstance(fact, Observation) or not fact.empty)

    @property
    def short(self) -> str:
        """Its name without its type: `2008` for `kg:CashFlow_2008`."""
        local = self.name.split(":", 1)[-1]
        return local.removeprefix(self.type.split(":", 1)[-1]).strip("_") or local

    @property
    def entity(self) -> str | None:
        """Its label, unless that is a period."""
        label = self.heading.label
        return label if label and parse_period(label) is None else None


@dataclass(frozen=True)
class GraphPage:
    """A graph with its ontology, indexed by name."""

    graph: KnowledgeGraph
    ontology: Ontology

    @cached_property
    def instances(self) -> tuple[Instance, ...]:
        """All instances by table, in reading order."""
        tables = {table.index: table for table in self.graph.tables}
        facts: dict[str, list[Fact]] = {}
        cells: tuple[Fact, ...] = (*self.graph.observations, *self.graph.text_cells)
        for fact in sorted(cells, key=_place):
            facts.setdefault(fact.instance, []).append(fact)
        found = []
        for name, own in facts.items():
            first = own[0]
            table = tables[first.source.table]
            period = next((cell.period for cell in own if isinstance(cell, Observation)), None)
            heading = first.column if table.axis == "rows" else first.row
            found.append(Instance(name, table.name, table.index, period, heading, tuple(own)))
        return tuple(found)

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The types with instances, in table order."""
        return tuple(dict.fromkeys(instance.type for instance in self.instances))

    def of_type(self, name: str) -> tuple[Instance, ...]:
        """Return the instances of a type with any spelling of its name; all instances for the root type."""
        wanted = normalize_name(name)
        if wanted == normalize_name(ROOT_CLASS):
            return self.instances
        return tuple(instance for instance in self.instances if normalize_name(instance.type) == wanted)

    def known_type(self, name: str) -> str | None:
        """Return the ontology's class with that name, or None."""
        return self._classes.get(normalize_name(name))

    def properties(self, instances: Iterable[Instance]) -> dict[str, str]:
        """Return the properties of instances, each with the label printed on the page."""
        used = dict.fromkeys(fact.predicate for instance in instances for fact in instance.facts)
        return {name: self._labels.get(name, name_as_label(name)) for name in used}

    def property_named(self, name: str, known: Mapping[str, str]) -> str | None:
        """Find a property among known ones by name, by the page's label, or by a synonym in the ontology."""
        if name in known:
            return name
        wanted = normalize_name(name)
        for names in ({p: normalize_name(p) for p in known}, {p: normalize_name(label) for p, label in known.items()}):
            found = [p for p, spelt in names.items() if spelt == wanted]
            if len(found) == 1:
                return found[0]
        match = self.ontology.match(name_as_label(name)) if name_as_label(name) else None
        return match.property if match is not None and match.property in known else None

    @cached_property
    def _classes(self) -> dict[str, str]:
        return {normalize_name(c.name): c.name for c in self.ontology.classes}

    @cached_property
    def _labels(self) -> dict[str, str]:
        return {line.predicate: line.label for line in reversed(self.graph.lines) if line.label}


def _place(fact: Fact) -> tuple[int, int, int, int]:
    order = fact.order if isinstance(fact, Observation) else 0
    return fact.source.table, fact.source.row, fact.source.column, order
