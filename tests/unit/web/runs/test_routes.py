import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from html_pages import page_of, select, text
from lxml import html
from played_runs import play_sample
from starlette.testclient import TestClient
from store_records import a_run, an_example, some_turns
from web import asking, client_of

from quaestor.store.base import open_store
from quaestor.web.app import create_app


def test_runs_are_listed_with_their_scores(client: TestClient, runs: tuple[str, ...]) -> None:
    page = page_of(client, "/runs")
    rows = select(page, "table.runs tbody tr")
    assert [select(row, "th a")[0].text for row in rows] == list(reversed(runs))
    assert "complete" in text(rows[0])
    assert "sample.json" in text(rows[0])
    assert text(select(rows[0], "strong")[0]).endswith("%")
    assert " to " in text(rows[0])


def test_runs_are_filtered_by_their_address(client: TestClient) -> None:
    assert len(select(page_of(client, "/runs?solver=embedded&state=complete"), "table.runs tbody tr")) == 2
    assert "No run is like that." in text(page_of(client, "/runs?solver=agent"))
    answered = client.get("/runs?state=asleep")
    assert (answered.status_code, "'asleep' is no state" in text(html.fromstring(answered.text))) == (
        400,
        True,
    )


def test_an_empty_store_says_how_a_run_is_made(tmp_path: Path) -> None:
    with client_of(create_app(asking(tmp_path))) as client:
        assert "No run is kept yet." in text(page_of(client, "/runs"))


def test_a_run_shows_its_scores_and_all_its_turns(client: TestClient, runs: tuple[str, ...]) -> None:
    page = page_of(client, f"/runs/{runs[1]}")
    assert text(select(page, "h1")[0]) == runs[1]
    assert {"execution accuracy", "program accuracy"} <= {text(cell) for cell in select(page, "table.scores th")}
    rows = select(page, "table.turns tbody tr")
    shown = {text(select(row, "[role=cell]")[0]) for row in rows}
    assert "no answer" in shown
    by_turn = select(select(page, "table.breakdown")[0], "tbody tr")
    turns = sum(int(text(row).rsplit("/", 1)[1]) for row in by_turn)
    assert turns == len(rows) > 3


@pytest.mark.parametrize(
    ("query", "shows"),
    [
        ("verdict=wrong", "wrong"),
        ("verdict=right", "right"),
        ("kind=none", "no answer"),
        ("cause=no+answer", "no answer"),
        ("turn=1", "turn 1"),
        ("operation=lookup", "lookup"),
    ],
)
def test_turns_are_filtered_by_their_address(client: TestClient, runs: tuple[str, ...], query: str, shows: str) -> None:
    all_of_them = select(page_of(client, f"/runs/{runs[1]}"), "table.turns tbody tr")
    found = select(page_of(client, f"/runs/{runs[1]}?{query}"), "table.turns tbody tr")
    assert 0 < len(found) < len(all_of_them)
    assert all(shows in text(row) for row in found)


def test_the_confidence_is_a_range_in_percent(client: TestClient, runs: tuple[str, ...]) -> None:
    def sure(query: str) -> list[str]:
        rows = select(page_of(client, f"/runs/{runs[0]}?{query}"), "table.turns tbody tr")
        return [text(select(row, ".sure")[0]) for row in rows]

    ordered = sure("order=confidence")
    assert len(ordered) == len(sure("from=0&to=100"))
    assert len(sure("from=90")) + len(sure("to=89.9")) == len(ordered)
    answered = client.get(f"/runs/{runs[0]}?from=much")
    assert (answered.status_code, "percentage from 0 to 100" in answered.text) == (400, True)


@pytest.mark.parametrize(
    "query", ["page=0", "page=-1", "page=x", "page=99999999999999999999", "order=backwards", "cause=bad+luck"]
)
def test_what_is_no_address_of_a_list_is_refused(client: TestClient, runs: tuple[str, ...], query: str) -> None:
    assert client.get(f"/runs/{runs[0]}?{query}").status_code == 400


def test_a_page_beyond_the_last_is_empty(client: TestClient, runs: tuple[str, ...]) -> None:
    page = page_of(client, f"/runs/{runs[0]}?page=900")
    assert select(page, "table.turns") == []


def test_an_unknown_run_is_not_found(client: TestClient) -> None:
    answered = client.get("/runs/20200101-000000-nobody-0000")
    assert (answered.status_code, "has no run" in answered.text) == (404, True)


def test_a_running_one_says_how_far_it_is_and_asks_again(tmp_path: Path) -> None:
    run = a_run(conversations=4)

    async def begin() -> None:
        async with open_store(str(tmp_path / "runs.db")) as store:
            await store.create_run(run)
            await store.complete_example(an_example(run), some_turns(run))
            await store.begin_example(an_example(run, "c2", "pending", 0))

    async def end() -> None:
        async with open_store(str(tmp_path / "runs.db")) as store:
            await store.finish_run(run.id, "stopped", run.started)

    asyncio.run(begin())
    with client_of(create_app(asking(tmp_path))) as client:
        for address in ("/runs", f"/runs/{run.id}"):
            found = select(page_of(client, address), ".progress")[0]
            assert "1 of 4 conversations" in text(found)
            assert found.get("hx-get") == f"/runs/{run.id}/progress"
        assert "1 of 4" in text(page_of(client, f"/runs/{run.id}/progress"))
        asyncio.run(end())
        part = client.get(f"/runs/{run.id}/progress", headers={"HX-Request": "true"})
        found = html.fragment_fromstring(part.text)
        assert found.get("hx-get") is None
        assert "It has ended" in text(found)


def test_what_a_run_holds_is_shown_as_text(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>\"'&\u202e"
    run = replace(a_run(), dataset=f"/home/me/{hostile.replace('/', '')}.json")

    async def write() -> None:
        async with open_store(str(tmp_path / "runs.db")) as store:
            await store.create_run(run)
            turns = [replace(turn, question=hostile) for turn in some_turns(run, hostile)]
            await store.complete_example(an_example(run, hostile), turns)

    asyncio.run(write())
    with client_of(create_app(asking(tmp_path))) as client:
        for address in ("/runs", f"/runs/{run.id}", f"/runs/{run.id}?q=%3Cscript"):
            shown = client.get(address).text
            assert "<script>alert" not in shown
            assert "\u202e" not in shown
            assert "/home/me" not in shown


def test_the_references_of_a_run_are_read_again(client: TestClient, runs: tuple[str, ...]) -> None:
    for _ in range(2):
        page = page_of(client, f"/runs/{runs[0]}/references")
        captions = [text(caption) for caption in select(page, "caption")]
        assert captions == ["By turn", "By operation", "By origin", "By conversation"]


def test_a_run_without_a_score_shows_no_references(tmp_path: Path) -> None:
    (run,) = play_sample(tmp_path / "runs.db", 1, scored=False)
    with client_of(create_app(asking(tmp_path))) as client:
        page = page_of(client, f"/runs/{run}/references")
        assert "was not scored" in text(page)
        assert select(page, "table") == []
