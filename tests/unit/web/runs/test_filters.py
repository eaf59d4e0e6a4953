import pytest
from html_pages import page_of, select, text
from starlette.datastructures import QueryParams
from starlette.testclient import TestClient

from quaestor.errors import InputError
from quaestor.scores import PairFilter, VerdictFilter
from quaestor.store.listing import ListPart, RunFilter, TurnFilter
from quaestor.web.runs.filters import ListRequest, PairQuery, RunQuery, TurnQuery, pager


def listed(query: str = "", limit: int = 10) -> ListRequest:
    return ListRequest.of("/runs/r", QueryParams(query), limit)


def test_empty_filter_has_no_effect() -> None:
    listing = listed("q=&verdict=+&from=&page=")
    turns = listing.query(TurnQuery)
    assert (turns.filter, turns.verdicts) == (TurnFilter(), VerdictFilter())
    assert listing.query(PairQuery).filter == PairFilter()
    assert (listing.address(), listing.part) == ("/runs/r", ListPart(0, 10))


def test_filter_is_read_from_the_address() -> None:
    listing = listed(
        "q=net+sales&turn=2&from=20&to=60.5&operation=divide&origin=text&kind=number&order=confidence&page=3"
    )
    assert listing.query(TurnQuery).filter == TurnFilter(
        "net sales", None, 1, "number", "divide", "text", 0.2, 0.605, order="confidence"
    )
    assert listing.part == ListPart(20, 10)
    assert listed("verdict=wrong&cause=sign").query(TurnQuery).verdicts == VerdictFilter(False, "sign")
    assert listed("outcome=first&answers=differ&q=x").query(PairQuery).filter == PairFilter("first", True, "x")


def test_a_dataset_is_named_without_its_folders() -> None:
    known = ("/a/pages.json", "/b/pages.json", "/b/others.json")
    assert listed("dataset=pages.json&state=failed").query(RunQuery).filter(known) == RunFilter(
        None, known[:2], status="failed"
    )
    assert listed("dataset=/a/pages.json").query(RunQuery).filter(known) == RunFilter(None, ())


def test_changed_filter_starts_at_the_first_page() -> None:
    listing = listed("q=a%26b&verdict=wrong&page=4")
    assert listing.address(verdict=None) == "/runs/r?q=a%26b"
    assert listing.address(page=5) == "/runs/r?q=a%26b&verdict=wrong&page=5"


@pytest.mark.parametrize(
    ("number", "shown", "first", "last", "previous", "following"),
    [
        (1, 10, 1, 10, None, "/runs/r?page=2"),
        (2, 10, 11, 20, "/runs/r", "/runs/r?page=3"),
        (3, 5, 21, 25, "/runs/r?page=2", None),
        (9, 0, 0, 80, "/runs/r?page=3", None),
    ],
)
def test_pagination_links(
    number: int, shown: int, first: int, last: int, previous: str | None, following: str | None
) -> None:
    listing = listed(f"page={number}")
    way = pager(listing, listing.part.page(range(shown), 25))
    assert (way.first, way.last, way.previous, way.next) == (first, last, previous, following)


@pytest.mark.parametrize(
    "query", ["from=-1", "from=101", "from=nan", "from=inf", "to=1e999", "turn=0", "turn=²", "order=x"]
)
def test_invalid_filters_are_refused(query: str) -> None:
    with pytest.raises(InputError):
        listed(query).query(TurnQuery)


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
