"""Opens files, pages and documents for questions."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, overload

from quaestor.application.ask_service import AskRequest, answer_questions
from quaestor.application.file_cache import file_cache, load_graphs, reading_limits, search_document
from quaestor.application.number_check import NumberCheck, check_number
from quaestor.application.resolve import DocumentInCorpus, read_files
from quaestor.core.visible import visible
from quaestor.datasets.dataset import Conversation, Dataset, check_question
from quaestor.documents.document import Document
from quaestor.documents.shown import contents_words, document_html
from quaestor.documents.table import Table
from quaestor.errors import InputError
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.library.answered import AnsweredQuestion, Answers
from quaestor.library.asking import Options, Questions, make_ask_request, questions_of, require_named, settings_with
from quaestor.library.ongoing import OngoingConversation
from quaestor.library.waiting import run_sync
from quaestor.llm.session import ModelSession
from quaestor.readers.cache import ByteCache
from quaestor.retrieval.place import Place
from quaestor.settings import Settings
from quaestor.solvers.base import Solver

if TYPE_CHECKING:
    from rich.console import RenderableType

Openable = str | Path | Document | Sequence[str | Path]
"""Argument of `open`: a file or `DATASET#PAGE`, several of them, or a document."""


def open(file: Openable, *, settings: Settings | None = None) -> "OpenedDocument":
    """Open a report to ask questions about it.

    Args:
        file: The path of a file (HTML, PDF, XLSX, CSV, Markdown, plain text); a page of a dataset as `DATASET#PAGE`,
            where `sample` is the bundled dataset; several of these, which are treated as one document; or a `Document`.
        settings: By default those of the environment and quaestor.toml.

    Raises:
        InputError: The file or page does not exist or cannot be read, or the argument has the wrong type. The message
            explains what to do.
        SettingsError: The extra for this file format is not installed, or a setting is invalid.

    >>> import quaestor
    >>> page = quaestor.open("sample#QUIL/2007/page_88.pdf")
    >>> print(page.ask("what was the exercise price of stock options in 2007?"))
    $ 48.65
    """
    loaded = settings_with(settings)
    if isinstance(file, Document):
        return OpenedDocument(DocumentInCorpus.of(file), loaded, None)
    cache = file_cache(loaded)
    return OpenedDocument(read_files(_names(file), cache, reading_limits(loaded)), loaded, cache)


async def open_async(file: Openable, *, settings: Settings | None = None) -> "OpenedDocument":
    """Open a report like `open`, without blocking the event loop; raises the same errors."""
    return await asyncio.to_thread(open, file, settings=settings)


def _names(file: object) -> list[str]:
    if isinstance(file, str | os.PathLike):
        return [_name(file)]
    if isinstance(file, Dataset):
        raise InputError(f"{file.path} is a dataset: open one of its documents, such as conversations[0].document")
    if isinstance(file, Conversation):
        raise InputError("cannot open a conversation of a dataset: open its document, conversation.document")
    if not isinstance(file, Sequence) or isinstance(file, bytes | bytearray):
        raise InputError(f"open takes a path, 'DATASET#PAGE', a list of these or a Document, not {type(file).__name__}")
    if not file:
        raise InputError("open takes at least one file, but the list is empty")
    return [_name(one) for one in file]


def _name(file: object) -> str:
    name = os.fspath(file) if isinstance(file, str | os.PathLike) else None
    if not isinstance(name, str):
        raise InputError(f"file must be a path or 'DATASET#PAGE', not {type(file).__name__}")
    if not name.strip():
        raise InputError("the file name is empty: give a path, or 'DATASET#PAGE'")
    return os.path.expanduser(name)


class OpenedDocument:
    """A filing, a page or several files, as returned by `open`.

    `ask` answers a question or a list of questions, `conversation` starts a conversation, `find` returns passages that
    may answer a question, `check_number` returns the places of a number, and `tables` are the tables read.
    """

    def __init__(self, page: DocumentInCorpus, settings: Settings, cache: ByteCache | None) -> None:
        """Create an opened document; use `open`.

        Args:
            page: The document and the corpus it belongs to.
            cache: Cache for indexes and ontologies of files, or None.
        """
        self._page, self._settings, self._cache = page, settings, cache
        self._knowledge: GraphProvider | None = None

    @property
    def name(self) -> str:
        """The name it was opened by, or the id of a `Document`."""
        return self._page.name or self.document.id

    @property
    def document(self) -> Document:
        """The document as read: headings, sentences and tables in order, and what was repaired or lost (`warnings`)."""
        return self._page.document

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables, in document order."""
        return self.document.tables

    @overload
    def ask(
        self,
        questions: str,
        *,
        solver: str | Solver | None = None,
        model: str | None = None,
        options: Options | None = None,
    ) -> AnsweredQuestion: ...
    @overload
    def ask(
        self,
        questions: Questions,
        *,
        solver: str | Solver | None = None,
        model: str | None = None,
        options: Options | None = None,
    ) -> Answers: ...
    def ask(
        self,
        questions: str | Questions,
        *,
        solver: str | Solver | None = None,
        model: str | None = None,
        options: Options | None = None,
    ) -> AnsweredQuestion | Answers:
        """Answer a question, or a list of questions as one conversation, in which later ones can refer to earlier ones.

        Works in scripts and in notebooks. The answer to a question of several parts is a list.

        Args:
            questions: One question gives one answer, a list gives a sequence of answers.
            solver: A name, or a solver from `make_solver`; by default the configured one, else `embedded`, which uses
                no model.
            model: The model for solvers that use one, such as `anthropic:NAME`.
            options: Options of a solver given by name, such as `{"abstain_below": 0.5}`.

        Raises:
            InputError: The document contains no numbers, or a question is not text.
            QuestionError: A question is empty or too long; nothing was asked.
            SettingsError: The solver or an option does not exist, or the solver needs a model.
            OutageError: The model is not available.

        >>> import quaestor
        >>> page = quaestor.open("sample#QUIL/2007/page_88.pdf")
        >>> price, change = page.ask(["what was the exercise price in 2007?", "what was the change from 2005?"])
        >>> print(change, "=", change.answer.formula)
        $ 20.70 = 48.65 - 27.95
        """
        require_named(model)
        return run_sync(self._ask(questions, self._request(solver, model, options)))

    @overload
    async def ask_async(
        self,
        questions: str,
        *,
        solver: str | Solver | None = None,
        model: str | ModelSession | None = None,
        options: Options | None = None,
    ) -> AnsweredQuestion: ...
    @overload
    async def ask_async(
        self,
        questions: Questions,
        *,
        solver: str | Solver | None = None,
        model: str | ModelSession | None = None,
        options: Options | None = None,
    ) -> Answers: ...
    async def ask_async(
        self,
        questions: str | Questions,
        *,
        solver: str | Solver | None = None,
        model: str | ModelSession | None = None,
        options: Options | None = None,
    ) -> AnsweredQuestion | Answers:
        """Answer like `ask`, without blocking the event loop; raises the same errors.

        Args:
            model: The model for solvers that use one, such as `anthropic:NAME`; or a session from `open_session`, which
                several calls can share in the event loop where it was opened.
        """
        return await self._ask(questions, self._request(solver, model, options))

    async def _ask(self, questions: object, request: AskRequest) -> AnsweredQuestion | Answers:
        result = await answer_questions(self._page, questions_of(questions, self.document), request)
        answers = Answers([AnsweredQuestion(turn, self.document) for turn in result.turns])
        return answers[0] if isinstance(questions, str) else answers

    def conversation(
        self,
        *,
        solver: str | Solver | None = None,
        model: str | None = None,
        options: Options | None = None,
    ) -> OngoingConversation:
        """Start a conversation, in which each question can refer to earlier ones.

        Args:
            solver: A name, or a solver from `make_solver`; by default the configured one, else `embedded`.
            model: The model for solvers that use one, such as `anthropic:NAME`. Its connection stays open until
                `close`, or until the end of a `with` block.
            options: Options of a solver given by name.

        Raises:
            InputError: The document contains no numbers.
            SettingsError: Solver, model or options have the wrong type; the first question checks the rest.
        """
        require_named(model)
        return OngoingConversation(self._page, self._request(solver, model, options))

    def _request(
        self, solver: str | Solver | None, model: str | ModelSession | None, options: Options | None
    ) -> AskRequest:
        request = make_ask_request(self._settings, self._cache, solver, model, options)
        return replace(request, get_graphs=self._get_graphs)

    async def _get_graphs(self) -> GraphProvider:
        """Load the graph provider once; it does not depend on the solver."""
        if self._knowledge is None:
            self._knowledge = await load_graphs(self._page.corpus, self._settings, self._cache)
        return self._knowledge

    def find(self, question: str, *, most: int = 5) -> tuple[Place, ...]:
        """Return the tables and passages that may answer a question, best first; empty if nothing matches.

        Args:
            question: A question, or words of the document.
            most: The maximum number of places.

        Raises:
            InputError: The question is not text, or `most` is less than 1.
            QuestionError: The question is empty.

        >>> import quaestor
        >>> page = quaestor.open("sample#QUIL/2007/page_88.pdf")
        >>> page.find("exercise price", most=1)[0].kind
        'table'
        """
        if not isinstance(question, str):
            raise InputError(f"find takes a string, not {type(question).__name__}")
        if most < 1:
            raise InputError(f"most must be at least 1, not {most}")
        check_question(question, "the question")
        return search_document(self.document, [question], most, self._cache)

    def check_number(self, number: str, *, most: int = 10) -> NumberCheck:
        """Check whether the document contains a number, where, and how it matches.

        Args:
            number: As printed in a table or text: `5,300`, `$ 5.3 million`, `(435)`, `14.1 %`.
            most: The maximum number of places.

        Raises:
            InputError: The argument is not text, or not a single number.

        >>> import quaestor
        >>> page = quaestor.open("sample#QUIL/2007/page_88.pdf")
        >>> [(match.printed, match.reading) for match in page.check_number("48.65").matches]
        [('$ 48.65', 'as printed')]
        """
        if not isinstance(number, str):
            raise InputError(
                f"number must be a string as printed in a table, such as '5,300', not {type(number).__name__}"
            )
        return check_number(self.document, number, most)

    def __repr__(self) -> str:
        return visible(f"<OpenedDocument {self.name}: {contents_words(self.document)}>")

    def __rich__(self) -> "RenderableType":
        from quaestor.library.rich_view import opened_view

        return opened_view(self.name, self.document)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks that shows what was read."""
        return document_html(self.document)
