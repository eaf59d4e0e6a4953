"""What a model is told of a reply is shorter than what is on record, and says the same."""

from pydantic import JsonValue
from toolboxes import CASH_FLOWS, toolbox

from quaestor.solvers.agent.shortening import shorten

CASH = "net_cash_from_operating_activities"


def test_places_and_what_was_asked_are_left_out_and_steps_stay() -> None:
    box = toolbox(CASH_FLOWS)
    found = shorten(box.call("query_kg", {"property": CASH, "filters": {"year": [2008, 2009]}}))
    assert found["count"] == 2
    assert [(shown["value"], shown["step"]) for shown in found["values"]] == [(181001, 1), (206588, 2)]  # type: ignore[index,union-attr,call-overload]
    assert "source" not in str(found)


def test_an_operand_that_was_typed_says_where_it_was_found() -> None:
    box = toolbox(CASH_FLOWS)
    found = shorten(box.call("calculate", {"operation": "subtract", "values": [206588, 181001]}))
    assert found["result"] == 25587
    assert found["operands"] == [
        "206588 thousand (page: net cash from operating activities, 2009)",
        "181001 thousand (page: net cash from operating activities, 2008)",
    ]
    assert "operands" not in shorten(box.call("calculate", {"operation": "subtract", "values": ["#2", "#1"]}))


def test_a_refusal_is_told_whole_but_for_places() -> None:
    refusal = shorten(toolbox(CASH_FLOWS).call("query_kg", {"property": CASH}))
    assert "3" in str(refusal["error"])
    assert [sorted(shown) for shown in refusal["candidates"]] == [["filters", "label", "printed", "step"]] * 3  # type: ignore[union-attr,arg-type]


def test_zero_and_no_are_told() -> None:
    box = toolbox(CASH_FLOWS)
    assert shorten(box.call("calculate", {"operation": "subtract", "values": [181001, 181001]}))["result"] == 0
    assert shorten(box.call("calculate", {"operation": "greater", "values": [181001, 206588]}))["result"] is False


def test_sentences_are_told_with_their_names() -> None:
    reply: dict[str, JsonValue] = {
        "success": True,
        "sentences": [{"sentence": "It rose.", "mentions": []}],
        "text": "It rose. It rose by 5. So.",
    }
    found = shorten(reply, {"It rose.": "p1", "It rose": "p2", "It rose by 5.": "p3"})
    assert found == {
        "sentences": [{"sentence": "p1: It rose.", "mentions": []}],
        "text": "p1: It rose. p3: It rose by 5. So.",
    }
    assert shorten(reply)["text"] == "It rose. It rose by 5. So."
