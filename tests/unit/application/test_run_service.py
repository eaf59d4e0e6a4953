"""The engine of a run, chosen by default or by name."""

from dataclasses import replace
from typing import Literal

import pytest

from quaestor.application.run_service import MANY_ASKING, _choose_engine
from quaestor.evaluation.engines import Engine, InlineEngine
from quaestor.evaluation.processes import ProcessEngine
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig
from quaestor.settings import Settings

ASKS = ModelConfig(find_model("openai:scripted@http://127.0.0.1:9/v1"))
MANY = MANY_ASKING + 1


@pytest.mark.parametrize(
    ("workers", "conversations", "engine", "cores", "expected"),
    [
        (None, 10_000, None, 4, InlineEngine(8)),
        (MANY_ASKING, 10_000, None, 4, InlineEngine(MANY_ASKING)),
        (MANY, 10_000, None, 4, ProcessEngine(4, MANY)),
        (MANY, 10_000, None, 1, InlineEngine(MANY)),
        (200, MANY_ASKING, None, 4, InlineEngine(200)),
        (200, 10_000, "inline", 4, InlineEngine(200)),
        (5, 3, "processes", 4, ProcessEngine(4, 5)),
    ],
)
def test_model_runs_use_one_process_until_one_core_is_too_slow(
    workers: int | None,
    conversations: int,
    engine: Literal["inline", "processes"] | None,
    cores: int,
    expected: Engine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(cores)), raising=False)
    settings = Settings(workers=workers, engine=engine)
    limited = replace(expected, seconds=settings.question_seconds)  # type: ignore[type-var]
    assert _choose_engine(settings, conversations, ASKS) == limited
    if engine is None:  # with tracing, one process sends all spans
        assert _choose_engine(replace(settings, tracing=True), conversations, ASKS) == InlineEngine(
            workers or 8, settings.question_seconds
        )


@pytest.mark.parametrize(
    ("workers", "conversations", "expected"),
    [(None, 10_000, ProcessEngine(4)), (1, 10_000, InlineEngine(1)), (None, 4, InlineEngine(1))],
)
def test_computation_uses_all_cores(
    workers: int | None, conversations: int, expected: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(4)), raising=False)
    settings = Settings(workers=workers)
    assert _choose_engine(settings, conversations, None) == replace(expected, seconds=settings.question_seconds)  # type: ignore[type-var]
