"""Result of a conversation: its turns, status, and everything else that a run stores about it.

It is passed from the process that ran the conversation to the process that stores it.
"""

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.conversation.turn import Turn
from quaestor.core.serial import Triple
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
from quaestor.llm.usage import Usage
from quaestor.store.records import ExampleStatus

if TYPE_CHECKING:
    from quaestor.llm.transcript import Exchange

FROZEN = "frozen"
"""Statistic that marks a graph as loaded from the store instead of built."""


@dataclass(frozen=True, slots=True)
class ConversationResult:
    """Result of a conversation.

    Attributes:
        status: `complete`, `failed` (a page without a graph, an error in the solver) or `outage`.
        graph: The triples of the graph of the page, or of everything shown of a long document; may be empty.
        end: An error that affects every other conversation of the run too: the budget is used up; the model, key,
            server or recording is missing; or the solver lacks a setting, a model or its weights.
    """

    started: datetime
    finished: datetime
    turns: tuple[Turn, ...] = ()
    broken: Turn | None = None
    status: ExampleStatus = "complete"
    error: str | None = None
    graph: tuple[Triple, ...] = ()
    graph_of: str | None = None
    kg_stats: Mapping[str, int | str] = field(default_factory=dict)
    exchanges: "tuple[Exchange, ...]" = ()
    usage: Usage = field(default_factory=Usage)
    end: QuaestorError | None = None


_MISCONFIGURED = (SettingsError, ModelError, OntologyError, StoreError, EngineError)
"""Errors that affect every other conversation of a run too."""


def status_for_failure(failure: Exception) -> ExampleStatus:
    """Return the status of a conversation that ended with a failure."""
    return "outage" if isinstance(failure, (OutageError, *_MISCONFIGURED)) else "failed"


def fatal_error(failure: Exception | None) -> QuaestorError | None:
    """Return the failure if it affects every other conversation of the run too; else None."""
    if isinstance(failure, OutageError):
        # Wrong input and a used-up budget end the run; a failing service may answer the next conversation.
        return failure if isinstance(failure, InputError | BudgetExceededError) else None
    return failure if isinstance(failure, _MISCONFIGURED) else None


def describe_failure(failure: Exception) -> str:
    """Return the message to store for a failure; for an unexpected error with its place in the code."""
    if isinstance(failure, (OutageError, GraphError, DocumentError, *_MISCONFIGURED)):
        return named_failure(failure)
    frame = traceback.extract_tb(failure.__traceback__)[-1]
    return f"{named_failure(failure)} (in {frame.name}, {Path(frame.filename).name}:{frame.lineno})"


def named_failure(failure: Exception) -> str:
    """Return the type and the message of a failure."""
    return f"{type(failure).__name__}: {failure}"
