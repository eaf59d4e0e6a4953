"""Run the scripts of examples/ with a local model that replies without mistakes."""

import asyncio
import importlib.util
import inspect
import json
from collections.abc import Iterator, Sequence
from types import ModuleType

import pytest
from fenced import ROOT
from model_replies import say
from model_server import ModelServer, Script
from oracle import SCRIPTS, GuidedSolver, oracle_of

import quaestor
from quaestor.scoring.gold import GoldTurn
from quaestor.testing.models import ReceivedRequest, Reply

EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", ROOT / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def request_key(request: ReceivedRequest) -> str:
    """Return what identifies a request; ids of calls differ between runs."""
    return json.dumps([request.system, request.prompts, request.results])


@pytest.fixture
def model(request: pytest.FixtureRequest, local_models: None) -> Iterator[str]:
    """Start a model that answers an example's questions perfectly, and yield its name."""
    name = request.getfixturevalue("name")
    example, oracle, replies = script(name), oracle_of(name), dict[str, Reply]()
    dataset = quaestor.read_dataset(quaestor.sample_path())
    conversation = next(c for c in dataset.conversations if c.questions == example.QUESTIONS)
    assert f"sample#{conversation.document.id}" == example.PAGE

    def recording(context: quaestor.TurnContext, golds: Sequence[GoldTurn]) -> Script:
        perfect = oracle(context, golds)
        return lambda request: replies.setdefault(request_key(request), perfect(request))

    async def rehearse(server: ModelServer, name_of_model: str) -> None:
        golds = quaestor.read_gold(quaestor.sample_path())[conversation.id]
        knowledge = quaestor.GraphProvider.of([c.document for c in dataset.conversations])
        async with quaestor.open_session(name_of_model) as session:
            guided = GuidedSolver(quaestor.make_solver(name), server, golds, recording)
            await quaestor.answer_conversation(conversation, guided, knowledge, session)

    with ModelServer(lambda request: say("")) as server:
        asyncio.run(rehearse(server, named := f"openai:perfect@{server.url}/v1"))
        server.script = lambda request: replies[request_key(request)]
        yield named


def test_every_solver_has_a_script() -> None:
    assert sorted(["embedded", *SCRIPTS]) == EXAMPLES


def test_the_example_without_a_model_runs(capsys: pytest.CaptureFixture[str]) -> None:
    script("embedded").main()
    printed = capsys.readouterr().out
    assert all(question in printed for question in script("embedded").QUESTIONS)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_the_examples_with_a_model_run(name: str, model: str, capsys: pytest.CaptureFixture[str]) -> None:
    main = script(name).main
    if inspect.iscoroutinefunction(main):
        asyncio.run(main(model))
    else:
        main(model)
    printed = capsys.readouterr().out
    assert all(question in printed for question in script(name).QUESTIONS)
