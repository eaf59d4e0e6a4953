import pytest
from starlette.datastructures import QueryParams

from quaestor.errors import InputError
from quaestor.scores.listing import PairFilter, VerdictFilter
from quaestor.store.listing import ListPage, ListPart, RunFilter, TurnFilter
from quaestor.web.runs.filters import ListRequest, pager, pair_filter, run_filter, turn_filter, verdict_filter


def listed(query: str = "", limit: int = 10) -> ListRequest:
    return ListRequest.of("/runs/r", QueryParams(query), limit)


def test_what_is_empty_asks_for_nothing() -> None:
    asked = listed("q=&verdict=+&from=&page=")
    assert (turn_filter(asked), verdict_filter(asked), pair_filter(asked)) == (
        TurnFilter(),
        VerdictFilter(),
        PairFilter(),
    )
    assert (asked.address(), asked.part) == ("/runs/r", ListPart(0, 10))


def test_an_address_says_what_is_asked_for() -> None:
    asked = listed(
        "q=net+sales&turn=2&from=20&to=60.5&operation=divide&origin=text&kind=number&order=confidence&page=3"
    )
    assert turn_filter(asked) == TurnFilter(
        "net sales", None, 1, "number", "divide", "text", 0.2, 0.605, order="confidence"
    )
    assert asked.part == ListPart(20, 10)
    assert verdict_filter(listed("verdict=wrong&cause=sign")) == VerdictFilter(False, "sign")
    assert pair_filter(listed("outcome=first&answers=differ&q=x")) == PairFilter("first", True, "x")


def test_a_dataset_is_named_without_its_folders() -> None:
    known = ("/a/pages.json", "/b/pages.json", "/b/others.json")
    assert run_filter(listed("dataset=pages.json"), known) == RunFilter(("run", "import"), known[:2])
    assert run_filter(listed("dataset=/a/pages.json"), known) == RunFilter(("run", "import"), ())


def test_another_address_of_a_list_begins_at_its_first_page() -> None:
    asked = listed("q=a%26b&verdict=wrong&page=4")
    assert asked.address(verdict=None) == "/runs/r?q=a%26b"
    assert asked.address(page=5) == "/runs/r?q=a%26b&verdict=wrong&page=5"


@pytest.mark.parametrize(
    ("number", "shown", "first", "last", "previous", "following"),
    [
        (1, 10, 1, 10, None, "/runs/r?page=2"),
        (2, 10, 11, 20, "/runs/r", "/runs/r?page=3"),
        (3, 5, 21, 25, "/runs/r?page=2", None),
        (9, 0, 0, 80, "/runs/r?page=3", None),
    ],
)
def test_the_way_through_the_pages(
    number: int, shown: int, first: int, last: int, previous: str | None, following: str | None
) -> None:
    asked = listed(f"page={number}")
    way = pager(asked, ListPage(tuple(range(shown)), 25, asked.part))
    assert (way.first, way.last, way.previous, way.next) == (first, last, previous, following)


@pytest.mark.parametrize(
    "query", ["from=-1", "from=101", "from=nan", "from=inf", "to=1e999", "turn=0", "turn=²", "order=x"]
)
def test_what_cannot_be_asked_for_is_refused(query: str) -> None:
    with pytest.raises(InputError):
        turn_filter(listed(query))
