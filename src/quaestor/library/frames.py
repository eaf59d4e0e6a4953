"""Answers as a frame, in pandas or in polars: the same columns, of the same types, whatever the answers are.

An exact decimal is text there: it has as many digits as it has, and frames have no type of both libraries that holds
them (polars' decimals end at 38 digits, a quotient beside an amount in dollars needs more).
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from quaestor.conversation.answer import Answer
from quaestor.conversation.display import ShownSource, arithmetic, show_number
from quaestor.conversation.turn import Turn
from quaestor.extras import require_extra

if TYPE_CHECKING:
    import pandas
    import polars

COLUMNS = {
    "question": str,
    "answer": str,
    "kind": str,
    "number": float,
    "exact": str,
    "scale": str,
    "unit": str,
    "formula": str,
    "sources": str,
    "confidence": float,
    "verified": bool,
    "reason": str,
}
"""The columns and their types. If there is no value all but `question`, `answer`, `kind`, `scale`, `sources` and
`verified` are missing: no number of words or of a list, no formula of what is looked up.

`answer` is for people, rounded; `number` is a float; `exact` has all digits of the same, as decimal text. Both are in
units of `scale`: a `13.7 %` of the page is 13.7 with `percent`, a computed ratio or percentage change is a fraction.
`sources` are the places with what is printed there, with `; ` between them."""

Value = str | float | bool | None


class Answered(Protocol):
    """What rows are made of."""

    @property
    def turn(self) -> Turn:
        """Question and answer."""

    @property
    def sources(self) -> tuple[ShownSource, ...]:
        """Where the numbers are."""


def pandas_frame(answers: Iterable[Answered]) -> "pandas.DataFrame":
    """Return answers as a pandas frame.

    Raises:
        SettingsError: pandas is not installed.
    """
    require_extra("pandas", "a pandas frame")
    import pandas

    types = {str: "str", float: "float64", bool: "bool"}
    columns = _columns(answers)
    return pandas.DataFrame({name: pandas.Series(columns[name], dtype=types[kind]) for name, kind in COLUMNS.items()})


def polars_frame(answers: Iterable[Answered]) -> "polars.DataFrame":
    """Return answers as a polars frame.

    Raises:
        SettingsError: polars is not installed.
    """
    require_extra("polars", "a polars frame")
    import polars

    types = {str: polars.String, float: polars.Float64, bool: polars.Boolean}
    return polars.DataFrame(_columns(answers), schema={name: types[kind] for name, kind in COLUMNS.items()})


def _columns(answers: Iterable[Answered]) -> dict[str, list[Value]]:
    columns: dict[str, list[Value]] = {name: [] for name in COLUMNS}
    for answered in answers:
        for name, value in _row(answered).items():
            columns[name].append(value)
    return columns


def _row(answered: Answered) -> dict[str, Value]:
    turn, answer = answered.turn, answered.turn.answer
    return {
        "question": turn.question,
        "answer": show_number(answer),
        "kind": answer.kind,
        "number": _float(answer),
        "exact": None if answer.number is None else f"{answer.number:f}",
        "scale": answer.scale.value,
        "unit": answer.unit,
        "formula": arithmetic(answer) or None,
        "sources": "; ".join(f"{source.place}: {source.span}" for source in answered.sources),
        "confidence": answer.confidence,
        "verified": turn.verified,
        "reason": turn.error or answer.reason,
    }


def _float(answer: Answer) -> float | None:
    return None if answer.number is None else float(answer.number)
