"""The worked examples of the agent's design, from the command line to the stored records."""

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from agent_bench import CASH, final, query, reply
from command_line import Quaestor, command_line
from model_server import ModelServer
from oracle import question_of
from toolboxes import CASH_FLOWS, OPTIONS

from quaestor.sample import sample_path
from quaestor.testing.models import Call, ReceivedRequest, Reply

CHANGE = "what was the percentage change in the net cash from operating activities from 2008 to 2009"
PRICES = ("what was the exercise price in 2007?", "and in 2006?", "what is the difference?")

UNDERSTANDINGS: dict[str, dict[str, Any]] = {
    CHANGE: {
        "description": "the percentage change in net cash from operating activities between 2008 and 2009",
        "entityType": "kg:CashFlow",
        "property": CASH,
        "periods": ["2008", "2009"],
        "requiresCalculation": True,
        "operation": "percentage_change",
        "operands": ["2008 value", "2009 value"],
        "plan": ["query 2008", "query 2009", "((2009 - 2008) / 2008) x 100"],
        "reasoning": "the values of both years give the year-over-year change",
    },
    PRICES[0]: {
        "description": "the exercisePrice of the StockOption for 2007",
        "entityType": "StockOption",
        "property": "exercisePrice",
        "filters": {"year": "2007"},
        "reasoning": "a specific year (2007) and a specific metric (exercise price)",
    },
    PRICES[1]: {
        "description": "the exercisePrice of the StockOption for 2006",
        "entityType": "StockOption",
        "property": "exercisePrice",
        "filters": {"year": "2006"},
        "references": ["#-1"],
    },
    PRICES[2]: {
        "description": "the difference between the 2007 and 2006 exercise prices",
        "requiresCalculation": True,
        "operation": "subtract",
        "operands": ["2007_exercisePrice", "2006_exercisePrice"],
        "references": ["#-2", "#-1"],
    },
}


def price(year: int) -> Call:
    return query(year, "exercisePrice", "StockOption")


CALLS: dict[str, list[Call]] = {
    CHANGE: [
        query(2008),
        query(2009),
        Call("calculate", {"operation": "percentage_change", "values": [181001, 206588]}),
        final(14.14, scale="percent", steps=[3]),
    ],
    PRICES[0]: [price(2007), final(48.65)],
    PRICES[1]: [price(2006), final(33.2)],
    PRICES[2]: [Call("calculate", {"operation": "subtract", "values": [48.65, 33.2]}), final(15.45, steps=[1])],
}


def model(request: ReceivedRequest) -> Reply:
    """Reply with the calls of the worked examples, one per reply; the first one includes the understanding."""
    question = question_of(request)
    if not request.results:
        return reply(Call("describe_understanding", UNDERSTANDINGS[question]), CALLS[question][0])
    return reply(CALLS[question][len(request.results) - 1])


@pytest.fixture
def quaestor(
    local_models: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Quaestor]:
    """Yield the command line in a folder with `[models.scripted]` and a file of the two conversations."""
    run = command_line(tmp_path, monkeypatch, capfd)
    pages = {record["id"]: record for record in json.loads(sample_path().read_text(encoding="utf-8"))}
    records = [
        with_questions(pages[f"Single_{CASH_FLOWS}-1"], CHANGE),
        with_questions(pages[f"Single_{OPTIONS}-1"], *PRICES),
    ]
    (tmp_path / "pages.json").write_text(json.dumps(records), encoding="utf-8")

    with ModelServer(model) as server:
        (tmp_path / "quaestor.toml").write_text(f'[models.scripted]\nbase_url = "{server.url}/v1"\n')
        yield run


def with_questions(record: dict[str, Any], *questions: str) -> dict[str, Any]:
    """Return the record with other questions and no answers."""
    return {**record, "annotation": {"dialogue_break": list(questions)}}


def read(quaestor: Quaestor, line: str) -> Any:
    outcome = quaestor(f"{line} --json")
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


RUN = "run pages.json --solver agent --model scripted"


