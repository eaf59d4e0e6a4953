"""The core ontology: knowledge about financial reports that does not come from documents."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Literal, TypeVar, cast

from quaestor.core.patterns import lazy_regex
from quaestor.core.serial import Triple
from quaestor.core.words import NUMBER_WORDS, SCALE_WORDS, compound_spans, compounds
from quaestor.errors import OntologyError
from quaestor.ontology.terms import group_by_subject, read_term, read_turtle

# Financial ratios: named divisions and their line items.


@dataclass(frozen=True, slots=True)
class LineItem:
    """A line item of a financial statement.

    Attributes:
        name: `kg:LineNetSales`.
        wordings: Names in statements; the first one on a page is preferred.
    """

    name: str
    wordings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FinancialRatio:
    """A named division.

    Attributes:
        name: `kg:RatioProfitMargin`.
        metric_type: `percentage` if reports usually print it as one, else `ratio`.
    """

    name: str
    label: str
    text: str
    phrases: tuple[str, ...]
    examples: tuple[str, ...]
    matcher: re.Pattern[str] = field(repr=False, compare=False)
    metric_type: str
    numerator: LineItem
    denominator: LineItem


# Question patterns: a notation for phrases, and its matching.
#
# The patterns and their meanings are individuals in `core.ttl`. They match only words in sequence.
#
# The notation, for the words of a question in lower case:
#
#     percentage change         these words in sequence
#     declin*                   a word that begins with this
#     (percent|percentage) of   one of these alternatives
#     [net] change              an optional word
#     from ... to               up to twelve words in between
#     and in .. $               up to four words in between
#     <change>                  a noun of this metric type, singular or plural
#     #                         a number, also in words
#     less !than                "less", not followed by "than"
#     ^ and        ... 2008 $   the beginning or end of the question

Order = Literal["as named", "reversed", "later first", "earlier first"]
"""Which operand comes first, if the words determine it."""

_PARTS = lazy_regex(r"\.\.\.?|![a-z]+|<[a-z ]+>|[()\[\]|^$#]|[a-z0-9%&'.-]+\*?")
# "one" may also replace a noun: in "divided by one" it is a number, in "divided by the 2007 one" it is not.
_NUMBER = rf"(?:\$?\d[\d.,]*%?|{'|'.join(word for word in (*NUMBER_WORDS, *SCALE_WORDS) if word != 'one')}) "
_FIXED = {
    "(": "(?:",
    ")": ")",
    "[": "(?:",
    "]": ")?",
    "|": "|",
    "^": "^",
    "$": "$",
    "...": r"(?:\S+ ){0,12}?",
    "..": r"(?:\S+ ){0,4}?",
    "#": _NUMBER,
}


@dataclass(frozen=True, slots=True)
class QuestionPattern:
    """A phrase of questions and its meaning.

    Attributes:
        name: `kg:PatternGrowthRate`.
        weight: Confidence in the metric type, 0 to 1.
        again: True if the previous question's metric type is requested again.
        after: Metric types of the previous result after which the pattern applies; empty for any.
        magnitude: True if the sign is to be dropped.
    """

    name: str
    phrases: tuple[str, ...]
    examples: tuple[str, ...]
    matcher: re.Pattern[str] = field(repr=False, compare=False)
    weight: float = 0.0
    metric_type: str | None = None
    again: bool = False
    after: frozenset[str] = frozenset()
    order: Order | None = None
    scale: str | None = None
    magnitude: bool = False
    rule: str | None = None

    def matches(self, words: str) -> bool:
        """Return whether the pattern occurs in a question, given in the form of `question_words`."""
        return self.matcher.search(words) is not None


@lru_cache(maxsize=1024)
def question_words(question: str) -> str:
    """Return the words of a lower-case question, each followed by a space.

    >>> question_words("and what was it, then, in 2008?")
    'and what was it then in 2008 '
    """
    return "".join(f"{word} " for word in compounds(question))


def find_phrase(question: str, matcher: re.Pattern[str]) -> tuple[int, int] | None:
    """Return the span of the first match in a lower-case question, or None.

    >>> find_phrase("what, then, is the debt/equity ratio?", re.compile("debt equity "))
    (19, 30)
    """
    found = matcher.search(question_words(question))
    if found is None or not found[0]:
        return None
    # Each word is followed by one space, so counting spaces counts words.
    spans = compound_spans(question)
    first, end = found.string.count(" ", 0, found.start()), found.string.count(" ", 0, found.end())
    return spans[first][0], spans[end - 1][1]


def _compile_phrases(phrases: Sequence[str], nouns: Mapping[str, Sequence[str]]) -> re.Pattern[str]:
    """Return phrases as one regular expression over `question_words`.

    Args:
        nouns: The nouns of each metric type, for `<change>`.
    """
    written = ("".join(_compile_part(part, nouns) for part in _PARTS.findall(phrase)) for phrase in phrases)
    # The start of a word is checked once for all phrases, which is faster than for each.
    return lazy_regex(rf"(?<!\S)(?:{'|'.join(written)})")


def _compile_part(part: str, nouns: Mapping[str, Sequence[str]]) -> str:
    if part in _FIXED:
        return _FIXED[part]
    if part.startswith("!"):
        return rf"(?!{part[1:]} )"
    if part.startswith("<"):
        # Longer nouns first, since both `growth rate` and `growth` are nouns.
        words = sorted(nouns[part[1:-1]], key=lambda noun: (-len(noun), noun))
        return f"(?:{'|'.join(re.escape(noun).replace(chr(92) + ' ', ' ') for noun in words)})s? "
    return rf"{re.escape(part[:-1])}\S* " if part.endswith("*") else f"{re.escape(part)} "


# The hand-written core in `core.ttl`: types of tables, wordings, metric types, rules, question patterns, ratios.

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
class OntologyClass:
    """A type of table.

    Attributes:
        name: `kg:CashFlow`.
        cues: Words that indicate the type, including its label, sorted.
    """

    name: str
    label: str
    cues: tuple[str, ...]
    core: bool
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MetricType:
    """Type of a result, by the operation that computes it.

    Attributes:
        name: As in answers: `percentage_change`.
        also_by: Other operations with results of this type.
        operands: Meaning of each operand in order; one entry if the operation takes any number of them.
        broader: Names of the direct supertypes.
        worked: Examples with results, checked by tests: `subtract(120, 100) = 20`.
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
    """A convention for questions that leave something open.

    Attributes:
        kind: `calculation`; `transformation` of sign or order; `reading`, about which value a wording means; or
            `scale`.
        label: Topic, in words of questions separated by commas.
        wordings: Words of questions on the topic, including those of the label.
        about: Names of the metric types concerned; for a calculation rule, the one it defines.
    """

    name: str
    kind: RuleKind
    label: str
    wordings: tuple[str, ...]
    text: str
    about: tuple[str, ...]
    operation: str | None


