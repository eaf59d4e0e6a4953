"""An open conversation about a document: ask, correct, save and export."""

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
from quaestor.repair.ledger import Offer, possible_corrections

if TYPE_CHECKING:
    from rich.console import RenderableType

T = TypeVar("T")


class OngoingConversation:
    """An open conversation, as returned by `conversation` of an opened document.

    Questions are answered one at a time, also if several threads or tasks ask; `ask` and `ask_async` can be mixed. The
    connection to a model stays open until `close`, or until the end of a `with` or `async with` block.

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
        """Create a conversation; use `conversation` of an opened document.

        Raises:
            InputError: The document contains no numbers.
        """
        self._chat = Chat(page, request)
        self._lock = asyncio.Lock()
        self._opened = self._closed = False
        self._finalizer = weakref.finalize(self, run_later, self._chat.close)

    @property
    def document(self) -> Document:
        """The document, with its corrected numbers."""
        return self._chat.document

    @property
    def answers(self) -> Answers:
        """All answers so far, with corrections applied."""
        return self._answers_from(0)

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """All corrections, including undone ones and the corrections that undo them."""
        return self._chat.ledger.corrections

    @overload
    def ask(self, questions: str) -> AnsweredQuestion: ...
    @overload
    def ask(self, questions: Questions) -> Answers: ...
    def ask(self, questions: str | Questions) -> AnsweredQuestion | Answers:
        """Answer the next question, or several; each can refer to earlier ones.

        A question that fails or is interrupted is not added, and the conversation can continue.

        Args:
            questions: One question gives one answer, a list gives a sequence of answers.

        Raises:
            InputError: A question is not text, or the conversation is closed.
            QuestionError: A question is empty or too long; nothing was asked.
            SettingsError: The solver or an option does not exist, or the solver needs a model.
            OutageError: The model is not available.
        """
        return run_sync(self._ask(questions))

    @overload
    async def ask_async(self, questions: str) -> AnsweredQuestion: ...
    @overload
    async def ask_async(self, questions: Questions) -> Answers: ...
    async def ask_async(self, questions: str | Questions) -> AnsweredQuestion | Answers:
        """Answer like `ask`, without blocking the event loop; raises the same errors."""
        return await run_in_background(self._ask(questions))

    def take_back(self) -> Answers:
        """Remove the last question, with all its parts, and return its answers; empty if there are none."""
        if not self._chat.turns:
            return Answers()
        document = self.document
        return Answers([AnsweredQuestion(turn, document) for turn in run_sync(self._run_locked(self._chat.undo))])

    def offers(self, number: int) -> tuple[Offer, ...]:
        """Return the possible corrections of an answer, each with the resulting answer.

        Args:
            number: The number of the answer, from 1.

        Raises:
            InputError: The answer does not exist.
        """
        return possible_corrections(self._chat.ledger, number - 1)

    def fix(self, text: str, *, author: str | None = None, reason: str = "") -> tuple[Change, ...]:
        """Correct an answer with a line of text, and return the answers that change. No model is asked.

        Args:
            text: In the syntax of `/fix` of `quaestor chat`: `2 cell "net revenue" 2008 = 5,400`, `3 reading 2`,
                `2 step 1 -> "net revenue" | 2007`, `3 operation divide`.
            author: Author of the correction; by default the configured one, else the user name.
            reason: Why the answer is corrected, for the record.

        Raises:
            InputError: The correction is invalid or changes nothing; the conversation is unchanged.
        """
        if not isinstance(text, str):
            raise InputError(f"fix takes a string such as '2 reading 2', not {type(text).__name__}")
        fix = read_fix(text, self._chat.ledger)
        if fix.act is None:
            raise InputError("empty correction: offers(number) lists the possible corrections")
        return self.correct(fix.act, author=author, reason=reason or fix.reason)

    def correct(self, act: Act, *, author: str | None = None, reason: str = "") -> tuple[Change, ...]:
        """Correct an answer, and return the answers that change. No model is asked.

        Args:
            act: A `NumberCorrection`, `SourceChoice`, `ReadingChoice` or `OperationChoice`, whose turns count from 0.
            author: Author of the correction; by default the configured one, else the user name.
            reason: Why the answer is corrected, for the record.

        Raises:
            InputError: The correction is invalid or changes nothing; the conversation is unchanged.
        """
        self._require_answers()
        if not isinstance(act, NumberCorrection | Choice | Undo):
            raise InputError(
                f"correct takes a NumberCorrection or a choice, not {type(act).__name__}; use fix for strings"
            )
        by = author or author_name(self._chat.request.settings)
        return changes_of(run_sync(self._run_locked(lambda: self._chat.correct(act, by, reason))), self._chat.turns)

    def undo(self, number: int | None = None, *, author: str | None = None) -> tuple[Change, ...]:
        """Undo a correction, and return the answers that change.

        Args:
            number: The number of the correction; by default the last one in effect.
            author: Who undoes it; by default the configured author, else the user name.

        Raises:
            InputError: The correction does not exist, is not in effect, or another correction depends on it.
        """
        self._require_answers()
        by = author or author_name(self._chat.request.settings)
        return changes_of(run_sync(self._run_locked(lambda: self._chat.undo_correction(by, number))), self._chat.turns)

    def save(self) -> str:
        """Save the conversation in the run store, including later questions, and return the run id.

        `quaestor chat --resume` continues it, `quaestor export` exports it.

        Raises:
            InputError: There are no answers yet, or the conversation cannot be saved.
        """
        self._require_answers()
        run = run_sync(self._run_locked(self._chat.save))
        if run is None:
            raise InputError(f"the conversation cannot be saved: {self._chat.unkept}")
        return run

    def export(self, file: str | Path, *, replace: bool = False) -> None:
        """Write questions and answers to a file: a workbook with live formulas, HTML, CSV, Markdown or JSON.

        Args:
            file: Path with the extension `.xlsx`, `.html`, `.csv`, `.md` or `.json`.
            replace: Whether to overwrite an existing file.

        Raises:
            InputError: There are no answers yet, the extension is unknown, or the file exists or cannot be written.
            SettingsError: The extra `workbook` is required and not installed.
        """
        self._require_answers()
        output = OutputFile(Path(file), force=replace)
        format = format_of(output, None)
        write_export(output, format, [run_sync(self._run_locked(self._chat.export))])

    def close(self) -> None:
        """Close the connection to the model; the answers can still be read. Closing twice has no effect."""
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
        texts = questions_of(questions, self.document)
        async with self._lock:
            await self._open()
            first = len(self._chat.turns)
            for question in texts:
                await self._chat.ask(question)
            answers = self._answers_from(first)
        return answers[0] if isinstance(questions, str) else answers

    async def _run_locked(self, act: Callable[[], Awaitable[T]]) -> T:
        """Run an operation on the conversation, after those that started before it."""
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
            self._finalizer.detach()
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
        """Return HTML for notebooks with all answers so far."""
        return self.answers._repr_html_()
