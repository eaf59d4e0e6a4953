import pytest
from pydantic import JsonValue

from quaestor.llm.cassette import differences


@pytest.mark.parametrize(
    ("recorded", "sent", "places"),
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
def test_each_difference_is_named(recorded: JsonValue, sent: JsonValue, places: list[str]) -> None:
    assert [line.partition(":")[0] for line in differences(recorded, sent)] == places
