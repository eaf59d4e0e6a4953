"""Shorten tool replies for the model, which reads them again with every later request.

The complete reply is recorded. Left out are places that a step already identifies, repetitions of the request or of
other fields, and digits beyond those that a reader compares.
"""

from collections.abc import Mapping
from types import MappingProxyType

from pydantic import JsonValue

_OMITTED = frozenset({"success", "source", "sources", "operation", "year", "instance", "property", "fraction"})
_OF_SENTENCES = frozenset({"sentence", "before", "text"})
_DIGITS = 10


def shorten(reply: Mapping[str, JsonValue], names: Mapping[str, str] = MappingProxyType({})) -> dict[str, JsonValue]:
    """Return a tool's reply as shown to the model; a refusal loses only its source places.

    Args:
        names: Names of sentences by which the model cites them, by their text.
    """
    if reply.get("success"):
        return _short(_add_names(reply, names) if names else reply)
    return {name: _short_value(value) for name, value in reply.items() if name != "success"}


def _add_names(reply: Mapping[str, JsonValue], names: Mapping[str, str]) -> dict[str, JsonValue]:
    """Prefix the sentences of a reply with their names."""

    def named(key: str, value: JsonValue) -> JsonValue:
        if isinstance(value, list):
            return [named(key, item) for item in value]
        if isinstance(value, dict):
            return _add_names(value, names)
        return _with_names(value, names) if isinstance(value, str) and key in _OF_SENTENCES else value

    return {key: named(key, value) for key, value in reply.items()}


def _with_names(text: str, names: Mapping[str, str]) -> str:
    parts: list[str] = []
    while known := max((sentence for sentence in names if text.startswith(sentence)), key=len, default=""):
        parts.append(f"{names[known]}: {known}")
        text = text[len(known) :].lstrip()
    return " ".join((*parts, *([text] if text else [])))


def _short(reply: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    calculated = "operands" in reply
    shown: dict[str, JsonValue] = {k: v for k, v in reply.items() if k not in _OMITTED and v not in (None, [], "")}
    if calculated:
        shown.pop("values", None)
        shown["operands"] = _operands(reply["operands"])
        if not shown["operands"]:
            del shown["operands"]
    if not shown.get("label"):
        shown |= {k: reply[k] for k in ("instance", "property") if k in reply}
    if _plain(shown.get("rawValue")) == _plain(shown.get("value")):
        shown.pop("rawValue", None)
    return {name: _short_value(value) for name, value in shown.items()}


def _short_value(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_short_value(item) for item in value]
    if isinstance(value, dict):
        return _short(value) if "step" in value else {k: _short_value(v) for k, v in value.items() if k != "source"}
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def _operands(shown: JsonValue) -> JsonValue:
    """Format each operand as a line such as `318.6 million (page: data cables, 2012)`; omit those that are steps."""
    if not isinstance(shown, list):
        return shown
    lines: list[JsonValue] = []
    for item in shown:
        if isinstance(item, dict) and not str(item.get("from")).startswith(("step", "constant")):
            scale = "" if item.get("scale") in ("one", "unknown", None) else f" {item['scale']}"
            also = f"; also {item['also']} others on the page" if item.get("also") else ""
            lines.append(f"{_short_value(item.get('value'))}{scale} ({item.get('from')}: {item.get('label')}{also})")
    return lines


def _plain(printed: JsonValue) -> str:
    return str(printed).replace(",", "").replace("$", "").strip()
