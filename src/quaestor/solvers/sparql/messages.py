"""What the model gives back in the two phases, as types: the values that it needs, and the formula over them.

Lenient where a reply can still be understood: the values may be a list or an object by their names, and one of them may
be its query, `result_3` or a number alone. Where a question asks for a number a model is told `NumberValues`, a part of
`WantedValues`; what it writes is read as the whole.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, ConfigDict, Field

from quaestor.conversation.events import NoAnswerReason
from quaestor.llm.structured.schema import UNTOLD
from quaestor.solvers.answering import NumberSilence
from quaestor.solvers.explaining import WrittenSentences, WrittenVerdict

VALUES = "name_values"
"""The output of the first phase."""

FORMULA = "write_formula"
"""The output of the second phase."""

MOST_VALUES = 24


def _in_full(value: object) -> object:
    """Return a value that is written in short as it is written in full."""
    if isinstance(value, str):
        return {"result" if value.strip().startswith("result") else "sparql": value}
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {"constant": value}
    return value


def _as_list(values: object) -> object:
    """Return values by their names as a list of values with names."""
    if not isinstance(values, Mapping):
        return values
    filled = ((name, _in_full(value)) for name, value in values.items())
    return [{"name": name, **value} if isinstance(value, Mapping) else value for name, value in filled]


@dataclass(frozen=True, slots=True)
class WantedNumber:
    """One value: a number of the page, the result of an earlier turn, or a constant."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    name: str
    description: str = ""
    sparql: str | None = None
    result: str | None = None
    constant: float | int | None = None


@dataclass(frozen=True, slots=True)
class WantedValue:
    """One value: a number, several with their labels, or words of the page; an earlier result, or a constant."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    name: str
    description: str = ""
    sparql: str | None = None
    cells: str | None = None
    words: str | None = None
    result: str | None = None
    constant: float | int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedValues:
    """What the model needs to answer a question; without values, why there is no answer."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    reasoning: str = ""
    values: Annotated[list[WantedValue], BeforeValidator(_as_list), Field(max_length=MOST_VALUES)]
    answer: str | None = None
    assumption: str | None = None
    no_answer: NumberSilence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberValues:
    """What the model needs to answer a question with a number or yes or no."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    reasoning: str = ""
    values: Annotated[list[WantedNumber], Field(max_length=MOST_VALUES)]
    answer: str | None = None
    no_answer: NumberSilence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """How the answer comes from the values."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    reasoning: str = ""
    formula: str | None
    no_answer: NoAnswerReason | None = None
    explanation: WrittenSentences = None
    verdict: WrittenVerdict = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaAlone:
    """What of a formula a model is told that need not explain."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    reasoning: str = ""
    formula: str | None
    no_answer: NoAnswerReason | None = None