@dataclass(frozen=True)
class Core:
    """Contents of the core file.

    Attributes:
        wordings: Pairs of a variant and its standard wording, longest variant first.
        leading: Words that may be dropped at the start of a label, with the words of which one must remain if only one
            word does.
        trailing: Words that may be dropped at the end of a label, with the words after which they may be.
        rules: In their order of presentation.
    """

    classes: tuple[OntologyClass, ...]
    wordings: tuple[tuple[str, str], ...]
    leading: tuple[tuple[str, frozenset[str]], ...]
    trailing: tuple[tuple[str, frozenset[str]], ...]
    metric_types: Mapping[str, MetricType]
    rules: tuple[CoreRule, ...]
    patterns: tuple[QuestionPattern, ...]
    ratios: tuple[FinancialRatio, ...]


@lru_cache(maxsize=1)
def core_triples() -> tuple[Triple, ...]:
    """Return all triples of the file, sorted."""
    text = files(__package__).joinpath("core.ttl").read_text(encoding="utf-8")
    return read_turtle(text, "the core ontology core.ttl")[0]


@lru_cache(maxsize=1)
def read_core() -> Core:
    """Return the hand-written core, the base of every ontology; read once per process."""
    nodes, kinds = group_by_subject((s, p, str(read_term(o))) for s, p, o in core_triples())
    classes = tuple(_read_class(name, nodes[name]) for name in kinds["owl:Class"])
    wordings = [
        (variant, nodes[name]["skos:prefLabel"][0])
        for name in kinds["kg:Wording"]
        for variant in nodes[name]["skos:altLabel"]
    ]
    qualifiers = [nodes[name] for name in kinds["kg:Qualifier"]]
    metrics = {name: _read_metric(nodes[name], nodes) for name in kinds["kg:MetricType"]}
    nouns = {metric.label: metric.nouns for metric in metrics.values()}
    lines = {name: _read_line_item(name, nodes[name]) for name in kinds["kg:LineItem"]}
    rules = sorted(
        ((int(nodes[name]["kg:rank"][0]), name, kind) for kind in _KINDS for name in kinds[kind]),
        key=lambda rule: rule[0],
    )
    return Core(
        classes=classes,
        wordings=tuple(sorted(wordings, key=lambda pair: (-len(pair[0]), pair))),
        leading=_read_qualifiers(qualifiers, "leading"),
        trailing=_read_qualifiers(qualifiers, "trailing"),
        metric_types={metric.name: metric for metric in metrics.values()},
        rules=tuple(_read_rule(name, _KINDS[kind], nodes[name], metrics) for _, name, kind in rules),
        patterns=tuple(_read_pattern(name, nodes[name], metrics, nouns) for name in kinds["kg:QuestionPattern"]),
        ratios=tuple(_read_ratio(name, nodes[name], metrics, lines) for name in kinds["kg:FinancialRatio"]),
    )


