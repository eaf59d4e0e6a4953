"""What becomes of a conversation and its run when something fails that is not a fault of an answer."""

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
"""What no other conversation of a run would be spared, and no answer can be blamed for."""


def status_for_failure(failure: Exception) -> ExampleStatus:
    """Return the status of a conversation that ended with a failure."""
    return "outage" if isinstance(failure, (OutageError, *_MISCONFIGURED)) else "failed"


def fatal_error(failure: Exception | None) -> QuaestorError | None:
    """Return the failure where no other conversation of the run would be spared it."""
    if isinstance(failure, OutageError):
        # What a person has to mend, and a budget, stop the run; a service in trouble may answer the next one.
        return failure if isinstance(failure, InputError | BudgetExceededError) else None
    return failure if isinstance(failure, _MISCONFIGURED) else None


def describe_failure(failure: Exception) -> str:
    """Return what failed as it is kept; of a defect where it is, for whoever mends it."""
    if isinstance(failure, (OutageError, GraphError, DocumentError, *_MISCONFIGURED)):
        return named_failure(failure)
    frame = traceback.extract_tb(failure.__traceback__)[-1]
    return f"{named_failure(failure)} (in {frame.name}, {Path(frame.filename).name}:{frame.lineno})"


def named_failure(failure: Exception) -> str:
    """Return the kind of a failure, and what it says."""
    return f"{type(failure).__name__}: {failure}"
