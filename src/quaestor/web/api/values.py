"""What requests and replies are made of: frozen, and nothing in them that is not said."""

from typing import Annotated, Generic, Self, TypeVar

from fastapi import Depends, Query
from pydantic import BaseModel, ConfigDict

from quaestor.store.listing import MOST, ListPage, ListPart

T = TypeVar("T")
_FARTHEST = 1_000_000_000


class Value(BaseModel):
    """A value of a reply."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def of(cls, *records: object, **others: object) -> Self:
        """Return what records say, the first that has a field; others are told as given."""
        said = dict(others)
        for name in cls.model_fields.keys() - others.keys():
            said[name] = next(getattr(record, name) for record in records if hasattr(record, name))
        return cls.model_validate(said)


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
        """Return a part of a list."""
        return cls(items=page.items, total=page.total, offset=page.part.offset, limit=page.part.limit)


def part_of(
    offset: Annotated[int, Query(ge=0, le=_FARTHEST, description="The number of items to skip.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST, description="The maximum number of items.")] = 50,
) -> ListPart:
    """Return the part of a list that an address asks for."""
    return ListPart(offset, limit)


Part = Annotated[ListPart, Depends(part_of)]
"""A parameter of this type is the part of a list that is asked for."""


def part_of_whole(items: tuple[T, ...], part: ListPart) -> ListPage[T]:
    """Return a part of a list that is there as a whole."""
    return ListPage(items[part.offset : part.offset + part.limit], len(items), part)
