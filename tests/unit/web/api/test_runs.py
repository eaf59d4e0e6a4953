import asyncio
import json
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from web_api import Program, program

from quaestor import evaluate_async

CONVERSATION = "Single_NORD/2012/page_41.pdf-1"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Of a store with two scored runs of the sample, and a conversation of a person."""
    folder = tmp_path_factory.mktemp("runs")
    for _ in range(2):
        asyncio.run(evaluate_async("sample", limit=2, store=str(folder / "runs.db")))
    with program(folder) as api:
        api.asked("cell 1 1")
        yield api


def played(asked: Program) -> str:
    return str(asked.get("/runs?kind=run")["items"][0]["id"])


def test_runs_are_listed_and_filtered(asked: Program) -> None:
    assert asked.get("/runs")["total"] == 3
    assert [one["kind"] for one in asked.get("/runs?kind=ask")["items"]] == ["ask"]
    assert asked.get("/runs?dataset=sample.json&solver=embedded&status=complete")["total"] == 2
    assert asked.get("/runs?dataset=other.json")["total"] == 0
    assert asked.get("/runs?status=odd", 422)["errors"][0]["where"] == "query.status"


def test_one_run_has_its_score_and_no_folder_of_the_machine(asked: Program) -> None:
    run = asked.get(f"/runs/{played(asked)}")
    assert (run["dataset"], run["status"], run["played"]) == ("sample.json", "complete", 2)
    assert run["score"]["accuracy"] == run["score"]["metrics"]["execution"]["value"]
    assert run["score"]["metrics"]["execution"]["low"] <= run["score"]["accuracy"]
    assert asked.get("/runs/nothing", 404)["code"] == "unknown_run"


def test_scores_are_counted_by_the_classes_of_turns(asked: Program) -> None:
    found = asked.get(f"/runs/{played(asked)}/scores")
    turns = found["score"]["turns"]
    assert set(found["breakdowns"]) == {"turn", "operation", "origin", "kind"}
    assert all(sum(one["turns"] for one in tallies) == turns for tallies in found["breakdowns"].values())
    assert [one["name"] for one in found["breakdowns"]["turn"]] == [*range(1, len(found["breakdowns"]["turn"]) + 1)]
    asked_run = asked.get("/runs?kind=ask")["items"][0]["id"]
    assert asked.get(f"/runs/{asked_run}/scores")["score"] is None


def test_turns_are_listed_and_one_is_shown_with_plan_and_trace(asked: Program) -> None:
    there = f"/runs/{played(asked)}/turns"
    listed = asked.get(f"{there}?conversation={quote(CONVERSATION)}")
    assert [turn["number"] for turn in listed["items"]] == [*range(1, listed["total"] + 1)]
    assert asked.get(f"{there}?verdict=right")["total"] == asked.get(there)["total"]
    assert asked.get(f"{there}?number=1&least=0.5&most=1&order=confidence")["total"] == 2
    assert asked.get(f"{there}?cause=sign")["total"] == 0
    turn = asked.get(f"{there}/2?conversation={quote(CONVERSATION)}")
    assert turn["turn"]["question"] == listed["items"][1]["question"]
    assert turn["turn"]["answer"]["plan"]["steps"]
    assert turn["plan"][-1]["value"] == listed["items"][1]["display"]
    assert turn["verdict"] == {"correct": True, "program_correct": True, "cause": None}
    assert (turn["exchanges"], turn["corrected"]) == ([], None)
    assert asked.get(f"{there}/99?conversation={quote(CONVERSATION)}", 404)["code"] == "unknown_conversation"
    assert asked.get(f"{there}/1", 422)["errors"][0]["where"] == "query.conversation"


def test_a_run_is_taken_away_in_every_format_and_as_traces(asked: Program) -> None:
    there = f"/runs/{played(asked)}"
    for format, begins in (("csv", b"conversation,"), ("xlsx", b"PK"), ("html", b"<!doctype"), ("markdown", b"## ")):
        answer = asked.ask("GET", f"{there}/export?format={format}")
        assert answer.content.startswith(begins)
        assert answer.headers["content-disposition"].startswith("attachment")
    exported = asked.ask("GET", f"{there}/export").json()
    assert {one["conversation"] for one in exported} >= {CONVERSATION}
    assert len(asked.ask("GET", f"{there}/export?conversation={quote(CONVERSATION)}").json()) == 1
    assert asked.ask("GET", f"{there}/export?conversation=nothing").status_code == 404
    lines = asked.ask("GET", f"{there}/traces").text.splitlines()
    assert len(lines) == asked.get(there)["score"]["turns"]
    assert json.loads(lines[0])["events"]
