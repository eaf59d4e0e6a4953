"""Scores never reach a solver: no answering module opens them, stores do not return them, predictions ignore them."""

import ast
import asyncio
import inspect
import json
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sources import nodes

from quaestor.application.score_service import score_run
from quaestor.core import serial
from quaestor.core.answer_value import Number
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.sample import sample_path
from quaestor.scores import open_scores
from quaestor.scoring.gold import read_gold
from quaestor.store.base import RunStore, open_store
from quaestor.store.listing import ListPart, RunFilter, TurnFilter
from quaestor.store.records import GraphKey
from quaestor.testing.score_rules import make_score
from quaestor.testing.store_records import GRAPH, START, make_example, make_prompt, make_run, make_turns

MAY_OPEN = {
    "application/store_copy.py",
    "application/score_service.py",
    "application/run_views.py",
    "testing/score_rules.py",
}
MAY_READ_RECORDS = MAY_OPEN | {
    "cli/render_runs.py", "web/runs/words.py", "web/runs/filters.py",
    "web/api/runs.py", "application/judged_runs.py",
}  # fmt: skip
MAY_NAME_TABLES = {
    "scores.py", "store/tables.py", "store/sqlite_schema.py", "store/sqlite.py", "store/mongo.py",
    "store/mongo_connection.py",
}  # fmt: skip
ABOVE = {"application", "cli", "inspect_task", "library", "mcp_server", "scores", "testing", "web"}
"""Packages that answer no questions; all other packages are imported in the test below."""

EVERYTHING_THAT_ANSWERS = """
import importlib, pathlib, sys
import quaestor
root = pathlib.Path(quaestor.__file__).parent
for path in sorted(root.rglob("*.py")):
    parts = path.relative_to(root).with_suffix("").parts
    if parts[0] not in {above!r} and parts[-1] not in ("__init__", "__main__"):
        importlib.import_module(".".join(("quaestor", *parts)))
assert "quaestor.solvers.reflection.solver" in sys.modules and "quaestor.learning.train" in sys.modules
print([name for name in sys.modules if name == "quaestor.scores"])
"""


def importers(*names: str) -> set[str]:
    """Return the modules that import one of these modules or names, in any form."""
    found = set()
    for module, walked in nodes("quaestor.scores", "import scores"):
        for node in walked:
            imported: set[str] = set()
            if isinstance(node, ast.ImportFrom) and node.module:
                imported = {node.module, *(f"{node.module}.{item.name}" for item in node.names)}
            elif isinstance(node, ast.Import):
                imported = {item.name for item in node.names}
            if imported & {*names}:
                found.add(module)
    return found


def test_only_allowed_modules_open_scores() -> None:
    assert importers("quaestor.scores.open_scores", "quaestor.scores.ScoreStore") == MAY_OPEN
    assert importers("quaestor.scores") <= MAY_READ_RECORDS


def test_score_tables_are_named_in_one_module() -> None:
    tables = ("scored_turns", "scored_examples", "quaestor.scores")
    named = {
        module
        for module, walked in nodes(*tables)
        for node in walked
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if any(table in node.value for table in tables)
    }
    assert named == MAY_NAME_TABLES


@pytest.mark.slow
def test_answering_modules_import_no_scores() -> None:
    """Importing solvers, prompts, tools, graphs, engines and training imports no scores, even indirectly."""
    code = EVERYTHING_THAT_ANSWERS.format(above=ABOVE)
    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (outcome.returncode, outcome.stdout.strip()) == (0, "[]"), outcome.stderr


PLANTED = "planted-verdict"
FROZEN = GraphKey("p", "cd" * 32, "ab" * 32, "0.1.0")


