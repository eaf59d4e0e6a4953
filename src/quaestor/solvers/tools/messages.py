"""What goes into the tools and what comes out, as types.

Owns the names on the wire, which are those of the tools' design (`entityType`, `filters`, `property`, `operation`,
`values`, `action`), and the form of a refusal. Looks nothing up.
"""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Discriminator, Field, JsonValue, Strict

from quaestor.core.provenance import Source
from quaestor.plan.operations import MOST_OPERANDS, OPERATIONS

Number = int | float
Word = Annotated[str, Field(max_length=300)]
# Strict, or text would become a number and true the number 1.
Scalar = Annotated[int, Strict()] | Annotated[float, Strict()] | Annotated[str, Strict(), Field(max_length=300)]
_ENTITY_TYPE = Field(alias="entityType", description="A type of entity, such as StockOption or CashFlow.")
_CLOSED = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class QueryKg:
    """The arguments of `query_kg`."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    entity_type: Annotated[Word, _ENTITY_TYPE]
    property: Annotated[Word, Field(description="The property to read, such as exercisePrice or net_income.")]
    filters: Annotated[
        dict[Word, Scalar] | None,
        Field(
            description='Which instance is meant, such as {"year": "2007"}. Keys: year, period, entity, instance, row, '
            "column, table, order, or a property of the instance with its value."
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

    action: Annotated[Literal["list_types", "get_properties"], Field(description="What to show.")]
    entity_type: Annotated[Word | None, _ENTITY_TYPE] = None


@dataclass(frozen=True, slots=True)
class Calculate:
    """The arguments of `calculate`."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    operation: Annotated[
        Word,
        Field(
            description="The operation. percentage_change takes the old value, then the new one; percentage the part, "
            "then the whole. The table_ operations take one row label.",
            json_schema_extra={"enum": list(OPERATIONS)},
        ),
    ]
    values: Annotated[
        list[Scalar],
        Field(
            min_length=1,
            max_length=MOST_OPERANDS,
            description="Numbers that the page, an earlier step or an earlier answer has; or #1 for step 1 of this "
            "turn and #-1 for the last answer.",
        ),
    ]


@dataclass(frozen=True, slots=True)
class FindInText:
    """The arguments of `find_in_text`."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    words: Annotated[Word | None, Field(description="Words of the sentence around the number.")] = None
    unit: Annotated[Word | None, Field(description="What it counts: USD, percent, shares, million, ...")] = None
    period: Annotated[Scalar | None, Field(description="A year, quarter or date that the text gives it.")] = None


Request = QueryKg | ListEntities | IntrospectOntology | Calculate | FindInText


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a tool says instead of a result, so that the next call can do better.

    Attributes:
        error: What is wrong.
        suggestion: What to do.
        nearest: Known names most like the one that was given.
        available_instances: The instances that could have been meant.
        candidates: What matched, where that was more than one thing; each with the filters that single it out.
    """

    success: Literal[False] = field(default=False, init=False)
    error: str
    suggestion: str
    nearest: tuple[str, ...] = ()
    available_instances: Annotated[tuple[str, ...], Field(serialization_alias="availableInstances")] = ()
    candidates: tuple["RefusedCandidate", ...] = ()


@dataclass(frozen=True, slots=True)
class RefusedCandidate:
    """One of several things that a query matched."""

    instance: str
    printed: str
    label: str
    filters: dict[str, Scalar]
    source: Annotated[Source, Discriminator("kind")]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The result of `query_kg`.

    Units: `value` is as printed, in units of `scale`, which its print or its labels say; `unknown` where nothing does.
    """

    success: Literal[True] = field(default=True, init=False)
    instance: str
    property: str
    value: Number
    raw_value: Annotated[str, Field(serialization_alias="rawValue")]
    scale: str
    unit: str | None
    year: int | None
    period: str | None
    label: str
    source: Annotated[Source, Discriminator("kind")]
    step: int


@dataclass(frozen=True, slots=True)
class Entity:
    """One instance: what it is called, when it is, which table it stands in."""

    instance: str
    type: str
    year: int | None
    period: str | None
    entity: str | None
    table: int


@dataclass(frozen=True, slots=True)
class Entities:
    """The result of `list_entities`."""

    success: Literal[True] = field(default=True, init=False)
    entity_type: Annotated[str | None, Field(serialization_alias="entityType")]
    instances: tuple[str, ...]
    count: int
    entities: tuple[Entity, ...]


@dataclass(frozen=True, slots=True)
class Types:
    """The result of `introspect_ontology` with `list_types`.

    Attributes:
        entity_types: Those with an instance on this page.
        other_types: Those that the ontology knows besides.
    """

    success: Literal[True] = field(default=True, init=False)
    entity_types: Annotated[tuple[str, ...], Field(serialization_alias="entityTypes")]
    other_types: Annotated[tuple[str, ...], Field(serialization_alias="otherTypes")]


@dataclass(frozen=True, slots=True)
class PropertyShown:
    """A property: its name, what the page or the ontology calls it, and what its values are."""

    name: str
    label: str
    range: str
    instances: int


@dataclass(frozen=True, slots=True)
class Properties:
    """The result of `introspect_ontology` with `get_properties`.

    Attributes:
        entity_type: The type.
        properties: Those that the page has; where it has none of the type, the ontology's most frequent ones.
        more: How many others the ontology has for the type.
    """

    success: Literal[True] = field(default=True, init=False)
    entity_type: Annotated[str, Field(serialization_alias="entityType")]
    properties: tuple[PropertyShown, ...]
    more: int


@dataclass(frozen=True, slots=True)
class OperandShown:
    """Where an operand came from.

    Attributes:
        value: As it was used, in units of `scale`.
        origin: `step 1`, `answer 1 turn ago`, `page`, `constant` or `ungrounded`.
        label: What it is.
        scale: What one unit of it stands for; `unknown` where nothing says it.
        also: How many other numbers of the page have the same value, where it was looked up there.
    """

    value: JsonValue
    origin: Annotated[str, Field(serialization_alias="from")]
    label: str
    scale: str
    also: int | None = None


@dataclass(frozen=True, slots=True)
class Calculated:
    """The result of `calculate`.

    Attributes:
        operation: As executed.
        values: As given.
        result: The number, true or false, or words. Of `percentage_change` and `percentage` in percent.
        fraction: The same as a fraction, where the result is in percent.
        scale: What one unit of the result stands for; `unknown` where nothing says it.
        unit: What it counts, or None.
        formula: The whole arithmetic.
        operands: Where each value came from.
        ungrounded: The values that nothing has returned and the page does not print.
        sources: Every cell and span that it rests on.
        step: Its step in the plan.
    """

    success: Literal[True] = field(default=True, init=False)
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
    sentence: str
    source: Annotated[Source, Discriminator("kind")]


@dataclass(frozen=True, slots=True)
class TextMatches:
    """The result of `find_in_text`.

    Attributes:
        count: How many numbers matched.
        mentions: The best of them.
        step: The step in the plan, where exactly one matched.
        note: What to do where several matched, or only part of the words did.
    """

    success: Literal[True] = field(default=True, init=False)
    count: int
    mentions: tuple[MentionShown, ...]
    step: int | None = None
    note: str | None = None


Result = Retrieved | Entities | Types | Properties | Calculated | TextMatches
Reply = Result | Refusal
