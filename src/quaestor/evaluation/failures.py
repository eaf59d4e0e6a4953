"""Statuses and messages of conversations that end with an error."""

import traceback
from pathlib import Path

from quaestor.errors import (
    BudgetExceededError,
    DocumentError,
    EngineError,
    GraphError,
    InputError,
    ModelError,
    OntologyError,
    OutageError,
    QuaestorError,
    SettingsError,
    StoreError,
)
from quaestor.store.records import ExampleStatus

_MISCONFIGURED = (SettingsError, ModelError, OntologyError, StoreError, EngineError)
"""Errors that every other conversation of a run would have too."""


def status_for_failure(failure: Exception) -> ExampleStatus:
    """Return the status of a conversation that ended with a failure."""
    return "outage" if isinstance(failure, (OutageError, *_MISCONFIGURED)) else "failed"


def fatal_error(failure: Exception | None) -> QuaestorError | None:
    """Return the failure if every other conversation of the run would have it too; else None."""
    if isinstance(failure, OutageError):
        # Wrong input and a used-up budget end the run; a service in trouble may answer the next conversation.
        return failure if isinstance(failure, InputError | BudgetExceededError) else None
    return failure if isinstance(failure, _MISCONFIGURED) else None


def describe_failure(failure: Exception) -> str:
    """Return the stored message of a failure; for an unexpected error with its place in the code."""
    if isinstance(failure, (OutageError, GraphError, DocumentError, *_MISCONFIGURED)):
        return named_failure(failure)
    frame = traceback.extract_tb(failure.__traceback__)[-1]
    return f"{named_failure(failure)} (in {frame.name}, {Path(frame.filename).name}:{frame.lineno})"


def named_failure(failure: Exception) -> str:
    """Return the type and the message of a failure."""
    return f"{type(failure).__name__}: {failure}"
