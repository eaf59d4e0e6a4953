"""Base classes of requests and replies, and pagination."""

from typing import Annotated

from fastapi import Depends, Query
from pydantic import BaseModel, ConfigDict

from quaestor.store.listing import MOST, ListPart

_MAX_OFFSET = 1_000_000_000


class RequestBody(BaseModel):
    """A request body; values are not converted to other types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


async def part_of(
    offset: Annotated[int, Query(ge=0, le=_MAX_OFFSET, description="The number of items to skip.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST, description="The maximum number of items.")] = 50,
) -> ListPart:
    """Create a `ListPart` from the query parameters."""
    return ListPart(offset, limit)


Part = Annotated[ListPart, Depends(part_of)]
"""Annotation for a route parameter that receives the requested part of a list."""
