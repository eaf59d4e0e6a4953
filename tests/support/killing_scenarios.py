"""The writing commands that `killing` kills: their arguments, results and acknowledgements."""

import json
import subprocess
import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from killing import (
    PROGRAM,
    STORE,
    Scenario,
    complete_conversations,
    files_come_to,
    frozen,
    replies_and_turns,
    rows,
    runs_come_to,
    whole_imports,
)  # fmt: skip
from model_replies import call
from model_server import ModelServer

from quaestor.testing.models import ReceivedRequest, Reply


def _runs(command: Sequence[str]) -> Callable[[Path], Sequence[str]]:
    """Return the arguments of a command, with `--resume` if a run exists in the store."""

    def arguments(folder: Path) -> Sequence[str]:
        begun = rows(folder, "SELECT id FROM runs WHERE kind = 'run' ORDER BY started DESC") or rows(
            folder, "SELECT id FROM runs ORDER BY started DESC"
        )
        return [*command, "--store", STORE, *(["--resume", begun[0][0]] if begun else [])]

    return arguments


def _unchanged(*command: str) -> Callable[[Path], Sequence[str]]:
    return lambda folder: command


def _with_force_if_file_exists(name: str, *command: str) -> Callable[[Path], Sequence[str]]:
    """Return the arguments of a command, with `--force` if its file exists."""
    return lambda folder: [*command, *(["--force"] if (folder / name).exists() else [])]


def _import_or_list(folder: Path) -> Sequence[str]:
    """Return the arguments of the import, or those that list runs if the import is complete."""
    if rows(folder, "SELECT id FROM runs WHERE status = 'complete'"):
        return ["runs", "list", "--store", STORE]
    return ["runs", "import", "theirs.jsonl", "--dataset", "sample", "--store", STORE]


def _write_answers(folder: Path) -> None:
    from quaestor.datasets.formats import read_dataset
    from quaestor.sample import sample_path

    lines = [
        json.dumps({"conversation": one.id, "turn": turn, "answer": turn})
        for one in read_dataset(sample_path()).conversations
        for turn in range(len(one.questions))
    ]
    (folder / "theirs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _run_sample(folder: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, "run", "sample", "--workers", "1", "--store", STORE]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


@cache
def _model() -> str:
    """Return the name of a model on this machine that answers until this process ends."""
    server = ModelServer(_reply)
    server.__enter__()
    return f"openai:scripted@{server.url}/v1"


def _reply(request: ReceivedRequest) -> Reply:
    """Reply with a sum derived from the question alone, so that equal requests get equal replies."""
    own = zlib.crc32(request.prompts[-1].encode()) % 1000
    match len(request.results):
        case 0:
            return replace(call("describe_understanding", description="a sum"), delay=0.05)
        case 1:
            return replace(call("calculate", operation="add", values=[own, 1]), delay=0.05)
        case _:
            return replace(call("final_answer", answer=own + 1, steps=[1]), delay=0.05)


_QUESTIONS = ["what were net sales in 2007?", "what were they in 2006?", "what was the change?", "and in percent?"]

SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        Scenario("run", _runs(["run", "sample", "--workers", "2"]), runs_come_to, complete_conversations, workers=True),
        Scenario("run inline", _runs(["run", "sample", "--workers", "1"]), runs_come_to, complete_conversations),
        Scenario(
            "run of a model",
            lambda folder: _runs(["run", "sample", "--limit", "8", "--solver", "agent", "--model", _model()])(folder),  # noqa: PLW0108
            runs_come_to,
            replies_and_turns,
        ),
        Scenario(
            "eval", _runs(["eval", "sample", "--workers", "2"]), runs_come_to, complete_conversations, workers=True
        ),
        Scenario(
            "ask",
            _unchanged("ask", "sample#QUIL/2007/page_88.pdf", *_QUESTIONS, "--store", STORE),
            lambda folder: runs_come_to(folder)[-1:],
            complete_conversations,
        ),
        Scenario(
            "kg build",
            _unchanged("kg", "build", "sample", "--store", STORE),
            lambda folder: sorted(frozen(folder)),
            frozen,
        ),
        Scenario(
            "ontology build",
            _with_force_if_file_exists("o.ttl", "ontology", "build", "sample", "--store", STORE, "--output", "o.ttl"),
            files_come_to("o.ttl"),
            frozen,
        ),
        Scenario(
            "train",
            _with_force_if_file_exists("w/weights.npz", "train", "sample", "--output", "w", "--force"),
            files_come_to("w"),
            workers=True,
        ),
        Scenario("runs import", _import_or_list, runs_come_to, whole_imports, _write_answers),
        Scenario(
            "export",
            _with_force_if_file_exists("all.csv", "export", "latest", "-o", "all.csv", "--store", STORE),
            files_come_to("all.csv"),
            complete_conversations,
            _run_sample,
        ),
    )
}
