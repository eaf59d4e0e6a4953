from itertools import combinations

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
