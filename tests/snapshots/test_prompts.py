"""The exact requests that each solver sends to a model, so that changes of prompts are reviewed.

`pytest tests/snapshots --snapshot-update` rewrites the snapshots; review the diff before you commit it.
"""

import asyncio
import json

import pytest
from model_replies import say
from model_server import ModelServer
from oracle import SCRIPTS, GuidedSolver, oracle_of
from solver_bench import run_with_script
from text_snapshots import TextSnapshot

from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import answer_conversation
from quaestor.llm.messages import read_request
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig, open_session
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.solvers.registry import make_solver

CONVERSATION = 1
"""Index of a conversation of the sample that refers to earlier turns and calculates."""


def prompts_of(solver: str) -> str:
    """Return all requests of a conversation in which every reply is right."""

    async def play() -> str:
        conversation = read_dataset(sample_path()).conversations[CONVERSATION]
        golds = read_gold(sample_path())[conversation.id]
        with ModelServer(lambda request: say("")) as server:
            spec = find_model(f"openai:oracle@{server.url}/v1")
            async with open_session(ModelConfig(spec)) as session:
                guided = GuidedSolver(make_solver(solver), server, golds, oracle_of(solver))
                await answer_conversation(conversation, guided, GraphProvider.of([conversation.document]), session)
                exchanges, _ = session.take(conversation.id)
        parts: list[str] = []
        for exchange in exchanges:
            parts.append(f"######## turn {exchange.place.turn + 1}, request {exchange.number + 1}: {exchange.phase}")
            messages = [f"---- {message.who}\n{message.text}" for message in read_request(exchange.request)]
            parts += [
                text if text not in parts else f"{text[:60].partition(chr(10))[0]}: as before" for text in messages
            ]
        return "\n".join(parts) + "\n"

    return asyncio.run(play())


@pytest.mark.parametrize("solver", sorted(SCRIPTS))
def test_prompts(solver: str, text_snapshot: TextSnapshot, local_models: None) -> None:
    assert prompts_of(solver) == text_snapshot


@pytest.mark.parametrize("solver", sorted(SCRIPTS))
def test_prompts_of_every_kind_of_answer(solver: str, text_snapshot: TextSnapshot, local_models: None) -> None:
    """Compare the first request, with tools and schemas, for a question whose answer may be words or a list."""
    question = "in which year were the total net sales highest?"
    first = run_with_script(make_solver(solver), lambda request: say(""), [question], "NORD/2012/page_41.pdf").requests[
        0
    ]
    tools = [json.dumps(tool["function"], indent=1) for tool in first.body["tools"]]
    assert "\n".join([first.system, *first.prompts, *tools, ""]) == text_snapshot
