"""Questions with their answers, and how the REPL, `rich`, notebooks and data frames show them."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, overload

from quaestor.application.fixing import change_words
from quaestor.conversation.answer import Answer, confidence_words, sources_of
from quaestor.conversation.display import ShownSource, arithmetic, show_number, show_source, turn_html
from quaestor.conversation.turn import Correction, Turn
from quaestor.core.renaming import renamed_attributes, renamed_fields
from quaestor.core.visible import visible
from quaestor.documents.document import Document
from quaestor.extras import require_extra

if TYPE_CHECKING:
    import pandas
    import polars
    from rich.console import RenderableType


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
"""The columns of a data frame and their types.

Without a value, every column except `question`, `answer`, `kind`, `scale`, `sources` and `verified` may be missing:
texts and lists have no number, looked-up values no formula. `answer` is rounded for reading; `number` is a float;
`exact` is the same number with all digits, as decimal text. Both are in units of `scale`: `13.7 %` in the document is
13.7 with `percent`, a computed ratio or percentage change is a fraction. `sources` are the places with their printed
text, separated by `; `.
"""
# `exact` is text because no column type of either library can store all digits of a quotient.


@renamed_attributes(asked="full_question")
@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question with its answer. `print` shows the rounded number, a notebook also shows its sources.

    Attributes:
        turn: The full record of the question, with plan, trace and confidence.
    """

    turn: Turn
    page: Document

    @property
    def question(self) -> str:
        """The question as asked."""
        return self.turn.question

    @property
    def full_question(self) -> str:
        """The whole text that contained the question; longer than `question` only in turns stored by version 0.2."""
        return self.turn.full_question

    @property
    def answer(self) -> Answer:
        """The answer with its exact value, its scale and unit, formula, plan, confidence and sources."""
        return self.turn.answer

    @property
    def number(self) -> Decimal | None:
        """The exact number in units of `answer.scale` (a computed ratio is a fraction); None without one."""
        return self.turn.answer.number

    @property
    def display(self) -> str:
        """The answer with its unit and scale, rounded for reading: `$ 48.65`."""
        return show_number(self.turn.answer)

    @property
    def sources(self) -> tuple[ShownSource, ...]:
        """The sources of the numbers, each with the text of its cell or sentence."""
        return tuple(show_source(source, self.page) for source in sources_of(self.turn.answer))

    def _row(self) -> dict[str, str | float | bool | None]:
        turn, answer = self.turn, self.turn.answer
        return {
            "question": turn.question,
            "answer": self.display,
            "kind": answer.kind,
            "number": None if answer.number is None else float(answer.number),
            "exact": None if answer.number is None else f"{answer.number:f}",
            "scale": answer.scale.value,
            "unit": answer.unit,
            "formula": arithmetic(answer) or None,
            "sources": "; ".join(f"{source.place}: {source.span}" for source in self.sources),
            "confidence": answer.confidence,
            "verified": turn.verified,
            "reason": turn.error or answer.reason,
        }

    def __str__(self) -> str:
        return visible(self.display)

    def __repr__(self) -> str:
        sure = f", {words}" if (words := confidence_words(self.answer.confidence)) else ""
        return visible(f"<{self.question!r}: {self.display}{sure}>")

    def __rich__(self) -> "RenderableType":
        from quaestor.library.rich_view import answered_view

        return answered_view(self)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the number, its formula, and its table with the source cells marked."""
        return turn_html(self.turn, self.page)


class Answers(Sequence[AnsweredQuestion]):
    """Questions with their answers, in the order asked.

    >>> import quaestor
    >>> page = quaestor.open("sample#QUIL/2007/page_88.pdf")
    >>> price, change = page.ask(["what was the exercise price in 2007?", "and the change from 2005?"])
    >>> print(price, change)
    $ 48.65 $ 20.70
    """

    __slots__ = ("_answers",)

    def __init__(self, answers: Sequence[AnsweredQuestion] = ()) -> None:
        """Create a sequence of answers in the order asked."""
        self._answers = tuple(answers)

    def __len__(self) -> int:
        return len(self._answers)

    @overload
    def __getitem__(self, index: int) -> AnsweredQuestion: ...
    @overload
    def __getitem__(self, index: slice) -> "Answers": ...
    def __getitem__(self, index: int | slice) -> "AnsweredQuestion | Answers":
        return Answers(self._answers[index]) if isinstance(index, slice) else self._answers[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answers) and self._answers == other._answers

    def __hash__(self) -> int:
        return hash(self._answers)

    def __str__(self) -> str:
        return "\n".join(map(str, self._answers))

    def __repr__(self) -> str:
        lines = ",\n ".join(map(repr, self._answers))
        return f"[{lines}]"

    def __rich__(self) -> "RenderableType":
        from quaestor.library.rich_view import answers_view

        return answers_view(self)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks, one answer below the other."""
        return "".join(answer._repr_html_() for answer in self._answers)

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a pandas data frame with a row for each answer; its columns are `quaestor.library.answered.COLUMNS`.

        `number` is a float for calculations and plots; `exact` is the same number with all digits, as text for
        `decimal.Decimal`.

        Raises:
            SettingsError: pandas is not installed.
        """
        require_extra("pandas", "a pandas frame")
        import pandas

        types, columns = {str: "str", float: "float64", bool: "bool"}, self._columns()
        return pandas.DataFrame(
            {name: pandas.Series(columns[name], dtype=types[kind]) for name, kind in COLUMNS.items()}
        )

    def to_polars(self) -> "polars.DataFrame":
        """Return a polars data frame with a row for each answer and the columns of `to_pandas`.

        Raises:
            SettingsError: polars is not installed.
        """
        require_extra("polars", "a polars frame")
        import polars

        types = {str: polars.String, float: polars.Float64, bool: polars.Boolean}
        return polars.DataFrame(self._columns(), schema={name: types[kind] for name, kind in COLUMNS.items()})

    def _columns(self) -> dict[str, list[str | float | bool | None]]:
        rows = [answer._row() for answer in self._answers]
        return {name: [row[name] for row in rows] for name in COLUMNS}


@renamed_fields(says="description")
@dataclass(frozen=True, slots=True)
class Change:
    """An answer that a correction changed.

    Attributes:
        number: Its number in the conversation, from 1.
        turn: The turn after the correction, with the exact `Answer`.
        was: The answer before the correction, as displayed.
        now: The answer after the correction, as displayed.
        says: Both in words, and the reason if there is no longer an answer.
    """

    number: int
    turn: Turn
    was: str
    now: str
    description: str

    def __str__(self) -> str:
        return f"answer {self.number}: {self.description}"


def changes_of(correction: Correction, turns: Sequence[Turn]) -> tuple[Change, ...]:
    """Return the answers that a correction changed.

    Args:
        turns: The conversation after the correction.
    """
    return tuple(
        Change(one.turn + 1, turns[one.turn], one.was, show_number(one.answer), change_words(one))
        for one in correction.changes
    )
