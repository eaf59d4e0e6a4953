import asyncio
import json
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import pytest
from pages import page
from scripted import a_dataset
from toolboxes import OPTIONS, sample_pages

from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation import knowledge
from quaestor.evaluation.engines import Engine, InlineEngine
from quaestor.evaluation.knowledge import FrozenGraphs, GraphProvider, graph_key
from quaestor.evaluation.processes import ProcessEngine
from quaestor.evaluation.recording import FROZEN
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.graph.builder import build_graph
from quaestor.graph.writing import graph_from_triples
from quaestor.ontology.builder import build_ontology
from quaestor.sample import sample_path
from quaestor.solvers.registry import make_solver
from quaestor.store.base import RunStore, open_store
from quaestor.store.records import ConversationRecord


async def freeze(store: RunStore, dataset: Dataset, provider: GraphProvider) -> None:
    for conversation in dataset.conversations:
        document = conversation.document
        key = graph_key(document, provider.ontology.digest)
        await store.freeze_graph(key, provider.graph(document).triples())


async def play(store: RunStore, dataset: Dataset, engine: Engine) -> tuple[str, tuple[ConversationRecord, ...]]:
    """Run a dataset with the embedded solver; return its turns without run id and times, and its conversations."""
    spec = RunSpec.of(dataset, "embedded")
    run = await run_dataset(dataset, spec, store, engine, factory=partial(make_solver, "embedded"))
    turns = [asdict(turn) for turn in await store.turns(run.id)]
    untimed = [{k: v for k, v in turn.items() if k not in ("run", "started", "finished")} for turn in turns]
    return json.dumps(untimed, sort_keys=True, default=str), await store.examples(run.id)


@pytest.mark.very_slow
@pytest.mark.parametrize("engine", [InlineEngine(2), ProcessEngine(2)], ids=["inline", "processes"])
def test_run_with_frozen_graphs_builds_none_and_gives_the_same_answers(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = read_dataset(sample_path(), 6)
    pages = {c.document.id: c.document for c in dataset.conversations}

    async def scenario() -> None:
        async with open_store(str(tmp_path / "runs.db")) as store:
            built, examples = await play(store, dataset, engine)
            assert not any(FROZEN in example.kg_stats for example in examples)
            await freeze(store, dataset, GraphProvider.of(pages.values(), "strict"))
            # Building is disabled in this process; workers of the process engine report that a graph was frozen.
            monkeypatch.setattr(knowledge, "build_graph", refuse_to_build)
            frozen, examples = await play(store, dataset, engine)
            assert frozen == built
            assert all(example.kg_stats[FROZEN] == "yes" for example in examples)

    asyncio.run(scenario())


def refuse_to_build(*_: object) -> None:
    raise AssertionError("a frozen graph was built again")


def test_frozen_graph_equals_the_built_graph() -> None:
    ontology = build_ontology([sample_pages()[OPTIONS]])
    for document in sample_pages().values():
        graph = build_graph(document, ontology, "extend")
        assert GraphProvider(ontology, "extend").graph(document, graph.triples()) == graph


def test_frozen_graph_is_used_only_if_all_its_inputs_match(tmp_path: Path) -> None:
    document = sample_pages()[OPTIONS]
    ontology, other = build_ontology([document]), build_ontology([])

    async def scenario() -> None:
        async with open_store(str(tmp_path / "runs.db")) as store:
            key = graph_key(document, ontology.digest)
            await store.freeze_graph(replace(key, version="0.0.0"), build_graph(document, ontology).triples())
            await store.freeze_graph(replace(key, digest="0" * 64), build_graph(document, ontology).triples())
            assert await (await FrozenGraphs.of(store, ontology.digest)).triples(document) is None
            await store.freeze_graph(key, build_graph(document, ontology).triples())
            triples = await (await FrozenGraphs.of(store, ontology.digest)).triples(document)
            assert triples is not None
            assert graph_from_triples(triples) == build_graph(document, ontology)
            assert await (await FrozenGraphs.of(store, other.digest)).triples(document) is None

    asyncio.run(scenario())


def test_strict_policy_refuses_gaps_of_a_frozen_graph(tmp_path: Path) -> None:
    document, core = page([["", "2009"], ["zorbic flux", "5"]]), build_ontology([])
    dataset = a_dataset(Conversation("c", document, ("what was the zorbic flux?",)))

    async def scenario() -> None:
        async with open_store(str(tmp_path / "runs.db")) as store:
            key = graph_key(document, core.digest)
            await store.freeze_graph(key, build_graph(document, core, "extend").triples())
            spec = RunSpec.of(dataset, "embedded", policy="strict")
            factory = partial(make_solver, "embedded")
            run = await run_dataset(dataset, spec, store, InlineEngine(), factory=factory, ontology=core)
            (example,) = await store.examples(run.id)
            assert example.status == "failed"
            assert str(example.error).startswith("GapError: ")

    asyncio.run(scenario())
