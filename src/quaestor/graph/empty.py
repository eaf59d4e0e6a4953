"""Cells that have no value, for whoever asked for one.

A dash is not a value, be it printed as one or, in some files, as a year: no instance has it, so a query for it finds
nothing.
"""

from quaestor.graph.facts import TextCell
from quaestor.graph.guard import guard
from quaestor.graph.knowledge_graph import KnowledgeGraph


def empty_cells_named(graph: KnowledgeGraph, query: str, form: str = "SELECT") -> tuple[TextCell, ...]:
    """Return the empty cells of the properties that a query names, of the instances that it names if it names any.

    Raises:
        QueryError: The query is refused.
    """
    names = {token.text for token in guard(query, form).tokens if token.kind == "name"}
    asked = [cell for cell in graph.text_cells if cell.empty and cell.predicate in names]
    instances = names & ({o.instance for o in graph.observations} | {cell.instance for cell in graph.text_cells})
    return tuple(cell for cell in asked if not instances or cell.instance in instances)


def show_empty(cell: TextCell) -> str:
    """Return one line: the property, the instance and why there is no value."""
    return f"{cell.predicate} of {cell.instance} is empty ({cell.why_empty})"
