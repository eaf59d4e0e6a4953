"""What a graph holds near a query that did not single out one number."""

import re
from collections.abc import Iterable, Sequence

from quaestor.core.words import search_words
from quaestor.errors import QueryError
from quaestor.graph.facts import HeaderNumber, MentionFact, Observation, PrintedNumber, period_code
from quaestor.graph.guard import guard
from quaestor.solvers.sparql.grounding import QueriedNumbers
from quaestor.solvers.tools.page import nearest, spaced

MOST_SHOWN = 5
_VOCABULARY = re.compile(r"(?:rdf|rdfs|owl|xsd|skos|prov|dcterms):")


def unknown_names(numbers: QueriedNumbers, query: str) -> list[str]:
    """Return a sentence for each name of a query that the graph does not have."""
    try:
        tokens = guard(query, "SELECT").tokens
    except QueryError:
        return []
    said = dict.fromkeys(t.text for t in tokens if t.kind == "name" and not t.text.endswith(":"))
    missing = [name for name in said if name not in numbers.names and not _VOCABULARY.match(name)]
    known = sorted(name for name in numbers.names if name.startswith(("kg:", "doc:")))
    return [
        f"the graph has no {name}" + (f"; similar: {', '.join(like)}" if (like := nearest(name, known)) else "")
        for name in missing[:3]
    ]


def near(numbers: QueriedNumbers, query: str, description: str) -> list[str]:
    """Return the nodes that share most words with a query and what it is for, the best first.

    Args:
        numbers: The numbers of the page, by their nodes.
        description: What it looks for, in words.
    """
    wanted = set(search_words(re.sub(r"[_:]", " ", f"{description} {_constants(query)}")))
    shares = {node: len(wanted & _words(number)) for node, number in numbers.by_node.items()}
    best = sorted((node for node, share in shares.items() if share), key=lambda node: -shares[node])
    return best[:MOST_SHOWN]


def nearby_lines(numbers: QueriedNumbers, nodes: Iterable[str]) -> str:
    """Return numbers as triples, so that a query can be made of them."""
    return " | ".join(_triples(node, numbers.by_node[node]) for node in nodes)


def _constants(query: str) -> str:
    """The names and texts of a query; its keywords, variables and the words of the vocabulary tell nothing."""
    texts = re.findall(r"[\"']([^\"'\n]{1,200})[\"']", query)
    names = re.findall(r"\b(?:kg|doc):([\w-]+)", query)
    numbers = re.findall(r"(?<![\w.:])[0-9][0-9.]*", query)
    return " ".join([*texts, *(spaced(name) for name in names), *numbers])


def _words(number: PrintedNumber) -> set[str]:
    said = [number.label, str(number.year or "")]
    if isinstance(number, Observation):
        said += [spaced(number.predicate), spaced(number.instance), *number.row.levels, *number.column.levels]
    if isinstance(number, MentionFact):
        said.append(number.sentence)
    return {word for text in said for word in search_words(text)}


def _triples(node: str, number: PrintedNumber) -> str:
    value = f"kg:value {number.quantity.value:f}"
    period = [f'kg:period "{period_code(number.period)}"', f'kg:year "{number.year}"'] if number.period else []
    if isinstance(number, Observation):
        labels = _labels(("kg:rowLabel", number.row.label), ("kg:columnLabel", number.column.label))
        parts = [f"kg:instance {number.instance}", f"kg:property {number.predicate}", *labels, *period, value]
    elif isinstance(number, HeaderNumber):
        parts = [*_labels(("rdfs:label", number.label)), *period, value]
    else:
        parts = [*_labels(("kg:wordsBefore", number.before), ("kg:wordsAfter", number.after)), *period, value]
    return f"{node} {' ; '.join(parts)}"


def _labels(*pairs: tuple[str, str]) -> Sequence[str]:
    return [f'{name} "{text}"' for name, text in pairs if text]
