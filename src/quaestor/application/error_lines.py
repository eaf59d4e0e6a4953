"""One-line error messages for remote clients, without folder names of this machine."""

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from quaestor.core.serial import fault_line
from quaestor.documents.shown import shorten_text

_LONGEST = 400
_LONGEST_FAULT = 200
_PATH = re.compile(
    r"(?<![\w.:/<])(?:~|\.{1,2})?(?:/[^\s/:'\",;()]+)+/([^\s/:'\",;()]+)|\.quaestor/(?:[^\s/:'\",;()]+/)*([^\s/:'\",;()]+)"
)


def error_line(error: Exception, most: int = _LONGEST) -> str:
    """Return an error in one line, without folder names of this machine.

    >>> error_line(ValueError("cannot read /home/me/filing.htm: it is empty"))
    'cannot read filing.htm: it is empty'
    """
    line = " ".join(str(error).split())
    return shorten_text(_PATH.sub(lambda match: match[1] or match[2], line), most)


def log_unforeseen(log: logging.Logger, error: BaseException, where: str = "", most: int = _LONGEST) -> None:
    """Log an unexpected error in one line, with its traceback at debug level."""
    line = " ".join(str(error).split())[:most]
    log.error("%sinternal error: %s: %s", f"{where}: " if where else "", type(error).__name__, line)
    log.debug("traceback", exc_info=error)


def read_faults(found: Iterable[Mapping[str, Any]], given: object = None) -> list[tuple[str, str]]:
    """Return the place and the message of each error that pydantic found in a value.

    Args:
        given: The value. If it matches none of the variants of a union, only the errors of the closest variant are
            returned.

    >>> read_faults([{"loc": ("body", "limit"), "msg": "Value error, too large"}])
    [('body.limit', 'too large')]
    """
    by_place: dict[tuple[object, ...], dict[object, list[tuple[str, str]]]] = {}
    for fault in found:
        place, kind, shown = _split_union_place(fault, given)
        words = ("its name: " if fault["loc"][-1:] == ("[key]",) else "") + fault_line(fault)[:_LONGEST_FAULT]
        by_place.setdefault(place, {}).setdefault(kind, []).append((".".join(map(str, shown))[:_LONGEST_FAULT], words))
    return [fault for kinds in by_place.values() for fault in min(kinds.values(), key=len)]


def _split_union_place(fault: Mapping[str, Any], given: object) -> tuple[tuple[object, ...], object, Sequence[object]]:
    """Return the place of a value that matches no variant of a union, the variant tried, and the place of the error.

    Pydantic puts the names of variants between the keys of a place; they are not keys of the value.
    """
    place: tuple[Any, ...] = fault["loc"]
    if not (isinstance(given, Mapping) and place and place[0] in given):
        return place, None, place
    shown: list[object] = []
    first: tuple[tuple[object, ...], object] | None = None
    for step, key in enumerate(place, 1):
        if isinstance(given, Mapping):
            is_key = key in given
        else:
            is_key = isinstance(given, list) and isinstance(key, int) and key < len(given)
        if is_key:
            given = given[key]  # type: ignore[index]
        elif step < len(place) or not fault["type"].startswith("missing"):
            first = first or (tuple(shown), key)
            continue
        shown.append(key)
    return (*(first or (place, None)), shown)
