"""Answer fields of a dataset reach neither a solver nor a store."""

import asyncio
import json
from dataclasses import fields
from pathlib import Path

from filing_questions import QUESTIONS, write_filings, write_questions

from quaestor.conversation.answer import Answer
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.solvers.base import TurnContext
from quaestor.store.base import open_store

SENTINEL = "planted-answer"


class RevealingSolver:
    """Answers with everything that it can reach except its own answers."""

    name = "telling"

    async def solve(self, question: str, context: TurnContext) -> Answer:
        names = {item.name for item in fields(context)}
        others = {name: getattr(context, name) for name in names - {"memory", "trace"}}
        return Answer(None, description=repr((question, context.memory.questions, vars(context.document), others)))


def run_and_read_store(path: Path, store_path: Path, folder: Path | None = None) -> str:
    async def scenario() -> None:
        dataset = read_dataset(path, folder=folder)
        async with open_store(str(store_path)) as store:
            spec = RunSpec.of(dataset, "telling")
            run = await run_dataset(dataset, spec, store, InlineEngine(), factory=RevealingSolver)
            assert run.status == "complete"

    asyncio.run(scenario())
    return store_path.read_bytes().decode("utf-8", "replace")


def test_planted_answers_about_files_are_in_no_stored_row(tmp_path: Path) -> None:
    records = [one | dict.fromkeys(("kind", "answer", "where", "note"), SENTINEL) for one in QUESTIONS]
    path = write_questions(tmp_path, records)
    path.with_name("questions.verdicts.jsonl").write_text(json.dumps(SENTINEL))
    content = run_and_read_store(path, tmp_path / "runs.db", write_filings(tmp_path))
    assert QUESTIONS[1]["question"] in content
    assert SENTINEL not in content
