"""The hand-written core, `core.ttl`: types of tables, wordings, qualifiers, rules of calculation.

Owns its reading. What is learned from documents is elsewhere; a rule added to the file needs no code.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from quaestor.core.triples import Triple
from quaestor.ontology.terms import read_term, read_turtle


@dataclass(frozen=True, slots=True)
class CoreClass:
    """A type of table.

    Attributes:
        name: `kg:CashFlow`.
        label: Its name in words.
        cues: Words that make a table one of its kind, its label among them.
    """

    name: str
    label: str
    cues: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CoreRule:
    """What a calculation means where a question leaves it open.

    Attributes:
        label: The words of a question that it is about.
        text: The rule.
        operation: The plans' operation that does it, or None.
    """

    label: str
    text: str
    operation: str | None


@dataclass(frozen=True, slots=True)
class Core:
    """What the file says.

    Attributes:
        classes: By name.
        wordings: A variant and the wording that it is read as, longest variant first.
        leading: Words that may begin a label, and the words of which one must be left, if only one is.
        trailing: Words that may end a label, and the words that they may follow there.
        rules: In the order in which they are told.
    """

    classes: tuple[CoreClass, ...]
    wordings: tuple[tuple[str, str], ...]
    leading: tuple[tuple[str, frozenset[str]], ...]
    trailing: tuple[tuple[str, frozenset[str]], ...]
    rules: tuple[CoreRule, ...]


@lru_cache(maxsize=1)
def core_triples() -> tuple[Triple, ...]:
    """Returns every triple of the file, sorted."""
    text = files(__package__).joinpath("core.ttl").read_text(encoding="utf-8")
    return read_turtle(text, "the core ontology core.ttl")[0]


@lru_cache(maxsize=1)
def read_core() -> Core:
    """Returns the core."""
    nodes: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for s, p, o in core_triples():
        nodes[s][p].append(str(read_term(o)))
    kinds: defaultdict[str, list[str]] = defaultdict(list)
    for name, node in nodes.items():
        for kind in node["rdf:type"]:
            kinds[kind].append(name)
    classes = tuple(_class(name, nodes[name]) for name in kinds["owl:Class"])
    wordings = [
        (variant, nodes[name]["skos:prefLabel"][0])
        for name in kinds["kg:Wording"]
        for variant in nodes[name]["skos:altLabel"]
    ]
    qualifiers = [nodes[name] for name in kinds["kg:Qualifier"]]
    rules = sorted((nodes[name] for name in kinds["kg:CalculationRule"]), key=lambda node: int(node["kg:rank"][0]))
    return Core(
        classes=classes,
        wordings=tuple(sorted(wordings, key=lambda pair: (-len(pair[0]), pair))),
        leading=_qualifiers(qualifiers, "leading"),
        trailing=_qualifiers(qualifiers, "trailing"),
        rules=tuple(_rule(node) for node in rules),
    )


def _qualifiers(nodes: Sequence[Mapping[str, list[str]]], place: str) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple(
        (node["skos:prefLabel"][0], frozenset(node.get("kg:beside", ()))) for node in nodes if place in node["kg:place"]
    )


def _rule(node: Mapping[str, list[str]]) -> CoreRule:
    return CoreRule(node["rdfs:label"][0], node["rdfs:comment"][0], next(iter(node.get("kg:operation", ())), None))


def _class(name: str, node: dict[str, list[str]]) -> CoreClass:
    label = node["rdfs:label"][0]
    return CoreClass(name, label, (label, *sorted(set(node["skos:altLabel"]) - {label})))
