"""Conversations on several Ray nodes: same rows as in this process, even if nodes die."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from asking import AskingSolver
from local_models import loopback_only
from model_replies import say
from model_server import ModelServer
from ray_cluster import Nodes, ray_nodes
from run_rows import content, run_stored, stored
from scripted import a_conversation, many_conversations, scripted

from quaestor.application.live_traces import TraceOptions
from quaestor.application.ontology_service import freeze_graphs
from quaestor.application.read_service import read_several
from quaestor.conversation.turn import Turn
from quaestor.core.serial import Triple
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.errors import BudgetExceededError, EngineError, QuaestorError
from quaestor.evaluation.engines import Engine, InlineEngine
from quaestor.evaluation.ray_engine import RayEngine
from quaestor.evaluation.recording import ConversationResult
from quaestor.learning.crossvalidate import answer_on_ray
from quaestor.learning.deterministic import variables_of_order
from quaestor.llm.budget import Budget
from quaestor.llm.cassette import CassettePlayer, CassetteRecorder
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig
from quaestor.llm.usage import Usage
from quaestor.readers.cache import FolderCache
from quaestor.readers.content import read_content
from quaestor.readers.reading import document_key
from quaestor.settings import Settings
from quaestor.store.base import open_store
from quaestor.store.records import GraphKey
from quaestor.testing.models import ReceivedRequest, Reply

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="Ray clusters are experimental on other platforms"),
    # Ray does not close files that it reads about its own processes.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with ray_nodes() as cluster:
        yield cluster


class RecordingListener:
    """A listener that records results."""

    def __init__(self) -> None:
        self.ended: dict[str, ConversationResult] = {}

    async def on_start(self, conversation: Conversation) -> None:
        pass

    async def on_finish(self, conversation: Conversation, result: ConversationResult) -> None:
        assert conversation.id not in self.ended
        self.ended[conversation.id] = result

    async def on_lost(self, conversation: Conversation, used: Usage) -> None:
        raise AssertionError(conversation.id)


@pytest.mark.very_slow
def test_several_nodes_store_the_same_rows_as_this_process(nodes: Nodes, tmp_path: Path) -> None:
    dataset = many_conversations(19)
    run_stored(dataset, tmp_path / "inline.db", InlineEngine())
    nodes.grow(2)
    run_stored(dataset, tmp_path / "ray.db", RayEngine(2, nodes.address))
    assert content(stored(tmp_path / "ray.db")) == content(stored(tmp_path / "inline.db"))


@pytest.mark.very_slow
def test_conversation_of_a_dead_node_is_rerun_and_stored_once(
    nodes: Nodes, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    dataset, ids = many_conversations(30, pause=0.02), list[str]()
    nodes.grow(2)

    def kill_one(conversation: Conversation, _turns: tuple[Turn, ...]) -> None:
        ids.append(conversation.id)
        if len(ids) == 6:
            nodes.kill()

    run_stored(dataset, tmp_path / "ray.db", RayEngine(2, nodes.address), on_conversation=kill_one)
    assert sorted(ids) == sorted(one.id for one in dataset.conversations)
    assert capfd.readouterr() == ("", "")
    run_stored(dataset, tmp_path / "inline.db", InlineEngine(8))
    assert content(stored(tmp_path / "ray.db")) == content(stored(tmp_path / "inline.db"))


@pytest.mark.very_slow
def test_frozen_graphs_equal_those_of_this_process(nodes: Nodes, tmp_path: Path) -> None:
    nodes.grow(2)
    here, there = Settings(store=str(tmp_path / "here.db")), Settings(store=str(tmp_path / "there.db"))
    spread = replace(there, engine="ray", address=nodes.address)
    assert asyncio.run(freeze_graphs("sample", spread)) == asyncio.run(freeze_graphs("sample", here))

    async def frozen(settings: Settings) -> dict[GraphKey, frozenset[Triple]]:
        async with open_store(settings.store) as opened:
            digest = (await opened.ontologies())[0].digest
            keys = await opened.frozen_graphs(digest)
            return {key: frozenset(await opened.frozen_graph(key) or ()) for key in keys}

    found = asyncio.run(frozen(there))
    assert len(found) == 18
    assert found == asyncio.run(frozen(here))


@pytest.mark.very_slow
def test_files_are_read_as_in_this_process(nodes: Nodes, tmp_path: Path) -> None:
    nodes.grow(2)
    page = "# Report {0}\n\n| (in millions) | 2023 | 2022 |\n|---|---|---|\n| Net sales | $ {0},200 | (600) |\n"
    files = [tmp_path / f"{number}.md" for number in range(9)]
    for number, file in enumerate(files):
        file.write_text(page.format(number), encoding="utf-8")
    files[3].write_bytes(b"%PDF-1.7\nnothing follows")
    files[5].unlink()
    cache = FolderCache(tmp_path / "files")

    def read(
        engine: Literal["inline", "ray"], workers: int = 1, cache: FolderCache | None = None
    ) -> list[tuple[Path, Document | str]]:
        documents: list[tuple[Path, Document | str]] = []
        settings = Settings(engine=engine, address=nodes.address, workers=workers)

        def show(file: Path, document: Document | QuaestorError) -> None:
            documents.append((file, document if isinstance(document, Document) else str(document)))

        asyncio.run(read_several(files, settings, cache, show))
        return documents

    here = read("inline")
    assert [file for file, _ in here] == files
    assert [number for number, (_, value) in enumerate(here) if isinstance(value, str)] == [3, 5]
    assert read("ray", 1) == here
    assert read("ray", 2, cache) == here
    for file in files[6:]:  # this process caches what workers have read, by content
        assert cache.get(str(document_key(read_content(file)))) is not None
    assert read("inline", cache=cache) == here


@pytest.mark.very_slow
def test_results_are_in_order_and_workers_have_the_ordering_variables(nodes: Nodes) -> None:
    nodes.grow(2)
    names, counts = sorted(variables_of_order()), list[int]()
    found = answer_on_ray(os.getenv, names, 2, nodes.address, counts.append)
    assert found == [variables_of_order()[name] for name in names]
    assert counts == list(range(1, len(names) + 1))


@pytest.mark.very_slow
def test_budget_is_shared_by_all_workers(nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes.grow(2)
    dataset = many_conversations(20)

    def script(request: ReceivedRequest) -> Reply:
        return replace(say("14.14"), delay=0.01)

    with ModelServer(script) as server, loopback_only(monkeypatch):
        spec = find_model(f"openai:scripted@{server.url}/v1")
        engine = RayEngine(2, nodes.address, at_once=8)
        limited = ModelConfig(spec, Budget(requests=30))
        with pytest.raises(BudgetExceededError):
            run_stored(dataset, tmp_path / "ray.db", engine, factory=AskingSolver, config=limited)
        assert len(server.requests) == 30
        run, examples, _ = stored(tmp_path / "ray.db")
        assert sum(example.usage.get("requests", 0) for example in examples) == 30

        run = run_stored(
            dataset, tmp_path / "ray.db", engine, resume=run.id, factory=AskingSolver, config=ModelConfig(spec)
        )
        assert run.status == "complete"
        run_stored(dataset, tmp_path / "inline.db", InlineEngine(8), factory=AskingSolver, config=ModelConfig(spec))
    (_, _, ours), (_, _, theirs) = stored(tmp_path / "ray.db"), stored(tmp_path / "inline.db")
    assert [(turn.conversation, turn.question, turn.error, turn.answer) for turn in ours] == [
        (turn.conversation, turn.question, turn.error, turn.answer) for turn in theirs
    ]


@pytest.mark.very_slow
def test_workers_replay_a_recording_and_traces_have_their_requests(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes.grow(2)
    dataset, tape = many_conversations(8), tmp_path / "exchanges.jsonl"
    with ModelServer(lambda request: say(f"{len(request.prompts[-1])}.5")) as server, loopback_only(monkeypatch):
        spec = find_model(f"openai:scripted@{server.url}/v1")
        with CassetteRecorder(tape) as recorder:
            config = ModelConfig(spec, cassette=recorder)
            run_stored(dataset, tmp_path / "live.db", InlineEngine(4), factory=AskingSolver, config=config)

    def replayed(name: str, engine: Engine) -> tuple[str, dict[str, list[str]]]:
        folder, store = tmp_path / name, tmp_path / f"{name}.db"
        config = ModelConfig(spec, cassette=CassettePlayer(tape))
        with TraceOptions(folder).opened([one.id for one in dataset.conversations]) as observe:
            run_stored(dataset, store, engine, factory=AskingSolver, config=config, observing=observe)
        return content(stored(store)), {file.name: read_trace(file) for file in folder.iterdir()}

    def read_trace(file: Path) -> list[str]:
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        names = ("turn", "what", "prompt", "number", "status")
        return sorted(json.dumps([line.get(name) for name in names]) for line in lines)

    # The server has stopped: a request to it would fail.
    with loopback_only(monkeypatch):
        here, there = replayed("here", InlineEngine(4)), replayed("there", RayEngine(2, nodes.address, at_once=4))
    assert there == here
    assert len(here[1]) == len(dataset.conversations)
    assert all(sum('"prompted"' in line for line in lines) >= 2 for lines in here[1].values())


@pytest.mark.very_slow
def test_conversation_that_kills_every_worker_is_one_error(nodes: Nodes) -> None:
    nodes.grow(2)
    with pytest.raises(EngineError) as caught:
        asyncio.run(RayEngine(2, nodes.address).run((a_conversation("die", name="b"),), scripted, RecordingListener()))
    assert "\n" not in str(caught.value)


def commands_in_session(leader: int) -> list[str]:
    """Return the command lines of the running processes in the session of a process."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                words, status = (entry / "cmdline").read_bytes(), (entry / "stat").read_text()
                session = int(status.rpartition(")")[2].split()[3])
            except OSError:
                continue
            if session == leader and status.rpartition(")")[2].split()[0] != "Z":
                found.append(words.replace(b"\0", b" ").decode(errors="replace"))
    return found


