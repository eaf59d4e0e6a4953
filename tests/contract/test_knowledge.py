"""What every RunStore must do with ontologies, graphs and prompts."""

import asyncio
import multiprocessing
from collections.abc import Coroutine
from dataclasses import replace

import pytest
from store_records import GRAPH, PRICE, a_prompt, a_run, an_example, play, some_turns

from quaestor.core.serial import Triple
from quaestor.errors import DuplicateRecordError, StoreError, UnknownRunError
from quaestor.store.base import RunStore
from quaestor.store.records import GraphKey, RunRecord

RUN = a_run()


def test_a_graph_comes_back_equal_after_closing_and_opening(uri: str) -> None:
    async def write(store: RunStore) -> None:
        await store.create_run(RUN)
        # In any order, from plain tuples, repeats among them: a graph is a set.
        await store.save_graph(RUN.id, "c1", [(s, p, o) for s, p, o in reversed(GRAPH)] + list(GRAPH))
        await store.save_graph(RUN.id, "c2", ())

    async def read(store: RunStore) -> None:
        assert await store.load_graph(RUN.id, "c1") == GRAPH
        assert all(type(triple) is Triple for triple in await store.load_graph(RUN.id, "c1"))
        assert await store.load_graph(RUN.id, "c2") == ()

    play(uri, write)
    play(uri, read)


