"""Types of the model's replies in the two phases: the values that it needs, and the formula over them.

Parsing is lenient: values may be a list or an object by name, and a value may be just a query, `result_3` or a number.
If a question asks for a number, the model gets the smaller schema `NumberValues`; replies are always parsed as
`WantedValues`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, Field

from quaestor.conversation.events import NoAnswerReason
from quaestor.llm.structured.schema import Undescribed
from quaestor.solvers.answering import NumberSilence
from quaestor.solvers.explaining import WrittenSentences, WrittenVerdict

VALUES = "name_values"
"""Name of the output tool of the first phase."""

FORMULA = "write_formula"
"""Name of the output tool of the second phase."""

MOST_VALUES = 24


def _in_full(value: object) -> object:
    """Expand a value written in short form."""
    if isinstance(value, str):
        return {"result" if value.strip().startswith("result") else "sparql": value}
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {"constant": value}
    return value


def _as_list(values: object) -> object:
    """Convert an object of values by name to a list."""
    if not isinstance(values, Mapping):
        return values
    filled = ((name, _in_full(value)) for name, value in values.items())
    return [{"name": name, **value} if isinstance(value, Mapping) else value for name, value in filled]


@dataclass(frozen=True, slots=True)
class WantedNumber(Undescribed):
    """One value: a number of the page, the result of an earlier turn, or a constant."""

    name: str
    description: str = ""
    sparql: str | None = None
    result: str | None = None
    constant: float | int | None = None


@dataclass(frozen=True, slots=True)
class WantedValue(Undescribed):
    """One value: a number, several numbers with labels, text from the page, an earlier result, or a constant."""

    name: str
    description: str = ""
    sparql: str | None = None
    cells: str | None = None
    words: str | None = None
    result: str | None = None
    constant: float | int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedValues(Undescribed):
    """The values that the model needs for an answer; without values, the reason for no answer."""

    reasoning: str = ""
    values: Annotated[list[WantedValue], BeforeValidator(_as_list), Field(max_length=MOST_VALUES)]
    answer: str | None = None
    assumption: str | None = None
    no_answer: NumberSilence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberValues(Undescribed):
    """The values that the model needs for a number or yes or no."""

    reasoning: str = ""
    values: Annotated[list[WantedNumber], Field(max_length=MOST_VALUES)]
    answer: str | None = None
    no_answer: NumberSilence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaAlone(Undescribed):
    """The fields of `Formula` for questions that need no explanation."""

    reasoning: str = ""
    formula: str | None
    no_answer: NoAnswerReason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula(FormulaAlone):
    """The calculation of the answer from the values."""

    explanation: WrittenSentences = None
    verdict: WrittenVerdict = None
