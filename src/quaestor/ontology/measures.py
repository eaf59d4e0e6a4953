"""Measures of filings: figures that analysts ask for by name, as arithmetic over the lines of statements.

Where a document prints the figures, and how the arithmetic becomes the steps of a plan, is for others to find out.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

from quaestor.errors import OntologyError
from quaestor.ontology.captions import caption_key
from quaestor.ontology.core import read_core
from quaestor.ontology.core_lines import read_core_lines
from quaestor.ontology.patterns import compile_phrases
from quaestor.ontology.terms import read_plainly

_NAME = re.compile(r"[A-Z]\w*")

_Node = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Figure:
    """A line of a statement, as measures use it.

    Attributes:
        name: As formulas call it: `NetSales`.
        statement: The statement on which it is looked for; "" for any.
        lines: The statement lines that it is, the one that is meant first before the others: `kg:net_sales`.
        captions: Keys of captions that name it too.
        magnitude: Whether it is taken without its sign.
        several: Whether all lines that are called so are added up.
        of_owners: Whether the owners' share is meant where a statement tells it from the whole.
        made_of: Arithmetic over other figures, for where no line prints it; or "".
    """

    name: str
    label: str
    statement: str = ""
    lines: tuple[str, ...] = ()
    captions: frozenset[str] = frozenset()
    magnitude: bool = False
    several: bool = False
    of_owners: bool = False
    made_of: str = ""


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure that is asked for by name and computed from others.

    Attributes:
        name: `kg:MeasureFreeCashFlow`.
        label: What it is called first of all.
        phrases: How it is called, in the notation of `ontology/patterns.py`.
        examples: Questions that ask for it; each is matched by it.
        matcher: All its phrases, over `question_words`.
        metric_type: What the result is: a name of `Core.metric_types`.
        formula: Arithmetic over the names of figures; "" where it cannot be computed.
        whole_years: Whether it means nothing of a part of a year.
        lacks: Why it cannot be computed, or "".
    """

    name: str
    label: str
    phrases: tuple[str, ...]
    examples: tuple[str, ...]
    matcher: re.Pattern[str] = field(repr=False, compare=False)
    metric_type: str
    formula: str = ""
    whole_years: bool = False
    lacks: str = ""


@dataclass(frozen=True)
class MeasureTable:
    """What the file says.

    Attributes:
        figures: By the names that formulas call them by.
        measures: In the order of their names.
    """

    figures: Mapping[str, Figure]
    measures: tuple[Measure, ...]


@lru_cache(maxsize=1)
def read_measures() -> MeasureTable:
    """Return the measures and their figures; read once a process.

    Raises:
        OntologyError: A formula names a figure that there is not, or a measure a ratio.
    """
    nodes: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    text = files(__package__).joinpath("measures.ttl").read_text(encoding="utf-8")
    for s, p, o in read_plainly(text, "the core's measures.ttl"):
        nodes[s][p].append(o)
    kinds = {name: node["rdf:type"][0] for name, node in nodes.items()}
    figures = [_figure(name, nodes[name]) for name in sorted(kinds) if kinds[name] == "kg:Figure"]
    found = MeasureTable(
        {figure.name: figure for figure in figures},
        tuple(_measure(name, nodes[name]) for name in sorted(kinds) if kinds[name] == "kg:Measure"),
    )
    for formula in (*(figure.made_of for figure in figures), *(measure.formula for measure in found.measures)):
        if unknown := [name for name in figures_of(formula) if name not in found.figures]:
            raise OntologyError(f"measures.ttl does not define {unknown[0]}, which a formula uses: {formula}")
    return found


def figures_of(formula: str) -> tuple[str, ...]:
    """Return the names of the figures of a formula, each once, in its order.

    >>> figures_of("(CurrentAssets - Inventories) / CurrentLiabilities")
    ('CurrentAssets', 'Inventories', 'CurrentLiabilities')
    """
    return tuple(dict.fromkeys(_NAME.findall(formula)))


def in_words(formula: str) -> str:
    """Return a formula of figures as people say it.

    >>> in_words("(CurrentAssets - Inventories) / CurrentLiabilities")
    '(current assets less inventories) divided by current liabilities'
    """
    known = read_measures().figures
    said = _NAME.sub(lambda found: known[found[0]].label, formula)
    for sign, word in (("-", "less"), ("+", "plus"), ("/", "divided by"), ("*", "times")):
        said = said.replace(f" {sign} ", f" {word} ")
    return said


def _figure(name: str, node: _Node) -> Figure:
    lines = tuple(f"kg:{line}" for said in node.get("kg:lines", ()) for line in said.split())
    if unknown := [line for line in lines if line not in read_core_lines().lines]:
        raise OntologyError(f"measures.ttl: {name} refers to {unknown[0]}, which is not a statement line")
    return Figure(
        name.removeprefix("kg:"),
        node["rdfs:label"][0],
        next(iter(node.get("kg:statement", ())), ""),
        lines,
        frozenset(map(caption_key, node.get("skos:altLabel", ()))),
        "kg:magnitude" in node,
        "kg:several" in node,
        "kg:ofOwners" in node,
        next(iter(node.get("kg:madeOf", ())), ""),
    )


def _measure(name: str, node: _Node) -> Measure:
    core = read_core()
    whole = "kg:wholeYears" in node
    if of := node.get("kg:of", ()):
        ratio = next((ratio for ratio in core.ratios if ratio.name == of[0]), None)
        if ratio is None:
            raise OntologyError(f"measures.ttl: {name} refers to {of[0]}, which is not a ratio in core.ttl")
        own = (ratio.label, ratio.phrases, ratio.examples, ratio.matcher, ratio.metric_type)
        return Measure(name, *own, node["kg:formula"][0], whole)
    phrases = tuple(node["kg:phrase"])
    metric = next((m.name for m in core.metric_types.values() if m.label == _label(node["kg:asksFor"][0])), None)
    if metric is None:
        raise OntologyError(f"measures.ttl: {name} asks for {node['kg:asksFor'][0]}, which is not a metric type")
    return Measure(
        name,
        node["rdfs:label"][0],
        phrases,
        tuple(node["kg:example"]),
        compile_phrases(phrases, {}),
        metric,
        next(iter(node.get("kg:formula", ())), ""),
        whole,
        next(iter(node.get("kg:lacks", ())), ""),
    )


def _label(metric: str) -> str:
    """The label of a metric type by its name: `kg:MetricPercentage` is "percentage"."""
    words = re.findall(r"[A-Z][a-z]*", metric.removeprefix("kg:Metric"))
    return " ".join(words).lower()
