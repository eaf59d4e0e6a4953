"""What a correction changes, for Python users: each answer that reads otherwise since."""

from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.application.fixing import change_words
from quaestor.conversation.display import show_number
from quaestor.conversation.turn import Correction, Turn


@dataclass(frozen=True, slots=True)
class Change:
    """An answer that a correction changed, for people.

    Attributes:
        number: Its place in the conversation, from 1.
        turn: The turn as it reads now, with the exact `Answer`.
        was: The answer before, as it was shown.
        now: The answer since, likewise.
        says: Both in words, and why there is no answer any longer.
    """

    number: int
    turn: Turn
    was: str
    now: str
    says: str

    def __str__(self) -> str:
        return f"answer {self.number}: {self.says}"


def changes_of(made: Correction, turns: Sequence[Turn]) -> tuple[Change, ...]:
    """Return the answers that a correction changed.

    Args:
        turns: The conversation as it reads with it.
    """
    return tuple(
        Change(one.turn + 1, turns[one.turn], one.was, show_number(one.answer), change_words(one))
        for one in made.changes
    )
