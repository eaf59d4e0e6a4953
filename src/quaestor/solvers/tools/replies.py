"""What comes out of the tools, as types: results, and refusals that say what to do.

Looks nothing up.
"""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Discriminator, Field, JsonValue

from quaestor.core.provenance import Source
from quaestor.solvers.tools.requests import Scalar

Number = int | float


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a tool says instead of a result, so that the next call can do better.

    Attributes:
        nearest: Known names most like the one that was given.
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
    """One of several things that a query matched.

    Attributes:
        step: Its step in the plan, by which it can be named; None if nothing was reported.
    """

    instance: str
    printed: str
    label: str
    filters: dict[str, Scalar | list[Scalar]]
    source: Annotated[Source, Discriminator("kind")]
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The result of `query_kg`.

    Units: `value` is as printed, in units of `scale`, which its print or its labels say; `unknown` where nothing does.

    Attributes:
        value: The number; of a cell of words the words.
        scale: What one unit of a number stands for; None of words.
    """

    success: Literal[True] = field(default=True, init=False)
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
    """A cell among others that reports nothing."""

    instance: str
    property: str
    label: str
    empty: str


@dataclass(frozen=True, slots=True)
class SeveralRetrieved:
    """The result of `query_kg` where more than one cell was asked for: a row, a column, several years.

    Attributes:
        values: The first of them, each with its step; cells that report nothing without.
    """

    success: Literal[True] = field(default=True, init=False)
    count: int
    values: tuple[Retrieved | EmptyCell, ...]


@dataclass(frozen=True, slots=True)
class Entity:
    """One instance: what it is called, when it is, which table it is in."""

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
        properties: Those that the page has; if it has none of the type, the ontology's most frequent ones.
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
        origin: `step 1`, `answer 1 turn ago`, `page`, `constant` or `ungrounded`.
        scale: The multiplier of one unit of it; `unknown` where nothing says it.
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
        result: The number, true or false, or words. Of `percentage_change` and `percentage` in percent.
        fraction: The same as a fraction, where the result is in percent.
        scale: What one unit of the result stands for; `unknown` where nothing says it.
        ungrounded: The values that nothing has returned and the page does not print.
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
    """A number in the text or in a label.

    Attributes:
        scale: The multiplier of one unit; `unknown` where nothing says it.
        period: The period that its sentence gives it, or None.
        period_before: The period that the sentences just before name, where its own names none.
    """

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
    """A sentence or a label, with those of its numbers that fit.

    Attributes:
        before: The sentence before it, where that tells it apart or dates it.
    """

    sentence: str
    mentions: tuple[MentionShown, ...]
    heading: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class TextMatches:
    """The result of `find_in_text`.

    Attributes:
        sentences: The best of them, in their sentences; then sentences without numbers that have the words.
        note: What to do where several matched, only part of the words did, or a period is of the sentence before.
    """

    success: Literal[True] = field(default=True, init=False)
    count: int
    sentences: tuple[SentenceShown, ...]
    step: int | None = None
    note: str | None = None


Result = Retrieved | SeveralRetrieved | Entities | Types | Properties | Calculated | TextMatches
Reply = Result | Refusal
