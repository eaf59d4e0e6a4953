import pytest
from html_pages import page_of, select, text
from lxml import html
from starlette.testclient import TestClient


@pytest.fixture
def address(client: TestClient, runs: tuple[str, ...]) -> str:
    first = select(page_of(client, f"/runs/{runs[0]}"), "table.turns tbody th a")[0].get("href")
    assert first is not None
    return f"/runs/{runs[0]}/graph/{first.split('/', 5)[5]}"


def test_the_graph_of_a_page_is_walked_by_links(client: TestClient, address: str) -> None:
    page = page_of(client, address)
    walked = select(page, "#node a")[0].get("href")
    assert walked is not None
    page = page_of(client, walked)
    assert text(select(page, "#node code")[0]) == "doc:table_0"
    onwards = select(page, "ul.leads a")
    assert onwards
    back = select(page_of(client, str(onwards[0].get("href"))), "ul.leads a")
    assert "doc:table_0" in [link.get("data-node") for link in back]


def test_list_and_drawing_show_part_of_the_graph(client: TestClient, address: str) -> None:
    part = client.get(f"{address}?node=doc:table_0", headers={"HX-Request": "true"})
    assert "<html" not in part.text
    names = [link.get("data-node") for link in select(html.fragment_fromstring(f"<div>{part.text}</div>"), "a")]
    drawn = client.get(f"{address.replace('/graph/', '/network/')}?node=doc:table_0").json()
    assert drawn["focus"] == "doc:table_0"
    assert {node["id"] for node in drawn["nodes"]} == {"doc:table_0", *filter(None, names)}
    assert all({edge["source"], edge["target"]} <= {node["id"] for node in drawn["nodes"]} for edge in drawn["edges"])


def test_missing_graph_is_one_line(client: TestClient, address: str, runs: tuple[str, ...]) -> None:
    assert client.get(f"{address}?node=doc:nosuch").status_code == 400
    assert client.get(f"/runs/{runs[0]}/graph/no/such/page").status_code in (404, 503)
