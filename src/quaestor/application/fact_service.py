"""Lists the numbers of a document: each with its label, exact value and place."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from quaestor.application.ask_service import AskRequest
from quaestor.application.file_cache import load_graph_provider
from quaestor.application.resolve import DocumentInCorpus
from quaestor.core import serial
from quaestor.core.caching import BoundedCache
from quaestor.core.computing import compute
from quaestor.graph.facts import MentionFact, Observation, period_code
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.store.listing import ListPart

_GRAPHS: BoundedCache[tuple[str, str | None, str | None], KnowledgeGraph] = BoundedCache(4)


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """The numbers of a document: those of its tables, then those of its text."""

    graph: KnowledgeGraph

    def part(self, text: str, part: ListPart) -> tuple[int, list[dict[str, JsonValue]]]:
        """Return the number of facts whose label or sentence contains a text, and a part of them as JSON."""
        wanted = " ".join(text.casefold().split())
        found = [fact for fact in self._all() if wanted in " ".join(_label(fact).casefold().split())]
        return len(found), [fact_object(fact) for fact in found[part.offset : part.offset + part.limit]]

    def _all(self) -> Iterator[Observation | MentionFact]:
        yield from self.graph.observations
        yield from self.graph.mentions


async def document_facts(page: DocumentInCorpus, asking: AskRequest) -> DocumentFacts:
    """Return the numbers of a document, from the graph of the whole document."""
    settings = asking.settings
    graphs = await load_graph_provider(page.corpus, settings, asking.cache)
    key = (page.document.digest, graphs.ontology.digest, settings.policy)
    return DocumentFacts(await compute(_GRAPHS.get, key, lambda: graphs.graph(page.document)))


def fact_object(fact: Observation | MentionFact) -> dict[str, JsonValue]:
    """Return a number as JSON; `value` is exact and signed, in units of `scale`."""
    counts = fact.counts
    return {
        "label": _label(fact),
        "text": fact.quantity.text,
        "value": f"{fact.quantity.value:f}",
        "scale": counts.scale.value,
        "unit": counts.unit,
        "period": None if fact.period is None else period_code(fact.period),
        "property": fact.predicate,
        "concept": (fact.concept or None) if isinstance(fact, Observation) else None,
        "source": serial.dump(fact.source),
    }


def _label(fact: Observation | MentionFact) -> str:
    return fact.label if isinstance(fact, Observation) else fact.sentence
