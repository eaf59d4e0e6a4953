"""The result of a conversation: its turns, and all else that a run stores of it.

It is passed from the process that ran the conversation to the process that stores it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from quaestor.conversation.turn import Turn
from quaestor.core.serial import Triple
from quaestor.errors import QuaestorError
from quaestor.llm.usage import Usage
from quaestor.store.records import ExampleStatus

if TYPE_CHECKING:
    from quaestor.llm.transcript import Exchange

FROZEN = "frozen"
"""The statistic of a graph that was taken from the store and not built."""


@dataclass(frozen=True, slots=True)
class ConversationResult:
    """The result of a conversation.

    Attributes:
        turns: The finished turns, one for each question.
        broken: The unfinished turn, if the conversation broke off.
        status: `complete`, `failed` (a page without a graph, an error in the solver) or `outage`.
        graph: The triples of the graph of the page, or of all that was shown of a long document, or none.
        graph_of: The digest of the document of the graph.
        exchanges: The exchanges with the model.
        end: An error that every other conversation of the run would have too: the budget is used up, there is no such
            model, no key, no server, no such recording; the solver lacks a setting, a model or its weights.
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
