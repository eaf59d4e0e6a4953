import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from html_pages import page_of, select, text
from lxml import html
from played_runs import run_sample
from starlette.testclient import TestClient
from web import asking, client_of

from quaestor.store.base import open_store
from quaestor.testing.store_records import make_example, make_run, make_turns
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
    assert select(page_of(client, "/runs?solver=agent"), "p.empty")
    answered = client.get("/runs?state=asleep")
    assert (answered.status_code, "asleep" in answered.text) == (400, True)


def test_empty_store_explains_how_to_create_a_run(tmp_path: Path) -> None:
    with client_of(create_app(asking(tmp_path))) as client:
        assert select(page_of(client, "/runs"), "section.empty")


def test_a_run_shows_its_scores_and_all_its_turns(client: TestClient, runs: tuple[str, ...]) -> None:
    page = page_of(client, f"/runs/{runs[1]}")
    assert text(select(page, "h1")[0]) == runs[1]
    assert len(select(page, "table.scores tbody tr")) >= 2
    rows = select(page, "table.turns tbody tr")
    assert "none" in {row.get("data-kind") for row in rows}
    by_turn = select(select(page, "table.breakdown")[0], "tbody tr")
    turns = sum(int(text(row).rsplit("/", 1)[1]) for row in by_turn)
    assert turns == len(rows) > 3


@pytest.mark.parametrize(
    ("query", "shows"),
    [
        ("verdict=wrong", "tr .verdict.wrong"),
        ("verdict=right", "tr .verdict.right"),
        ("kind=none", "tr[data-kind=none]"),
        ("cause=no+answer", "tr .cause"),
        ("turn=1", "tr[data-turn=1]"),
        ("operation=lookup", "tr[data-operation=lookup]"),
    ],
)
def test_turns_are_filtered_by_their_address(client: TestClient, runs: tuple[str, ...], query: str, shows: str) -> None:
    all_of_them = select(page_of(client, f"/runs/{runs[1]}"), "table.turns tbody tr")
    page = page_of(client, f"/runs/{runs[1]}?{query}")
    found = select(page, "table.turns tbody tr")
    assert 0 < len(found) < len(all_of_them)
    assert len(select(page, f"table.turns tbody {shows}")) == len(found)


def test_the_confidence_is_a_range_in_percent(client: TestClient, runs: tuple[str, ...]) -> None:
    def sure(query: str) -> list[str]:
        rows = select(page_of(client, f"/runs/{runs[0]}?{query}"), "table.turns tbody tr")
        return [text(select(row, ".sure")[0]) for row in rows]

    ordered = sure("order=confidence")
    assert len(ordered) == len(sure("from=0&to=100"))
    assert len(sure("from=90")) + len(sure("to=89.9")) == len(ordered)
    answered = client.get(f"/runs/{runs[0]}?from=much")
    assert (answered.status_code, "much" in answered.text) == (400, True)


@pytest.mark.parametrize(
    "query", ["page=0", "page=-1", "page=x", "page=99999999999999999999", "order=backwards", "cause=bad+luck"]
)
def test_invalid_list_address_is_refused(client: TestClient, runs: tuple[str, ...], query: str) -> None:
    assert client.get(f"/runs/{runs[0]}?{query}").status_code == 400


def test_a_page_beyond_the_last_is_empty(client: TestClient, runs: tuple[str, ...]) -> None:
    page = page_of(client, f"/runs/{runs[0]}?page=900")
    assert select(page, "table.turns") == []


def test_an_unknown_run_is_not_found(client: TestClient) -> None:
    assert client.get("/runs/20200101-000000-nobody-0000").status_code == 404


def test_running_run_shows_progress_and_refreshes(tmp_path: Path) -> None:
    run = make_run(conversations=4)

    async def begin() -> None:
        async with open_store(str(tmp_path / "runs.db")) as store:
            await store.create_run(run)
            await store.complete_example(make_example(run), make_turns(run))
            await store.begin_example(make_example(run, "c2", "pending", 0))

    async def end() -> None:
        async with open_store(str(tmp_path / "runs.db")) as store:
            await store.finish_run(run.id, "stopped", run.started)

    asyncio.run(begin())
    with client_of(create_app(asking(tmp_path))) as client:
        for address in ("/runs", f"/runs/{run.id}"):
            found = select(page_of(client, address), ".progress")[0]
            bar = select(found, "progress")[0]
            assert (bar.get("value"), bar.get("max")) == ("1", "4")
            assert found.get("hx-get") == f"/runs/{run.id}/progress"
        asyncio.run(end())
        part = client.get(f"/runs/{run.id}/progress", headers={"HX-Request": "true"})
        found = html.fragment_fromstring(part.text)
        assert found.get("hx-get") is None
        assert select(found, f"a[href=/runs/{run.id}]")


def test_content_of_a_run_is_escaped(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>\"'&\u202e"
    run = replace(make_run(), dataset=f"/home/me/{hostile.replace('/', '')}.json")

    async def write() -> None:
        async with open_store(str(tmp_path / "runs.db")) as store:
            await store.create_run(run)
            turns = [replace(turn, question=hostile) for turn in make_turns(run, hostile)]
            await store.complete_example(make_example(run, hostile), turns)

    asyncio.run(write())
    with client_of(create_app(asking(tmp_path))) as client:
        for address in ("/runs", f"/runs/{run.id}", f"/runs/{run.id}?q=%3Cscript"):
            shown = client.get(address).text
            assert "<script>alert" not in shown
            assert "\u202e" not in shown
            assert "/home/me" not in shown


def test_references_of_a_run_are_read_from_its_file(client: TestClient, runs: tuple[str, ...]) -> None:
    for _ in range(2):
        page = page_of(client, f"/runs/{runs[0]}/references")
        captions = [text(caption) for caption in select(page, "caption")]
        assert len(captions) == 4


def test_a_run_without_a_score_shows_no_references(tmp_path: Path) -> None:
    (run,) = run_sample(tmp_path / "runs.db", 1, scored=False)
    with client_of(create_app(asking(tmp_path))) as client:
        page = page_of(client, f"/runs/{run}/references")
        assert select(page, "p.empty")
        assert select(page, "table") == []