def _read_qualifiers(nodes: Sequence[Node], place: str) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple(
        (node["skos:prefLabel"][0], frozenset(node.get("kg:beside", ()))) for node in nodes if place in node["kg:place"]
    )


def _read_metric(node: Node, nodes: Mapping[str, Node]) -> MetricType:
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


def _read_rule(name: str, kind: RuleKind, node: Node, metrics: Mapping[str, MetricType]) -> CoreRule:
    about = [_look_up(metrics, metric, name) for metric in node.get("kg:about", ())]
    return CoreRule(
        name,
        kind,
        node["rdfs:label"][0],
        (*node["rdfs:label"][0].split(", "), *node.get("skos:altLabel", ())),
        node["rdfs:comment"][0],
        tuple(metric.name for metric in about),
        about[0].operation if kind == "calculation" else None,
    )


def _read_pattern(
    name: str, node: Node, metrics: Mapping[str, MetricType], nouns: Mapping[str, Sequence[str]]
) -> QuestionPattern:
    return QuestionPattern(
        name=name,
        phrases=tuple(node["kg:phrase"]),
        examples=tuple(node["kg:example"]),
        matcher=_compile_phrases(node["kg:phrase"], nouns),
        weight=float(_first(node, "kg:weight") or 0),
        metric_type=next((_look_up(metrics, metric, name).name for metric in node.get("kg:asksFor", ())), None),
        again="True" in node.get("kg:again", ()),
        after=frozenset(_look_up(metrics, metric, name).name for metric in node.get("kg:after", ())),
        order=cast("Order | None", _first(node, "kg:order")),
        scale=_first(node, "kg:scale"),
        magnitude="True" in node.get("kg:magnitude", ()),
        rule=_first(node, "kg:calls"),
    )


def _read_line_item(name: str, node: Node) -> LineItem:
    others = sorted(node.get("skos:altLabel", ()), key=lambda wording: (-len(wording), wording))
    return LineItem(name, (node["skos:prefLabel"][0], *others))


def _read_ratio(
    name: str, node: Node, metrics: Mapping[str, MetricType], lines: Mapping[str, LineItem]
) -> FinancialRatio:
    return FinancialRatio(
        name=name,
        label=node["rdfs:label"][0],
        text=node["rdfs:comment"][0],
        phrases=tuple(node["kg:phrase"]),
        examples=tuple(node["kg:example"]),
        matcher=_compile_phrases(node["kg:phrase"], {}),
        metric_type=_look_up(metrics, node["kg:asksFor"][0], name).name,
        numerator=_look_up(lines, node["kg:numerator"][0], name),
        denominator=_look_up(lines, node["kg:denominator"][0], name),
    )


def _first(node: Node, predicate: str) -> str | None:
    return next(iter(node.get(predicate, ())), None)


def _look_up(known: Mapping[str, T], other: str, user: str) -> T:
    if other not in known:
        raise OntologyError(f"{user} names {other}, which core.ttl does not define with that kind")
    return known[other]


def _read_class(name: str, node: Node) -> OntologyClass:
    label = node["rdfs:label"][0]
    return OntologyClass(name, label, tuple(sorted({label, *node["skos:altLabel"]})), core=True)
