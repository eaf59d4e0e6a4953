"""A run with a model that makes random faults completes, and every turn has an answer or an error."""

import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import agent_bench
import pytest
import sparql_bench
from model_replies import broken, garbled, say, too_many
from model_server import ModelServer, Script
from solver_bench import at_once, spec_for

from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.llm.models import connect
from quaestor.llm.session import ModelConfig
from quaestor.sample import sample_path
from quaestor.store.base import open_store
from quaestor.testing.models import Call, ReceivedRequest, Reply, structured

REPLIES = 120
SHARE = 0.5
"""Share of the replies with a fault."""
MOST_IN_A_ROW = 4
"""Highest number of server faults for one request: fewer than the attempts, so that there is no outage."""

IDENTITY = re.compile(r"(?:call|toolu)_[0-9]+_[0-9]+")
NOISE = '{}[]":, \n\\TOOL: ANSWER(0123456789.*-/%$)WHERE<>?yesno\u2028\U0001f600'

Faults = Callable[[random.Random, ReceivedRequest, str], list[Reply]]
"""Returns complete replies that are usually unusable, given noise for their contents."""


class Faulty:
    """A script with random faults.

    Faults depend on a request and on how often it came before, not on the order in which concurrent conversations send
    requests.
    """

    def __init__(self, seed: int, script: Script, faults: Faults) -> None:
        self.count = 0
        self._seed, self._script, self._faults = seed, script, faults
        self._seen: Counter[str] = Counter()

    def __call__(self, asked: ReceivedRequest) -> Reply:
        request = IDENTITY.sub("", json.dumps(asked.body))
        self._seen[request] += 1
        draw = random.Random(f"{self._seed} {self._seen[request]} {request}")
        if draw.random() > SHARE:
            return self._script(asked)
        self.count += 1
        noise = "".join(draw.choices(NOISE, k=draw.randrange(120)))
        unusable = [say(noise), say(""), Reply(noise, truncated=True), Reply("not so", status=400)]
        unusable += self._faults(draw, asked, noise)
        faults = [unusable, server_faults(draw)]
        if self._seen[request] > MOST_IN_A_ROW:
            del faults[1]
        return draw.choice(draw.choice(faults))


def server_faults(draw: random.Random) -> list[Reply]:
    """Return faults after which the request is sent again: no reply, or one that does not follow the protocol."""
    noise = draw.choice(["", "{", "<html>", "\u2028 no"])
    cut = say("cut off", cut=draw.randrange(60))
    return [garbled(noise), garbled('{"choices": []}'), cut, broken(500), too_many("0")]


def agent_faults(draw: random.Random, request: ReceivedRequest, noise: str) -> list[Reply]:
    large = '{"answer": "' + "9" * 400 + '"}'
    arguments = draw.choice(
        [noise, "{", "null", "[]", '{"answer": 1e999}', large, '{"operation": "exp", "values": [9, 9e9]}']
    )
    tools = "query_kg calculate final_answer describe_understanding rm find_in_text".split()
    call = Call(draw.choice([*tools, noise[:20] or "x"]), arguments)
    claimed = draw.choice([draw.random(), noise, True, None, draw.randrange(10**9)])
    return [
        say(f"TOOL: {call.tool}({arguments})"),
        agent_bench.reply(call),
        agent_bench.reply(*[call] * 20),
        agent_bench.reply(agent_bench.query(draw.randrange(1990, 2020)), call),
        agent_bench.reply(agent_bench.final(claimed, steps=[draw.randrange(-3, 9)])),
    ]


def agent_reply(request: ReceivedRequest) -> Reply:
    if agent_bench.is_understanding(request):
        return structured(request, {"description": "whatever is asked"})
    call = agent_bench.final(1) if request.results else agent_bench.query(2008)
    return agent_bench.reply(call)


def sparql_faults(draw: random.Random, request: ReceivedRequest, noise: str) -> list[Reply]:
    cash = sparql_bench.CASH_2008
    value = draw.choice([noise, noise[:9], None, True, -1, 1e300, 10**300, [noise], {noise: noise}, "result_9", cash])
    query = draw.choice([noise, f"SELECT ?v WHERE {{ {noise} }}", f"SELECT ({noise}) WHERE {{ ?s ?p ?v }}", cash])
    formula = draw.choice([noise, "cash" + noise[:5], "cash ** 9 ** 9", "(" * 99, None])
    contents = [
        sparql_bench.values(**{draw.choice(["cash", noise[:20], "sum", ""]): value}),  # type: ignore[arg-type]
        sparql_bench.values(cash=query),
        sparql_bench.values(cash={"sparql": query, "result": value, "constant": value}),
        sparql_bench.values(cash=cash),
        sparql_bench.formula(formula),
        {noise: value},
    ]
    call = Call(request.tools[-1] if request.tools else "x", noise)
    return [agent_bench.reply(call), *(structured(request, content) for content in contents)]


def sparql_reply(request: ReceivedRequest) -> Reply:
    if sparql_bench.is_calculation(request):
        return structured(request, sparql_bench.formula("value"))
    query = "SELECT ?o WHERE { ?o a kg:Observation } ORDER BY ?o LIMIT 1"
    return structured(request, sparql_bench.values(value=query))


@pytest.mark.slow
@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize(
    ("solver", "reply", "faults"), [("agent", agent_reply, agent_faults), ("sparql", sparql_reply, sparql_faults)]
)
def test_a_run_of_faulty_replies_completes(
    solver: str,
    reply: Script,
    faults: Faults,
    native: bool,
    local_models: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("quaestor.llm.models.connect", partial(connect, sleep=at_once))
    dataset = read_dataset(sample_path(), limit=25)

    async def run(server: ModelServer) -> None:
        async with open_store(str(tmp_path / "runs.db")) as store:
            spec = RunSpec.of(dataset, solver, limit=25)
            config = ModelConfig(spec_for(server, native=native))
            record = await run_dataset(dataset, spec, store, InlineEngine(4), config=config)
            assert record.status == "complete"
            turns = await store.turns(record.id)
            assert len(turns) == sum(len(conversation.questions) for conversation in dataset.conversations)
            failed = [turn for turn in turns if turn.error]
            assert 5 < len(failed) < len(turns)
            assert {turn.error.partition(":")[0] for turn in failed if turn.error} <= {
                "ModelReplyError", "SolverError", "DivisionByZeroError", "MagnitudeError", "OperandError",
            }  # fmt: skip
            assert all(turn.verified for turn in turns if not turn.error)
            prompts = [p for c in dataset.conversations for p in await store.prompts(record.id, c.id)]
            assert len(prompts) == len(server.requests)

    script = Faulty(9, reply, faults)
    with ModelServer(script) as server:
        asyncio.run(run(server))
    assert script.count > REPLIES
