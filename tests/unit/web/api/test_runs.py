import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from web_api import Program, program

from quaestor import evaluate_async

CONVERSATION = "Single_NORD/2012/page_41.pdf-1"


@pytest.fixture(scope="module")
def runs_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The API over a store with two scored runs of the sample and one conversation."""
    folder = tmp_path_factory.mktemp("runs")
    for _ in range(2):
        asyncio.run(evaluate_async("sample", limit=2, store=str(folder / "runs.db")))
    with program(folder) as api:
        api.ask_all("cell 1 1")
        yield api


def run_id_of(runs_api: Program) -> str:
    return str(runs_api.get("/runs?kind=run")["items"][0]["id"])


def test_runs_are_listed_and_filtered(runs_api: Program) -> None:
    assert runs_api.get("/runs")["total"] == 3
    assert [one["kind"] for one in runs_api.get("/runs?kind=ask")["items"]] == ["ask"]
    assert runs_api.get("/runs?dataset=sample.json&solver=embedded&status=complete")["total"] == 2
    assert runs_api.get("/runs?dataset=other.json")["total"] == 0
    assert runs_api.get("/runs?status=odd", 422)["errors"][0]["where"] == "query.status"


def test_one_run_has_its_score_and_no_folder_of_the_machine(runs_api: Program) -> None:
    run = runs_api.get(f"/runs/{run_id_of(runs_api)}")
    assert (run["dataset"], run["status"], run["played"]) == ("sample.json", "complete", 2)
    assert run["score"]["accuracy"] == run["score"]["metrics"]["execution"]["value"]
    assert run["score"]["metrics"]["execution"]["low"] <= run["score"]["accuracy"]
    assert runs_api.get("/runs/nothing", 404)["code"] == "unknown_run"


def test_scores_are_counted_by_the_classes_of_turns(runs_api: Program) -> None:
    found = runs_api.get(f"/runs/{run_id_of(runs_api)}/scores")
    turns = found["score"]["turns"]
    assert set(found["breakdowns"]) == {"turn", "operation", "origin", "kind"}
    assert all(sum(one["turns"] for one in tallies) == turns for tallies in found["breakdowns"].values())
    assert [one["name"] for one in found["breakdowns"]["turn"]] == [*range(1, len(found["breakdowns"]["turn"]) + 1)]
    asked_run = runs_api.get("/runs?kind=ask")["items"][0]["id"]
    assert runs_api.get(f"/runs/{asked_run}/scores")["score"] is None


def test_turns_are_listed_and_one_is_shown_with_plan_and_trace(runs_api: Program) -> None:
    there = f"/runs/{run_id_of(runs_api)}/turns"
    listed = runs_api.get(f"{there}?conversation={quote(CONVERSATION)}")
    assert [turn["number"] for turn in listed["items"]] == [*range(1, listed["total"] + 1)]
    assert runs_api.get(f"{there}?verdict=right")["total"] == runs_api.get(there)["total"]
    assert runs_api.get(f"{there}?number=1&least=0.5&most=1&order=confidence")["total"] == 2
    assert runs_api.get(f"{there}?cause=sign")["total"] == 0
    turn = runs_api.get(f"{there}/2?conversation={quote(CONVERSATION)}")
    assert turn["turn"]["question"] == listed["items"][1]["question"]
    assert turn["turn"]["answer"]["plan"]["steps"]
    assert turn["plan"][-1]["value"] == listed["items"][1]["display"]
    assert turn["verdict"] == {"correct": True, "program_correct": True, "cause": None}
    assert (turn["exchanges"], turn["corrected"]) == ([], None)
    assert runs_api.get(f"{there}/99?conversation={quote(CONVERSATION)}", 404)["code"] == "unknown_conversation"
    assert runs_api.get(f"{there}/1", 422)["errors"][0]["where"] == "query.conversation"


def test_run_is_downloaded_in_every_format_and_as_traces(runs_api: Program) -> None:
    there = f"/runs/{run_id_of(runs_api)}"
    for format, begins in (("csv", b"conversation,"), ("xlsx", b"PK"), ("html", b"<!doctype"), ("markdown", b"## ")):
        answer = runs_api.ask("GET", f"{there}/export?format={format}")
        assert answer.content.startswith(begins)
        assert answer.headers["content-disposition"].startswith("attachment")
    exported = runs_api.ask("GET", f"{there}/export").json()
    assert {one["conversation"] for one in exported} >= {CONVERSATION}
    assert len(runs_api.ask("GET", f"{there}/export?conversation={quote(CONVERSATION)}").json()) == 1
    assert runs_api.ask("GET", f"{there}/export?conversation=nothing").status_code == 404
    lines = runs_api.ask("GET", f"{there}/traces").text.splitlines()
    assert len(lines) == runs_api.get(there)["score"]["turns"]
    assert json.loads(lines[0])["events"]


def test_two_runs_are_compared_in_total_and_by_turn(tmp_path: Path) -> None:
    for limit in (1, 1, 2):
        asyncio.run(evaluate_async("sample", limit=limit, store=str(tmp_path / "runs.db")))
    with program(tmp_path) as api:
        other, first, second = (one["id"] for one in api.get("/runs?kind=run")["items"])
        there = f"first={first}&second={second}"
        found = api.get(f"/comparisons?{there}")
        assert (found["turns"], found["both"], found["differ"], found["p"]) == (4, 4, 0, 1)
        pairs = api.get(f"/comparisons/turns?{there}&outcome=both&answers=same&limit=1")
        assert (pairs["total"], pairs["items"][0]["differ"]) == (4, False)
        assert pairs["items"][0]["first"] == pairs["items"][0]["second"]
        assert api.get(f"/comparisons/turns?{there}&answers=differ")["total"] == 0
        assert other in api.get(f"/comparisons?first={first}&second={other}", 400)["detail"]
        assert api.get(f"/comparisons?first={first}&second=nothing", 404)["code"] == "unknown_run"
