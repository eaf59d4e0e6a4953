"""Conversations that ask a model in several worker processes: same records as in one process, even if workers die."""

import asyncio
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from multiprocessing import forkserver
from pathlib import Path

import pytest
import run_rows
from asking import AskingSolver
from local_models import loopback_only
from model_replies import say, too_many
from model_server import ModelServer
from opentelemetry.sdk.trace import TracerProvider
from run_rows import content, stored
from scripted import many_conversations, without_weights

from quaestor.application.live_traces import TraceOptions
from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Turn
from quaestor.core import serial
from quaestor.datasets.dataset import Conversation
from quaestor.errors import BudgetExceededError, EngineError, ModelError
from quaestor.evaluation import processes
from quaestor.evaluation.engines import Engine, InlineEngine
from quaestor.evaluation.processes import ProcessEngine
from quaestor.llm.budget import Budget
from quaestor.llm.cassette import CassettePlayer, CassetteRecorder
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig
from quaestor.solvers.base import TurnContext
from quaestor.store.base import open_store
from quaestor.store.records import PromptRecord
from quaestor.testing.models import ReceivedRequest, Reply

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def preloaded_modules() -> Iterator[None]:
    """Fork workers from a process that has imported all modules, as the command line does."""
    processes.preload_modules([*processes.ASKING, "asking"])
    yield
    processes._Preloading.started = False
    if sys.platform == "linux":
        forkserver._forkserver._stop()  # type: ignore[attr-defined]  # used by tests of the standard library


run_file = partial(run_rows.run_stored, factory=AskingSolver)


def stored_content(store: Path) -> tuple[str, str]:
    """Return the rows and prompts of the only run in a store, without times and ids."""

    async def prompts() -> list[PromptRecord]:
        async with open_store(str(store), create=False) as opened:
            (run,) = await opened.runs()
            found = [await opened.prompts(run.id, one.conversation) for one in await opened.examples(run.id)]
            return [prompt for conversation in found for prompt in conversation]

    dumped = [serial.dump(prompt) for prompt in asyncio.run(prompts())]
    for one in dumped:
        for name in ("run", "started", "finished", "attempt"):
            one.pop(name)
    return content(stored(store)), strip_reply_numbers(json.dumps(dumped, sort_keys=True))


def strip_reply_numbers(text: str) -> str:
    """Remove the numbers that the test server gives its replies."""
    return re.sub(r"(chatcmpl-|msg_)\d+", "", text)


def model_name(protocol: str, server: ModelServer) -> str:
    return f"openai:scripted@{server.url}/v1" if protocol == "openai" else f"anthropic:scripted@{server.url}"


def reply_to(request: ReceivedRequest) -> Reply:
    """Return a reply that depends only on the last prompt."""
    return say(f"{len(request.prompts[-1])}.5")


@pytest.mark.very_slow
def test_several_processes_store_the_same_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset, tape = many_conversations(6), tmp_path / "exchanges.jsonl"

    def run_and_read(name: str, engine: Engine, config: ModelConfig) -> object:
        folder = tmp_path / name
        with TraceOptions(folder).opened([one.id for one in dataset.conversations]) as observe:
            run_file(dataset, tmp_path / f"{name}.db", engine, config, observing=observe)
        return stored_content(tmp_path / f"{name}.db"), {file.name: read_trace(file) for file in folder.iterdir()}

    def read_trace(file: Path) -> list[str]:
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        names = ("turn", "what", "prompt", "number", "status", "answer", "event")
        return [strip_reply_numbers(json.dumps([line.get(name) for name in names])) for line in lines]

    with ModelServer(reply_to) as server, loopback_only(monkeypatch):
        spec = find_model(model_name("openai", server))
        with CassetteRecorder(tape) as recorder:
            two = run_and_read("two", ProcessEngine(2, 4), ModelConfig(spec, cassette=recorder))
        assert two == run_and_read("here", InlineEngine(4), ModelConfig(spec))
    # The server has stopped: a request to it would fail.
    with loopback_only(monkeypatch):
        assert two == run_and_read("replayed", ProcessEngine(2, 4), ModelConfig(spec, cassette=CassettePlayer(tape)))
    assert multiprocessing.active_children() == []


@pytest.mark.very_slow
def test_budget_is_never_exceeded_across_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = many_conversations(12)
    with ModelServer(lambda request: replace(reply_to(request), delay=0.01)) as server, loopback_only(monkeypatch):
        spec = find_model(f"openai:scripted@{server.url}/v1")
        engine = ProcessEngine(2, 8)
        with pytest.raises(BudgetExceededError):
            run_file(dataset, tmp_path / "runs.db", engine, ModelConfig(spec, Budget(requests=20)))
        assert len(server.requests) == 20
        run, examples, _ = stored(tmp_path / "runs.db")
        assert sum(example.usage.get("requests", 0) for example in examples) == 20
        # Each reply reports 15 tokens; only requests in flight may exceed the limit.
        with pytest.raises(BudgetExceededError):
            run_file(dataset, tmp_path / "tokens.db", engine, ModelConfig(spec, Budget(tokens=300)))
        assert 20 <= len(server.requests) - 20 <= 20 + 8
        assert run_file(dataset, tmp_path / "runs.db", engine, ModelConfig(spec), resume=run.id).status == "complete"


