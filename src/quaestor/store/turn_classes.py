"""What a stored turn is found by in lists: the kind of its answer, the last operation, where its numbers are.

Derived from the answer as it is stored, so that every store files all turns alike, those of earlier versions too.
Reads plain JSON and refuses nothing: what is not there has no class.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

LOOKUP = "lookup"
"""The operation of a plan that takes a number or words as they are."""


@dataclass(frozen=True, slots=True)
class TurnClasses:
    """The classes of one turn; None if a turn has no such thing.

    Attributes:
        kind: The kind of its answer, as `quaestor.conversation.answer.AnswerKind` names it.
        operation: The last operation of its plan, or `LOOKUP`.
        origin: Where the numbers that its plan takes stand: `table`, `text`, `table and text`; of a plan that takes
            none `earlier turns`, `earlier turns and constants` or `constants`.
        confidence: The solver's probability that the answer is right.
    """

    kind: str = "none"
    operation: str | None = None
    origin: str | None = None
    confidence: float | None = None


def classes_of(answer: Mapping[str, JsonValue]) -> TurnClasses:
    """Return the classes of a turn.

    Args:
        answer: The Answer as `quaestor.core.serial` writes it; an empty one is none.
    """
    confidence = answer.get("confidence")
    sure = float(confidence) if isinstance(confidence, int | float) else None
    value = answer.get("value")
    if value is None:
        return TurnClasses(confidence=sure)
    steps = list(_objects(_object(answer.get("plan")).get("steps")))
    last = steps[-1].get("operation") if steps else None
    operation = last if isinstance(last, str) else None
    return TurnClasses(_kind(value, operation), _operation(steps, operation), _origin(steps), sure)


def _kind(value: JsonValue, operation: str | None) -> str:
    if isinstance(value, bool):
        return "yes_no"
    if isinstance(value, dict):
        return "list" if "list" in value else "label" if operation else "text"
    return "count" if operation == "count" else "number"


def _operation(steps: list[dict[str, Any]], last: str | None) -> str | None:
    if not steps:
        return None
    return LOOKUP if last in (None, "identity") else last


def _origin(steps: list[dict[str, Any]]) -> str | None:
    found = {place for step in steps for place in _places(step)}
    if {"cell", "sentence"} <= found:
        return "table and text"
    if "cell" in found or "sentence" in found:
        return "table" if "cell" in found else "text"
    if "earlier" in found:
        return "earlier turns and constants" if "constant" in found else "earlier turns"
    return "constants" if "constant" in found else None


def _places(step: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a step takes: of a cell or a sentence, of an earlier turn, a constant."""
    if "source" in step:
        yield str(_object(step["source"]).get("kind"))
    for operand in _objects(step.get("operands")):
        match operand.get("kind"):
            case "ref":
                if isinstance(number := operand.get("step"), int) and number < 0:
                    yield "earlier"
            case "label":
                yield "cell"
            case "cells":
                yield from (str(source.get("kind")) for source in _objects(operand.get("sources")))
            case "constant":
                yield "constant"


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> Iterator[dict[str, Any]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())
