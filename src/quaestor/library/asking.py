"""Arguments of the Python API, checked and converted for the services of `quaestor.application`.

Rejects mistakes that type annotations cannot prevent, such as questions that are not text.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from pydantic import JsonValue

from quaestor.application.ask_service import AskRequest
from quaestor.application.solver_options import SolverOverrides
from quaestor.datasets.dataset import Conversation, check_questions
from quaestor.documents.document import Document
from quaestor.errors import InputError, QuestionError, SettingsError
from quaestor.llm.session import ModelSession
from quaestor.readers.cache import ByteCache
from quaestor.settings import Settings, load_settings
from quaestor.solvers.base import Solver

Options = Mapping[str, object]
Questions = list[str] | tuple[str, ...]
"""Several questions. Not `Sequence[str]`, because a single string is one too."""


def settings_with(settings: Settings | None, **options: str | int | None) -> Settings:
    """Return the settings, overridden by the arguments of a call."""
    if settings is not None and not isinstance(settings, Settings):
        raise SettingsError(f"settings must be quaestor.Settings(...), not {_kind(settings)}")
    given = {name: value for name, value in options.items() if value is not None}
    return load_settings(given) if settings is None else replace(settings, **given)  # type: ignore[arg-type]


def overrides(options: Options | None) -> SolverOverrides:
    """Return solver options that override those in the settings."""
    if options is not None and not isinstance(options, Mapping):
        raise SettingsError(f"options must be a dict such as {{'abstain_below': 0.5}}, not {_kind(options)}")
    return SolverOverrides(cast("Mapping[str, JsonValue]", dict(options or {})))


def make_ask_request(
    settings: Settings,
    cache: ByteCache | None,
    solver: str | Solver | None,
    model: str | ModelSession | None,
    options: Options | None,
) -> AskRequest:
    """Create a request from the arguments of a call.

    Args:
        cache: Cache for indexes and ontologies of files, or None.
        solver: A name or an instance; None uses the configured solver.
        model: A name or an open session; None uses the configured model.

    Raises:
        SettingsError: An argument has the wrong type, or options are given for a solver instance.
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
    """Check that the model is given by name.

    Raises:
        SettingsError: It is an open session, which belongs to the event loop in which it was opened.
    """
    if isinstance(model, ModelSession):
        raise SettingsError(
            "an open model session belongs to its event loop: await ask_async instead, or pass the model's name"
        )


def questions_of(value: object, document: Document) -> tuple[str, ...]:
    """Return the questions as a tuple, after checking them.

    Args:
        value: A question, or a list or tuple of questions.

    Raises:
        InputError: It is neither.
        QuestionError: There is no question, or one is empty or too long.
    """
    if not isinstance(value, str | list | tuple):
        raise InputError(f"question must be a string or a list of strings, not {_kind(value)}")
    questions = (value,) if isinstance(value, str) else tuple(value)
    for number, question in enumerate(questions, start=1):
        if not isinstance(question, str):
            raise InputError(f"question {number} must be a string, not {_kind(question)}")
    if not questions:
        raise QuestionError("the list of questions is empty: ask something such as 'what were net sales in 2024?'")
    check_questions(Conversation(document.id, document, questions))
    return questions


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__
