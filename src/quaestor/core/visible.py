"""Escaping of untrusted text for terminals and browsers.

Characters that move the cursor or change the text direction are replaced. Line ends, tabs and harmless direction marks
stay.
"""

import re
from html import escape
from typing import Final

from quaestor.core.patterns import lazy_regex

_UNKNOWN = "\ufffd"
_CONTROL_PICTURES = 0x2400
_OTHER_CONTROLS = (*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))

_SHOWN: Final = {
    **{code: chr(_CONTROL_PICTURES + code) for code in range(32) if chr(code) not in "\t\n\r"},
    **dict.fromkeys(_OTHER_CONTROLS, _UNKNOWN),
}
_LINE_SIGNS: Final = {
    **{ord(sign): chr(_CONTROL_PICTURES + ord(sign)) for sign in "\t\n\r"},
    0x2028: _UNKNOWN,
    0x2029: _UNKNOWN,
}
_LONE = lazy_regex("[\ud800-\udfff]")
_FIRST_BYTE = 0xDC00
"""Offset of the surrogates by which Python represents bytes of file names that are not UTF-8."""

_ESCAPED: Final = {code: f"\\u{code:04x}" for code in _OTHER_CONTROLS}


def visible(text: str) -> str:
    r"""Replace the control characters of a text by visible characters.

    >>> visible("net\x1b[2J sales \u202e54")
    'net␛[2J sales �54'
    """
    return text if text.isascii() and text.isprintable() else text.translate(_SHOWN)


def visible_name(name: str) -> str:
    r"""Return a file's name on one line as valid Unicode.

    Bytes that are not UTF-8 are escaped, so that different names stay different.

    >>> visible_name("a\nb\x1b.csv"), visible_name("bad\udcff.csv")
    ('a␊b␛.csv', 'bad\\xff.csv')
    """
    return visible(_LONE.sub(_escaped_byte, name)).translate(_LINE_SIGNS)


def _escaped_byte(lone: re.Match[str]) -> str:
    byte = ord(lone[0]) - _FIRST_BYTE
    return f"\\x{byte:02x}" if 0x80 <= byte <= 0xFF else _UNKNOWN


def escaped_in_json(text: str) -> str:
    r"""Escape control characters in JSON text.

    >>> escaped_in_json('["\u202e54"]')
    '["\\u202e54"]'
    """
    return text.translate(_ESCAPED)


def html_text(text: str) -> str:
    r"""Escape a text for the content of an HTML element or a quoted attribute, and replace control characters.

    >>> html_text('<b onclick="x">\ud800\u202e54')
    '&lt;b onclick=&quot;x&quot;&gt;?�54'
    """
    return escape(visible(text.encode("utf-8", "replace").decode("utf-8")))
