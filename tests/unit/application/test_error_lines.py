from decimal import Decimal
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from quaestor.application.error_lines import read_faults
from quaestor.application.named_values import NamedValues

VALUES = TypeAdapter(dict[str, NamedValues])


@pytest.mark.parametrize(
    ("value", "places"),
    [
        ({"row": 1}, ["values.A.row"]),
        ({"turn": "x"}, ["values.A.turn"]),
        ({"row": "sales", "kind": "cell"}, ["values.A.kind"]),
        ({"row": "sales", "table": "x"}, ["values.A.table"]),
        ({"number": None}, ["values.A.number"]),
        (5, ["values.A"]),
    ],
)
def test_of_a_value_of_no_kind_only_the_faults_of_the_nearest_kind_are_named(value: object, places: list[str]) -> None:
    given = {"values": {"A": value}}
    with pytest.raises(ValidationError) as caught:
        VALUES.validate_python(given)
    assert [place for place, _ in read_faults(caught.value.errors(), given)] == places


class _Everything(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str = Field("aa", min_length=2, max_length=5, pattern="a+")
    whole: int = Field(1, ge=0, lt=10)
    share: float = Field(0.5, gt=0, le=1)
    sure: bool = True
    listed: list[int] = Field([1], min_length=1, max_length=2)
    named: dict[Annotated[str, Field(min_length=1)], int] = {}
    kind: Literal["csv", "json"] = "csv"
    values: NamedValues = {}
    inner: "_Needed | None" = None


class _Needed(BaseModel):
    field: Decimal


@pytest.mark.parametrize(
    "given",
    [
        5,
        "x",
        [],
        None,
        {"text": 5},
        {"text": "a"},
        {"text": "a" * 90},
        {"text": "bb"},
        {"whole": "x"},
        {"whole": 1.5},
        {"whole": -1},
        {"whole": 10},
        {"whole": "9" * 5_000},
        {"share": "x"},
        {"share": 0},
        {"share": 2},
        {"share": float("nan")},
        {"sure": "x"},
        {"sure": 7},
        {"listed": 5},
        {"listed": []},
        {"listed": [1, 2, 3]},
        {"listed": [1, "x"]},
        {"named": 5},
        {"named": {"": 1}},
        {"kind": "doc"},
        {"values": {"a": {"turn": 0}}},
        {"values": {"a": "x"}},
        {"inner": 5},
        {"inner": {}},
        {"inner": {"field": "x"}},
        {"inner": {"field": []}},
        {"other": 1},
    ],
)
def test_each_fault_has_a_line_that_is_not_pydantics(given: object) -> None:
    with pytest.raises(ValidationError) as caught:
        _Everything.model_validate(given)
    theirs = {fault["msg"].casefold() for fault in caught.value.errors()}
    found = read_faults(caught.value.errors(), given)
    assert found
    for where, what in found:
        assert what.casefold() not in theirs
        assert what.splitlines() == [what]
        assert len(where) + len(what) < 200


def test_a_fault_says_what_is_expected_and_what_was_given() -> None:
    given = {"whole": -1, "kind": "doc", "text": "a" * 90, "named": {"": 1}, "other": 1}
    with pytest.raises(ValidationError) as caught:
        _Everything.model_validate(given)
    lines = dict(read_faults(caught.value.errors(), given))
    for where, named in {
        "whole": ("0", "-1"),
        "kind": ("json", "doc"),
        "text": ("5", "90"),
        "named.": ("name", "0"),
    }.items():
        assert all(word in lines[where] for word in named), lines[where]
