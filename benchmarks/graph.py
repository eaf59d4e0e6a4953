"""Speed of ontology, graphs and queries; as a program, prints merges for manual review.

`python -m benchmarks.graph FILE...` builds the ontology of the pages of some files and prints a sample of its merges,
drawn with a fixed seed.
"""

import argparse
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from benchmarks.figure import Figure, milliseconds
from benchmarks.workload import Workload
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.graph.builder import build_graph
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.ontology import Ontology

T = TypeVar("T")

SEED = 20
COUNT = 50
_REPEATS = 20
_QUERY = """SELECT ?value ?cell WHERE {
  ?o kg:instance <INSTANCE> ; kg:property <PROPERTY> ; kg:value ?value ; prov:wasDerivedFrom ?cell }"""


def measure(workload: Workload) -> Iterable[Figure]:
    documents = list({c.document.id: c.document for c in workload.dataset.conversations}.values())
    seconds, ontology = _timed(lambda: build_ontology(documents))
    yield Figure("ontology", f"{seconds:.2f} s", f"{len(documents)} pages, {len(ontology.properties)} properties")
    graphs = _graphs(documents, ontology)
    yield milliseconds("graph of a document", [s for s, _ in graphs], "pages, facts and triples")
    loading = [_timed(lambda g=g: g.ask("ASK { ?s ?p ?o }"))[0] for _, g in graphs]  # type: ignore[misc]
    yield milliseconds("first SPARQL query of a graph", loading, "pages, loading its triples")
    asked = [(g, _query(g)) for _, g in graphs if g.observations]
    ours = [_median(lambda g=g, q=q: g.select(q)) for g, q in asked]  # type: ignore[misc]
    yield milliseconds("value by SPARQL", ours, "pages")
    theirs = [_rdflib(g, q) for g, q in asked]
    yield milliseconds("the same query in rdflib", theirs, "pages")
    ratio = sum(theirs) / sum(ours)
    yield Figure("rdflib's time for ours", f"{ratio:.0f} x", "sums over the pages")


def _graphs(documents: Sequence[Document], ontology: Ontology) -> list[tuple[float, KnowledgeGraph]]:
    def build(document: Document) -> KnowledgeGraph:
        graph = build_graph(document, ontology, "strict")
        graph.triples()
        return graph

    build(documents[0])  # build the indexes of the ontology
    return [_timed(lambda d=d: build(d)) for d in documents]  # type: ignore[misc]


def _query(graph: KnowledgeGraph) -> str:
    """Return a query for one value, as sent by a tool."""
    observation = graph.observations[len(graph.observations) // 2]
    query = _QUERY.replace("<INSTANCE>", observation.instance).replace("<PROPERTY>", observation.predicate)
    assert observation.quantity.value in {row["value"] for row in graph.select(query)}
    return query


def _rdflib(graph: KnowledgeGraph, query: str) -> float:
    import rdflib

    other = rdflib.Graph().parse(data=graph.to_turtle(), format="turtle")
    assert len(list(other.query(query))) == len(graph.select(query))
    return _median(lambda: list(other.query(query)))


def _median(call: Callable[[], object]) -> float:
    seconds = sorted(_timed(call)[0] for _ in range(_REPEATS))
    return seconds[_REPEATS // 2]


def _timed(call: Callable[[], T]) -> tuple[float, T]:
    started = perf_counter()
    result = call()
    return perf_counter() - started, result


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.graph", description=__doc__)
    parser.add_argument("file", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT)
    options = parser.parse_args()
    pages = {c.document.id: c.document for path in options.file for c in read_dataset(path).conversations}
    ontology = build_ontology(pages.values())
    merges = list(ontology.merges)
    drawn = random.Random(options.seed).sample(merges, min(options.count, len(merges)))
    print(f"{len(pages)} pages, {len(merges)} merges, {len(drawn)} drawn with seed {options.seed}", file=sys.stderr)
    for merge in sorted(drawn, key=lambda m: (m.rule, m.variant)):
        print(f"{merge.rule}\t{merge.score}\t{merge.variant}\t{merge.into}")


if __name__ == "__main__":
    main()
