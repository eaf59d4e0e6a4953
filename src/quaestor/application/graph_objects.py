"""Graphs and ontologies for other programs."""

from pydantic import JsonValue

from quaestor.core import serial
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.ontology.ontology import Ontology


def graph_object(graph: KnowledgeGraph) -> dict[str, JsonValue]:
    """Return a graph as JSON: every number with its source, what tables and lines were taken for, and the counts."""
    facts: dict[str, JsonValue] = serial.dump(graph)
    return {"digest": graph.digest, "statistics": dict(graph.statistics()), **facts}


def ontology_object(ontology: Ontology, type_: str | None = None) -> dict[str, JsonValue]:
    """Return an ontology as JSON: all its types with their properties, or one type.

    Args:
        type_: The name of a type, to have that one only.

    Raises:
        OntologyError: It has no such type.
    """
    kinds = [ontology.class_named(type_)] if type_ else list(ontology.classes)
    types: list[JsonValue] = []
    for kind in kinds:
        properties: list[JsonValue] = [serial.dump(item) for item in ontology.properties_of(kind.name)]
        types.append({**serial.dump(kind), "properties": properties})
    return {"digest": ontology.digest, "types": types}
