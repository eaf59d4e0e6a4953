"""Properties of the MongoDB store only: its documents and the errors of its server."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

from quaestor.conversation.events import Note, load_events
from quaestor.errors import StoreError
from quaestor.scores import ScoreStore
from quaestor.store.base import RunStore, open_store
from quaestor.store.mongo import MongoTables
from quaestor.store.mongo_connection import INDEXES, SCHEMA_VERSION
from quaestor.store.records import GraphKey
from quaestor.testing.score_rules import make_score
from quaestor.testing.store_records import (
    GRAPH,
    START,
    make_correction,
    make_example,
    make_prompt,
    make_run,
    make_turns,
    run_scenario,
)

RUN = make_run()
OF_SCORES = ("scores", "scored_examples", "scored_turns")


def remove_attempts(db: Any) -> None:
    """Convert the records of `fill` to the schema version without attempts."""
    for collection in (db.turns, db.examples):
        collection.update_many({}, {"$set": {"attempt": ObjectId("65a000000000000000000001")}})
    db.turns.update_many({}, {"$unset": {"conversationHistory": 1, "registers": 1, "status": 1, "understanding": 1}})
    db.prompt_logs.update_many({}, {"$unset": {"attempt": 1}})
    place = [("runId", 1), ("conversationId", 1), ("turnIndex", 1), ("number", 1)]
    db.prompt_logs.drop_index([*place, ("attempt", 1)])
    db.prompt_logs.create_index(place, unique=True)
    db.store.update_one({"_id": "schema"}, {"$set": {"version": 1}})


async def fill(store: RunStore) -> None:
    await store.save_ontology("ab" * 32, GRAPH)
    await store.freeze_graph(GraphKey("p", "cd" * 32, "ab" * 32, "0.1.0"), GRAPH)
    await store.create_run(RUN)
    await store.begin_example(make_example(RUN, status="pending", turns=0))
    await store.save_graph(RUN.id, "c1", GRAPH)
    await store.log_prompt(make_prompt(RUN))
    await store.add_correction(make_correction(RUN))
    await store.complete_example(make_example(RUN), make_turns(RUN))


def use_database(uri: str, read: Callable[[Any], Any]) -> Any:
    with MongoClient[dict[str, Any]](uri, tz_aware=True, tzinfo=UTC) as client:
        return read(client.get_default_database())


def documents(uri: str, collection: str, where: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = use_database(uri, lambda db: list(db[collection].find(where or {}, {"_id": 0})))
    return found


def test_documents_have_readable_names_and_types(mongo_uri: str) -> None:
    run_scenario(mongo_uri, fill)
    price = {"s": "kg:StockOption_2007", "p": "kg:exercise_price", "o": '"60.94"^^xsd:decimal'}
    (known,) = documents(mongo_uri, "ontology", price)
    assert type(known.pop("createdAt")) is datetime
    assert known == {**price, "type": "ontology", "digest": "ab" * 32}
    (graph,) = documents(mongo_uri, "graphs")
    assert type(graph.pop("createdAt")) is datetime
    page = graph.pop("content")
    assert graph == {"runId": RUN.id, "conversationId": "c1", "triples": len(GRAPH)}
    # The frozen graph of the page has the same content.
    assert [frozen["content"] for frozen in documents(mongo_uri, "frozen_graphs")] == [page]
    (run,) = documents(mongo_uri, "evaluation_runs")
    assert (run["runId"], run["startedAt"], run["config"]) == (RUN.id, START, RUN.spec)
    (example,) = documents(mongo_uri, "examples")
    assert (example["exampleId"], example["conversationId"], example["numTurns"]) == ("c1", "c1", 2)
    assert example["kgStats"] == {"instances": 3, "triples": 21, "entityType": "kg:StockOption"}
    first, second = sorted(documents(mongo_uri, "turns"), key=lambda turn: turn["turnIndex"])
    assert (second["turnIndex"], second["durationMs"], second["completedAt"]) == (
        1,
        1,
        START + timedelta(milliseconds=1),
    )
    assert first["toolCalls"][0]["timestamp"] == START
    assert documents(mongo_uri, "turns", {"toolCalls.input.operation": "subtract", "turnIndex": 0}) == [first]
    assert (first["status"], second["conversationHistory"]) == (
        "complete",
        [{"question": "and before?", "answer": "3"}],
    )
    (prompt,) = documents(mongo_uri, "prompt_logs")
    assert (prompt["phase"], prompt["turnIndex"], prompt["timestamp"]) == ("understand", 0, START)


def test_understanding_of_an_older_turn_is_read_as_one_note(mongo_uri: str) -> None:
    run_scenario(mongo_uri, fill)
    text = 'plan 1: {"a": 1}\nand\u2028on'
    older = {"$set": {"understanding": text}, "$unset": {"events": 1}}
    use_database(mongo_uri, lambda db: db.turns.update_many({"turnIndex": 1}, older))
    silent = {"$set": {"understanding": None}, "$unset": {"events": 1}}
    use_database(mongo_uri, lambda db: db.turns.update_many({"turnIndex": 0}, silent))
    use_database(mongo_uri, lambda db: db.store.update_one({"_id": "schema"}, {"$set": {"version": 1}}))

    async def scenario(store: RunStore) -> None:
        first, second = await store.turns(RUN.id)
        assert (first.events, load_events(second.events)) == ([], (Note(text),))
        assert replace(second, events=make_turns(RUN)[1].events) == make_turns(RUN)[1]

    run_scenario(mongo_uri, scenario)


@pytest.mark.slow
def test_database_without_attempts_can_be_read_and_extended(mongo_uri: str) -> None:
    run_scenario(mongo_uri, fill)

    async def broken_off(store: RunStore) -> None:
        await store.begin_example(make_example(RUN, "c2", "pending", turns=0))
        await store.log_prompt(make_prompt(RUN, "c2"))
        await store.complete_example(make_example(RUN, "c2", "outage", turns=0), ())

    async def read(store: RunStore) -> None:
        assert await store.turns(RUN.id, "c1") == tuple(
            replace(turn, history=[], registers=[]) for turn in make_turns(RUN)
        )
        assert await store.prompts(RUN.id, "c1") == (make_prompt(RUN),)
        assert await store.examples(RUN.id) == (make_example(RUN), make_example(RUN, "c2", "outage", turns=0))
        assert await store.begin_example(make_example(RUN, "c2", "pending", turns=0)) == 2
        await store.log_prompt(make_prompt(RUN, "c2", attempt=2))
        assert await store.prompts(RUN.id, "c2", attempt=1) == (make_prompt(RUN, "c2"),)
        assert await store.prompts(RUN.id, "c2") == (make_prompt(RUN, "c2", attempt=2),)

    run_scenario(mongo_uri, broken_off)
    use_database(mongo_uri, remove_attempts)
    run_scenario(mongo_uri, read)
    assert documents(mongo_uri, "store") == [{"version": SCHEMA_VERSION}]


def test_score_queries_find_failed_turns(mongo_uri: str) -> None:
    run_scenario(mongo_uri, fill)

    async def score() -> None:
        async with ScoreStore(MongoTables(mongo_uri, create=False)) as scores:
            await scores.add_score(make_score(RUN, {"c1": (True, False), "c2": (True, True)}))

    asyncio.run(score())
    (found,) = documents(mongo_uri, "scores", {"runId": RUN.id})
    assert found["results"] == {
        "totalExamples": 2, "totalTurns": 4, "correctAnswers": 3, "accuracy": 0.75, "unanswered": 1,
        "avgTurnsPerExample": 2.0, "avgToolCallsPerTurn": 2.5,
    }  # fmt: skip
    assert (type(found["scoredAt"]), found["metrics"]["execution"]["low"]) == (datetime, 0.25)
    (failed,) = documents(mongo_uri, "scored_examples", {"runId": RUN.id, "results.accuracy": {"$lt": 1}})
    assert (failed["conversationId"], failed["results"]["failedTurns"]) == ("c1", [1])
    (turn,) = documents(mongo_uri, "scored_turns", {"runId": RUN.id, "correct": False})
    assert (turn["conversationId"], turn["turnIndex"], turn["programCorrect"]) == ("c1", 1, True)
    present = use_database(mongo_uri, lambda db: {name: db[name].index_information() for name in INDEXES})
    for collection, indexes in INDEXES.items():
        expected = {
            (tuple(tuple(key) for key in index["key"]), index.get("unique", False))
            for index in present[collection].values()
        }
        assert {(tuple(keys.items()), unique) for keys, unique in indexes} <= expected


def test_keys_are_unique_across_writers(mongo_uri: str) -> None:
    """The server itself rejects duplicate keys, whatever program inserts them."""
    from pymongo.errors import DuplicateKeyError

    run_scenario(mongo_uri, fill)

    def again(collection: str) -> Callable[[Any], None]:
        def insert(db: Any) -> None:
            db[collection].insert_one(db[collection].find_one({}, {"_id": 0}))

        return insert

    for collection in INDEXES.keys() - {"contents", "content_parts"} - {*OF_SCORES}:
        with pytest.raises(DuplicateKeyError):
            use_database(mongo_uri, again(collection))


def test_partial_writes_are_not_read(mongo_uri: str) -> None:
    """Ignore records of a writer killed before the example or among the triples; the next attempt is read."""
    run_scenario(mongo_uri, fill)
    half = replace(make_turns(RUN, "c2", 1)[0], question="half")

    async def begin(store: RunStore) -> None:
        await store.begin_example(make_example(RUN, "c2", "pending", turns=0))
        await store.save_turn(half)
        assert await store.begin_example(make_example(RUN, "c2", "pending", turns=0)) == 2

    def orphan(db: Any) -> None:
        db.graphs.delete_one({"conversationId": "c1"})

    async def read(store: RunStore) -> None:
        assert await store.turns(RUN.id, "c2") == ()
        with pytest.raises(StoreError):
            await store.load_graph(RUN.id, "c1")
        await store.save_graph(RUN.id, "c1", GRAPH)
        assert await store.load_graph(RUN.id, "c1") == GRAPH
        await store.complete_example(make_example(RUN, "c2", attempt=2), make_turns(RUN, "c2", attempt=2))
        assert await store.turns(RUN.id, "c2") == make_turns(RUN, "c2", attempt=2)

    run_scenario(mongo_uri, begin)
    use_database(mongo_uri, orphan)
    run_scenario(mongo_uri, read)
    assert len(documents(mongo_uri, "turns", {"conversationId": "c2", "superseded": {"$ne": True}})) == 2
    assert len(documents(mongo_uri, "turns", {"conversationId": "c2"})) == 3


def remove_contents(db: Any) -> None:
    """Convert the records of `fill` to the schema version without contents."""
    for prompt in db.prompt_logs.find():
        texts = {"prompt": make_prompt(RUN).prompt, "response": make_prompt(RUN).response}
        db.prompt_logs.update_one({"_id": prompt["_id"]}, {"$set": texts})
    for sets, triples in (("graphs", "instances"), ("frozen_graphs", "frozen_instances")):
        for record in db[sets].find():
            key = {name: value for name, value in record.items() if name not in ("_id", "content", "triples")}
            db[triples].insert_many([{**triple._asdict(), "type": "instance", **key} for triple in GRAPH])
    for sets in ("graphs", "frozen_graphs", "ontologies"):
        db[sets].update_many({}, {"$unset": {"content": 1}})
    db.drop_collection("contents")
    db.store.update_one({"_id": "schema"}, {"$set": {"version": 4}})


@pytest.mark.slow
def test_database_without_contents_is_migrated_when_opened(mongo_uri: str) -> None:
    run_scenario(mongo_uri, fill)
    use_database(mongo_uri, remove_contents)
    # One writer was interrupted while writing triples, and another process after migrating the first graph.
    half = {"runId": RUN.id, "conversationId": "c2"}
    use_database(
        mongo_uri, lambda db: db.instances.insert_one({"s": "a", "p": "b", "o": "c", "type": "instance", **half})
    )
    use_database(mongo_uri, lambda db: db.graphs.insert_one({**half, "triples": 2}))

    async def read(store: RunStore) -> None:
        assert await store.prompts(RUN.id, "c1") == (make_prompt(RUN),)
        assert await store.load_graph(RUN.id, "c1") == GRAPH
        assert await store.frozen_graph(GraphKey("p", "cd" * 32, "ab" * 32, "0.1.0")) == GRAPH
        assert await store.load_ontology("ab" * 32) == GRAPH
        with pytest.raises(StoreError):
            await store.load_graph(RUN.id, "c2")

    for _ in range(2):
        run_scenario(mongo_uri, read)
        names = use_database(mongo_uri, lambda db: db.list_collection_names())
        assert {"instances", "frozen_instances"}.isdisjoint(names)
        assert documents(mongo_uri, "store") == [{"version": SCHEMA_VERSION}]
        # State after a kill before the new version was written.
        use_database(mongo_uri, lambda db: db.store.update_one({"_id": "schema"}, {"$set": {"version": 4}}))


def test_reading_creates_no_collections(mongo_uri: str) -> None:
    async def scenario() -> None:
        async with open_store(mongo_uri, create=False) as store:
            with pytest.raises(StoreError, match="MongoDB"):
                await store.runs()

    asyncio.run(scenario())
    assert use_database(mongo_uri, lambda db: db.list_collection_names()) == []


def test_another_schema_version_is_refused(mongo_uri: str) -> None:
    run_scenario(mongo_uri, fill)
    use_database(
        mongo_uri, lambda db: db.store.update_one({"_id": "schema"}, {"$set": {"version": SCHEMA_VERSION + 1}})
    )
    with pytest.raises(StoreError, match=f"{SCHEMA_VERSION + 1}.*{SCHEMA_VERSION}"):
        run_scenario(mongo_uri, fill)


def test_record_over_16_megabytes_raises_a_short_error(mongo_uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await store.create_run(RUN)
        await store.begin_example(make_example(RUN, status="pending", turns=0))
        with pytest.raises(StoreError, match="16 MB") as caught:
            await store.save_turn(replace(make_turns(RUN)[0], question="x" * (17 << 20)))
        assert len(str(caught.value)) < 300

    run_scenario(mongo_uri, scenario)
