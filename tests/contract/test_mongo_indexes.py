"""Every query of the program uses an index, and one that identifies a conversation or turn uses all its fields."""

import asyncio
import os
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

import pytest
from pymongo import MongoClient, monitoring

from quaestor.scores import PairFilter, ScoreStore, VerdictFilter
from quaestor.store.base import open_store
from quaestor.store.listing import ListPart, RunFilter, TurnFilter
from quaestor.store.mongo import MongoTables
from quaestor.store.mongo_connection import INDEXES
from quaestor.store.records import Claim, GraphKey
from quaestor.testing.score_rules import make_score
from quaestor.testing.store_records import (
    GRAPH,
    START,
    make_correction,
    make_example,
    make_prompt,
    make_run,
    make_turns,
)

RUN, OTHER = make_run(), make_run("other")
KEY = GraphKey("p", "cd" * 32, "ab" * 32, "0.1.0")

NAMING = {"runId", "conversationId", "turnIndex", "digest", "documentId", "_id"}
"""Fields that a query must find by index, not filter from documents found by other fields."""

ALL = {"evaluation_runs", "ontologies", "frozen_graphs", "store"}
"""Collections with one document per run, ontology or page, which are listed completely."""


class QueryRecorder(monitoring.CommandListener):
    """Records the commands sent to the server."""

    def __init__(self) -> None:
        self.queries: list[tuple[str, dict[str, Any]]] = []

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        self.queries += _filters(event.command_name, event.command)

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None: ...

    def failed(self, event: monitoring.CommandFailedEvent) -> None: ...


