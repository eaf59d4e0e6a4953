"""Base classes of requests and replies, and pagination."""

from collections.abc import Iterable
from typing import Annotated, Generic, Self, TypeVar

from fastapi import Depends, Query
from pydantic import BaseModel, ConfigDict, JsonValue

from quaestor.application import plan_steps
from quaestor.application.replies import Value
from quaestor.core import serial
from quaestor.store.listing import MOST, ListPage, ListPart

T = TypeVar("T")
_MAX_OFFSET = 1_000_000_000


class RequestBody(BaseModel):
    """A request body; values are not converted to other types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class PartReply(Value, Generic[T]):
    """A part of a list.

    Attributes:
        total: The number of items in the whole list.
        offset: The number of items skipped.
        limit: The maximum number of items.
    """

    items: tuple[T, ...]
    total: int
    offset: int
    limit: int

    @classmethod
    def of_page(cls, page: ListPage[T]) -> Self:
        """Create the reply for one part of a list."""
        return cls(items=page.items, total=page.total, offset=page.part.offset, limit=page.part.limit)


def part_of(
    offset: Annotated[int, Query(ge=0, le=_MAX_OFFSET, description="The number of items to skip.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST, description="The maximum number of items.")] = 50,
) -> ListPart:
    """Create a `ListPart` from the query parameters."""
    return ListPart(offset, limit)


Part = Annotated[ListPart, Depends(part_of)]
"""Annotation for a route parameter that receives the requested part of a list."""


def part_of_whole(items: tuple[T, ...], part: ListPart) -> ListPage[T]:
    """Return a part of a list whose items are all in memory."""
    return ListPage(items[part.offset : part.offset + part.limit], len(items), part)


class PlanNodeReply(Value):
    """A node of a plan.

    Attributes:
        key: Its unique key in the plan.
        kind: A number or text of the document, a row, a group of cells, a constant, an earlier answer or an operation.
        title: The label of a number, or the name of an operation.
        value: Its result, in words; "" if it is unknown.
        inputs: The keys of its inputs, in order.
        turn: The number of the earlier answer, from 1, or null.
        step: The number of the step in the plan, from 1; 0 if it is not a step.
    """

    key: str
    kind: plan_steps.NodeKind
    title: str
    value: str
    inputs: tuple[str, ...]
    sources: tuple[dict[str, JsonValue], ...]
    turn: int | None
    step: int


def nodes_of(nodes: Iterable[plan_steps.PlanNode]) -> tuple[PlanNodeReply, ...]:
    """Convert the nodes of a plan, each after its inputs."""
    return tuple(
        PlanNodeReply.of(
            node,
            sources=tuple(serial.dump(source) for source in node.sources),
            turn=None if node.turn is None else node.turn + 1,
        )
        for node in nodes
    )
