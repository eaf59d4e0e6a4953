"""Traces that are written to a folder while conversations are played."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Quaestor, one_line

from quaestor.application.live_traces import trace_name

FIRST = "Single_NORD%2F2012%2Fpage_41.pdf-1.jsonl"
SECOND = "Single_NORD%2F2012%2Fpage_41.pdf-2.jsonl"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("command", ["run pages.json", "eval pages.json"])
def test_a_run_writes_a_file_a_conversation(quaestor: Quaestor, pages: Path, command: str) -> None:
    assert quaestor(f"{command} --traces traces").code == 0
    assert sorted(path.name for path in Path("traces").iterdir()) == [FIRST, SECOND]
    told = lines(Path("traces") / SECOND)
    (run,) = json.loads(quaestor("runs list --json").out)
    assert {line["run"] for line in told} == {run["id"]}
    assert [(line["what"], line["turn"]) for line in told] == [
        *((what, turn) for turn in range(3) for what in ("asked", "happened", "answered")),
        ("ended", None),
    ]
    first, second, _ = (line for line in told if line["what"] == "answered")
    assert (first["number"], second["number"]) == ("13.7", None)
    assert (first["kind"], second["kind"], first["answerable"]) == ("number", "none", None)
    assert second["error"].startswith("SolverError")
    assert told[1]["event"]["kind"] == "note"
    assert [line["at"] for line in told] == sorted(line["at"] for line in told)


def test_what_breaks_off_is_on_disk_up_to_there(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("ask pages.json --no-keep --traces traces", "cell 1 1", "break").code == 1
    told = lines(Path("traces") / "NORD%2F2012%2Fpage_41.pdf.jsonl")
    assert [line["what"] for line in told] == ["asked", "happened", "answered", "asked", "happened", "ended"]
    assert told[-1]["error"].startswith("KeyError")


def test_a_trace_that_is_there_stays_without_force(quaestor: Quaestor, pages: Path) -> None:
    Path("traces").mkdir()
    there = Path("traces") / FIRST
    there.write_text("mine")
    refused = quaestor("run pages.json --traces traces")
    assert refused.code == 2
    one_line(refused)
    assert there.read_text() == "mine"
    assert quaestor("run pages.json --traces traces --force").code == 0
    assert lines(there)[-1]["what"] == "ended"


def test_a_trace_that_cannot_be_written_leaves_no_run_that_seems_to_go_on(quaestor: Quaestor, pages: Path) -> None:
    refused = quaestor("ask pages.json --traces /dev/null/traces", "cell 1 1")
    assert refused.code == 2
    one_line(refused)
    assert [run["status"] for run in json.loads(quaestor("runs list --json").out)] == ["stopped"]


def test_names_are_names_of_files_and_apart() -> None:
    assert len({trace_name(id) for id in ("a/b", "a_b", "a%2Fb", "a%252Fb")}) == 4
    long, other = trace_name("x/" * 300), trace_name("x/" * 300 + "y")
    assert long != other
    assert max(len(long), len(other)) < 230
    assert not trace_name("../up").startswith(".")
