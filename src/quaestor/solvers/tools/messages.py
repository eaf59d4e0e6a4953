"""Types of the tools' arguments, results, and refusals with a suggestion."""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Discriminator, Field, JsonValue, Strict

from quaestor.core.provenance import Source
from quaestor.plan.operations import FOR_MODELS, MOST_OPERANDS

Word = Annotated[str, Field(max_length=300)]
# Strict: otherwise text would be converted to a number, and true to 1.
Scalar = Annotated[int, Strict()] | Annotated[float, Strict()] | Annotated[str, Strict(), Field(max_length=300)]
_ENTITY_TYPE = Field(alias="entityType")
GROWTH_RATE = "growth_rate"
"""Operation of `calculate` for an annual growth rate, which takes several steps in a plan."""


class _Arguments:
    """Arguments of a tool; unknown ones are refused."""

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class QueryKg(_Arguments):
    """The arguments of `query_kg`."""

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
class ListEntities(_Arguments):
    """The arguments of `list_entities`."""

    entity_type: Annotated[Word | None, _ENTITY_TYPE] = None


@dataclass(frozen=True, slots=True)
class IntrospectOntology(_Arguments):
    """The arguments of `introspect_ontology`."""

    action: Literal["list_types", "get_properties"]
    entity_type: Annotated[Word | None, _ENTITY_TYPE] = None


@dataclass(frozen=True, slots=True)
class Calculate(_Arguments):
    """The arguments of `calculate`."""

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
class FindInText(_Arguments):
    """The arguments of `find_in_text`."""

    words: Word | None = None
    unit: Annotated[Word | None, Field(description="USD, percent, shares, million, ...")] = None
    period: Annotated[Scalar | None, Field(description="A year, quarter or date.")] = None


@dataclass(frozen=True, slots=True)
class SearchDocument(_Arguments):
    """The arguments of `search_document`."""

    query: Annotated[
        Word | None, Field(description="Words of the line or passage and its heading, or names of statements.")
    ] = None
    section: Annotated[Word | None, Field(description="Instead: a heading, such as Note 7; all under it is read.")] = (
        None
    )
    part: Annotated[int, Field(ge=1, description="Of a long section.")] = 1


Request = QueryKg | ListEntities | IntrospectOntology | Calculate | FindInText

Number = int | float


@dataclass(frozen=True, slots=True)
class Refusal:
    """Refusal of a call, with a suggestion for the next one."""

    success: Literal[False] = field(default=False, init=False)
    error: str
    suggestion: str
    nearest: tuple[str, ...] = ()
    available_instances: Annotated[tuple[str, ...], Field(serialization_alias="availableInstances")] = ()
    candidates: tuple["RefusedCandidate", ...] = ()


class RefusalError(Exception):
    """Ends a call with a refusal, whose fields are the arguments."""


@dataclass(frozen=True, slots=True)
class RefusedCandidate:
    """One of several matches of a query.

    Attributes:
        step: Its step in the plan, to refer to it; None for an empty cell.
    """

    instance: str
    printed: str
    label: str
    filters: dict[str, Scalar | list[Scalar]]
    source: Annotated[Source, Discriminator("kind")]
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Success:
    """The part common to all results."""

    success: Literal[True] = field(default=True, init=False)


@dataclass(frozen=True, slots=True)
class Retrieved(Success):
    """Result of `query_kg`.

    Units: `value` is as printed, in units of `scale`, which its print or its labels state; `unknown` if they do not.
    """

    instance: str
    property: str
    value: Number | str
    raw_value: Annotated[str, Field(serialization_alias="rawValue")]
    scale: str | None
    unit: str | None
    year: int | None
    period: str | None
    label: str
    source: Annotated[Source, Discriminator("kind")]
    step: int


@dataclass(frozen=True, slots=True)
class EmptyCell:
    """An empty cell among the results."""

    instance: str
    property: str
    label: str
    empty: str


@dataclass(frozen=True, slots=True)
class SeveralRetrieved(Success):
    """Result of `query_kg` for several cells: a row, a column, several years."""

    count: int
    values: tuple[Retrieved | EmptyCell, ...]


@dataclass(frozen=True, slots=True)
class Entity:
    """An instance with its label, period and table."""

    instance: str
    type: str
    year: int | None
    period: str | None
    entity: str | None
    table: int


@dataclass(frozen=True, slots=True)
class Entities(Success):
    """Result of `list_entities`."""

    entity_type: Annotated[str | None, Field(serialization_alias="entityType")]
    instances: tuple[str, ...]
    count: int
    entities: tuple[Entity, ...]


@dataclass(frozen=True, slots=True)
class Types(Success):
    """Result of `introspect_ontology` with `list_types`."""

    entity_types: Annotated[tuple[str, ...], Field(serialization_alias="entityTypes")]
    other_types: Annotated[tuple[str, ...], Field(serialization_alias="otherTypes")]


@dataclass(frozen=True, slots=True)
class PropertyShown:
    """A property: name, label, range of its values, and number of instances."""

    name: str
    label: str
    range: str
    instances: int


@dataclass(frozen=True, slots=True)
class Properties(Success):
    """Result of `introspect_ontology` with `get_properties`."""

    entity_type: Annotated[str, Field(serialization_alias="entityType")]
    properties: tuple[PropertyShown, ...]
    more: int


@dataclass(frozen=True, slots=True)
class OperandShown:
    """An operand and its origin.

    Attributes:
        origin: `step 1`, `answer 1 turn ago`, `page`, `constant` or `ungrounded`.
        also: The number of other matches on the page, for a value that was looked up there.
    """

    value: JsonValue
    origin: Annotated[str, Field(serialization_alias="from")]
    label: str
    scale: str
    also: int | None = None


@dataclass(frozen=True, slots=True)
class Calculated(Success):
    """Result of `calculate`.

    Attributes:
        result: A number, true or false, or text; in percent for `percentage_change` and `percentage`.
        fraction: The result as a fraction, if it is in percent.
        ungrounded: Values that no tool returned and the page does not print.
    """

    operation: str
    values: tuple[Scalar, ...]
    result: JsonValue
    fraction: Number | None
    scale: str
    unit: str | None
    formula: str
    operands: tuple[OperandShown, ...]
    ungrounded: tuple[Number, ...]
    sources: tuple[Annotated[Source, Discriminator("kind")], ...]
    step: int


@dataclass(frozen=True, slots=True)
class MentionShown:
    """A number in the text or in a label."""

    value: Number
    raw_value: Annotated[str, Field(serialization_alias="rawValue")]
    scale: str
    unit: str | None
    period: str | None
    period_before: Annotated[str | None, Field(serialization_alias="periodOfSentenceBefore")]
    source: Annotated[Source, Discriminator("kind")]
    step: int


@dataclass(frozen=True, slots=True)
class SentenceShown:
    """A sentence or a label with its matching numbers."""

    sentence: str
    mentions: tuple[MentionShown, ...]
    heading: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class TextMatches(Success):
    """Result of `find_in_text`."""

    count: int
    sentences: tuple[SentenceShown, ...]
    step: int | None = None
    note: str | None = None


Result = Retrieved | SeveralRetrieved | Entities | Types | Properties | Calculated | TextMatches
Reply = Result | Refusal
