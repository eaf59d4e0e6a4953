"""Guarded SPARQL over a graph's triples (first version; see guard)."""

from collections.abc import Mapping
from dataclasses import dataclass

from quaestor.core.triples import Triple
from quaestor.ontology.terms import Value

Rows = tuple[dict[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a query may take."""

    rows: int = 1000
    seconds: float = 2.0


class Sparql:
    """Answers queries."""

    def __init__(self, triples: tuple[Triple, ...], namespaces: Mapping[str, str]) -> None:
        """Takes the triples."""
        self._triples, self._namespaces = triples, namespaces

    def select(self, query: str, limits: Limits) -> Rows:
        """Returns rows."""
        raise NotImplementedError

    def ask(self, query: str, limits: Limits) -> bool:
        """Returns the answer."""
        raise NotImplementedError
