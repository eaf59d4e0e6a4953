"""The hand-written core, `core.ttl`: types of tables, wordings, metric types, rules, question patterns, ratios.

What is learned from documents is elsewhere; a rule, a pattern or a ratio added to the file needs no code.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal, TypeVar, cast

from quaestor.core.triples import Triple
from quaestor.errors import OntologyError
from quaestor.ontology.patterns import Order, QuestionPattern, compile_phrases
from quaestor.ontology.ratios import FinancialRatio, LineItem
from quaestor.ontology.terms import read_term, read_turtle

RuleKind = Literal["calculation", "transformation", "reading", "scale"]

_KINDS: dict[str, RuleKind] = {
    "kg:CalculationRule": "calculation",
    "kg:TransformationRule": "transformation",
    "kg:ReadingRule": "reading",
    "kg:ScaleRule": "scale",
}

Node = Mapping[str, Sequence[str]]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CoreClass:
    """A type of table.

    Attributes:
        name: `kg:CashFlow`.
        cues: Words that make a table one of its kind, its label among them.
    """

    name: str
    label: str
    cues: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MetricType:
    """What a result is, by the operation that it needs.

    Attributes:
        name: As answers are marked: `percentage_change`.
        operation: The plans' operation that gives it.
        also_by: Other operations that give the same type.
        operands: What each operand is, in order; one entry for an operation on any number of them.
        many: True if the operation takes any number of operands.
        broader: The names of the types of which this is a kind, direct ones only.
        worked: Calculations with their results, as the tests compute them: `subtract(120, 100) = 20`.
    """

    name: str
    label: str
    text: str
    nouns: tuple[str, ...]
    operation: str
    also_by: tuple[str, ...]
    operands: tuple[str, ...]
    many: bool
    broader: tuple[str, ...]
    worked: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CoreRule:
    """What is meant where a question leaves it open.

    Attributes:
        name: `kg:RuleChange`.
        kind: A rule of `calculation`; a `transformation` of sign or order; a rule of `reading`, which
            value a wording means; a rule of `scale`.
        label: The words of a question that it is about.
        metric_type: The name of the type that a rule of calculation belongs to, else None.
        operation: The plans' operation that does it, or None.
    """

    name: str
    kind: RuleKind
    label: str
    text: str
    metric_type: str | None
    operation: str | None


@dataclass(frozen=True)
class Core:
    """What the file says.

    Attributes:
        wordings: A variant and the wording that it is read as, longest variant first.
        leading: Words that may begin a label, and the words of which one must be left, if only one is.
        trailing: Words that may end a label, and the words that they may follow there.
        metric_types: By their names, in the order of the file's names.
        rules: In the order in which they are told.
        patterns: Turns of phrase of questions, by name.
        ratios: Divisions that have a name, by name.
    """

    classes: tuple[CoreClass, ...]
    wordings: tuple[tuple[str, str], ...]
    leading: tuple[tuple[str, frozenset[str]], ...]
    trailing: tuple[tuple[str, frozenset[str]], ...]
    metric_types: Mapping[str, MetricType]
    rules: tuple[CoreRule, ...]
    patterns: tuple[QuestionPattern, ...]
    ratios: tuple[FinancialRatio, ...]


@lru_cache(maxsize=1)
def core_triples() -> tuple[Triple, ...]:
    """Return every triple of the file, sorted."""
    text = files(__package__).joinpath("core.ttl").read_text(encoding="utf-8")
    return read_turtle(text, "the core ontology core.ttl")[0]


@lru_cache(maxsize=1)
def read_core() -> Core:
    """Return the hand-written core ontology, which every ontology starts from; read once a process."""
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
    metrics = {name: _metric(nodes[name], nodes) for name in kinds["kg:MetricType"]}
    nouns = {metric.label: metric.nouns for metric in metrics.values()}
    lines = {name: _line_item(name, nodes[name]) for name in kinds["kg:LineItem"]}
    rules = sorted(
        ((int(nodes[name]["kg:rank"][0]), name, kind) for kind in _KINDS for name in kinds[kind]),
        key=lambda rule: rule[0],
    )
    return Core(
        classes=classes,
        wordings=tuple(sorted(wordings, key=lambda pair: (-len(pair[0]), pair))),
        leading=_qualifiers(qualifiers, "leading"),
        trailing=_qualifiers(qualifiers, "trailing"),
        metric_types={metric.name: metric for metric in metrics.values()},
        rules=tuple(_rule(name, _KINDS[kind], nodes[name], metrics) for _, name, kind in rules),
        patterns=tuple(_pattern(name, nodes[name], metrics, nouns) for name in kinds["kg:QuestionPattern"]),
        ratios=tuple(_ratio(name, nodes[name], metrics, lines) for name in kinds["kg:FinancialRatio"]),
    )


def _qualifiers(nodes: Sequence[Mapping[str, list[str]]], place: str) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple(
        (node["skos:prefLabel"][0], frozenset(node.get("kg:beside", ()))) for node in nodes if place in node["kg:place"]
    )


def _metric(node: Node, nodes: Mapping[str, Node]) -> MetricType:
    every = tuple(node.get("kg:everyOperand", ()))
    named = tuple(node[f"kg:operand{place}"][0] for place in (1, 2) if f"kg:operand{place}" in node)
    return MetricType(
        name=_snake(node["rdfs:label"][0]),
        label=node["rdfs:label"][0],
        text=node["rdfs:comment"][0],
        nouns=tuple(node["skos:altLabel"]),
        operation=node["kg:operation"][0],
        also_by=tuple(node.get("kg:alsoBy", ())),
        operands=every or named,
        many=bool(every),
        broader=tuple(_snake(nodes[name]["rdfs:label"][0]) for name in node.get("skos:broader", ())),
        worked=tuple(node.get("kg:worked", ())),
    )


def _snake(label: str) -> str:
    return label.replace(" ", "_")


def _rule(name: str, kind: RuleKind, node: Node, metrics: Mapping[str, MetricType]) -> CoreRule:
    about = next((_named(metrics, metric, name) for metric in node.get("kg:about", ())), None)
    return CoreRule(
        name,
        kind,
        node["rdfs:label"][0],
        node["rdfs:comment"][0],
        about.name if about else None,
        about.operation if about else None,
    )


def _pattern(
    name: str, node: Node, metrics: Mapping[str, MetricType], nouns: Mapping[str, Sequence[str]]
) -> QuestionPattern:
    return QuestionPattern(
        name=name,
        phrases=tuple(node["kg:phrase"]),
        examples=tuple(node["kg:example"]),
        matcher=compile_phrases(node["kg:phrase"], nouns),
        weight=float(_first(node, "kg:weight") or 0),
        metric_type=next((_named(metrics, metric, name).name for metric in node.get("kg:asksFor", ())), None),
        again="True" in node.get("kg:again", ()),
        after=frozenset(_named(metrics, metric, name).name for metric in node.get("kg:after", ())),
        order=cast("Order | None", _first(node, "kg:order")),
        scale=_first(node, "kg:scale"),
        magnitude="True" in node.get("kg:magnitude", ()),
        rule=_first(node, "kg:calls"),
    )


def _line_item(name: str, node: Node) -> LineItem:
    others = sorted(node.get("skos:altLabel", ()), key=lambda wording: (-len(wording), wording))
    return LineItem(name, (node["skos:prefLabel"][0], *others))


def _ratio(name: str, node: Node, metrics: Mapping[str, MetricType], lines: Mapping[str, LineItem]) -> FinancialRatio:
    return FinancialRatio(
        name=name,
        label=node["rdfs:label"][0],
        text=node["rdfs:comment"][0],
        phrases=tuple(node["kg:phrase"]),
        examples=tuple(node["kg:example"]),
        matcher=compile_phrases(node["kg:phrase"], {}),
        metric_type=_named(metrics, node["kg:asksFor"][0], name).name,
        numerator=_named(lines, node["kg:numerator"][0], name),
        denominator=_named(lines, node["kg:denominator"][0], name),
    )


def _first(node: Node, predicate: str) -> str | None:
    return next(iter(node.get(predicate, ())), None)


def _named(those: Mapping[str, T], other: str, user: str) -> T:
    if other not in those:
        raise OntologyError(f"{user} names {other}, which core.ttl does not define with that kind")
    return those[other]


def _class(name: str, node: dict[str, list[str]]) -> CoreClass:
    label = node["rdfs:label"][0]
    return CoreClass(name, label, (label, *sorted(set(node["skos:altLabel"]) - {label})))
