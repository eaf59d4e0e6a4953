"""What the model gives back in the two phases, as types: the values that it needs, and the formula over them.

Owns the names on the wire. Lenient where a reply can still be understood: the values may be a list or an object by
their names, and one of them may be its query, `result_3` or a number alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BeforeValidator, Field

VALUES = "name_values"
"""The output of the first phase."""

FORMULA = "write_formula"
"""The output of the second phase."""

MOST_VALUES = 24


def _filled(value: object) -> object:
    """Returns a value that is written in short as it is written in full."""
    if isinstance(value, str):
        return {"result" if value.strip().startswith("result") else "sparql": value}
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {"constant": value}
    return value


def _listed(values: object) -> object:
    """Returns values by their names as a list of values with names."""
    if not isinstance(values, Mapping):
        return values
    filled = ((name, _filled(value)) for name, value in values.items())
    return [{"name": name, **value} if isinstance(value, Mapping) else value for name, value in filled]


@dataclass(frozen=True, slots=True)
class WantedValue:
    """One value: a number of the page, the result of an earlier turn, or a constant."""

    name: Annotated[str, Field(description="What it holds, as an identifier: net_sales_2008.")]
    description: Annotated[str, Field(description="What it is, in words.")] = ""
    sparql: Annotated[str | None, Field(description="A SELECT query that returns the one number.")] = None
    result: Annotated[str | None, Field(description="An earlier result, such as result_0.")] = None
    constant: Annotated[float | int | None, Field(description="A number that stands on no page, such as 100.")] = None


@dataclass(frozen=True, slots=True)
class WantedValues:
    """What the model needs to answer a question."""

    values: Annotated[
        list[WantedValue],
        BeforeValidator(_listed),
        Field(max_length=MOST_VALUES, description="Each with one of sparql, result and constant."),
    ]
    reasoning: Annotated[str, Field(description="Why these, and what the words that point back mean.")] = ""


@dataclass(frozen=True, slots=True)
class Formula:
    """How the answer comes from the values."""

    formula: Annotated[
        str | None, Field(description="Arithmetic over the names, such as a - b; null where there is no answer.")
    ]
    reasoning: Annotated[str, Field(description="Which rule of calculation it follows.")] = field(default="")