def test_the_percentage_change_of_the_net_cash_from_operating_activities(quaestor: Quaestor) -> None:
    assert quaestor(RUN).code == 0
    turn = f"latest Single_{CASH_FLOWS}-1 1"
    record = read(quaestor, f"runs turn {turn}")
    assert round(Decimal(record["number"]), 4) == Decimal("0.1414")
    assert record["verified"]
    assert record["program"] == "subtract(206588, 181001), divide(#0, 181001)"
    understood, *calls, claimed = record["events"]
    lookups = [CALLS[CHANGE][0].arguments]
    assert understood == {"reading": {**UNDERSTANDINGS[CHANGE], "lookups": lookups}, "kind": "understood"}
    assert [(call["kind"], call["call"]) for call in calls] == [("tool_called", number) for number in (1, 2, 3)]
    assert {name: value for name, value in claimed.items() if value is not None} == {
        "value": "14.14", "scale": "percent", "steps": [3], "kind": "answer_claimed",
    }  # fmt: skip
    done = [(call["tool"], call["input"]) for call in record["tool_calls"]]
    assert done == [(call.tool, call.arguments) for call in CALLS[CHANGE][:3]]
    assert [call["output"].get("value") for call in record["tool_calls"][:2]] == [181001, 206588]
    prompts = read(quaestor, f"runs prompts {turn}")
    assert [prompt["phase"] for prompt in prompts] == [
        "ANSWER_iteration_1", "ANSWER_iteration_2", "ANSWER_iteration_3", "ANSWER_iteration_4",
    ]  # fmt: skip
    assert all(CHANGE in prompt["prompt"] for prompt in prompts)
    shown = quaestor(f"runs turn {turn}").out
    for text in (
        "claimed: 14.14 percent (steps 3)",
        "percentage_change",
        "the percentage change in net cash",
        "181001",
        "14.1",
    ):
        assert text in shown, text
    assert "ANSWER_iteration_4" in quaestor(f"runs prompts {turn}").out
    assert read(quaestor, "runs show latest")["spec"]["prompts"]


def test_three_turns_about_stock_options(quaestor: Quaestor) -> None:
    assert quaestor(RUN).code == 0
    conversation = f"Single_{OPTIONS}-1"
    records = [read(quaestor, f"runs turn latest {conversation} {turn}") for turn in (1, 2, 3)]
    assert [record["number"] for record in records] == ["48.65", "33.20", "15.45"]
    assert all(record["verified"] for record in records)
    assert [[call["tool"] for call in record["tool_calls"]] for record in records] == [
        ["query_kg"], ["query_kg"], ["calculate"],
    ]  # fmt: skip
    # The numbers were looked up in earlier turns and are reused with their cells.
    assert len(records[2]["sources"]) == 2
    assert records[2]["program"] == "subtract(48.65, 33.20)"
    for record, question in zip(records, PRICES, strict=True):
        assert record["events"][0]["reading"]["description"] == UNDERSTANDINGS[question]["description"]
    prompt = read(quaestor, f"runs prompts latest {conversation} 3")[0]["prompt"]
    assert f"1. Question: {PRICES[0]}" in prompt
    assert "Answer (#-2): 48.65" in prompt


@pytest.mark.slow
def test_a_recorded_run_replays_to_the_byte_without_a_server(quaestor: Quaestor, tmp_path: Path) -> None:
    assert quaestor(f"{RUN} --record tape.json").code == 0
    first = stored_records(quaestor)
    (tmp_path / "quaestor.toml").write_text('[models.scripted]\nbase_url = "http://127.0.0.1:9/v1"\n')
    outcome = quaestor(f"{RUN} --replay tape.json")
    assert outcome.code == 0, outcome.err
    assert stored_records(quaestor) == first


def stored_records(quaestor: Quaestor) -> bytes:
    """Return all stored records of the latest run, without its id, times and durations."""
    found = []
    for conversation, turns in ((f"Single_{CASH_FLOWS}-1", 1), (f"Single_{OPTIONS}-1", 3)):
        for turn in range(1, turns + 1):
            record = read(quaestor, f"runs turn latest {conversation} {turn}")
            for call in record["tool_calls"]:
                del call["seconds"], call["started"]
            found += [record, *read(quaestor, f"runs prompts latest {conversation} {turn}")]
    for record in found:
        for volatile in ("run", "started", "finished"):
            del record[volatile]
    return json.dumps(found).encode()
