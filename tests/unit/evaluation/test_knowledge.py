import asyncio
import pickle
from pathlib import Path

import pytest
from scripted import a_dataset, many_conversations, scripted
from toolboxes import OPTIONS, sample_knowledge, sample_pages

from quaestor.core.serial import Triple
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.errors import StoreError
from quaestor.evaluation.engines import Engine, InlineEngine
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.processes import ProcessEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.graph.knowledge_graph import Policy
from quaestor.graph.writing import graph_from_triples
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.ontology import Ontology
from quaestor.store.base import open_store
from quaestor.store.records import ConversationRecord, RunRecord

ENGINES = [
    pytest.param(InlineEngine(), id="inline"),
    pytest.param(ProcessEngine(2), id="processes", marks=pytest.mark.slow),
]
CABLES = "NORD/2012/page_41.pdf"


def core_ontology() -> Ontology:
    """Return the ontology of no documents."""
    return build_ontology([])


def a_page_of_the_sample() -> Dataset:
    return a_dataset(Conversation("Single_QUIL/2007/page_88.pdf-1", sample_pages()[OPTIONS], ("cell 1 1", "cell 1 2")))


def a_page_with_gaps() -> Dataset:
    """Return a page of the sample with lines that the core ontology does not have."""
    conversation = Conversation("Single_NORD/2012/page_41.pdf-1", sample_pages()[CABLES], ("cell 1 1", "cell 1 2"))
    return a_dataset(conversation)


def run_with(
    store_path: Path,
    dataset: Dataset,
    *,
    engine: Engine | None = None,
    ontology: Ontology | None = None,
    policy: Policy = "strict",
    digest: str | None = None,
) -> tuple[RunRecord, tuple[ConversationRecord, ...]]:
    async def scenario() -> tuple[RunRecord, tuple[ConversationRecord, ...]]:
        async with open_store(str(store_path)) as store:
            spec = RunSpec.of(dataset, "scripted", ontology=digest, policy=policy)
            engine_ = engine or InlineEngine()
            run = await run_dataset(dataset, spec, store, engine_, factory=scripted, ontology=ontology)
            return run, await store.examples(run.id)

    return asyncio.run(scenario())


def stored_triples(
    path: Path, digest: str, run: str, conversation: str
) -> tuple[tuple[Triple, ...], tuple[Triple, ...]]:
    """Return the stored triples of an ontology and of a conversation's graph."""

    async def read() -> tuple[tuple[Triple, ...], tuple[Triple, ...]]:
        async with open_store(str(path), create=False) as store:
            return await store.load_ontology(digest), await store.load_graph(run, conversation)

    return asyncio.run(read())


@pytest.mark.parametrize("engine", ENGINES)
def test_run_stores_its_ontology_and_graphs(tmp_path: Path, engine: Engine) -> None:
    dataset = a_page_of_the_sample()
    run, (example,) = run_with(tmp_path / "runs.db", dataset, engine=engine)
    ontology = build_ontology([sample_pages()[OPTIONS]])
    assert (run.spec["ontology"], run.spec["policy"]) == (ontology.digest, "strict")
    graph = GraphProvider(ontology, "strict").graph(sample_pages()[OPTIONS])
    assert example.kg_stats == graph.statistics()
    assert example.kg_stats["entityType"] == "kg:StockOption"

    types, facts = stored_triples(tmp_path / "runs.db", ontology.digest, run.id, example.conversation)
    assert types == ontology.triples
    assert graph_from_triples(facts) == graph


def test_a_run_loads_its_ontology_from_the_store_by_its_digest(tmp_path: Path) -> None:
    knowledge = sample_knowledge()

    async def save() -> None:
        async with open_store(str(tmp_path / "runs.db")) as store:
            await store.save_ontology(knowledge.ontology.digest, knowledge.ontology.triples)

    asyncio.run(save())
    run, (example,) = run_with(tmp_path / "runs.db", a_page_of_the_sample(), digest=knowledge.ontology.digest)
    assert run.status == "complete"
    assert example.kg_stats == knowledge.graph(sample_pages()[OPTIONS]).statistics()
    with pytest.raises(StoreError, match="0000"):
        run_with(tmp_path / "runs.db", a_page_of_the_sample(), digest="0" * 64)


@pytest.mark.parametrize("engine", ENGINES)
def test_strict_policy_fails_a_page_and_names_all_its_gaps(tmp_path: Path, engine: Engine) -> None:
    run, (example,) = run_with(tmp_path / "runs.db", a_page_with_gaps(), engine=engine, ontology=core_ontology())
    assert (run.status, example.status, example.turns) == ("failed", "failed", 0)
    assert example.error
    assert example.error.startswith("GapError: ")
    assert "NORD/2012/page_41" in example.error
    assert example.error.count("\n") == 3
    assert example.kg_stats == {}


def test_policy_extend_runs_the_page_and_counts_its_gaps(tmp_path: Path) -> None:
    run, (example,) = run_with(tmp_path / "runs.db", a_page_with_gaps(), ontology=core_ontology(), policy="extend")
    assert (run.status, example.turns) == ("complete", 2)
    assert example.kg_stats["minted"] == 3


def test_dataset_has_no_gaps_in_its_own_ontology(tmp_path: Path) -> None:
    dataset = many_conversations(12)
    run, examples = run_with(tmp_path / "runs.db", dataset)
    assert run.status == "complete"
    assert all(example.kg_stats["minted"] == 0 for example in examples)


def test_pickled_knowledge_omits_the_documents() -> None:
    knowledge = sample_knowledge()
    graph = knowledge.graph(sample_pages()[OPTIONS])
    knowledge.ontology.match("exercise price")
    copied = pickle.loads(pickle.dumps(knowledge))  # noqa: S301 - our own bytes
    assert (copied.ontology, copied.policy) == (knowledge.ontology.without_documents(), knowledge.policy)
    assert copied.ontology != knowledge.ontology
    # Graphs contain the digest, so it stays that of the complete ontology.
    assert copied.ontology.digest == knowledge.ontology.digest
    again = copied.graph(sample_pages()[OPTIONS])
    assert again == graph
    assert again.digest == graph.digest


def test_graph_is_cached() -> None:
    knowledge = GraphProvider.of(sample_pages().values())
    first = knowledge.graph(sample_pages()[OPTIONS])
    assert knowledge.graph(sample_pages()[OPTIONS]) is first
    for document in sample_pages().values():
        knowledge.graph(document)
    assert knowledge.graph(sample_pages()[OPTIONS]) == first
