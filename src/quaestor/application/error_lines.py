"""What goes wrong, in one line for whoever asks over a wire: without the folders of the machine."""

import re

_LONGEST = 400
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
