"""Rules for run stores: lists, counts, graphs, ontologies, prompts and corrections."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

from pydantic import JsonValue

from quaestor.conversation.events import (
    ExpertEvent,
    NoAnswerGiven,
    Note,
    PlanRefused,
    ReplyRejected,
    StageAnswered,
    dump_events,
)
from quaestor.core.serial import Triple
from quaestor.errors import DuplicateRecordError, StoreError, UnknownRunError
from quaestor.evaluation.recording import FROZEN
from quaestor.store.base import RunStore
from quaestor.store.listing import ConversationCounts, ListPart, RunChoices, RunFilter, TurnFilter
from quaestor.store.records import ExampleStatus, GraphKey, RunRecord, TurnRecord
from quaestor.store.turn_summary import RunMeasures
from quaestor.testing.store_records import (
    GRAPH,
    PRICE,
    START,
    make_correction,
    make_example,
    make_prompt,
    make_run,
    make_turns,
    measure_records,
)
from quaestor.testing.store_rules import PENDING, RUN, OpenStore, collect_rules, expect_error, store_with_run

OTHER_RUN = make_run("another-run", minutes=5)
_ALL = ListPart()
_MODEL: dict[str, JsonValue] = {"provider": "test", "model": "small:1"}

_CELL = {"kind": "cell", "document": "d", "table": 0, "row": 1, "column": 1}
_EXTRACTED = {"id": 1, "kind": "extract", "source": _CELL}
_FROM_EARLIER_TURN = {
    "id": 1,
    "kind": "compute",
    "operation": "divide",
    "operands": [{"kind": "ref", "step": -1}, {"kind": "constant", "value": "100"}],
}


_REJECTED = ReplyRejected("ANSWER", "submit_answer", 1, ("no number",))


def make_listed_turns(run: RunRecord, conversation: str, attempt: int = 1) -> tuple[TurnRecord, ...]:
    """Return three turns: one read from a cell, one computed from it, one without an answer."""
    answers: tuple[dict[str, Any], ...] = (
        {"value": "3", "plan": {"steps": [_EXTRACTED]}, "confidence": 0.9},
        {"value": "0.03", "plan": {"steps": [_FROM_EARLIER_TURN]}, "confidence": 0.4},
        {"value": None, "plan": None, "confidence": None},
    )
    questions = ("What were net SALES?", "and of 100 %?", "why (in 2_0)?")
    return tuple(
        replace(turn, answer=answer, number=answer["value"], question=question)
        for turn, answer, question in zip(make_turns(run, conversation, 3, attempt), answers, questions, strict=True)
    )


async def add_listed_run(store: RunStore, run: RunRecord, *conversations: str) -> None:
    """Add a run with the turns of `make_listed_turns` in some conversations."""
    await store.create_run(run)
    for conversation in conversations:
        await store.complete_example(make_example(run, conversation, turns=3), make_listed_turns(run, conversation))


def _make_measured_turns(conversation: str, attempt: int = 1) -> tuple[TurnRecord, ...]:
    """Return four turns: answered at once, repaired, declared unanswerable by a model, and unfinished."""
    first, second, third, fourth = make_turns(RUN, conversation, 4, attempt)
    used = {"requests": 3, "input_tokens": 1000, "output_tokens": 200, "cached_tokens": 400, "cost_millionths": 9}
    silence = [ExpertEvent(1, "workflow", NoAnswerGiven("ambiguous"))]
    return (
        replace(first, finished=START + timedelta(milliseconds=12), events=[], usage={}),
        replace(second, events=dump_events([Note("x"), _REJECTED, PlanRefused("PLAN", 1, ("no row",))]), usage=used),
        replace(third, events=dump_events([*silence, StageAnswered(1, "embedded", True)]), number=None, verified=False),
        replace(fourth, status="understanding", finished=None, number=None),
    )


async def add_measured_runs(store: RunStore) -> None:
    """Add two runs with turns that were answered, repaired, given up, run again, or unfinished."""
    for run in (RUN, OTHER_RUN):
        await store.create_run(run)
    await store.complete_example(replace(make_example(RUN, "c1", turns=3), usage={}), _make_measured_turns("c1"))
    # Only the last attempt counts.
    pending = make_example(RUN, "c2", status="pending", turns=0)
    await store.begin_example(pending)
    for turn in _make_measured_turns("c2"):
        await store.save_turn(turn)
    await store.begin_example(pending)
    again = make_example(RUN, "c2", turns=1, attempt=2)
    await store.complete_example(
        replace(again, kg_stats={"triples": 2, FROZEN: "yes"}), _make_measured_turns("c2", 2)[:1]
    )
    await store.complete_example(replace(make_example(RUN, "c3", "failed", turns=0), kg_stats={}), ())
    await store.begin_example(make_example(RUN, "c4", status="pending", turns=0))
    await store.complete_example(make_example(OTHER_RUN, "c1", turns=2), make_turns(OTHER_RUN))


async def lists_runs_in_parts_and_filtered(open_store: OpenStore) -> None:
    model = replace(OTHER_RUN, spec={"solver": "asking", "model": _MODEL}, dataset="other.json")
    question = replace(make_run("a-question", minutes=9), kind="ask")
    async with open_store() as store:
        for run in (RUN, model, question):
            await store.create_run(run)
        page = await store.list_runs(RunFilter(), ListPart(1, 1))
        assert ([run.id for run in page.items], page.total) == ([OTHER_RUN.id], 3)
        assert await store.runs() == (question, model, RUN)
        assert await store.list_runs(RunFilter(("run",)), _ALL) == _ALL.page((model, RUN), 2)
        for choices in (
            RunFilter(model="test:small:1"), RunFilter(solver="asking"),
            RunFilter(("run",), datasets=("other.json", "third.json")),
        ):  # fmt: skip
            assert (await store.list_runs(choices, _ALL)).items == (model,)
        await store.finish_run(RUN.id, "complete", RUN.started)
        assert [run.id for run in (await store.list_runs(RunFilter(status="complete"), _ALL)).items] == [RUN.id]
        assert await store.run_choices() == RunChoices(
            ("other.json", "pages.json"), ("asking", "scripted"), ("test:small:1",)
        )


_FILTERS = [
    (TurnFilter(), [0, 1, 2]),
    (TurnFilter("net sales"), [0]),
    (TurnFilter("100 %"), [1]),
    (TurnFilter("(in 2_0"), [2]),
    (TurnFilter(".*"), []),
    (TurnFilter(conversation="c2"), []),
    (TurnFilter(index=1), [1]),
    (TurnFilter(kind="none"), [2]),
    (TurnFilter(operation="lookup"), [0]),
    (TurnFilter(operation="divide", kind="number"), [1]),
    (TurnFilter(origin="table"), [0]),
    (TurnFilter(origin="earlier turns and constants"), [1]),
    (TurnFilter(low=0.5), [0]),
    (TurnFilter(low=0.4, high=0.4), [1]),
    (TurnFilter(high=0.95), [0, 1]),
    (TurnFilter(order="confidence"), [1, 0, 2]),
]


async def filters_turns(open_store: OpenStore) -> None:
    async with open_store() as store:
        await add_listed_run(store, RUN, "c1")
        await add_listed_run(store, OTHER_RUN, "c1", "c2")
        for turn_filter, indices in _FILTERS:
            page = await store.list_turns(RUN.id, turn_filter, _ALL)
            assert ([turn.index for turn in page.items], page.total) == (indices, len(indices)), turn_filter


async def lists_and_counts_turns_by_class(open_store: OpenStore) -> None:
    async with open_store() as store:
        await add_listed_run(store, RUN, "c2", "c1")
        page = await store.list_turns(RUN.id, TurnFilter(), ListPart(3, 2))
        assert [(turn.conversation, turn.index) for turn in page.items] == [("c2", 0), ("c2", 1)]
        stored, turn = make_listed_turns(RUN, "c2")[1], page.items[1]
        assert (turn.question, turn.answer, turn.number) == (stored.question, stored.answer, stored.number)
        assert (turn.error, turn.status) == (stored.error, "complete")
        assert (turn.kind, turn.operation, turn.confidence) == ("number", "divide", 0.4)
        assert page.total == 6
        assert await store.count_turns(RUN.id, "index") == {0: 2, 1: 2, 2: 2}
        assert await store.count_turns(RUN.id, "operation") == {"lookup": 2, "divide": 2, None: 2}
        assert await store.count_turns(RUN.id, "kind") == {"number": 4, "none": 2}


async def lists_only_turns_of_the_current_attempt(open_store: OpenStore) -> None:
    async with store_with_run(open_store) as store:
        await store.begin_example(PENDING)
        for turn in make_listed_turns(RUN, "c1"):
            await store.save_turn(turn)
        assert (await store.list_turns(RUN.id, TurnFilter(), _ALL)).total == 3
        attempt = await store.begin_example(PENDING)
        assert (await store.list_turns(RUN.id, TurnFilter(), _ALL)).total == 0
        again = make_listed_turns(RUN, "c1", attempt)[:1]
        await store.complete_example(make_example(RUN, turns=1, attempt=attempt), again)
        assert [turn.index for turn in (await store.list_turns(RUN.id, TurnFilter(), _ALL)).items] == [0]
        assert await store.count_turns(RUN.id, "index") == {0: 1}


async def measures_turns_of_current_attempts(open_store: OpenStore) -> None:
    async with open_store() as store:
        await add_measured_runs(store)
        measures = await store.measure_turns(RUN.id)
        assert measures == measure_records(await store.turns(RUN.id))
        assert measures.turns == 4
        assert (measures.requests[3], measures.tokens[1200], measures.cached_tokens[400]) == (1, 1, 1)
        assert measures.milliseconds[12] == 2
        assert measures.fates[2, False, True, True] == 1
        assert measures.fates[0, True, False, False] == 1
        assert measures.stages == 1


async def counts_conversations(open_store: OpenStore) -> None:
    async with open_store() as store:
        await store.create_run(make_run("empty"))
        assert await store.measure_turns("empty") == RunMeasures()
        assert await store.count_examples("empty") == ConversationCounts({}, 0, 0, 0, {})
        await add_measured_runs(store)
        counts, examples = await store.count_examples(RUN.id), await store.examples(RUN.id)
        statuses: dict[ExampleStatus, int] = {"complete": 2, "failed": 1, "pending": 1}
        assert counts.statuses == statuses == await store.progress(RUN.id)
        assert counts.turns == sum(example.turns for example in examples) == 4
        usage: Counter[str] = Counter()
        for example in examples:
            usage.update(example.usage)
        assert counts.usage == usage
        assert counts.graphs == sum(bool(example.kg_stats) for example in examples)
        assert counts.frozen == 1
        incomplete = await store.examples(RUN.id, incomplete=True)
        assert incomplete == tuple(example for example in examples if example.status != "complete")
        assert [example.conversation for example in incomplete] == ["c3", "c4"]


async def returns_equal_graphs_until_they_are_replaced(open_store: OpenStore) -> None:
    async with store_with_run(open_store) as store:
        # In any order, from plain tuples, with duplicates: a graph is a set.
        await store.save_graph(RUN.id, "c1", [(s, p, o) for s, p, o in reversed(GRAPH)] + list(GRAPH))
        await store.save_graph(RUN.id, "c2", ())
    async with open_store() as store:
        assert await store.load_graph(RUN.id, "c1") == GRAPH
        assert all(type(triple) is Triple for triple in await store.load_graph(RUN.id, "c1"))
        assert await store.load_graph(RUN.id, "c2") == ()
        await store.save_graph(RUN.id, "c1", [PRICE])
        assert await store.load_graph(RUN.id, "c1") == (PRICE,)
        await expect_error(StoreError, store.load_graph(RUN.id, "c9"), "'c9'")


async def keeps_graphs_per_run_and_across_attempts(open_store: OpenStore) -> None:
    other = make_run("other")
    async with open_store() as store:
        for run, graph in ((RUN, GRAPH), (other, [PRICE])):
            await store.create_run(run)
            await store.begin_example(make_example(run, status="pending", turns=0))
            await store.save_graph(run.id, "c1", graph)
            await store.begin_example(make_example(run, status="pending", turns=0))
            await store.complete_example(make_example(run, attempt=2), make_turns(run, attempt=2))
        assert await store.load_graph(RUN.id, "c1") == GRAPH
        assert await store.load_graph("other", "c1") == (PRICE,)


async def stores_each_ontology_once_and_lists_the_latest_first(open_store: OpenStore) -> None:
    ontology = (Triple("kg:StockOption", "rdf:type", "owl:Class"), Triple("kg:StockOption", "rdfs:label", '"option"'))
    async with open_store() as store:
        assert await store.ontologies() == ()
        await store.save_ontology("ab" * 32, ontology)
        await store.save_ontology("ab" * 32, ontology[::-1])
        await store.save_ontology("cd" * 32, ontology[:1])
    async with open_store() as store:
        assert await store.load_ontology("ab" * 32) == ontology
        assert await store.load_ontology("cd" * 32) == ontology[:1]
        listed = await store.ontologies()
        assert [(found.digest, found.triples) for found in listed] == [("cd" * 32, 1), ("ab" * 32, 2)]
        assert all(found.created.utcoffset() is not None for found in listed)


async def stores_frozen_graphs_by_their_whole_key(open_store: OpenStore) -> None:
    keys = [GraphKey(d, digest, o, v) for d in "pq" for digest in "ab" for o in "xy" for v in ("0.1.0", "0.2.0")]
    async with open_store() as store:
        for place, key in enumerate(reversed(keys)):
            await store.freeze_graph(key, [PRICE._replace(o=str(place))])
        await store.freeze_graph(keys[0], GRAPH)
    async with open_store() as store:
        assert await store.frozen_graphs() == tuple(keys)
        assert await store.frozen_graphs("y") == tuple(key for key in keys if key.ontology == "y")
        assert await store.frozen_graphs("z") == ()
        assert await store.frozen_graph(keys[0]) == GRAPH
        others = [(await store.frozen_graph(key))[0].o for key in keys[1:]]
        assert others == [str(place) for place in range(len(keys) - 2, -1, -1)]
        await expect_error(StoreError, store.frozen_graph(replace(keys[0], ontology="z")))


async def returns_equal_prompts_by_turn_and_number(open_store: OpenStore) -> None:
    prompts = tuple(make_prompt(RUN, turn=turn, number=number) for turn in range(2) for number in range(11))
    async with store_with_run(open_store) as store:
        for prompt in prompts[::-1]:
            await store.log_prompt(prompt)
        await store.log_prompt(make_prompt(RUN, "c2"))
    async with open_store() as store:
        assert await store.prompts(RUN.id, "c1") == prompts
        assert await store.prompts(RUN.id, "c1", 1) == prompts[11:]
        assert await store.prompts(RUN.id, "c1", 7) == ()
        assert await store.prompts(RUN.id, "c2") == (make_prompt(RUN, "c2"),)


async def keeps_each_prompt_once_per_attempt(open_store: OpenStore) -> None:
    async with store_with_run(open_store) as store:
        await store.begin_example(PENDING)
        await store.log_prompt(make_prompt(RUN))
        again = replace(make_prompt(RUN), response="another")
        await expect_error(DuplicateRecordError, store.log_prompt(again), r"prompt 0 of turn 0 .*'c1'")
        await store.log_prompt(make_prompt(RUN, "c2"))
        await store.complete_example(make_example(RUN, status="outage", turns=0), ())
        assert await store.prompts(RUN.id, "c1") == (make_prompt(RUN),)
        await store.begin_example(PENDING)
        assert await store.prompts(RUN.id, "c1") == ()
        await store.log_prompt(make_prompt(RUN, attempt=2))
        assert await store.prompts(RUN.id, "c1") == (make_prompt(RUN, attempt=2),)
        assert await store.prompts(RUN.id, "c1", attempt=1) == (make_prompt(RUN),)
        assert await store.prompts(RUN.id, "c2") == (make_prompt(RUN, "c2"),)


async def rejects_text_that_is_not_unicode_without_storing_anything(open_store: OpenStore) -> None:
    broken = [*GRAPH, Triple("kg:a", "rdfs:label", '"\ud800"')]
    turns = tuple(replace(turn, question="what \ud800 was it?") for turn in make_turns(RUN))
    async with store_with_run(open_store) as store:
        await expect_error(StoreError, store.complete_example(make_example(RUN), turns))
        assert await store.turns(RUN.id) == ()
        await expect_error(StoreError, store.save_graph(RUN.id, "c1", broken))
        await expect_error(StoreError, store.load_graph(RUN.id, "c1"))
        await expect_error(StoreError, store.save_ontology("ab", broken))
        await expect_error(StoreError, store.load_ontology("ab"))


async def deletes_a_run_with_all_its_records(open_store: OpenStore) -> None:
    other = make_run("other")

    async def fill(store: RunStore, run: RunRecord) -> None:
        await store.create_run(run)
        await store.begin_example(make_example(run, status="pending", turns=0))
        await store.save_graph(run.id, "c1", GRAPH)
        await store.log_prompt(make_prompt(run))
        await store.complete_example(make_example(run), make_turns(run))
        await store.add_correction(make_correction(run))

    async with open_store() as store:
        await store.save_ontology("ab" * 32, GRAPH)
        for run in (RUN, other):
            await fill(store, run)
        await store.delete_run(RUN.id)
    async with open_store() as store:
        assert await store.runs() == (other,)
        for read in (store.run, store.examples, store.turns, store.progress, store.delete_run):
            await expect_error(UnknownRunError, read(RUN.id), RUN.id)
        # The other run keeps its records; ontologies do not belong to a run.
        assert await store.examples("other") == (make_example(other),)
        assert await store.turns("other") == make_turns(other)
        assert await store.prompts("other", "c1") == (make_prompt(other),)
        assert await store.corrections("other") == (make_correction(other),)
        assert await store.load_graph("other", "c1") == GRAPH
        assert await store.load_ontology("ab" * 32) == GRAPH
        # A later run with the same id does not get any of them.
        await store.create_run(RUN)
        assert await store.examples(RUN.id) == ()
        assert await store.turns(RUN.id) == ()
        assert await store.prompts(RUN.id, "c1") == ()
        assert await store.corrections(RUN.id) == ()
        await expect_error(StoreError, store.load_graph(RUN.id, "c1"))


async def returns_equal_corrections_in_order_without_changing_turns(open_store: OpenStore) -> None:
    turns = make_turns(RUN)
    corrections = tuple(make_correction(RUN, number=number) for number in (1, 2, 3))
    async with store_with_run(open_store) as store:
        await store.complete_example(make_example(RUN), turns)
        # A complete conversation can still be corrected.
        for correction in reversed(corrections):
            await store.add_correction(correction)
    async with open_store() as store:
        assert await store.corrections(RUN.id, "c1") == corrections
        assert await store.corrections(RUN.id) == corrections
        assert await store.corrections(RUN.id, "c2") == ()
        assert await store.turns(RUN.id) == turns


async def keeps_each_correction_once_per_attempt(open_store: OpenStore) -> None:
    async with store_with_run(open_store) as store:
        await store.begin_example(make_example(RUN, status="pending"))
        await store.add_correction(make_correction(RUN))
        await expect_error(DuplicateRecordError, store.add_correction(make_correction(RUN)), r"correction 1 .*'c1'")
        assert await store.begin_example(make_example(RUN, status="pending")) == 2
        assert await store.corrections(RUN.id, "c1") == ()
        second = make_correction(RUN, attempt=2)
        await store.add_correction(second)
        assert await store.corrections(RUN.id, "c1") == (second,)
        assert await store.corrections(RUN.id, "c1", 1) == (make_correction(RUN),)


CONTENT_RULES = collect_rules(globals())
