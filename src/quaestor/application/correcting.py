"""Answers put right by hand, for Python users: what `ask` returned, corrected, with everything that depends on it."""

from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.application.fixing import author_name, change_words, read_fix
from quaestor.application.library import AnsweredQuestion
from quaestor.conversation.corrections import Act, ChangedAnswer, Correction
from quaestor.conversation.display import show_number
from quaestor.conversation.turn import Turn
from quaestor.errors import InputError
from quaestor.repair.ledger import Ledger
from quaestor.repair.offers import Offer, possible_corrections
from quaestor.settings import Settings, load_settings


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


class CorrectedAnswers:
    """The answers of one conversation, to be put right by hand; no model is asked, and nothing is kept in a store.

    >>> from quaestor import CorrectedAnswers, ask
    >>> asked = ["what was the exercise price in 2007?", "and in 2005?", "and what was the change?"]
    >>> conversation = CorrectedAnswers(ask("sample#QUIL/2007/page_88.pdf", asked))
    >>> for change in conversation.fix('2 cell "exercise price" 2005 = 30.00', author="Ada"):
    ...     print(change)
    answer 2: $ 27.95 -> $ 30.00
    answer 3: $ 20.70 -> $ 18.65
    >>> print(conversation.answers[2], "=", conversation.answers[2].answer.formula)
    $ 18.65 = 48.65 - 30.00
    >>> [str(change) for change in conversation.undo()]
    ['answer 2: $ 30.00 -> $ 27.95', 'answer 3: $ 18.65 -> $ 20.70']
    """

    def __init__(self, answers: Sequence[AnsweredQuestion], *, settings: Settings | None = None) -> None:
        """Takes up a conversation.

        Args:
            answers: What one call of `ask` returned.
            settings: Those that say who corrects; by default those of the environment and of quaestor.toml.

        Raises:
            InputError: There is no answer, or they are about several pages.
        """
        pages = {id(answer.page): answer.page for answer in answers}
        if len(pages) != 1:
            raise InputError("give the answers of one call of ask: they are about one page")
        self._ledger = Ledger(next(iter(pages.values())), [answer.turn for answer in answers])
        self._author = author_name(load_settings() if settings is None else settings)

    @property
    def answers(self) -> tuple[AnsweredQuestion, ...]:
        """The answers as they read now, about the page with the numbers that hold now."""
        return tuple(AnsweredQuestion(turn, self._ledger.document) for turn in self._ledger.turns)

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """All that is on record, undone ones and the undoing too."""
        return self._ledger.corrections

    def offers(self, number: int) -> tuple[Offer, ...]:
        """Returns what could be chosen for an answer, each with what it would come to.

        Args:
            number: The answer's place, from 1.

        Raises:
            InputError: There is no such answer.
        """
        return possible_corrections(self._ledger, number - 1)

    def fix(self, text: str, *, author: str | None = None, reason: str = "") -> tuple[Change, ...]:
        """Returns the answers that a correction in words changes.

        Args:
            text: As in `/fix`: `2 cell "net revenue" 2008 = 5,400`, `2 step 1 -> "net revenue" | 2007`, `3 reading 2`,
                `3 operation divide`, `undo`.
            author: Who corrects; by default as it is set, else the user's name.
            reason: Why.

        Raises:
            InputError: It cannot be read or done, or changes nothing; all stays as it was.
        """
        fix = read_fix(text, self._ledger)
        if fix.act is None:
            raise InputError("say what is to be corrected: offers(number) lists what could be")
        return self.correct(fix.act, author=author, reason=reason or fix.reason)

    def correct(self, act: Act, *, author: str | None = None, reason: str = "") -> tuple[Change, ...]:
        """Returns the answers that a correction changes.

        Args:
            act: A `NumberCorrection`, `SourceChoice`, `ReadingChoice` or `OperationChoice`; turns count from 0 there.
            author: Who corrects; by default as it is set, else the user's name.
            reason: Why.

        Raises:
            InputError: It cannot be done, or changes nothing; all stays as it was.
        """
        return self._changes(self._ledger.correct(act, author or self._author, reason))

    def undo(self, number: int | None = None, *, author: str | None = None) -> tuple[Change, ...]:
        """Returns the answers that change because a correction no longer stands.

        Args:
            number: Which correction; by default the last that stands.
            author: Who takes it back.

        Raises:
            InputError: There is none, it does not stand, or another one rests on it.
        """
        return self._changes(self._ledger.undo(author or self._author, number))

    def _changes(self, made: Correction) -> tuple[Change, ...]:
        return tuple(map(self._change, made.changes))

    def _change(self, change: ChangedAnswer) -> Change:
        turn = self._ledger.turns[change.turn]
        return Change(change.turn + 1, turn, change.was, show_number(change.answer), change_words(change))
