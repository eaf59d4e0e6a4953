"""What a Python call says, as the services below take it: who answers, by which settings, and what is asked.

Refuses what no annotation stops: questions that are no text, an open model where no event loop of the caller's runs.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from pydantic import JsonValue

from quaestor.application.ask_service import AskRequest
from quaestor.application.solver_options import SolverOverrides
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.errors import InputError, QuestionError, SettingsError
from quaestor.evaluation.checked_questions import check_questions
from quaestor.llm.session import ModelSession
from quaestor.readers.cache import ByteCache
from quaestor.settings import Settings, load_settings
from quaestor.solvers.base import Solver

Options = Mapping[str, object]
Questions = list[str] | tuple[str, ...]
"""Several questions; no `Sequence[str]`, which a single text is too."""


def settings_with(settings: Settings | None, **options: str | int | None) -> Settings:
    """Return settings, by default those of the environment and of quaestor.toml, with what a call says."""
    if settings is not None and not isinstance(settings, Settings):
        raise SettingsError(f"settings must be quaestor.Settings(...), not {_kind(settings)}")
    given = {name: value for name, value in options.items() if value is not None}
    return load_settings(given) if settings is None else replace(settings, **given)  # type: ignore[arg-type]


def overrides(options: Options | None) -> SolverOverrides:
    """Return options that a call says, as they are above those of the settings."""
    if options is not None and not isinstance(options, Mapping):
        raise SettingsError(f"options must be a dict such as {{'abstain_below': 0.5}}, not {_kind(options)}")
    return SolverOverrides(cast("Mapping[str, JsonValue]", dict(options or {})))


def asking_request(
    settings: Settings,
    cache: ByteCache | None,
    solver: str | Solver | None,
    model: str | ModelSession | None,
    options: Options | None,
) -> AskRequest:
    """Return who answers, and how.

    Args:
        cache: Where indexes and ontologies of files are kept, or None.
        solver: Its name, or one that is made; None is the one that is set.
        model: Its name, or one that is open; None is the one that is set.

    Raises:
        SettingsError: One of them is of no such kind, or options are given for a solver that is made.
    """
    if solver is not None and not isinstance(solver, str | Solver):
        raise SettingsError(
            f"solver must be a name such as 'embedded', or the result of make_solver, not {_kind(solver)}"
        )
    if model is not None and not isinstance(model, str | ModelSession):
        raise SettingsError(f"model must be a name such as 'anthropic:NAME', not {_kind(model)}")
    named, own = (solver, None) if solver is None or isinstance(solver, str) else (None, solver)
    name, session = (model, None) if model is None or isinstance(model, str) else (None, model)
    if own is not None and options:
        raise SettingsError("options can only be given with a solver's name: pass them to make_solver instead")
    request = AskRequest(settings_with(settings, solver=named, model=name), overrides(options))
    return replace(request, model_named=name is not None, solver=own, session=session, cache=cache)


def require_named(model: object) -> None:
    """Make sure that a model is named where it is opened here.

    Raises:
        SettingsError: It is one that is open already: it belongs to the event loop where it was opened.
    """
    if isinstance(model, ModelSession):
        raise SettingsError(
            "an open model session belongs to its event loop: await ask_async instead, or pass the model's name"
        )


def questions_of(asked: object, document: Document) -> tuple[str, ...]:
    """Return what is asked, as far as it can be asked.

    Args:
        asked: A question, or a list or tuple of questions.

    Raises:
        InputError: It is neither.
        QuestionError: There is no question, or one is empty.
    """
    if not isinstance(asked, str | list | tuple):
        raise InputError(f"question must be a string or a list of strings, not {_kind(asked)}")
    questions = (asked,) if isinstance(asked, str) else tuple(asked)
    for number, question in enumerate(questions, start=1):
        if not isinstance(question, str):
            raise InputError(f"question {number} must be a string, not {_kind(question)}")
    if not questions:
        raise QuestionError("the list of questions is empty: ask something such as 'what were net sales in 2024?'")
    check_questions(Conversation(document.id, document, questions))
    return questions


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__
