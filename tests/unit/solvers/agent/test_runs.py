"""A run with a model that makes random faults completes, and every turn has an answer or an error."""

import asyncio
import json
import random
import re
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from agent_bench import CASH, final, is_understanding, query, reply
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


class Faulty:
    """A script with random faults.

    Faults depend on a request and on how often it came before, not on the order in which concurrent conversations send
    requests.
    """

    def __init__(self, seed: int, script: Script) -> None:
        self.faults = 0
        self._seed, self._script = seed, script
        self._seen: Counter[str] = Counter()

    def __call__(self, asked: ReceivedRequest) -> Reply:
        request = IDENTITY.sub("", json.dumps(asked.body))
        self._seen[request] += 1
        draw = random.Random(f"{self._seed} {self._seen[request]} {request}")
        if draw.random() > SHARE:
            return self._script(asked)
        self.faults += 1
        return any_fault(draw) if self._seen[request] > MOST_IN_A_ROW else draw.choice([any_fault, server_fault])(draw)


def server_fault(draw: random.Random) -> Reply:
    """Return a fault after which the request is sent again: no reply, or one that does not follow the protocol."""
    noise = draw.choice(["", "{", "<html>", "\u2028 no"])
    return draw.choice(
        [
            garbled(noise), garbled('{"choices": []}'), say("cut off", cut=draw.randrange(60)), broken(500),
            too_many("0"),
        ]
    )  # fmt: skip


def any_fault(draw: random.Random) -> Reply:
    """Return a complete reply that is unusable or answers another question."""
    noise = "".join(draw.choices('{}[]":, \n\\TOOL: ANSWER(0123456789.%$)yesno\u2028\U0001f600', k=draw.randrange(120)))
    arguments = draw.choice(
        [
            noise,
            "{",
            "null",
            "[]",
            '{"answer": 1e999}',
            '{"answer": "' + "9" * 400 + '"}',
            '{"operation": "exp", "values": [9, 9e9]}',
        ]
    )
    tool = draw.choice(
        ["query_kg", "calculate", "final_answer", "describe_understanding", "rm", "find_in_text", noise[:20] or "x"]
    )
    claimed = draw.choice([draw.random(), noise, True, None, draw.randrange(10**9)])
    return draw.choice(
        [
            say(noise),
            say(""),
            say(f"TOOL: {tool}({arguments})"),
            reply(Call(tool, arguments)),
            reply(*[Call(tool, arguments)] * 20),
            reply(query(draw.randrange(1990, 2020)), Call(tool, arguments)),
            reply(final(claimed, steps=[draw.randrange(-3, 9)])),
            Reply(noise, truncated=True),
            Reply("not so", status=400),
        ]
    )  # fmt: skip


def valid_reply(request: ReceivedRequest) -> Reply:
    if is_understanding(request):
        return structured(request, {"description": "whatever is asked"})
    return reply(final(1)) if request.results else reply(query(2008, CASH))


@pytest.mark.slow
@pytest.mark.parametrize("native", [True, False])
def test_a_run_of_faulty_replies_completes(
    native: bool, local_models: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quaestor.llm.models.connect", partial(connect, sleep=at_once))
    dataset = read_dataset(sample_path(), limit=25)

    async def run(server: ModelServer) -> None:
        async with open_store(str(tmp_path / "runs.db")) as store:
            spec = RunSpec.of(dataset, "agent", limit=25)
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

    script = Faulty(9, valid_reply)
    with ModelServer(script) as server:
        asyncio.run(run(server))
    assert script.faults > REPLIES
