"""Six turns about a share and an index: "this change" is first that of the share and later that of the index."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from command_line import Quaestor, command_line
from model_server import ModelServer
from oracle import question_of
from sparql_bench import formula, is_calculation, values

from quaestor.sample import sample_path
from quaestor.testing.models import ReceivedRequest, Reply, structured

CONVERSATION = "Single_TAMR/2009/page_24.pdf-1"
SHARE, INDEX = "tamarin_freight_lines", "continental_600_index"


def performance(of: str, year: int) -> str:
    return f"SELECT ?value WHERE {{ kg:StockPerformance_{year} kg:{of} ?value }}"


QUESTIONS = tuple(
    next(record for record in json.loads(sample_path().read_text("utf-8")) if record["id"] == CONVERSATION)[
        "annotation"
    ]["dialogue_break"]
)

REPLIES: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    (
        values(share_2004=performance(SHARE, 2004), share_2009=performance(SHARE, 2009)),
        formula("share_2009 - share_2004"),
    ),
    (values(change="result_0", share_2004=performance(SHARE, 2004)), formula("change / share_2004")),
    (values(index_2009=performance(INDEX, 2009)), formula("index_2009")),
    (values(index_2004=performance(INDEX, 2004), index_2009="result_2"), formula("index_2009 - index_2004")),
    # The words do not say which change is meant; a model that uses the prompt's resolution is right.
    (values(change="THE CHANGE", index_2004=performance(INDEX, 2004)), formula("change / index_2004")),
    (values(of_index="result_4", of_share="result_1"), formula("of_index - of_share")),
)


def model(request: ReceivedRequest) -> Reply:
    """Reply to each of the six questions; "this change" is replaced with the result that the prompt names."""
    first, second = REPLIES[QUESTIONS.index(question_of(request))]
    if is_calculation(request):
        return structured(request, second)
    prompt = request.prompts[0]
    match = re.search(r'(result_\d+) \("this change"', prompt)
    register = match[1] if match else ""
    return structured(request, json.loads(json.dumps(first).replace("THE CHANGE", register)))


@pytest.fixture
def quaestor(
    local_models: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Quaestor]:
    """Yield the command line in a folder with `[models.scripted]` and a run of the conversation."""
    run = command_line(tmp_path, monkeypatch, capfd, columns=200)
    records = [r for r in json.loads(sample_path().read_text(encoding="utf-8")) if r["id"] == CONVERSATION]
    (tmp_path / "pages.json").write_text(json.dumps(records), encoding="utf-8")

    with ModelServer(model) as server:
        (tmp_path / "quaestor.toml").write_text(f'[models.scripted]\nbase_url = "{server.url}/v1"\n')
        outcome = run("run pages.json --solver sparql --model scripted")
        assert outcome.code == 0, outcome.err
        yield run


def turn(quaestor: Quaestor, place: int) -> dict[str, Any]:
    outcome = quaestor(f"runs turn latest {CONVERSATION} {place + 1} --json")
    assert outcome.code == 0, outcome.err
    record: dict[str, Any] = json.loads(outcome.out)
    return record


def test_six_turns_about_a_share_and_an_index(quaestor: Quaestor) -> None:
    turns = [turn(quaestor, place) for place in range(6)]
    assert [Decimal(t["number"]) for t in turns] == [
        Decimal(number) for number in ("-18.13", "-0.1813", "101.93", "1.93", "0.0193", "0.2006")
    ]
    assert all(t["verified"] and not t["error"] for t in turns)
    # The fifth turn uses the index only, the sixth both.
    rows = [{source["row"] for source in t["sources"]} for t in turns]
    assert [len(found) for found in rows] == [1, 1, 1, 1, 1, 2]
    assert rows[4] == rows[2] != rows[0]
    assert turns[4]["program"] == "subtract(101.93, 100.00), divide(#0, 100.00)"


@pytest.mark.slow
def test_meaning_of_this_change_is_shown_with_its_reason(quaestor: Quaestor) -> None:
    assert candidates_of(turn(quaestor, 1), "this change")[0]["turn"] == 0
    assert candidates_of(turn(quaestor, 4), "this change")[0]["turn"] == 3
    shown = quaestor(f"runs turn latest {CONVERSATION} 5").out
    assert '"this change"' in shown
    assert "turn 4" in shown
    assert candidates_of(turn(quaestor, 4), "this change")[0]["reason"] in " ".join(shown.split())
    assert set(turn(quaestor, 5)["references"]["sets"][0]["turns"]) == {1, 4}


def candidates_of(record: dict[str, Any], words: str) -> list[dict[str, Any]]:
    found = next(e for e in record["references"]["expressions"] if e["text"] == words)
    candidates: list[dict[str, Any]] = found["candidates"]
    return candidates
