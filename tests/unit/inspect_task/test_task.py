"""`inspect eval quaestor/convfinqa`: found by name, scored like `quaestor eval`, with failures counted as wrong."""

import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_evals import CONVERSATIONS, few, figures, figures_of_score, replies_for_few, run_ours, run_theirs
from model_replies import broken
from model_server import ModelServer
from recorded_replies import Replies, answering, faulty

from quaestor.testing.models import Reply

pytest.importorskip("inspect_ai")
# Warnings of Inspect's dependencies are not errors.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default"), pytest.mark.usefixtures("local_models")]

TURNS = sum(len(one.questions) for one in few()[1])


@pytest.fixture(autouse=True)
def set_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "no-key")
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def collect_streams() -> Iterator[None]:
    """Collect garbage after each test, so that warnings about unclosed streams are raised within it."""
    yield
    gc.collect()


@pytest.fixture(scope="module")
def replies() -> Iterator[Replies]:
    from pydantic_ai.models import override_allow_model_requests

    with override_allow_model_requests(True):
        yield replies_for_few()


def verdicts(log: Any) -> dict[tuple[str, int], bool]:
    """Return whether each turn is right."""
    found = {}
    for sample in log.samples:
        for index, right in enumerate(sample.scores["official"].metadata["verdicts"]["execution"]):
            found[sample.id, index] = bool(right)
    return found


@pytest.mark.parametrize("faults", [False, True], ids=["no faults", "faults"])
@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_the_same_replies_have_the_same_score(protocol: str, faults: bool, replies: Replies, tmp_path: Path) -> None:
    script = answering(replies)
    with ModelServer(faulty(script) if faults else script) as server:
        address = f"{server.url}/v1" if protocol == "openai" else server.url
        ours, requests = run_ours(f"{protocol}:scripted@{address}"), len(server.requests)
    with ModelServer(faulty(script) if faults else script) as server:
        address = f"{server.url}/v1" if protocol == "openai" else server.url
        log, theirs = run_theirs(f"{protocol}/scripted", tmp_path, address), len(server.requests)

    assert log.status == "success"
    assert figures(log) == figures_of_score(ours.report.score)
    assert verdicts(log) == {(turn.conversation, turn.turn): turn.correct for turn in ours.report.turns}
    right, total = ours.report.score.execution.correct, ours.report.score.execution.total
    assert 0 < right < total == TURNS  # some are wrong, and some have no answer
    assert 0 < ours.report.score.unanswered < total - right
    assert theirs == requests  # both runs send the same number of requests
    assert not faults or requests > len(replies)
    usage = log.stats.model_usage[f"{protocol}/scripted"]
    used = ours.report.turns and sum(turn.usage.get("input_tokens", 0) for turn in ours.turns.values())
    assert usage.input_tokens == used or faults  # with faults, truncated replies are counted differently


def test_task_is_found_by_its_name_and_writes_a_readable_log(tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log

    words = "eval quaestor/convfinqa -T solver=embedded --model none --limit 2 --display plain --log-dir logs"
    inspect = Path(sys.executable).with_name("inspect")
    done = subprocess.run([inspect, *words.split()], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = (tmp_path / "logs").glob("*.eval")
    log = read_eval_log(str(file))
    assert log.status == "success"
    assert log.eval.task == "quaestor/convfinqa"
    assert (log.results.headline.scorer, log.results.headline.score) == ("official", "execution")
    ids = [one.id for one in few()[1][:2]]
    assert sorted(sample.id for sample in log.samples) == sorted(ids)
    sample = log.samples[0]
    assert [message.role for message in sample.messages[:2]] == ["user", "assistant"]
    assert "| answer | reference |" in sample.scores["official"].explanation
    assert sample.target == ""  # solvers do not receive the references


def test_every_epoch_counts(tmp_path: Path) -> None:
    log = run_theirs("none/none", tmp_path, task_args={"solver": "embedded"}, epochs=2)
    _, _, _, right, total = figures(log)["execution"]
    assert total == 2 * TURNS
    assert right % 2 == 0
    assert len(log.samples) == 2 * CONVERSATIONS


@pytest.mark.parametrize("status", [401, 503])
def test_unreachable_model_fails_samples_and_counts_turns_as_wrong(status: int, tmp_path: Path) -> None:
    with ModelServer(lambda request: broken(status)) as server:
        log = run_theirs("openai/scripted", tmp_path, f"{server.url}/v1", max_retries=1)
    assert log.status == "error"  # like a run stopped by an outage; `inspect eval-retry` resumes it
    assert all(sample.error for sample in log.samples)
    assert figures(log)["execution"] == (0, 0, 0, 0, TURNS)


def test_refused_request_makes_its_turn_wrong_and_continues(replies: Replies, tmp_path: Path) -> None:
    first = few()[1][0].questions[0]

    def script(request: Any) -> Reply:
        refused = f"Question: {first}" in request.prompts[-1]
        return Reply("not that", status=400) if refused else answering(replies)(request)

    with ModelServer(script) as server:
        log = run_theirs("openai/scripted", tmp_path, f"{server.url}/v1")
    assert log.status == "success"
    sample = next(sample for sample in log.samples if sample.id == few()[1][0].id)
    turns = sample.store["quaestor:turns"]
    assert "ModelReplyError" in turns[0]["error"]
    assert len(turns) == len(few()[1][0].questions)
    assert figures(log)["execution"][4] == TURNS


def test_inspect_limit_ends_a_sample_which_is_scored_by_its_answers(replies: Replies, tmp_path: Path) -> None:
    with ModelServer(answering(replies)) as server:
        log = run_theirs("openai/scripted", tmp_path, f"{server.url}/v1", token_limit=20)
    assert log.status == "success"
    assert {sample.limit.type for sample in log.samples if sample.limit} == {"token"}
    _, _, _, right, total = figures(log)["execution"]
    assert 0 < right < total == TURNS


def test_interrupted_conversation_is_wrong_and_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from scripted import scripted
    from stand_in import stand_in

    class Broken:
        name = "embedded"

        async def solve(self, question: str, context: Any) -> Any:
            if len(context.memory.turns) == 1:
                raise KeyError("a defect")
            return await scripted().solve("guess 1", context)

    stand_in(monkeypatch, Broken)
    log = run_theirs("none/none", tmp_path, task_args={"solver": "embedded"})
    assert log.status == "success"
    assert figures(log)["execution"][4] == TURNS
    assert all("KeyError" in sample.scores["official"].explanation for sample in log.samples)


@pytest.mark.parametrize(
    "arguments", [{"solver": "workflw"}, {"options": "sampels=3"}, {"options": "samples"}, {"dataset": "nowhere.json"}]
)
def test_invalid_task_arguments_are_refused(arguments: dict[str, str], tmp_path: Path) -> None:
    from quaestor.errors import InputError

    with pytest.raises(InputError):
        run_theirs("none/none", tmp_path, task_args=arguments)


@pytest.mark.parametrize(
    ("solver", "model", "message"),
    [("workflow", "none/none", "'workflow'"), ("embedded", "mockllm/model", "'embedded'")],
)
def test_incompatible_solver_and_model_are_refused(solver: str, model: str, message: str, tmp_path: Path) -> None:
    log = run_theirs(model, tmp_path, task_args={"solver": solver})
    assert log.status == "error"
    assert message in log.samples[0].error.message
