import pytest
from pydantic import JsonValue

from quaestor.llm.cassette import differences, similarity


@pytest.mark.parametrize(
    ("recorded", "asked", "places"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, ["a"]),
        ({"a": 1}, {"b": 1}, ["b", "a"]),
        ({"m": [{"c": "x"}]}, {"m": [{"c": "y"}]}, ["m[0].c"]),
        ({"m": [1, 2]}, {"m": [1]}, ["m[1]"]),
        ("text", "test", ["body"]),
        ({"a": []}, {"a": [1]}, ["a[0]", "a"]),
        ({"a": 1}, {"a": "1"}, ["a"]),
    ],
)  # fmt: skip
def test_each_place_is_named(recorded: JsonValue, asked: JsonValue, places: list[str]) -> None:
    assert [line.partition(":")[0] for line in differences(recorded, asked)] == places


def test_long_texts_are_shown_from_their_first_difference() -> None:
    (line,) = differences("x" * 500 + "old" + "y" * 500, "x" * 500 + "new" + "y" * 500)
    assert "xxoldyy" in line
    assert "xxnewyy" in line
    assert len(line) < 200


def test_likeness_is_from_nought_to_one() -> None:
    long: JsonValue = {"model": "m", "messages": [{"content": "a" * 100}]}
    assert similarity(long, long) == 1
    assert similarity({"a": "x"}, {"b": "y"}) == 0
    near: JsonValue = {"model": "m", "messages": [{"content": "a" * 90 + "b" * 10}]}
    far: JsonValue = {"model": "m", "messages": [{"content": "c" * 100}]}
    assert similarity(far, long) < similarity(near, long) < 1
