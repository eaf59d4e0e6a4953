"""What goes wrong, in one line for whoever asks over a wire: without the folders of the machine."""

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from quaestor.core.serial import fault_line

_LONGEST = 400
_LONGEST_FAULT = 200
_PATH = re.compile(
    r"(?<![\w.:/<])(?:~|\.{1,2})?(?:/[^\s/:'\",;()]+)+/([^\s/:'\",;()]+)|\.quaestor/(?:[^\s/:'\",;()]+/)*([^\s/:'\",;()]+)"
)


def error_line(error: Exception, most: int = _LONGEST) -> str:
    """Return an error in one line, without the folders of the machine.

    >>> error_line(ValueError("cannot read /home/me/filing.htm: it is empty"))
    'cannot read filing.htm: it is empty'
    """
    line = " ".join(str(error).split())
    line = _PATH.sub(lambda match: match[1] or match[2], line)
    return line if len(line) <= most else f"{line[: most - 1]}…"


def log_unforeseen(log: logging.Logger, error: BaseException, where: str = "", most: int = _LONGEST) -> None:
    """Log an unexpected error in one line, with its traceback at debug level."""
    line = " ".join(str(error).split())[:most]
    log.error("%sinternal error: %s: %s", f"{where}: " if where else "", type(error).__name__, line)
    log.debug("traceback", exc_info=error)


def read_faults(found: Iterable[Mapping[str, Any]], given: object = None) -> list[tuple[str, str]]:
    """Return where in a value and why, for each error that pydantic found in it.

    Args:
        given: The value. Where it is of none of several kinds, only what keeps it from the nearest kind is returned.

    >>> read_faults([{"loc": ("body", "limit"), "msg": "Value error, too large"}])
    [('body.limit', 'too large')]
    """
    by_place: dict[tuple[object, ...], dict[object, list[tuple[str, str]]]] = {}
    for fault in found:
        place, kind, shown = _without_kinds(fault, given)
        words = ("its name: " if fault["loc"][-1:] == ("[key]",) else "") + fault_line(fault)[:_LONGEST_FAULT]
        by_place.setdefault(place, {}).setdefault(kind, []).append((".".join(map(str, shown))[:_LONGEST_FAULT], words))
    return [fault for kinds in by_place.values() for fault in min(kinds.values(), key=len)]


def _without_kinds(fault: Mapping[str, Any], given: object) -> tuple[tuple[object, ...], object, Sequence[object]]:
    """Return the place of the value that is of none of several kinds, the kind that was tried, the place of the fault.

    Pydantic names the kinds between the keys of a place: what the value there does not have.
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