@pytest.mark.very_slow
def test_local_ray_is_shut_down_completely(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    command = [sys.executable, "-c", "import quaestor.cli; quaestor.cli.main()"]
    command += ["run", "sample", "--engine", "ray", "--workers", "1", "--store", str(store)]
    environment = os.environ | {"RAY_AUTH_MODE": "", "HOME": str(tmp_path)}
    environment.pop("RAY_AUTH_MODE")
    with subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True
    ) as run:
        holder = wait_for(lambda: holder_of(run.pid))
        wait_for(lambda: store.exists() and len(stored(store)[2]) > 3)
        assert len(commands_in_session(holder)) > 3
        folder = Path(f"/proc/{holder}/cmdline").read_text().rstrip("\0").rpartition("\0")[2]
        assert Path(folder).is_dir()
        run.send_signal(signal.SIGKILL)
        printed, _ = run.communicate(timeout=60)
    assert printed == ""
    for _ in range(100):
        if not (left := commands_in_session(holder)):
            break
        time.sleep(0.1)
    assert left == []
    assert not Path(folder).exists()
    assert not (tmp_path / ".ray").exists()


@pytest.mark.very_slow
def test_sigterm_while_ray_starts_leaves_nothing(tmp_path: Path) -> None:
    # A program that a shell starts in the background ignores Ctrl-C.
    before = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    command = [sys.executable, "-c", f"{before}import quaestor.cli; quaestor.cli.main()"]
    command += ["run", "sample", "--engine", "ray", "--workers", "1", "--store", str(tmp_path / "runs.db")]
    environment = {name: value for name, value in os.environ.items() if name != "RAY_AUTH_MODE"}
    with subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True
    ) as run:
        holder = wait_for(lambda: holder_of(run.pid))
        folder = Path(Path(f"/proc/{holder}/cmdline").read_text().rstrip("\0").rpartition("\0")[2])
        wait_for(lambda: len(commands_in_session(holder)) >= 3)
        run.send_signal(signal.SIGTERM)
        printed, errors = run.communicate(timeout=60)
    assert run.returncode == 143
    assert printed == ""
    assert re.search(r"--resume \S+$", errors.strip().splitlines()[-1])
    until = time.monotonic() + 10
    while (left := commands_in_session(holder)) and time.monotonic() < until:
        time.sleep(0.1)
    assert left == []
    assert not folder.exists()


def holder_of(process: int) -> int:
    """Return the child process that holds Ray and leads its own session, or 0 if there is none."""
    children = Path(f"/proc/{process}/task/{process}/children")
    for child in children.read_text().split() if children.exists() else ():
        if b"local_ray.py" in Path(f"/proc/{child}/cmdline").read_bytes():
            return int(child)
    return 0


def wait_for(look: Callable[[], int]) -> int:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            if found := look():
                return found
        except Exception:  # noqa: BLE001 - not there yet
            pass
        time.sleep(0.1)
    pytest.fail("timed out")