async def read_everything(store: RunStore) -> str:
    """Return the results of every reading operation of a store as text; fail if one is not called."""
    run, conversation = make_run().id, "c1"
    given: dict[str, Any] = {
        "runs": await store.runs(),
        "list_runs": await store.list_runs(RunFilter(), ListPart()),
        "run_choices": await store.run_choices(),
        "run": await store.run(run),
        "examples": await store.examples(run),
        "count_examples": await store.count_examples(run),
        "progress": await store.progress(run),
        "pending": await store.pending(run),
        "turns": await store.turns(run),
        "list_turns": await store.list_turns(run, TurnFilter(), ListPart()),
        "count_turns": await store.count_turns(run, "operation"),
        "measure_turns": await store.measure_turns(run),
        "turn": await store.turn(run, conversation, 0),
        "prompts": await store.prompts(run, conversation),
        "corrections": await store.corrections(run, conversation),
        "load_graph": await store.load_graph(run, conversation),
        "load_ontology": await store.load_ontology("ab" * 32),
        "ontologies": await store.ontologies(),
        "frozen_graph": await store.frozen_graph(FROZEN),
        "frozen_graphs": await store.frozen_graphs(),
    }
    writes = {
        "create",
        "resume",
        "renew",
        "finish",
        "delete",
        "begin",
        "complete",
        "save",
        "log",
        "freeze",
        "add",
        "close",
        "check",
        "vacuum",
    }
    operations = {name for name, _ in inspect.getmembers(RunStore, inspect.iscoroutinefunction) if name[0] != "_"}
    assert {name for name in operations if name.partition("_")[0] not in writes} == given.keys()
    return repr(given)


def test_run_store_returns_no_verdict(tmp_path: Path) -> None:
    uri = str(tmp_path / "runs.db")

    async def look() -> tuple[str, str]:
        async with open_store(uri) as store:
            await store.save_ontology("ab" * 32, GRAPH)
            await store.freeze_graph(FROZEN, GRAPH)
            await store.create_run(make_run())
            await store.begin_example(make_example(make_run(), status="pending", turns=0))
            await store.save_graph(make_run().id, "c1", GRAPH)
            await store.log_prompt(make_prompt(make_run()))
            await store.complete_example(make_example(make_run()), make_turns(make_run()))
            before = await read_everything(store)
            score = make_score(make_run(), {"c1": (True, False)}, id=PLANTED, dataset=PLANTED)
            scores = open_scores(uri)
            assert scores is not None
            async with scores:
                await scores.add_score(replace(score, score=replace(score.score, scored=START)))
            return before, await read_everything(store)

    before, after = asyncio.run(look())
    assert PLANTED.encode() in b"".join(path.read_bytes() for path in tmp_path.glob("runs.db*"))
    assert after == before


@pytest.mark.slow
def test_earlier_scores_change_no_prediction(tmp_path: Path) -> None:
    """Run in an empty store, and in one where every second turn is scored as right."""
    pages = read_dataset(sample_path(), 3)

    async def play(uri: str) -> tuple[str, list[dict[str, Any]]]:
        async with open_store(uri) as store:
            run = await run_dataset(pages, RunSpec.of(pages, "embedded", limit=3), store, InlineEngine())
            turns = [serial.dump(turn) for turn in await store.turns(run.id)]
        return run.id, [{name: turn[name] for name in turn if name not in VOLATILE} for turn in turns]

    async def score(uri: str, run: str) -> None:
        verdicts = {
            page.id: tuple(turn % 2 == 0 for turn in range(len(page.questions))) for page in pages.conversations
        }
        scores = open_scores(uri)
        assert scores is not None
        async with scores:
            await scores.add_score(make_score(replace(make_run(), id=run), verdicts))

    _, alone = asyncio.run(play(str(tmp_path / "empty.db")))
    uri = str(tmp_path / "scored.db")
    run, first = asyncio.run(play(uri))
    asyncio.run(score(uri, run))
    _, again = asyncio.run(play(uri))
    assert json.dumps(first) == json.dumps(alone) == json.dumps(again)


VOLATILE = {"run", "started", "finished"}


def test_stored_score_contains_no_answer_and_no_program(tmp_path: Path) -> None:
    """Search the bytes of the store for unique reference answers and programs."""
    pages, uri = read_dataset(sample_path(), 2), str(tmp_path / "runs.db")
    sentinel = "918273645"
    gold = {
        conversation: [
            replace(turn, executed=Number(Decimal(sentinel)), program=f"add({sentinel}, 1)", display=f"{sentinel}%")
            for turn in turns
        ]
        for conversation, turns in read_gold(sample_path()).items()
    }

    async def score() -> None:
        async with open_store(uri) as store:
            run = await run_dataset(pages, RunSpec.of(pages, "embedded", limit=2), store, InlineEngine())
            scored = await score_run(store, run, pages, gold, uri)
            assert scored.unkept is None
            assert all(sentinel in turn.gold_program for turn in scored.report.turns)

    asyncio.run(score())
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("runs.db*"))
    assert b"scored_turns" in stored
    assert sentinel.encode() not in stored
