import asyncio
import multiprocessing
from pathlib import Path

import pytest
from scripted import ScriptedSolver, a_conversation, logging_to, many_conversations, scripted, without_weights

from quaestor.datasets.dataset import Conversation
from quaestor.errors import EngineError, InputError, ModelError, StoreError
from quaestor.evaluation.engines import Engine, InlineEngine, gather_limited, make_engine
from quaestor.evaluation.processes import ProcessEngine
from quaestor.evaluation.ray_engine import RayEngine
from quaestor.evaluation.recording import ConversationResult
from quaestor.llm.usage import Usage

ENGINES = [
    pytest.param(InlineEngine(1), id="inline"),
    pytest.param(InlineEngine(3), id="lanes"),
    pytest.param(ProcessEngine(2), id="processes", marks=pytest.mark.slow),
]


class RecordingListener:
    """A listener that records conversations and fails at the given result."""

    def __init__(self, fail_at: int = -1) -> None:
        self.started: list[str] = []
        self.lost: list[str] = []
        self.ended: dict[str, ConversationResult] = {}
        self.most_under_way = 0
        self._fail_at = fail_at

    async def on_start(self, conversation: Conversation) -> None:
        self.started.append(conversation.id)
        self.most_under_way = max(self.most_under_way, len(self.started) - len(self.ended))

    async def on_finish(self, conversation: Conversation, result: ConversationResult) -> None:
        if len(self.ended) == self._fail_at:
            raise StoreError("the disk is full")
        assert conversation.id not in self.ended
        self.ended[conversation.id] = result

    async def on_lost(self, conversation: Conversation, used: Usage) -> None:
        self.lost.append(conversation.id)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_conversation_is_run_once(engine: Engine) -> None:
    conversations = many_conversations(19).conversations
    listener = RecordingListener()
    asyncio.run(engine.run(conversations, scripted, listener))
    assert sorted(listener.started) == sorted(listener.ended) == sorted(item.id for item in conversations)
    for item in conversations:
        assert [turn.question for turn in listener.ended[item.id].turns] == list(item.questions)


@pytest.mark.very_slow
@pytest.mark.parametrize("engine", ENGINES)
def test_conversations_are_read_lazily(engine: Engine) -> None:
    listener = RecordingListener()
    asyncio.run(engine.run(iter(many_conversations(60).conversations), scripted, listener))
    assert listener.most_under_way <= 4


@pytest.mark.parametrize("engine", ENGINES)
def test_failing_listener_ends_the_run(engine: Engine) -> None:
    listener = RecordingListener(fail_at=2)
    with pytest.raises(StoreError):
        asyncio.run(engine.run(many_conversations(60).conversations, scripted, listener))
    assert len(listener.ended) == 2
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("engine", ENGINES)
def test_error_of_the_solver_factory_is_raised(engine: Engine) -> None:
    with pytest.raises(ModelError):
        asyncio.run(engine.run(many_conversations(9).conversations, without_weights, RecordingListener()))


@pytest.mark.parametrize("engine", ENGINES)
def test_cancellation_stops_soon_and_leaves_no_processes(engine: Engine) -> None:
    conversations = many_conversations(8, pause=60).conversations

    async def scenario() -> None:
        task = asyncio.create_task(engine.run(conversations, scripted, RecordingListener()))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(asyncio.shield(task), timeout=30)

    asyncio.run(scenario())
    assert multiprocessing.active_children() == []


@pytest.mark.slow
def test_dead_worker_raises_one_engine_error() -> None:
    conversations = (a_conversation("cell 0 1", name="a"), a_conversation("die", name="b"))
    with pytest.raises(EngineError) as caught:
        asyncio.run(ProcessEngine(2).run(conversations, scripted, RecordingListener()))
    assert "\n" not in str(caught.value)
    assert multiprocessing.active_children() == []


@pytest.mark.slow
def test_process_engine_uses_separate_processes(tmp_path: Path) -> None:
    log = tmp_path / "log"
    asyncio.run(
        ProcessEngine(2).run(many_conversations(40, pause=0.005).conversations, logging_to(log), RecordingListener())
    )
    workers = {line.split()[0] for line in log.read_text().splitlines()}
    assert len(workers) == 2


def test_conversations_overlap_only_with_several_lanes() -> None:
    for lanes, most in ((1, 1), (3, 3)):
        listener = RecordingListener()
        conversations = many_conversations(9, pause=0.001).conversations
        asyncio.run(InlineEngine(lanes).run(conversations, ScriptedSolver, listener))
        assert listener.most_under_way == most


def test_the_first_error_cancels_the_other_lanes() -> None:
    ended: list[str] = []

    async def handle(item: str) -> None:
        try:
            await asyncio.sleep(60 if item == "slow" else 0)
            raise ValueError(item)
        finally:
            ended.append(item)

    with pytest.raises(ValueError, match="quick"):
        asyncio.run(gather_limited(["slow", "quick", "never"], handle, 2))
    assert ended == ["quick", "slow"]


def test_engines_are_created_by_name() -> None:
    assert make_engine("inline", 3) == InlineEngine(3)
    assert make_engine("processes", 2) == ProcessEngine(2)
    assert make_engine("ray", 2) == RayEngine(2, None, 2)
    assert make_engine("ray", 2, "node:6379", 8) == RayEngine(2, "node:6379", 8)
    with pytest.raises(InputError):
        make_engine("dask", 2)
