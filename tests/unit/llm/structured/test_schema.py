"""JSON schemas as models are sent them: nothing is said twice, nothing is lost."""

import json
from dataclasses import dataclass
from typing import ClassVar

from pydantic import ConfigDict

from quaestor.llm.structured.schema import UNTOLD, plain_schema


@dataclass(frozen=True)
class Leaf:
    """Told to a model."""

    size: int


@dataclass(frozen=True)
class Twig:
    """For readers of the code alone."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    leaf: Leaf
    other: "Twig | None" = None


@dataclass(frozen=True)
class Tree:
    """The whole."""

    first: Twig
    fruit: Leaf | None = None


@dataclass(frozen=True)
class Bush:
    """The whole."""

    leaf: Leaf


def test_a_part_that_is_used_once_is_inlined() -> None:
    leaf = {
        "description": "Told to a model.",
        "type": "object",
        "properties": {"size": {"type": "integer"}},
        "required": ["size"],
    }
    assert plain_schema(Bush) == {"type": "object", "properties": {"leaf": leaf}, "required": ["leaf"]}


def test_a_part_that_is_used_again_keeps_its_name_and_one_that_holds_itself_too() -> None:
    schema = plain_schema(Tree)
    parts = schema["$defs"]
    assert isinstance(parts, dict)
    assert sorted(parts) == ["Leaf", "Twig"]
    assert json.dumps(schema).count("#/$defs/Leaf") == 2


def test_a_docstring_that_is_for_readers_of_the_code_is_not_sent() -> None:
    said = json.dumps(plain_schema(Tree))
    assert "Told to a model." in said
    assert "readers of the code" not in said
