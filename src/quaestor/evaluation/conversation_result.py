"""How a conversation went: its turns, and all else that a run keeps of it.

A value: it crosses from whoever played the conversation, in another process too, to whoever writes it down.
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
"""Among the counts of a graph: that it was taken from the store, and not built."""


@dataclass(frozen=True, slots=True)
class ConversationResult:
    """How a conversation went.

    Attributes:
        turns: One a question, as far as they came to their end.
        broken: The turn that broke off, as far as it came; None unless the conversation did.
        status: `complete`, `failed` (a page without a graph, a defect in the solver) or `outage`.
        graph: The triples of the graph of the page, or of all that was shown of a long document, or none.
        graph_of: The digest of what it is the graph of.
        exchanges: With the model, as far as they came.
        end: What no other conversation of the run would be spared: the budget is used up, there is no such model, no
            key, no server, no such recording; the solver lacks a setting, a model or its weights.
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