def test_a_graph_saved_again_takes_the_place_of_the_earlier(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await store.create_run(RUN)
        await store.save_graph(RUN.id, "c1", GRAPH)
        await store.save_graph(RUN.id, "c1", GRAPH)
        assert await store.load_graph(RUN.id, "c1") == GRAPH
        await store.save_graph(RUN.id, "c1", [PRICE])
        assert await store.load_graph(RUN.id, "c1") == (PRICE,)

    play(uri, scenario)


def test_graphs_of_two_runs_are_apart_and_outlive_a_second_attempt(uri: str) -> None:
    other = a_run("other")

    async def scenario(store: RunStore) -> None:
        for run, graph in ((RUN, GRAPH), (other, [PRICE])):
            await store.create_run(run)
            await store.begin_example(an_example(run, status="pending", turns=0))
            await store.save_graph(run.id, "c1", graph)
            await store.begin_example(an_example(run, status="pending", turns=0))
            await store.complete_example(an_example(run, attempt=2), some_turns(run, attempt=2))
        assert await store.load_graph(RUN.id, "c1") == GRAPH
        assert await store.load_graph("other", "c1") == (PRICE,)

    play(uri, scenario)


def test_a_graph_that_is_not_kept_is_one_clear_line(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await store.create_run(RUN)
        with pytest.raises(StoreError, match="'c9'"):
            await store.load_graph(RUN.id, "c9")

    play(uri, scenario)


def test_an_ontology_comes_back_equal_and_is_kept_once(uri: str) -> None:
    ontology = (Triple("kg:StockOption", "rdf:type", "owl:Class"), Triple("kg:StockOption", "rdfs:label", '"option"'))

    async def write(store: RunStore) -> None:
        await store.save_ontology("ab" * 32, ontology)
        await store.save_ontology("ab" * 32, ontology[::-1])
        await store.save_ontology("cd" * 32, ontology[:1])

    async def read(store: RunStore) -> None:
        assert await store.load_ontology("ab" * 32) == ontology
        assert await store.load_ontology("cd" * 32) == ontology[:1]

    play(uri, write)
    play(uri, read)


def test_ontologies_are_listed_the_latest_first(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        assert await store.ontologies() == ()
        await store.save_ontology("ab" * 32, GRAPH)
        await store.save_ontology("cd" * 32, GRAPH[:1])
        kept = await store.ontologies()
        assert [(ontology.digest, ontology.triples) for ontology in kept] == [("cd" * 32, 1), ("ab" * 32, len(GRAPH))]
        assert all(ontology.created.utcoffset() is not None for ontology in kept)

    play(uri, scenario)


def test_a_frozen_graph_is_kept_under_all_that_decides_it(uri: str) -> None:
    keys = [GraphKey(d, digest, o, v) for d in "pq" for digest in "ab" for o in "xy" for v in ("0.1.0", "0.2.0")]

    async def write(store: RunStore) -> None:
        for place, key in enumerate(reversed(keys)):
            await store.freeze_graph(key, [PRICE._replace(o=str(place))])
        await store.freeze_graph(keys[0], GRAPH)

    async def read(store: RunStore) -> None:
        assert await store.frozen_graphs() == tuple(keys)
        assert await store.frozen_graphs("y") == tuple(key for key in keys if key.ontology == "y")
        assert await store.frozen_graphs("z") == ()
        assert await store.frozen_graph(keys[0]) == GRAPH
        others = [(await store.frozen_graph(key))[0].o for key in keys[1:]]
        assert others == [str(place) for place in range(len(keys) - 2, -1, -1)]
        with pytest.raises(StoreError):
            await store.frozen_graph(replace(keys[0], ontology="z"))

    play(uri, write)
    play(uri, read)


def test_an_unknown_ontology_names_the_latest(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        with pytest.raises(StoreError, match="'x'"):
            await store.load_ontology("x")
        for digest in "abcd":
            await store.save_ontology(digest, GRAPH)
        with pytest.raises(StoreError, match=r"'x'.*d, c, b$"):
            await store.load_ontology("x")

    play(uri, scenario)


def test_prompts_come_back_equal_by_turn_and_number(uri: str) -> None:
    prompts = tuple(a_prompt(RUN, turn=turn, number=number) for turn in range(2) for number in range(11))

    async def write(store: RunStore) -> None:
        await store.create_run(RUN)
        for prompt in prompts[::-1]:
            await store.log_prompt(prompt)
        await store.log_prompt(a_prompt(RUN, "c2"))

    async def read(store: RunStore) -> None:
        assert await store.prompts(RUN.id, "c1") == prompts
        assert await store.prompts(RUN.id, "c1", 1) == prompts[11:]
        assert await store.prompts(RUN.id, "c1", 7) == ()
        assert await store.prompts(RUN.id, "c2") == (a_prompt(RUN, "c2"),)

    play(uri, write)
    play(uri, read)


def test_a_prompt_is_kept_once(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await store.create_run(RUN)
        await store.log_prompt(a_prompt(RUN))
        with pytest.raises(DuplicateRecordError, match=r"prompt 0 of turn 0 .*'c1'"):
            await store.log_prompt(replace(a_prompt(RUN), response="another"))
        assert await store.prompts(RUN.id, "c1") == (a_prompt(RUN),)

    play(uri, scenario)


def test_the_prompts_of_an_attempt_stay_when_the_next_begins(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await store.create_run(RUN)
        await store.begin_example(an_example(RUN, status="pending", turns=0))
        await store.log_prompt(a_prompt(RUN))
        await store.log_prompt(a_prompt(RUN, "c2"))
        await store.complete_example(an_example(RUN, status="outage", turns=0), ())
        assert await store.prompts(RUN.id, "c1") == (a_prompt(RUN),)
        await store.begin_example(an_example(RUN, status="pending", turns=0))
        assert await store.prompts(RUN.id, "c1") == ()
        await store.log_prompt(a_prompt(RUN, attempt=2))
        assert await store.prompts(RUN.id, "c1") == (a_prompt(RUN, attempt=2),)
        assert await store.prompts(RUN.id, "c1", attempt=1) == (a_prompt(RUN),)
        assert await store.prompts(RUN.id, "c2") == (a_prompt(RUN, "c2"),)

    play(uri, scenario)


def test_every_operation_refuses_an_unknown_run(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await store.create_run(a_run("here"))
        calls: list[Coroutine[None, None, object]] = [
            store.save_graph("gone", "c1", GRAPH),
            store.load_graph("gone", "c1"),
            store.log_prompt(a_prompt(a_run("gone"))),
            store.prompts("gone", "c1"),
        ]
        for call in calls:
            with pytest.raises(UnknownRunError):
                await call

    play(uri, scenario)


def test_half_a_surrogate_pair_is_refused_and_nothing_is_kept(uri: str) -> None:
    broken = [*GRAPH, Triple("kg:a", "rdfs:label", '"\ud800"')]

    async def scenario(store: RunStore) -> None:
        await store.create_run(RUN)
        with pytest.raises(StoreError):
            await store.save_graph(RUN.id, "c1", broken)
        with pytest.raises(StoreError):
            await store.load_graph(RUN.id, "c1")
        with pytest.raises(StoreError):
            await store.save_ontology("ab", broken)
        with pytest.raises(StoreError):
            await store.load_ontology("ab")

    play(uri, scenario)


@pytest.mark.slow
def test_two_processes_that_write_the_same_leave_it_once(uri: str) -> None:
    """Each key is wanted by all writers at once: ontology, graph and prompts are there once, and whole."""
    writers, count = 3, 25
    graph = tuple(Triple(f"kg:Row_{number:03}", "kg:value", f'"{number}"^^xsd:decimal') for number in range(200))
    context = multiprocessing.get_context("fork")
    barrier, wins = context.Barrier(writers), context.Queue()

    async def write(store: RunStore) -> None:
        await store.save_ontology("ab" * 32, graph)
        await store.save_graph(RUN.id, "c1", graph)
        won = 0
        for number in range(count):
            try:
                await store.log_prompt(a_prompt(RUN, number=number))
                won += 1
            except DuplicateRecordError:
                await asyncio.sleep(0)
        wins.put(won)

    def work() -> None:
        barrier.wait()
        play(uri, write)

    async def prepare(store: RunStore) -> None:
        await store.create_run(RUN)

    async def read(store: RunStore) -> None:
        assert await store.load_ontology("ab" * 32) == graph
        assert await store.load_graph(RUN.id, "c1") == graph
        assert len(await store.prompts(RUN.id, "c1")) == count

    play(uri, prepare)
    processes = [context.Process(target=work) for _ in range(writers)]
    for process in processes:
        process.start()
    assert sum(wins.get(timeout=60) for _ in processes) == count
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * writers
    play(uri, read)


def test_a_deleted_run_takes_all_that_is_its_own_along(uri: str) -> None:
    other = a_run("other")

    async def fill(store: RunStore, run: RunRecord) -> None:
        await store.create_run(run)
        await store.begin_example(an_example(run, status="pending", turns=0))
        await store.save_graph(run.id, "c1", GRAPH)
        await store.log_prompt(a_prompt(run))
        await store.complete_example(an_example(run), some_turns(run))

    async def delete(store: RunStore) -> None:
        await store.save_ontology("ab" * 32, GRAPH)
        for run in (RUN, other):
            await fill(store, run)
        await store.delete_run(RUN.id)

    async def look(store: RunStore) -> None:
        assert await store.runs() == (other,)
        for read in (store.run, store.examples, store.turns, store.progress, store.delete_run):
            with pytest.raises(UnknownRunError, match=RUN.id):
                await read(RUN.id)
        # The other run has all of its own still, and the ontology belongs to none.
        assert await store.examples("other") == (an_example(other),)
        assert await store.turns("other") == some_turns(other)
        assert await store.prompts("other", "c1") == (a_prompt(other),)
        assert await store.load_graph("other", "c1") == GRAPH
        assert await store.load_ontology("ab" * 32) == GRAPH
        # Whoever comes after it under its name finds nothing of it.
        await store.create_run(RUN)
        assert await store.examples(RUN.id) == ()
        assert await store.turns(RUN.id) == ()
        assert await store.prompts(RUN.id, "c1") == ()
        with pytest.raises(StoreError):
            await store.load_graph(RUN.id, "c1")

    play(uri, delete)
    play(uri, look)


def test_a_run_that_is_deleted_while_it_is_played_stays_deleted(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await store.create_run(RUN)
        await store.begin_example(an_example(RUN, status="pending", turns=0))
        await store.delete_run(RUN.id)
        with pytest.raises(UnknownRunError):
            await store.complete_example(an_example(RUN), some_turns(RUN))
        with pytest.raises(UnknownRunError):
            await store.log_prompt(a_prompt(RUN))
        assert await store.runs() == ()

    play(uri, scenario)
