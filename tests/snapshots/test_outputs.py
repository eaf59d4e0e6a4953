"""The output of each interface for the same questions: answers as JSON, stored turns, exports.

`pytest tests/snapshots --snapshot-update` rewrites the snapshots; review the diff before you commit it.
"""

import asyncio
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from command_line import exit_code
from mcp_clients import FILING, called, client_of_folder, write_filing
from text_snapshots import TextSnapshot
from web_api import program

from quaestor import evaluate_async
from quaestor.core import serial
from quaestor.store.base import open_store
from quaestor.store.records import TurnRecord

QUESTIONS = (
    "what were net sales in 2024?",
    "what was the change from 2023?",
    "what were net sales in 2015?",
    "what were net sales and cost of sales in 2023?",
)
CHANGES = (
    (r"\d{8}-\d{6}-[a-z]+-[0-9a-f]{8}", "RUN"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)", "TIME"),
    (r'("seconds": )[\d.e-]+', r"\1SECONDS"),
    (r'"[\w-]{22}"', '"CONVERSATION"'),
    (r'("(?:confidence|answerable)": )[\d.e-]+', r"\1PROBABILITY"),
    (r"\b\d+%( sure|(?=,))", r"PERCENT\1"),
)
"""Patterns of parts that differ between runs or between weights."""


def as_text(found: Any) -> str:
    """Return JSON or text without the parts that differ between runs or weights."""
    text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, indent=1) + "\n"
    for pattern, name in CHANGES:
        text = re.sub(pattern, name, text)
    return text


def ask_on_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Ask, and return the output; the store is `runs.db` of the folder."""
    filing = str(write_filing(folder))
    assert exit_code("ask", filing, *QUESTIONS, "--json", "--store", str(folder / "runs.db")) == 0
    return capsys.readouterr().out


def test_ask(tmp_path: Path, capsys: pytest.CaptureFixture[str], text_snapshot: TextSnapshot) -> None:
    assert as_text(ask_on_command_line(tmp_path, capsys)) == text_snapshot


def test_store(tmp_path: Path, capsys: pytest.CaptureFixture[str], text_snapshot: TextSnapshot) -> None:
    ask_on_command_line(tmp_path, capsys)

    async def rows() -> tuple[TurnRecord, ...]:
        async with open_store(str(tmp_path / "runs.db")) as store:
            (run,) = await store.runs()
            return await store.turns(run.id)

    assert as_text([serial.dump(row) for row in asyncio.run(rows())]) == text_snapshot


@pytest.mark.parametrize("format", ["json", "csv", "markdown", "html"])
def test_export(format: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], text_snapshot: TextSnapshot) -> None:
    ask_on_command_line(tmp_path, capsys)
    file, store = tmp_path / "exported", str(tmp_path / "runs.db")
    assert exit_code("export", "latest", "--output", str(file), "--format", format, "--store", store) == 0
    assert as_text(file.read_text()) == text_snapshot


def test_http(tmp_path: Path, text_snapshot: TextSnapshot) -> None:
    with program(tmp_path, str(write_filing(tmp_path)), scripted=False) as site:
        there = site.ask_all(*QUESTIONS)
        whole, explained = (site.get(f"{there}/turns/2{more}") for more in ("", "/explanation"))
        site.post(f"{there}/corrections", 201, fix='1 cell "Net sales" 2024 = 1,300.0', author="Ada")
        assert as_text([whole, explained, site.get(there)["turns"]]) == text_snapshot


def test_http_runs(tmp_path: Path, text_snapshot: TextSnapshot) -> None:
    asyncio.run(evaluate_async("sample", limit=1, store=str(tmp_path / "runs.db")))
    with program(tmp_path) as site:
        (run,) = site.get("/runs")["items"]
        turns = f"/runs/{run['id']}/turns"
        listed = site.get(turns)["items"]
        whole = site.get(f"{turns}/2?conversation={quote(listed[0]['conversation'])}")
    assert as_text([listed, whole]) == text_snapshot


@pytest.mark.anyio
async def test_mcp(tmp_path: Path, text_snapshot: TextSnapshot) -> None:
    async with client_of_folder(tmp_path) as client:
        first = await called(client, "ask", document=FILING, question=QUESTIONS[0])
        same = {"conversation": first["conversation"]}
        others = [await called(client, "ask", **same, question=question) for question in QUESTIONS[1:]]
        explained = await called(client, "explain", **same, turn=2)
        values = {"a": {"turn": 1}, "b": {"row": "Net sales", "column": "2022"}}
        calculated = await called(client, "calculate", **same, formula="a / b", values=values)
    assert as_text([first, *others, explained, calculated]) == text_snapshot
