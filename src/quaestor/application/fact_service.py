"""Lists the numbers of a document: each with its label, exact value and place."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from pydantic import Discriminator

from quaestor.application.ask_service import AskRequest
from quaestor.application.file_cache import load_graphs
from quaestor.application.resolve import DocumentInCorpus
from quaestor.core.caching import BoundedCache
from quaestor.core.computing import compute
from quaestor.core.provenance import Source
from quaestor.core.quantity import Scale
from quaestor.core.serial import Value
from quaestor.graph.facts import MentionFact, Observation, period_code
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.store.listing import ListPage, ListPart

_GRAPHS: BoundedCache[tuple[str, str | None, str | None], KnowledgeGraph] = BoundedCache(4)


class DocumentFact(Value):
    """A number of a document.

    Attributes:
        label: Row and column, or the sentence.
        value: The exact signed value in units of `scale`.
        scale: The scale of the value: one, thousand, million, percent.
        unit: The unit, or null.
        period: Its period, or null.
        property: Its property in the ontology, or null.
        concept: The concept of its XBRL tag, or null.
    """

    label: str
    text: str
    value: str
    scale: Scale
    unit: str | None
    period: str | None
    property: str | None
    concept: str | None
    source: Annotated[Source, Discriminator("kind")]


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """The numbers of a document: those of its tables, then those of its text."""

    graph: KnowledgeGraph

    def part(self, text: str, part: ListPart) -> ListPage[DocumentFact]:
        """Return a part of the facts whose label or sentence contains a text."""
        wanted = " ".join(text.casefold().split())
        found = [fact for fact in self._all() if wanted in " ".join(_label(fact).casefold().split())]
        return part.page_of(found).map(_document_fact)

    def _all(self) -> Iterator[Observation | MentionFact]:
        yield from self.graph.observations
        yield from self.graph.mentions


async def document_facts(page: DocumentInCorpus, asking: AskRequest) -> DocumentFacts:
    """Return the numbers of a document, from the graph of the whole document."""
    settings = asking.settings
    graphs = await load_graphs(page.corpus, settings, asking.cache)
    key = (page.document.digest, graphs.ontology.digest, settings.policy)
    return DocumentFacts(await compute(_GRAPHS.get, key, lambda: graphs.graph(page.document)))


def _document_fact(fact: Observation | MentionFact) -> DocumentFact:
    return DocumentFact.of(
        fact,
        fact.quantity,
        fact.counts,
        label=_label(fact),
        value=f"{fact.quantity.value:f}",
        scale=fact.counts.scale,
        unit=fact.counts.unit,
        period=None if fact.period is None else period_code(fact.period),
        property=fact.predicate,
        concept=(fact.concept or None) if isinstance(fact, Observation) else None,
    )


def _label(fact: Observation | MentionFact) -> str:
    return fact.label if isinstance(fact, Observation) else fact.sentence
