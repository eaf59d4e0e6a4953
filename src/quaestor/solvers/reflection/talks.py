"""One role's talk with its model in a turn: told all at first, and in later rounds only what is new."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pydantic_ai.messages import ModelMessage

from quaestor.llm.structured.replies import going_on, initial_messages
from quaestor.llm.structured.request import request_structured
from quaestor.solvers.base import TurnContext

T = TypeVar("T")


@dataclass
class RoleTalk(Generic[T]):
    """What one role was told and replied in a turn.

    Attributes:
        role: `expert`, `extraction_critic` or `calculation_critic`: the role whose model is asked.
        name: What it is to write, as the model is told.
        description: What that says, in a sentence.
        attempts: Replies of one round in all, until one can be used.
        check: Returns what is wrong with a reply.
        doubt: Returns what the role is told once of a reply that can be used.
        salvage: Reads a reply that is not JSON of the type, or returns None.
        told: The type whose schema the model is told, as `request_structured` has it.
    """

    role: str
    kind: type[T]
    name: str
    description: str
    context: TurnContext
    attempts: int
    check: Callable[[T], Sequence[str]]
    doubt: Callable[[T], Sequence[str]] | None = None
    salvage: Callable[[str], T | None] | None = None
    told: type | None = None
    _messages: tuple[ModelMessage, ...] = field(default=(), init=False)

    @property
    def begun(self) -> bool:
        """Whether the role has replied, and so knows the page, the conversation and the question."""
        return bool(self._messages)

    async def ask(self, number: int, prompt: str, system: str) -> T:
        """Return what the role says in a round.

        Args:
            number: The round, from 1.
            prompt: What it is told: of a talk that has begun, what is new.
            system: What it is, which is told once.

        Raises:
            ModelReplyError: No reply could be used.
            OutageError: The model cannot be asked.
        """
        messages = going_on(self._messages, prompt) if self.begun else initial_messages(system, prompt)
        reply = await request_structured(
            self.context.model_for(self.role),
            self.kind,
            messages,
            name=self.name,
            description=self.description,
            phase=f"{self.role.upper()}_{number}",
            attempts=self.attempts,
            on_rejected=self.context.note_rejected,
            check=self.check,
            doubt=self.doubt,
            salvage=self.salvage,
            told=self.told,
        )
        self._messages = reply.messages
        return reply.value
