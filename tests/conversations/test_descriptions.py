"""What a model's plan comes to is described with the question in view, whichever solver asked."""

import asyncio

import pytest
from model_replies import say
from model_server import ModelServer
from oracle import Guided
from run_oracle import ORACLES, oracle_of

from quaestor.conversation.answer import Answer
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import play_conversation
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig, open_session
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.solvers.registry import make_solver

NAME = "Single_FJOR/2014/page_58.pdf-1"


async def answers(solver: str) -> list[Answer]:
    conversation = next(c for c in read_dataset(sample_path()).conversations if c.id == NAME)
    knowledge = GraphProvider.of([conversation.document])
    with ModelServer(lambda asked: say("")) as server:
        guided = Guided(make_solver(solver, {}), server, read_gold(sample_path())[NAME], oracle_of(solver))
        async with open_session(ModelConfig(find_model(f"openai:oracle@{server.url}/v1"))) as line:
            return [turn.answer for turn in await play_conversation(conversation, guided, knowledge, line)]


@pytest.mark.parametrize("solver", ORACLES)
def test_a_ratio_is_the_percentage_that_the_question_asks_for(solver: str, local_models: None) -> None:
    answer = asyncio.run(answers(solver))[2]
    assert answer.description == "Operating profit as a percentage of voyage revenue in 2014"
    assert (answer.metric_type, answer.entity) == ("percentage", "operating profit")
    assert answer.base == "voyage revenue in 2014"
