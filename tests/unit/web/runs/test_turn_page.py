import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from html_pages import page_of, select, text
from pydantic import JsonValue
from starlette.testclient import TestClient
from web import asking, client_of

from quaestor.store.base import open_store
from quaestor.testing.score_rules import make_score
from quaestor.testing.store_records import START, make_example, make_prompt, make_run, make_turns
from quaestor.web.app import create_app
from quaestor.web.runs.words import answerer, duration, figures, model_name


def first_turns(client: TestClient, run: str) -> list[str]:
    rows = select(page_of(client, f"/runs/{run}"), "table.turns tbody tr")
    return [select(row, "th a")[0].get("href") for row in rows]


def test_a_turn_shows_its_answer_its_plan_and_its_reference(client: TestClient, runs: tuple[str, ...]) -> None:
    address = first_turns(client, runs[0])[1]
    page = page_of(client, address)
    assert select(page, "h1")
    assert text(select(page, ".reference .big")[0])
    assert select(page, "svg .box")
    assert len(select(page, "ol.plan-steps li")) == len(select(page, "svg g.box"))
    assert select(page, ".sources li")
    assert [link.get("rel") for link in select(page, "nav.conversation .button")] == ["prev", "next"]
    assert select(page, "nav.conversation a[aria-current=page]")


@pytest.mark.slow
def test_every_turn_of_a_run_can_be_shown(client: TestClient, runs: tuple[str, ...]) -> None:
    for address in first_turns(client, runs[1]):
        assert text(select(page_of(client, address), "h1")[0])


def test_a_turn_that_is_not_there_is_not_found(client: TestClient, runs: tuple[str, ...]) -> None:
    address = first_turns(client, runs[0])[0]
    assert client.get(address.replace("/turns/1/", "/turns/999/")).status_code == 404
    assert client.get(f"/runs/{runs[0]}/turns/1/no/such/page.pdf").status_code == 404
    assert client.get(f"/runs/{runs[0]}/turns/x/page.pdf").status_code == 422


def test_calls_requests_and_trace_are_shown_below(tmp_path: Path) -> None:
    run = make_run()
    odd = 'c 1/"ä<b>'
    answer: dict[str, JsonValue] = {"value": "1.50", "scale": "one", "confidence": 0.5, "grounds": "<i>because</i>"}
    turns = [replace(turn, answer=answer, references={}, registers=[]) for turn in make_turns(run, odd)]

    async def write() -> None:
        async with open_store(str(tmp_path / "runs.db")) as store:
            await store.create_run(run)
            await store.complete_example(make_example(run, odd), [replace(turn, sources=[]) for turn in turns])
            for number in range(3):
                await store.log_prompt(make_prompt(run, odd, 1, number))

    asyncio.run(write())
    with client_of(create_app(asking(tmp_path))) as client:
        page = page_of(client, first_turns(client, run.id)[1])
        assert [text(select(call, "summary code")[0]) for call in select(page, ".call")[:1]] == ["calculate"]
        assert select(page, "ol.trace li")
        exchanges = [text(select(call, "summary")[0]) for call in select(page, ".call")[1:]]
        assert [words.partition(" test:model")[0] for words in exchanges] == [
            "1. understand", "2. answer_1", "3. answer_2",
        ]  # fmt: skip
        assert "ReadTimeout" in exchanges[2]
        assert "<i>because</i>" in text(select(page, ".grounds")[0])
        assert select(page, ".reference") == []


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.02, "20 ms"), (2.04, "2.0 s"), (125, "2 min 5 s"), (7260, "2 h 1 min")]
)
def test_duration_is_formatted(seconds: float, words: str) -> None:
    assert duration(START, START + timedelta(seconds=seconds)) == words
    assert duration(START, None) == ""


def test_model_of_a_run_is_named() -> None:
    assert model_name(make_run()) == ""
    assert model_name(replace(make_run(), spec={"model": {"provider": "test", "model": "m"}})) == "test:m"


def test_solver_of_an_imported_run_is_the_program() -> None:
    assert answerer(make_run()) == make_run().spec["solver"]
    imported = replace(make_run(), kind="import", spec={"solver": "import", "solver_options": {"name": "theirs"}})
    assert "theirs" in answerer(imported)


def test_figures_without_turns_are_omitted() -> None:
    found = figures(make_score(make_run(), {"c1": (True, False)}).score)
    assert [(title, figure.value, figure.pages > 1) for title, figure in found] == [("execution accuracy", 0.5, True)]
