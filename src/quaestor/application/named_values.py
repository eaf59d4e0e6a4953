"""The values that names of a formula can refer to, as strictly validated and bounded dataclasses."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field

MOST_VALUES = 50
"""The maximum number of named values in a formula."""

LONGEST_NUMBER = 60
"""The maximum number of characters in a given number."""

_Words = Annotated[str, Field(min_length=1, max_length=500, strict=True)]
# Strict per field, because a strict dataclass would not accept a dict parsed from JSON.
_CLOSED = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class CellValue:
    """The number of a cell.

    Attributes:
        row: The label of its row, or words of it; of a table turned round, of its column.
        column: The other label, or a year.
        table: The place of its table in the document, from 0; None if the labels say it.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED
    row: Annotated[_Words, Field(description="Label of its row.")]
    column: Annotated[str, Field(max_length=500, strict=True, description="Label of its column, or a year.")] = ""
    table: Annotated[
        int | None,
        Field(ge=0, strict=True, description="Index of its table, from 0, if the labels match several tables."),
    ] = None


@dataclass(frozen=True, slots=True)
class TextValue:
    """A number of the text.

    Attributes:
        words: Words of a sentence as they stand there, the number among them and no other number.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED
    words: Annotated[_Words, Field(description="Words of a sentence, verbatim, including the number.")]


@dataclass(frozen=True, slots=True)
class EarlierValue:
    """The answer of an earlier turn.

    Attributes:
        turn: Its place in the conversation, from 1.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED
    turn: Annotated[int, Field(ge=1, strict=True, description="Number of the turn in the conversation, from 1.")]


@dataclass(frozen=True, slots=True)
class GivenValue:
    """A number that is in no document.

    Attributes:
        number: As a table would print it: `365`, `5.3 million`, `15 %`.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED
    number: Annotated[
        str,
        Field(
            min_length=1, max_length=LONGEST_NUMBER, strict=True, description="For example 365, 5.3 million or 15 %."
        ),
    ]


NamedValue = CellValue | TextValue | EarlierValue | GivenValue
NamedValues = dict[Annotated[str, Field(min_length=1, max_length=80)], NamedValue]
