"""A conversation about a document that Python users hold open: asked, put right by hand, kept, handed on."""

import asyncio
import weakref
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar, overload

from quaestor.application.ask_service import AskRequest
from quaestor.application.chat_service import Chat
from quaestor.application.exporting import format_of, write_export
from quaestor.application.files import OutputFile
from quaestor.application.fixing import author_name, read_fix
from quaestor.application.resolve import DocumentInCorpus
from quaestor.conversation.turn import Act, Choice, Correction, NumberCorrection, Undo
from quaestor.core.visible import visible
from quaestor.documents.document import Document
from quaestor.errors import InputError
from quaestor.library.answered import AnsweredQuestion, Answers, Change, changes_of
from quaestor.library.asking import Questions, questions_of
from quaestor.library.waiting import run_in_background, run_later, run_sync
from quaestor.repair.offers import Offer, possible_corrections

if TYPE_CHECKING:
    from rich.console import RenderableType

T = TypeVar("T")


class OngoingConversation:
    """An open conversation: what `conversation` of an opened document returns.

    Questions go one after the other, whoever asks; `ask` and `ask_async` may be mixed. Where a model is asked, its
    connection is open until `close`, or the end of a `with` or `async with` block.

    >>> import quaestor
    >>> conversation = quaestor.open("sample#QUIL/2007/page_88.pdf").conversation()
    >>> print(conversation.ask("what was the exercise price in 2007?"))
    $ 48.65
    >>> print(conversation.ask("and in 2005?"))
    $ 27.95
    >>> print(conversation.ask("what was the change?"))
    $ 20.70
    >>> for change in conversation.fix('2 cell "exercise price" 2005 = 30.00', author="Ada"):
    ...     print(change)
    answer 2: $ 27.95 -> $ 30.00
    answer 3: $ 20.70 -> $ 18.65
    """

    def __init__(self, page: DocumentInCorpus, request: AskRequest) -> None:
        """Take what is asked about; use `conversation` of an opened document.

        Raises:
            InputError: The document has no number.
        """
        self._chat = Chat(page, request)
        self._lock = asyncio.Lock()
        self._opened = self._closed = False
        self._end = weakref.finalize(self, run_later, self._chat.close)

    @property
    def document(self) -> Document:
        """What is asked about, with the numbers that hold since corrections were made."""
        return self._chat.document

    @property
    def answers(self) -> Answers:
        """The conversation so far, as its answers read now."""
        return self._answers_from(0)

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """All that was put right by hand, undone corrections and their undoing too."""
        return self._chat.ledger.corrections

    @overload
    def ask(self, questions: str) -> AnsweredQuestion: ...
    @overload
    def ask(self, questions: Questions) -> Answers: ...
    def ask(self, questions: str | Questions) -> AnsweredQuestion | Answers:
        """Answer the next question, or several; each may refer to all before it.

        What fails or is interrupted counts as not asked, and the conversation may go on.

        Args:
            questions: One question gives one answer, a list gives a sequence of answers.

        Raises:
            InputError: What is asked is not text, or the conversation is closed.
            QuestionError: A question is empty or too long; nothing was asked.
            SettingsError: There is no such solver or option, or it needs a model.
            OutageError: The model cannot be asked.
        """
        return run_sync(self._ask(questions))

    @overload
    async def ask_async(self, questions: str) -> AnsweredQuestion: ...
    @overload
    async def ask_async(self, questions: Questions) -> Answers: ...
    async def ask_async(self, questions: str | Questions) -> AnsweredQuestion | Answers:
        """Answer as `ask` does, while the caller's event loop goes on; raises the same errors."""
        return await run_in_background(self._ask(questions))

    def take_back(self) -> Answers:
        """Take the last question back, with all that it asked, and return its answers; none if there is none."""
        if not self._chat.turns:
            return Answers()
        document = self.document
        return Answers([AnsweredQuestion(turn, document) for turn in run_sync(self._run_locked(self._chat.undo))])

    def offers(self, number: int) -> tuple[Offer, ...]:
        """Return what could be chosen for an answer instead, each with what it would come to.

        Args:
            number: The answer's place, from 1.

        Raises:
            InputError: There is no such answer.
        """
        return possible_corrections(self._chat.ledger, number - 1)

    def fix(self, text: str, *, author: str | None = None, reason: str = "") -> tuple[Change, ...]:
        """Put an answer right by words, and return the answers that change; no model is asked.

        Args:
            text: As in `/fix` of `quaestor chat`: `2 cell "net revenue" 2008 = 5,400`, `3 reading 2`,
                `2 step 1 -> "net revenue" | 2007`, `3 operation divide`.
            author: Who corrects; by default as it is set, else the user's name.

        Raises:
            InputError: It cannot be read or done, or changes nothing; all stays as it was.
        """
        if not isinstance(text, str):
            raise InputError(f"fix takes a string such as '2 reading 2', not {type(text).__name__}")
        fix = read_fix(text, self._chat.ledger)
        if fix.act is None:
            raise InputError("empty correction: offers(number) lists the possible corrections")
        return self.correct(fix.act, author=author, reason=reason or fix.reason)

    def correct(self, act: Act, *, author: str | None = None, reason: str = "") -> tuple[Change, ...]:
        """Put an answer right, and return the answers that change; no model is asked.

        Args:
            act: A `NumberCorrection`, `SourceChoice`, `ReadingChoice` or `OperationChoice`; turns count from 0 there.
            author: Who corrects; by default as it is set, else the user's name.

        Raises:
            InputError: It cannot be done, or changes nothing; all stays as it was.
        """
        self._require_answers()
        if not isinstance(act, NumberCorrection | Choice | Undo):
            raise InputError(
                f"correct takes a NumberCorrection or a choice, not {type(act).__name__}; use fix for strings"
            )
        by = author or author_name(self._chat.request.settings)
        return changes_of(run_sync(self._run_locked(lambda: self._chat.correct(act, by, reason))), self._chat.turns)

    def undo(self, number: int | None = None, *, author: str | None = None) -> tuple[Change, ...]:
        """Take a correction back, and return the answers that change.

        Args:
            number: Which one; by default the last active one.

        Raises:
            InputError: There is none, it does not stand, or another one rests on it.
        """
        self._require_answers()
        by = author or author_name(self._chat.request.settings)
        return changes_of(run_sync(self._run_locked(lambda: self._chat.undo_correction(by, number))), self._chat.turns)

    def save(self) -> str:
        """Keep the conversation in the run store, this far and further on, and return the id of its run.

        `quaestor chat --resume` takes it up again, `quaestor export` hands it on.

        Raises:
            InputError: Nothing is answered yet, or it cannot be kept.
        """
        self._require_answers()
        run = run_sync(self._run_locked(self._chat.save))
        if run is None:
            raise InputError(f"the conversation cannot be saved: {self._chat.unkept}")
        return run

    def export(self, file: str | Path, *, replace: bool = False) -> None:
        """Write questions and answers to a file: a workbook with live formulas, a page, CSV, Markdown or JSON.

        Args:
            file: Its name ends in `.xlsx`, `.html`, `.csv`, `.md` or `.json`.
            replace: Whether a file that is there already is replaced.

        Raises:
            InputError: Nothing is answered yet, the name says no format, or the file is there or cannot be written.
            SettingsError: The extra `workbook` is needed and not installed.
        """
        self._require_answers()
        output = OutputFile(Path(file), force=replace)
        format = format_of(output, None)
        write_export(output, format, [run_sync(self._run_locked(self._chat.export))])

    def close(self) -> None:
        """Let go of the model; what was answered can still be read. To close twice does nothing."""
        run_sync(self._close())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await run_in_background(self._close())

    async def _ask(self, questions: object) -> AnsweredQuestion | Answers:
        asked = questions_of(questions, self.document)
        async with self._lock:
            await self._open()
            first = len(self._chat.turns)
            for question in asked:
                await self._chat.ask(question)
            answers = self._answers_from(first)
        return answers[0] if isinstance(questions, str) else answers

    async def _run_locked(self, act: Callable[[], Awaitable[T]]) -> T:
        """Run an act on the conversation, after all that was begun before."""
        async with self._lock:
            await self._open()
            return await act()

    async def _open(self) -> None:
        if self._closed:
            raise InputError("the conversation is closed: start a new one")
        if not self._opened:
            await self._chat.open()
            self._opened = True

    async def _close(self) -> None:
        async with self._lock:
            self._closed = True
            self._end.detach()
            await self._chat.close()

    def _require_answers(self) -> None:
        if not self._chat.turns:
            raise InputError("no answers yet: ask a question first")

    def _answers_from(self, first: int) -> Answers:
        return Answers([AnsweredQuestion(turn, self.document) for turn in self._chat.turns[first:]])

    def __repr__(self) -> str:
        count = len(self._chat.turns)
        answered = f"{count} answer" if count == 1 else f"{count} answers"
        closed = ", closed" if self._closed else ""
        return visible(f"<OngoingConversation about {self.document.id}: {answered}{closed}>")

    def __rich__(self) -> "RenderableType":
        return self.answers.__rich__()

    def _repr_html_(self) -> str:
        """Return the answers so far as notebooks show them."""
        return self.answers._repr_html_()