def _filters(name: str, command: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the collection and the filter of each search in a command."""
    match name:
        case "find":
            yield command["find"], dict(command.get("filter", {}))
        case "update":
            yield from ((command["update"], dict(one["q"])) for one in command["updates"])
        case "delete":
            yield from ((command["delete"], dict(one["q"])) for one in command["deletes"])
        case "aggregate":
            yield from _of_stages(command["aggregate"], command["pipeline"])


def _of_stages(collection: str, pipeline: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield collection, dict(pipeline[0]["$match"])
    for stage in pipeline:
        if looked_up := stage.get("$lookup"):
            yield from _of_stages(looked_up["from"], looked_up["pipeline"])


async def call_every_operation(uri: str) -> None:
    """Call every operation of stores except maintenance, which reads everything."""
    async with open_store(uri) as store, ScoreStore(MongoTables(uri, create=False)) as scores:
        for run in (RUN, OTHER):
            await store.create_run(run)
            await store.begin_example(make_example(run, status="pending", turns=0), Claim("ada", 30))
            await store.begin_example(make_example(run, status="pending", turns=0))
            await store.renew_claims(run.id, "ada", 30)
            await store.pending(run.id)
            await store.save_graph(run.id, "c1", GRAPH)
            await store.log_prompt(make_prompt(run, attempt=2))
            await store.save_turn(make_turns(run, attempt=2)[0])
            await store.add_correction(make_correction(run, attempt=2))
            await store.complete_example(make_example(run, attempt=2), make_turns(run, attempt=2)[1:])
            await store.resume_run(run.id)
            await store.finish_run(run.id, "complete", START)
            await scores.add_score(make_score(run, {"c1": (True, False)}, id=f"s-{run.id}"))
        await store.save_ontology("ab" * 32, GRAPH)
        await store.load_ontology("ab" * 32)
        await store.ontologies()
        await store.freeze_graph(KEY, GRAPH)
        await store.frozen_graph(KEY)
        await store.frozen_graphs("ab" * 32)
        await store.runs()
        await store.run(RUN.id)
        await store.list_runs(RunFilter(status="complete"), ListPart())
        await store.run_choices()
        await store.examples(RUN.id)
        await store.examples(RUN.id, incomplete=True)
        await store.progress(RUN.id)
        await store.count_examples(RUN.id)
        await store.measure_turns(RUN.id)
        for conversation in (None, "c1"):
            await store.turns(RUN.id, conversation)
            await store.corrections(RUN.id, conversation)
        await store.turn(RUN.id, "c1", 0)
        for turn in (None, 0):
            await store.prompts(RUN.id, "c1", turn)
        await store.list_turns(RUN.id, TurnFilter(text="what", kind="number", low=0.1, order="confidence"), ListPart())
        await store.list_turns(RUN.id, TurnFilter(conversation="c1", index=0), ListPart())
        await store.count_turns(RUN.id, "operation")
        await store.load_graph(RUN.id, "c1")
        await scores.scores(RUN.id)
        await scores.conversation_scores(RUN.id)
        await scores.verdicts(RUN.id)
        await scores.latest_scores([RUN.id])
        await scores.list_turns(RUN.id, TurnFilter(), VerdictFilter(correct=True), ListPart())
        await scores.tally(RUN.id, "kind")
        await scores.causes(RUN.id)
        await scores.judged_frame(RUN.id)
        await scores.compare(RUN.id, "other", PairFilter(), ListPart())
        await scores.count_pairs(RUN.id, "other")
        await store.delete_run("other")


def index_of(collection: str, wanted: Mapping[str, Any]) -> tuple[tuple[str, ...], bool]:
    """Return the prefix of a declared index that covers most of a filter, and whether it finds at most one document."""
    begun: list[tuple[tuple[str, ...], bool]] = [((), False)]
    for keys, unique in (*INDEXES.get(collection, ()), ({"_id": 1}, True)):
        taken = tuple(takewhile(wanted.__contains__, keys))
        begun.append((taken, unique and len(taken) == len(keys)))
    return max(begun, key=lambda one: (one[1], len(NAMING & {*one[0]}), len(one[0])))


def stages(plan: Any) -> Iterator[str]:
    if isinstance(plan, dict):
        if isinstance(plan.get("stage"), str):
            yield plan["stage"]
        for below in plan.values():
            yield from stages(below)
    elif isinstance(plan, list):
        for below in plan:
            yield from stages(below)


@pytest.fixture
def queries(mongo_uri: str) -> list[tuple[str, dict[str, Any]]]:
    recorder = QueryRecorder()
    listeners: list[Any] = monitoring._LISTENERS.command_listeners
    listeners.append(recorder)
    try:
        asyncio.run(call_every_operation(mongo_uri))
    finally:
        listeners.remove(recorder)
    shapes = {(name, tuple(sorted(wanted))): wanted for name, wanted in recorder.queries}
    return [(name, wanted) for (name, _), wanted in shapes.items()]


@pytest.mark.slow
def test_every_query_uses_an_index(mongo_uri: str, queries: list[tuple[str, dict[str, Any]]]) -> None:
    assert len(queries) > 40
    scanned, unnamed = [], []
    with MongoClient[dict[str, Any]](mongo_uri) as client:
        db = client.get_default_database()
        for collection, wanted in queries:
            found, is_unique = index_of(collection, wanted)
            if not found:
                scanned += [(collection, sorted(wanted))] if collection not in ALL else []
                continue
            missed = (wanted.keys() & NAMING) - {*found}
            unnamed += [(collection, sorted(wanted), found)] if missed and not is_unique else []
            # The index exists and the server uses it.
            prefix = {name: wanted[name] for name in found}
            explained = db.command("explain", {"find": collection, "filter": prefix}, verbosity="queryPlanner")
            assert "IXSCAN" in set(stages(explained)) or "IDHACK" in set(stages(explained)), (collection, prefix)
    assert (scanned, unnamed) == ([], [])


@pytest.mark.skipif(not os.environ.get("QUAESTOR_TEST_MONGODB_URI"), reason="a real server plans whole queries")
def test_real_server_scans_no_collection(queries: list[tuple[str, dict[str, Any]]]) -> None:
    with MongoClient[dict[str, Any]](os.environ["QUAESTOR_TEST_MONGODB_URI"]) as client:
        db = client["quaestor_test_indexes"]
        try:
            for collection, indexes in INDEXES.items():
                for keys, unique in indexes:
                    db[collection].create_index(list(keys.items()), unique=unique)
            scanned = [
                (collection, wanted)
                for collection, wanted in queries
                if collection not in ALL and "COLLSCAN" in stages(db[collection].find(wanted).explain()["queryPlanner"])
            ]
            assert scanned == []
        finally:
            client.drop_database("quaestor_test_indexes")
