"""What Python users do in one call: ask a page, evaluate on a dataset; plain, and `_async` for a running loop."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from quaestor.application.ask_service import AskRequest, answer_questions
from quaestor.application.choosing import Choice, read_chosen
from quaestor.application.file_cache import file_cache
from quaestor.application.resolve import CorpusPage, dataset_path, find_files
from quaestor.application.run_service import RunRequest, start_run
from quaestor.application.score_service import ScoredRun, score_run
from quaestor.application.solver_options import SolverOverrides
from quaestor.application.synchronous import run_sync
from quaestor.conversation.answer import Answer
from quaestor.conversation.display import ShownSource, show_confidence, show_number, show_source
from quaestor.conversation.turn import Turn
from quaestor.core.computing import compute
from quaestor.documents.document import Document
from quaestor.errors import SettingsError
from quaestor.llm.session import ModelSession
from quaestor.readers.cache import ByteCache
from quaestor.scoring.gold import read_gold
from quaestor.settings import Settings, load_settings
from quaestor.solvers.base import Solver
from quaestor.store.base import open_store

Options = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question with its answer, for people: `print` shows the number as the page would print it.

    Attributes:
        turn: How it came about, with the exact `Answer` in `turn.answer`.
        page: The page that was asked.
    """

    turn: Turn
    page: Document

    @property
    def question(self) -> str:
        """As asked; of several questions in one, the one that this is the answer to."""
        return self.turn.question

    @property
    def asked(self) -> str:
        """As asked, together with the others of several questions in one."""
        return self.turn.asked

    @property
    def answer(self) -> Answer:
        """The answer with its exact value, plan and sources."""
        return self.turn.answer

    @property
    def display(self) -> str:
        """The number with its unit and scale, rounded for reading: `$ 48.65`."""
        return show_number(self.turn.answer)

    @property
    def sources(self) -> tuple[ShownSource, ...]:
        """Where the numbers stand, each with the text of its cell or sentence."""
        return tuple(show_source(source, self.page) for source in self.turn.answer.sources)

    def __str__(self) -> str:
        return self.display

    def __repr__(self) -> str:
        sure = "" if self.answer.confidence is None else f", {show_confidence(self.answer.confidence)} sure"
        return f"<{self.question!r}: {self.display}{sure}>"

    def _repr_html_(self) -> str:
        """Returns the answer with its formula and sources, as notebooks show it."""
        lines = [f"<b>{escape(self.display)}</b>"]
        if self.answer.formula and self.answer.value is not None:
            lines.append(f"= {escape(self.answer.formula)}")
        lines += [f"<small>{escape(source.place)}: {escape(source.span)}</small>" for source in self.sources]
        return f"<p>{escape(self.question)}<br>{'<br>'.join(lines)}</p>"


async def ask_async(
    page: str | Path | CorpusPage | Document | Sequence[str | Path],
    questions: str | Sequence[str],
    *,
    solver: str | Solver | None = None,
    model: str | ModelSession | None = None,
    options: Options | None = None,
    settings: Settings | None = None,
) -> tuple[AnsweredQuestion, ...]:
    """Returns the answers to questions about one page; later questions may refer to earlier ones.

    Args:
        page: A filing's path, several of them, `DATASET#PAGE` (`sample#QUIL/2007/page_88.pdf`), what `find_page`
            found, or a document.
        questions: One, or several in their order. One that asks several things is answered as several, in order.
        solver: Its name, or one that `make_solver` has made; by default the one that is set, else `embedded`.
        model: The model that a solver asks, such as `anthropic:NAME`; several calls may share what `open_session`
            gives, in the event loop where it was opened.
        options: Of a solver that is named, such as `{"abstain_below": 0.5}`.
        settings: By default those of the environment and of quaestor.toml.

    Raises:
        InputError: There is no such page, it has no number, or a question cannot be asked or not be told apart.
        SettingsError: There is no such solver or option, or it needs a model.
        OutageError: The model cannot be asked.
    """
    cache = None if isinstance(page, CorpusPage | Document) else file_cache(_settings(settings))
    found = await compute(_found, page, cache)
    named, own = (solver, None) if solver is None or isinstance(solver, str) else (None, solver)
    name, session = (model, None) if model is None or isinstance(model, str) else (None, model)
    if own is not None and options:
        raise SettingsError("options are for a solver that is named: give them to make_solver")
    request = AskRequest(_settings(settings, solver=named, model=name), _overrides(options))
    request = replace(request, model_named=name is not None, solver=own, session=session, cache=cache)
    asked = [questions] if isinstance(questions, str) else questions
    answered = await answer_questions(found, asked, request)
    return tuple(AnsweredQuestion(turn, found.document) for turn in answered.turns)


def _found(page: str | Path | CorpusPage | Document | Sequence[str | Path], cache: ByteCache | None) -> CorpusPage:
    if isinstance(page, CorpusPage):
        return page
    if isinstance(page, Document):
        return CorpusPage.of(page)
    names = [str(page)] if isinstance(page, str | Path) else [str(name) for name in page]
    return find_files(names, cache)


