import pytest
from pydantic import TypeAdapter, ValidationError

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
def test_errors_of_a_union_are_those_of_the_nearest_type(value: object, places: list[str]) -> None:
    given = {"values": {"A": value}}
    with pytest.raises(ValidationError) as caught:
        VALUES.validate_python(given)
    assert [place for place, _ in read_faults(caught.value.errors(), given)] == places
