"""Answer fields of a dataset reach neither a solver nor a store."""

import asyncio
import json
from dataclasses import fields
from pathlib import Path

import pytest
from filing_questions import QUESTIONS, write_filings, write_questions

from quaestor.conversation.answer import Answer
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.sample import sample_path
from quaestor.solvers.base import TurnContext
from quaestor.store.base import open_store

SENTINEL = "planted-answer"
ASKED = "dialogue_break"


class RevealingSolver:
    """Answers with everything that it can reach except its own answers."""

    name = "telling"

    async def solve(self, question: str, context: TurnContext) -> Answer:
        names = {item.name for item in fields(context)}
        others = {name: getattr(context, name) for name in names - {"memory", "trace"}}
        return Answer(None, description=repr((question, context.memory.questions, vars(context.document), others)))


def plant_answers(folder: Path) -> Path:
    records = json.loads(sample_path().read_text(encoding="utf-8"))
    for record in records:
        for key, entries in record["annotation"].items():
            if key != ASKED:
                record["annotation"][key] = [SENTINEL for _ in entries]
        record["qa"] = {"question": SENTINEL, "answer": SENTINEL, "program": SENTINEL}
    path = folder / "planted.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def run_and_read_store(path: Path, store_path: Path, folder: Path | None = None) -> str:
    async def scenario() -> None:
        dataset = read_dataset(path, folder=folder)
        async with open_store(str(store_path)) as store:
            spec = RunSpec.of(dataset, "telling")
            run = await run_dataset(dataset, spec, store, InlineEngine(), factory=RevealingSolver)
            assert run.status == "complete"

    asyncio.run(scenario())
    return store_path.read_bytes().decode("utf-8", "replace")


@pytest.mark.slow
def test_planted_answers_are_in_no_stored_row(tmp_path: Path) -> None:
    content = run_and_read_store(plant_answers(tmp_path), tmp_path / "runs.db")
    first_question = json.loads(sample_path().read_text(encoding="utf-8"))[0]["annotation"][ASKED][0]
    assert first_question in content
    assert SENTINEL not in content


def test_the_spec_does_not_depend_on_the_answers(tmp_path: Path) -> None:
    # Only the path differs, and it is not part of the digest.
    specs = [RunSpec.of(read_dataset(path), "telling") for path in (plant_answers(tmp_path), sample_path())]
    assert specs[0].digest == specs[1].digest


def test_planted_answers_about_files_are_in_no_stored_row(tmp_path: Path) -> None:
    records = [one | dict.fromkeys(("kind", "answer", "where", "note"), SENTINEL) for one in QUESTIONS]
    path = write_questions(tmp_path, records)
    path.with_name("questions.verdicts.jsonl").write_text(json.dumps(SENTINEL))
    content = run_and_read_store(path, tmp_path / "runs.db", write_filings(tmp_path))
    assert QUESTIONS[1]["question"] in content
    assert SENTINEL not in content