@pytest.mark.very_slow
def test_retry_after_applies_to_all_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times = list[float]()

    def script(request: ReceivedRequest) -> Reply:
        times.append(time.monotonic())
        return too_many("1") if request.number == 20 else replace(reply_to(request), delay=0.05)

    with ModelServer(script) as server, loopback_only(monkeypatch):
        spec = find_model(f"openai:scripted@{server.url}/v1")
        run_file(many_conversations(9), tmp_path / "runs.db", ProcessEngine(2, 4), ModelConfig(spec))
    assert len(times) > 40
    # Requests in flight still arrive, then none until the delay is over.
    assert [at - times[20] for at in times if times[20] + 0.3 < at < times[20] + 0.95] == []


@pytest.mark.very_slow
def test_conversation_of_a_killed_process_is_rerun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset, ids = many_conversations(12), list[str]()

    def kill_one(conversation: Conversation, _turns: tuple[Turn, ...]) -> None:
        ids.append(conversation.id)
        if len(ids) == 4:
            os.kill(int(multiprocessing.active_children()[0].pid or 0), signal.SIGKILL)

    with ModelServer(lambda request: replace(reply_to(request), delay=0.02)) as server, loopback_only(monkeypatch):
        spec = find_model(f"openai:scripted@{server.url}/v1")
        folder, store = tmp_path / "traces", tmp_path / "runs.db"
        with TraceOptions(folder).opened([one.id for one in dataset.conversations]) as observe:
            config = ModelConfig(spec)
            run_file(dataset, store, ProcessEngine(2, 6), config, on_conversation=kill_one, observing=observe)
        assert sorted(ids) == sorted(one.id for one in dataset.conversations)
        sent = len(server.requests)
        _, examples, turns = stored(store)
        again = [example for example in examples if example.attempt > 1]
        assert again
        # Recorded requests were sent; requests in flight when a process died may be unrecorded.
        recorded = sum(example.usage["requests"] for example in examples)
        assert sent - 12 <= recorded <= sent
        assert len({(turn.conversation, turn.index) for turn in turns}) == len(turns)
        run_file(dataset, tmp_path / "here.db", InlineEngine(6), ModelConfig(spec))
    assert [(turn.conversation, turn.index, turn.answer, turn.usage) for turn in turns] == [
        (turn.conversation, turn.index, turn.answer, turn.usage) for turn in stored(tmp_path / "here.db")[2]
    ]
    ends = [json.loads(file.read_text(encoding="utf-8").splitlines()[-1])["status"] for file in folder.iterdir()]
    assert ends == ["complete"] * 12


class DyingSolver(AskingSolver):
    """A solver that ends its process."""

    async def solve(self, question: str, context: TurnContext) -> Answer:
        os._exit(9)


@pytest.mark.very_slow
def test_conversation_that_kills_every_process_raises_one_engine_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer(reply_to) as server, loopback_only(monkeypatch):
        config = ModelConfig(find_model(f"openai:scripted@{server.url}/v1"))
        with pytest.raises(EngineError) as caught:
            run_file(many_conversations(1), tmp_path / "runs.db", ProcessEngine(1), config, factory=DyingSolver)
        assert "\n" not in str(caught.value)
        with pytest.raises(ModelError):
            run_file(many_conversations(3), tmp_path / "more.db", ProcessEngine(1, 2), config, factory=without_weights)
        traced = ModelConfig(config.spec, tracing=TracerProvider())
        with pytest.raises(EngineError):
            run_file(many_conversations(1), tmp_path / "traced.db", ProcessEngine(1), traced)
    assert multiprocessing.active_children() == []


@pytest.mark.very_slow
def test_interrupted_run_leaves_no_processes_and_resumes_to_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "of a test")
    store, undisturbed = tmp_path / "runs.db", tmp_path / "undisturbed.db"
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    with ModelServer(lambda request: replace(reply_to(request), delay=0.05)) as server:
        command = [sys.executable, "-c", "import quaestor.cli; quaestor.cli.main()", "run", "sample", "--limit", "2"]
        command += ["--solver", "agent", "--model", model_name("anthropic", server), "--workers", "2", "--store"]
        spread = [str(store), "--engine", "processes"]
        with subprocess.Popen([*command, *spread], start_new_session=True, stdout=null, stderr=pipe, text=True) as run:
            while len(server.requests) < 5 and run.poll() is None:
                time.sleep(0.01)
            os.killpg(run.pid, signal.SIGINT)  # as a terminal does: signal every process of the group
            errors = run.communicate(timeout=60)[1]
        assert "leaked" not in errors
        assert "Traceback" not in errors
        until = time.monotonic() + 10
        while time.monotonic() < until:
            try:
                os.killpg(run.pid, 0)
            except ProcessLookupError:
                break
            time.sleep(0.05)
        else:
            os.killpg(run.pid, signal.SIGKILL)
            pytest.fail("processes are left ten seconds after the run ended")
        run_id = stored(store)[0].id
        subprocess.run([*command, *spread, "--resume", run_id], stdout=null, stderr=null, check=True, timeout=60)
        inline = [*command, str(undisturbed), "--engine", "inline"]
        subprocess.run(inline, stdout=null, stderr=null, check=True, timeout=60)
    record, examples, turns = stored(store, run_id)
    assert record.status == "complete"
    assert [example.status for example in examples] == ["complete"] * 2
    assert len({(turn.conversation, turn.index) for turn in turns}) == len(turns) == sum(one.turns for one in examples)
    assert any(example.attempt > 1 for example in examples)
    assert stored_content(store) == stored_content(undisturbed)
