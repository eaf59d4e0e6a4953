"""What goes wrong, in one line for whoever asks over a wire: without the folders of the machine."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

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


def read_faults(found: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return where in a value and why, for each error that pydantic found in it.

    >>> read_faults([{"loc": ("body", "limit"), "msg": "Value error, too large"}])
    [('body.limit', 'too large')]
    """
    return [
        (".".join(map(str, fault["loc"]))[:_LONGEST_FAULT], fault["msg"].removeprefix("Value error, ")[:_LONGEST_FAULT])
        for fault in found
    ]
