import pytest
from html_pages import page_of, select, text
from starlette.testclient import TestClient


def test_two_selected_runs_have_a_comparison_address(client: TestClient, runs: tuple[str, ...]) -> None:
    answered = client.get(f"/runs/compare?run={runs[1]}&run={runs[0]}")
    assert (answered.status_code, answered.headers["location"]) == (
        303,
        f"/runs/compare?first={runs[0]}&second={runs[1]}",
    )


@pytest.mark.parametrize("query", ["", "first=x", "run=x", "run=x&run=y&run=z"])
def test_exactly_two_runs_can_be_compared(client: TestClient, query: str) -> None:
    assert client.get(f"/runs/compare?{query}").status_code == 400


def test_every_turn_has_an_outcome(client: TestClient, runs: tuple[str, ...]) -> None:
    page = page_of(client, f"/runs/compare?first={runs[0]}&second={runs[1]}")
    counts = [int(text(count).replace(",", "")) for count in select(page, ".outcomes li strong")]
    total, *outcomes, differ = counts
    assert total == sum(outcomes) == len(select(page, "table.turns tbody tr"))
    assert outcomes[1] > 0
    assert differ == len(select(page, "table.turns tr.differ")) > 0


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("outcome=first", ("right", "wrong")),
        ("outcome=both", ("right", "right")),
    ],
)
def test_turns_are_filtered_by_their_outcome(
    client: TestClient, runs: tuple[str, ...], query: str, texts: tuple[str, str]
) -> None:
    rows = select(page_of(client, f"/runs/compare?first={runs[0]}&second={runs[1]}&{query}"), "table.turns tbody tr")
    assert rows
    for row in rows:
        cells = select(row, "[role=cell]")
        assert (texts[0] in text(cells[1]), texts[1] in text(cells[3])) == (True, True)


def test_a_filter_that_no_turn_passes_shows_none(client: TestClient, runs: tuple[str, ...]) -> None:
    page = page_of(client, f"/runs/compare?first={runs[0]}&second={runs[1]}&q=no+such+words")
    assert select(page, "p.empty")
