"""Reference answers never reach a solver: changing them changes no prediction, and only allowed modules name them."""

import ast
import asyncio
import json
import random
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from model_replies import say
from model_server import ModelServer
from pydantic import JsonValue
from sources import nodes
from tatqa_pages import tatqa_pages

from quaestor.core import serial
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig
from quaestor.sample import sample_path
from quaestor.solvers.registry import solver_specs
from quaestor.store.base import open_store

ANSWER_KEYS = {
    "turn_program", "turn_program_ori", "exe_ans", "exe_ans_list", "answer_list", "step_list", "conv_answers",
    "executed_answers", "qa", "qa_0", "qa_1", "qa_split",
    "answer_type", "answer_from", "derivation", "rel_paragraphs", "req_comparison",
    "evidence_page_num",
}  # fmt: skip
COMMON_WORDS = {"answer", "scale"}
"""Answer fields of TAT-QA that are also words of this package."""
MAY_NAME_ANSWERS = {f"scoring/references/{name}.py" for name in ("convfinqa", "filings", "tatqa")}
MAY_READ_GOLD = (
    "scoring/", "learning/", "cli/", "testing/", "__init__.py", "inspect_task/task.py",
    "application/judged_runs.py", "library/evaluating.py",
    "application/simulated_cascade.py", "application/prose_judge.py",
    "application/judged_runs.py", "application/score_service.py", "application/training.py",
)  # fmt: skip
ASKED = "dialogue_break"
# Numbers and words that no page contains.
SENTINELS = ("918273645", "planted-answer")
CONVERSATIONS = 20
OF_THE_SAMPLE = 8
FEW = 2


