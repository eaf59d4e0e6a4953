"""A store written before traces had events is read completely.

`store_of_schema_4.sql.gz` is the dump of such a file. It contains runs over the bundled sample: of the embedded solver,
one complete and one killed in its second conversation; of the agent, one complete and one with an exhausted budget; and
one of the workflow with a plan that had to be repaired. The models were scripts.
"""

import asyncio
import gzip
import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, fields
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from command_line import PreparedFolder, Quaestor, command_line

from quaestor.errors import StoreError
from quaestor.sample import sample_path
from quaestor.store.sqlite import SqliteStore
from quaestor.store.turn_summary import TurnMeasures, measure_turn

DUMP = Path(__file__).parents[1] / "store" / "store_of_schema_4.sql.gz"
COMPLETE, KILLED = "20261122-031012-embedded-8e34", "20261122-031027-embedded-34b5"
AGENT, STOPPED = "20261122-031026-agent-adf5", "20261122-031027-agent-bb07"
WORKFLOW = "20261122-031027-workflow-a418"
STATUSES = {COMPLETE: "complete", KILLED: "running", AGENT: "complete", STOPPED: "stopped", WORKFLOW: "complete"}
PAGE = "Single_HALC/2009/page_52.pdf-1"


@pytest.fixture
def quaestor(
    tmp_path: Path, prepared: PreparedFolder, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Quaestor:
    """Run the command line in a folder with the old store as `runs.db` and the sample as `sample.json`."""
    run = command_line(tmp_path, monkeypatch, capfd)
    monkeypatch.setenv("QUAESTOR_STORE", str(tmp_path / "runs.db"))

    def restore() -> str:
        with closing(sqlite3.connect(tmp_path / "runs.db")) as db:
            db.executescript(gzip.decompress(DUMP.read_bytes()).decode())
        Path("sample.json").write_text(sample_path().read_text(encoding="utf-8"), encoding="utf-8")
        return ""

    prepared.fill(tmp_path, restore)

    return run


def read(quaestor: Quaestor, line: str) -> Any:
    outcome = quaestor(f"{line} --json")
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


def rows(table: str, *without: str) -> Sequence[Mapping[str, Any]]:
    """Return the rows of a table of the store file, without some columns."""
    db = sqlite3.connect("runs.db")
    db.row_factory = sqlite3.Row
    stored = map(dict, db.execute(f"SELECT * FROM {table}"))
    found = [{name: value for name, value in row.items() if name not in without} for row in stored]
    db.close()
    return found


ADDED: Mapping[str, Mapping[str, object]] = {
    "runs": {"kind": "run"},
    "examples": {"attempt": 1, "claim_owner": None, "claim_until": None},
    "turns": {"attempt": 1, "status": "complete", "history": "[]", "registers": "[]"},
}
"""What later versions of the schema have added, by table, and what it is in what was there before."""

FILED = ("kind", "operation", "origin", "confidence", *(item.name for item in fields(TurnMeasures)))
"""What turns are listed by, and what figures are made of: filled from what they answered."""

TABLES: Sequence[str] = ("runs", "examples")


def large(packed: bool) -> Mapping[str, object]:
    """Return the large contents of the store by owner; `packed` reads them from an upgraded store."""
    if packed:

        async def read() -> Mapping[str, object]:
            async with SqliteStore(Path("runs.db"), create=False) as store:
                turns = [
                    (run.id, one.conversation) for run in await store.runs() for one in await store.examples(run.id)
                ]
                prompts = [prompt for place in turns for prompt in await store.prompts(*place)]
                graphs: dict[object, set[tuple[str, str, str]]] = {}
                for place in turns:
                    with suppress(StoreError):
                        graphs[place] = {*await store.load_graph(*place)}
                ontologies = {one.digest: {*await store.load_ontology(one.digest)} for one in await store.ontologies()}
            return {
                "prompts": sorted(
                    (p.run, p.conversation, p.turn, p.number, p.prompt, p.response or "") for p in prompts
                ),
                "graphs": graphs,
                "ontologies": ontologies,
            }

        return asyncio.run(read())
    places = {row["id"]: (row["run"], row["conversation"]) for row in rows("graphs")}
    digests = {row["id"]: row["digest"] for row in rows("ontologies")}
    graphs: dict[object, set[tuple[str, str, str]]] = {}
    ontologies: dict[object, set[tuple[str, str, str]]] = {}
    for row in rows("instances"):
        graphs.setdefault(places[row["graph"]], set()).add((row["s"], row["p"], row["o"]))
    for row in rows("ontology"):
        ontologies.setdefault(digests[row["ontology"]], set()).add((row["s"], row["p"], row["o"]))
    prompts = sorted(
        (row["run"], row["conversation"], row["turn"], row["number"], row["prompt"], row["response"] or "")
        for row in rows("prompt_logs")
    )
    return {"prompts": prompts, "graphs": graphs, "ontologies": ontologies}


def test_upgraded_store_keeps_all_data(quaestor: Quaestor) -> None:
    before, turns, packed = {table: rows(table) for table in TABLES}, rows("turns"), large(packed=False)
    runs = read(quaestor, "runs list")
    assert {run["id"]: run["status"] for run in runs} == STATUSES
    assert [run["spec_digest"] for run in runs] == [
        row["spec_digest"] for row in sorted(before["runs"], key=lambda row: (row["started"], row["id"]), reverse=True)
    ]
    # All old rows are unchanged; new columns have the values of a run over a dataset with one attempt.
    assert {table: rows(table, *ADDED.get(table, {})) for table in TABLES} == before
    assert packed == large(packed=True)
    assert all(packed.values())
    for table, added in ADDED.items():
        assert all(added.items() <= row.items() for row in rows(table))
    assert {row["kind"] for row in rows("turns")} == {"number"}
    assert rows("turns", "events", *FILED, *ADDED["turns"]) == [
        {name: value for name, value in turn.items() if name != "understanding"} for turn in turns
    ]
    notes = [json.loads(row["events"]) for row in rows("turns")]
    assert notes == [[{"text": turn["understanding"], "kind": "note"}] for turn in turns]
    assert all(turn["understanding"] for turn in turns)
    for row in rows("turns"):
        times = {name: datetime.fromisoformat(row[name]) for name in ("started", "finished")}
        found = measure_turn(times | {name: json.loads(row[name]) for name in ("usage", "tool_calls", "events")})
        assert {name: row[name] for name in asdict(found)} == asdict(found)
    assert any(row["requests"] for row in rows("turns"))


@pytest.mark.slow
@pytest.mark.parametrize("run", STATUSES)
def test_runs_of_an_old_store_are_shown(quaestor: Quaestor, run: str) -> None:
    shown = read(quaestor, f"runs show {run}")
    assert (shown["id"], shown["status"]) == (run, STATUSES[run])
    assert quaestor(f"runs show {run[:-5]}").code == 0
    failures = quaestor(f"runs failures {run}")
    assert (failures.code, failures.err) == (0, "")


@pytest.mark.slow
def test_turns_of_an_old_store_are_shown_with_their_original_text(quaestor: Quaestor) -> None:
    (before,) = (row for row in rows("turns") if row["run"] == WORKFLOW)
    turn = read(quaestor, f"runs turn {WORKFLOW} {PAGE} 1")
    assert turn["events"] == [{"text": before["understanding"], "kind": "note"}]
    assert turn["answer"] == json.loads(before["answer"])
    shown = quaestor(f"runs turn {WORKFLOW} {PAGE} 1").out
    for line in before["understanding"].split("\n"):
        assert line in shown
    agent = quaestor(f"runs turn {AGENT} {PAGE} 1").out
    assert "claimed: 14.14 percent (steps 3)" in agent
    assert re.search(r"tool call 3: +calculate", agent)
    assert quaestor(f"runs prompts {AGENT} {PAGE} 1").out.count("ANSWER_iteration_") >= 4
    assert quaestor(f"runs tools {AGENT}").code == 0
    assert quaestor(f"runs kg {AGENT} {PAGE}").code == 0


def test_killed_run_of_an_earlier_version_is_not_resumed(quaestor: Quaestor) -> None:
    outcome = quaestor(f"run sample.json --limit 2 --workers 1 --resume {KILLED}")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
