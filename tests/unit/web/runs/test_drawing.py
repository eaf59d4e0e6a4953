from itertools import combinations

import pytest
from html_pages import page_of, select, text
from lxml import html
from starlette.testclient import TestClient

from quaestor.application.plan_steps import PlanNode
from quaestor.web.runs.drawing import HEIGHT, WIDTH, Box, draw, step_words

TAKEN = [PlanNode(f"s{n}", "taken", f"line {n}", str(n)) for n in (1, 2, 3)]
SUM = PlanNode("s4", "operation", "add", "3", ("s1", "s2"))
HUNDRED = PlanNode("c5-1", "constant", "constant", "100")
LAST = PlanNode("s5", "operation", "divide", "3.0 %", ("s4", "c5-1"))
NODES = (*TAKEN[:2], SUM, HUNDRED, LAST)


def apart(one: Box, other: Box) -> bool:
    return abs(one.x - other.x) >= WIDTH or abs(one.y - other.y) >= HEIGHT


def test_boxes_do_not_overlap_and_follow_their_operands() -> None:
    drawing = draw(NODES)
    places = {box.node.key: box for box in drawing.boxes}
    assert all(apart(one, other) for one, other in combinations(drawing.boxes, 2))
    assert all(places[key].x < box.x for box in drawing.boxes for key in box.node.inputs)
    assert all(box.x >= 0 and box.x + WIDTH <= drawing.width for box in drawing.boxes)
    assert all(box.y >= 0 and box.y + HEIGHT <= drawing.height for box in drawing.boxes)
    assert [box.node.key for box in drawing.boxes if box.last] == ["s5"]


def test_constant_is_drawn_directly_before_its_operation() -> None:
    places = {box.node.key: box for box in draw(NODES).boxes}
    assert places["c5-1"].x == places["s4"].x


def test_each_operand_has_a_line_with_its_number() -> None:
    drawing = draw(NODES)
    assert sorted(line.number for line in drawing.lines) == [1, 1, 2, 2]
    assert all(line.path.startswith("M") for line in drawing.lines)
    (line,) = draw((TAKEN[0], PlanNode("s2", "operation", "identity", "1", ("s1",)))).lines
    assert line.number == 0


def test_single_box_is_drawn() -> None:
    drawing = draw(TAKEN[:1])
    assert (len(drawing.boxes), drawing.lines, drawing.boxes[0].last) == (1, (), True)


def test_long_labels_are_cut() -> None:
    box = draw((PlanNode("s1", "taken", "the aggregate amount of\nall lease obligations", "1" * 60),)).boxes[0]
    assert box.title == "the aggregate amount of al…"
    assert len(box.value) == 21
    year = draw((PlanNode("s1", "taken", "net cash from operating activities, 2009"),)).boxes[0]
    assert (year.title, len(year.title)) == ("net cash from operat…, 2009", 27)


def test_steps_are_described_in_words() -> None:
    by_key = {node.key: node for node in NODES}
    assert [step_words(node, by_key) for node in NODES] == [
        "from the document: line 1",
        "from the document: line 2",
        "add: line 1 (1) + line 2 (2)",
        "constant",
        "divide: add (3) \u00f7 100",
    ]


def test_list_entries_are_described_in_one_line() -> None:
    listed = PlanNode("s3", "operation", "items", "1; 2", ("s1", "s2"))
    assert step_words(listed, {node.key: node for node in TAKEN}) == "items: line 1 (1); line 2 (2)"


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