def strings(walked: Iterable[ast.AST]) -> set[str]:
    return {n.value for n in walked if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def test_only_allowed_modules_name_answer_fields() -> None:
    named = {name: strings(walked) & ANSWER_KEYS for name, walked in nodes(*ANSWER_KEYS)}
    assert {name for name, keys in named.items() if keys} == MAY_NAME_ANSWERS


def test_dataset_readers_name_no_answer_field() -> None:
    named = {name for name, walked in nodes(*(f'"{word}"' for word in COMMON_WORDS)) if strings(walked) & COMMON_WORDS}
    assert {name for name in named if name.startswith("datasets/")} == set()


def test_only_allowed_modules_import_reference_answers() -> None:
    readers = {
        name
        for name, walked in nodes("scoring.gold", "scoring.references")
        for node in walked
        if isinstance(node, ast.ImportFrom) and re.search(r"scoring\.(gold$|references)", node.module or "")
    }
    assert readers
    assert {name for name in readers if not name.startswith(MAY_READ_GOLD)} == set()


def replace_values(value: object, draw: random.Random) -> object:
    """Replace every value with a random value or a sentinel."""
    if isinstance(value, list):
        return [replace_values(item, draw) for item in value] + [SENTINELS[1]] * draw.randrange(2)
    if isinstance(value, dict):
        return {key: replace_values(item, draw) for key, item in value.items()}
    return draw.choice([SENTINELS[0], float(SENTINELS[0]), SENTINELS[1], draw.random(), f"add({SENTINELS[0]}, 1)"])


def replace_answers(record: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """Return the record with every answer replaced."""
    if "questions" in record:
        fixed = ("uid", "order", "question")
        changed = [
            {k: v if k in fixed else replace_values(v, draw) for k, v in item.items()} for item in record["questions"]
        ]
        return {**record, "questions": changed}
    annotation = {k: v if k == ASKED else replace_values(v, draw) for k, v in record["annotation"].items()}
    extra = {key: replace_values(value, draw) for key, value in record.items() if key.startswith("qa")}
    return {**record, **extra, "annotation": annotation}


def questions_of(record: dict[str, Any]) -> list[str]:
    found: list[str] = [item["question"] for item in record.get("questions", [])]
    return found or list(record["annotation"][ASKED])


def run_solver(records: list[dict[str, Any]], folder: Path) -> tuple[str, str]:
    """Return the predictions of the embedded solver without times and run id, and the text of the store's file."""
    folder.mkdir()
    path = folder / "pages.json"
    path.write_text(json.dumps(records), encoding="utf-8")

    async def play() -> list[Any]:
        dataset = read_dataset(path)
        async with open_store(str(folder / "runs.db")) as store:
            run = await run_dataset(dataset, RunSpec.of(dataset, "embedded"), store, InlineEngine())
            assert run.status == "complete"
            return [serial.dump(turn) for turn in await store.turns(run.id)]

    turns = asyncio.run(play())
    assert len(turns) == sum(len(questions_of(record)) for record in records)
    for turn in turns:
        for volatile in ("run", "started", "finished"):
            del turn[volatile]
    stored = b"".join(file.read_bytes() for file in folder.glob("runs.db*"))
    return json.dumps(turns), stored.decode("utf-8", "replace")


PUBLIC = {"convfinqa": "convfinqa_tune.json", "tatqa": "tatqa_dev.json"}


@pytest.fixture(params=["made up", *(pytest.param(name, marks=pytest.mark.slow) for name in ("sample", *PUBLIC))])
def records(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    if request.param == "made up":
        return tatqa_pages()
    if request.param == "sample":
        path = sample_path()
    else:
        path = request.getfixturevalue("shared_data") / PUBLIC[request.param]
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return random.Random(0).sample(found, OF_THE_SAMPLE if request.param == "sample" else CONVERSATIONS)


def test_predictions_do_not_depend_on_reference_answers(records: list[dict[str, Any]], tmp_path: Path) -> None:
    draw = random.Random(1)
    changed = [replace_answers(record, draw) for record in records]
    assert all(before != after for before, after in zip(records, changed, strict=True))
    predictions, _ = run_solver(records, tmp_path / "true")
    others, stored = run_solver(changed, tmp_path / "changed")
    assert others == predictions
    assert questions_of(records[0])[0] in stored
    assert [sentinel for sentinel in SENTINELS if sentinel in stored or sentinel in others] == []


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", ["convfinqa", pytest.param("tatqa", marks=pytest.mark.slow)])
@pytest.mark.parametrize("solver", [spec.name for spec in solver_specs() if spec.takes_model])
def test_prompts_do_not_depend_on_reference_answers(
    solver: str, benchmark: str, local_models: None, tmp_path: Path
) -> None:
    sample: list[dict[str, Any]] = json.loads(sample_path().read_text(encoding="utf-8"))[:FEW]
    found = tatqa_pages() if benchmark == "tatqa" else sample
    draw = random.Random(2)
    sent = request_bodies(solver, found, tmp_path / "true")
    others = request_bodies(solver, [replace_answers(record, draw) for record in found], tmp_path / "changed")
    assert len(sent) >= sum(len(questions_of(record)) for record in found)
    assert others == sent
    assert [sentinel for sentinel in SENTINELS if sentinel in "".join(others)] == []


OPTIONS: dict[str, dict[str, JsonValue]] = {"cascade": {"thresholds": 1.0, "show_doubts": True}}
"""Options with which a solver asks a model in every turn."""


def request_bodies(solver: str, records: list[dict[str, Any]], folder: Path) -> list[str]:
    """Return the sorted bodies of all requests; the replies of the model are unusable."""
    folder.mkdir()
    path = folder / "pages.json"
    path.write_text(json.dumps(records), encoding="utf-8")

    async def play(server: ModelServer) -> None:
        dataset = read_dataset(path)
        config = ModelConfig(find_model(f"openai:scripted@{server.url}/v1"))
        async with open_store(str(folder / "runs.db")) as store:
            await run_dataset(
                dataset, RunSpec.of(dataset, solver, OPTIONS.get(solver)), store, InlineEngine(1), config=config
            )

    with ModelServer(lambda request: say("I cannot say.")) as server:
        asyncio.run(play(server))
        return sorted(json.dumps(request.body) for request in server.requests)