def ask(
    page: str | Path | CorpusPage | Document | Sequence[str | Path],
    questions: str | Sequence[str],
    *,
    solver: str | Solver | None = None,
    model: str | None = None,
    options: Options | None = None,
    settings: Settings | None = None,
) -> tuple[AnsweredQuestion, ...]:
    """Returns the answers to questions about one page, in plain code and in notebooks: `ask_async`, waited for.

    Args:
        page: A filing's path, several of them, `DATASET#PAGE`, what `find_page` found, or a document.
        questions: One, or several in their order; later ones may refer to earlier ones. One that asks several things
            is answered as several, in order.
        solver: Its name, or one that `make_solver` has made; by default the one that is set, else `embedded`.
        model: The model that a solver asks, such as `anthropic:NAME`.
        options: Of a solver that is named, such as `{"abstain_below": 0.5}`.
        settings: By default those of the environment and of quaestor.toml.

    Raises:
        InputError: There is no such page, it has no number, or a question cannot be asked or not be told apart.
        SettingsError: There is no such solver or option, or it needs a model.
        OutageError: The model cannot be asked.

    >>> from quaestor import ask
    >>> answer, = ask("sample#QUIL/2007/page_88.pdf", "what was the exercise price of stock options in 2007?")
    >>> print(answer)
    $ 48.65
    """
    return run_sync(ask_async(page, questions, solver=solver, model=model, options=options, settings=settings))


async def evaluate_async(
    dataset: str | Path,
    *,
    solver: str | None = None,
    model: str | None = None,
    options: Options | None = None,
    limit: int | None = None,
    conversations: Sequence[str] = (),
    sample: int | None = None,
    seed: int | None = None,
    workers: int | None = 1,
    store: str = "sqlite://",
    settings: Settings | None = None,
) -> ScoredRun:
    """Returns how a solver does on a labelled dataset: every conversation answered, then scored.

    Args:
        dataset: A file, or `sample`.
        solver: Its name; by default the one that is set, else `embedded`.
        model: The model that a solver asks, such as `anthropic:NAME`.
        options: Of the solver, by name.
        limit: Only the first so many conversations; instead of it `conversations` or `sample`.
        conversations: Only these, each by its id or its page's.
        sample: Only so many, drawn.
        seed: What decides the draw.
        workers: How many conversations at once; None leaves it to the solver. More than one starts processes, where
            the solver asks no model.
        store: Where the run is kept; by default nowhere.
        settings: By default those of the environment and of quaestor.toml.

    Raises:
        DatasetError: The file cannot be read, or has no reference answers.
        InputError: There is no such conversation, or which are played is said in two ways.
        SettingsError: There is no such solver or option, or it needs a model.
        RunStoppedError: The model cannot be asked, or the budget is used up; the run can be resumed where it is kept.
    """
    path = dataset_path(dataset)
    (pages, selection), gold = read_chosen(path, Choice(limit, conversations, sample, seed)), read_gold(path)
    request = RunRequest(
        _settings(settings, solver=solver, model=model, store=store, workers=workers), limit, _overrides(options)
    )
    request = replace(request, model_named=model is not None, selection=selection)
    async with open_store(request.settings.store) as opened:
        record = await start_run(pages, request, opened)
        return await score_run(opened, record, pages, gold, request.settings.store)


def evaluate(
    dataset: str | Path,
    *,
    solver: str | None = None,
    model: str | None = None,
    options: Options | None = None,
    limit: int | None = None,
    conversations: Sequence[str] = (),
    sample: int | None = None,
    seed: int | None = None,
    workers: int | None = 1,
    store: str = "sqlite://",
    settings: Settings | None = None,
) -> ScoredRun:
    """Returns how a solver does on a labelled dataset, in plain code and in notebooks: `evaluate_async`, waited for.

    Args:
        dataset: A file, or `sample`.
        solver: Its name; by default the one that is set, else `embedded`.
        model: The model that a solver asks, such as `anthropic:NAME`.
        options: Of the solver, by name.
        limit: Only the first so many conversations; instead of it `conversations` or `sample`. None is all.
        conversations: Only these, each by its id or its page's.
        sample: Only so many, drawn.
        seed: What decides the draw.
        workers: How many conversations at once; None leaves it to the solver.
        store: Where the run is kept; by default nowhere.
        settings: By default those of the environment and of quaestor.toml.

    Raises:
        DatasetError: The file cannot be read, or has no reference answers.
        InputError: There is no such conversation, or which are played is said in two ways.
        SettingsError: There is no such solver or option, or it needs a model.
        RunStoppedError: The model cannot be asked, or the budget is used up.

    >>> from quaestor import evaluate
    >>> evaluate("sample", limit=1).report.score.execution.total
    4
    """
    return run_sync(
        evaluate_async(
            dataset,
            solver=solver,
            model=model,
            options=options,
            limit=limit,
            conversations=conversations,
            sample=sample,
            seed=seed,
            workers=workers,
            store=store,
            settings=settings,
        )
    )


def _settings(settings: Settings | None, **said: str | int | None) -> Settings:
    given = {name: value for name, value in said.items() if value is not None}
    return load_settings(given) if settings is None else replace(settings, **given)  # type: ignore[arg-type]


def _overrides(options: Options | None) -> SolverOverrides:
    return SolverOverrides(cast("Mapping[str, JsonValue]", dict(options or {})))
