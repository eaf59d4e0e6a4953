"""Types of the tools' arguments."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field, Strict

from quaestor.plan.operations import FOR_MODELS, MOST_OPERANDS

Word = Annotated[str, Field(max_length=300)]
# Strict: otherwise text would be converted to a number, and true to 1.
Scalar = Annotated[int, Strict()] | Annotated[float, Strict()] | Annotated[str, Strict(), Field(max_length=300)]
_ENTITY_TYPE = Field(alias="entityType")
_CLOSED = ConfigDict(extra="forbid")
GROWTH_RATE = "growth_rate"
"""Operation of `calculate` for an annual growth rate, which takes several steps in a plan."""


@dataclass(frozen=True, slots=True)
class QueryKg:
    """The arguments of `query_kg`."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    entity_type: Annotated[Word | None, _ENTITY_TYPE] = None
    property: Annotated[Word | None, Field(description="Left out, all cells that the filters fit.")] = None
    filters: Annotated[
        dict[Word, Scalar | list[Scalar]] | None,
        Field(
            description='Such as {"year": [2007, 2006]}. Keys: year, period, entity, instance, row, '
            "column, table, order, or another property with its value."
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class ListEntities:
    """The arguments of `list_entities`."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    entity_type: Annotated[Word | None, _ENTITY_TYPE] = None


@dataclass(frozen=True, slots=True)
class IntrospectOntology:
    """The arguments of `introspect_ontology`."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    action: Literal["list_types", "get_properties"]
    entity_type: Annotated[Word | None, _ENTITY_TYPE] = None


@dataclass(frozen=True, slots=True)
class Calculate:
    """The arguments of `calculate`."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    operation: Annotated[
        Word,
        Field(
            description="percentage_change: old, new. growth_rate: old, new, years. percentage: part, whole. "
            "table_: a row label. rank, largest, smallest: list, n. above to equal_to: list, number. Two lists go "
            "label by label.",
            json_schema_extra={"enum": [*FOR_MODELS, GROWTH_RATE]},
        ),
    ]
    values: Annotated[
        list[Scalar],
        Field(
            min_length=1,
            max_length=MOST_OPERANDS,
            description="#1: step 1; #-1: last answer; #4..#9: a list; or numbers.",
        ),
    ]


@dataclass(frozen=True, slots=True)
class FindInText:
    """The arguments of `find_in_text`."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    words: Word | None = None
    unit: Annotated[Word | None, Field(description="USD, percent, shares, million, ...")] = None
    period: Annotated[Scalar | None, Field(description="A year, quarter or date.")] = None


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """The arguments of `search_document`."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    query: Annotated[
        Word | None, Field(description="Words of the line or passage and its heading, or names of statements.")
    ] = None
    section: Annotated[Word | None, Field(description="Instead: a heading, such as Note 7; all under it is read.")] = (
        None
    )
    part: Annotated[int, Field(ge=1, description="Of a long section.")] = 1


Request = QueryKg | ListEntities | IntrospectOntology | Calculate | FindInText
