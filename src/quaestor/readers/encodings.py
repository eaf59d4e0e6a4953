"""Bytes of a text file to text: by its byte order mark, as UTF-8, else as Windows wrote it in Western Europe."""

import codecs
from dataclasses import dataclass, replace

from quaestor.core.patterns import lazy_regex

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4096
_CONTROLS = lazy_regex("[\0-\x08\x0e-\x1f\x7f\ufeff]+")


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The text of a file.

    Attributes:
        text: Lines end in a line feed, whatever they end in in the file; without signs that print nothing.
        warnings: What was lost, one line each.
    """

    text: str
    warnings: tuple[str, ...] = ()

    def warned(self, warning: str) -> "DecodedText":
        """Return it with one more warning."""
        return replace(self, warnings=(*self.warnings, warning))


def decode_text(data: bytes) -> DecodedText:
    r"""Return bytes as text. Loses nothing that prints.

    >>> decode_text(b"caf\xe9\r\n").text
    'café\n'
    """
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", ""))
    if not encoding:
        encoding = _unmarked_wide(data[:_SAMPLE])
    warnings = []
    if encoding:
        text = data[len(mark) :].decode(encoding, "replace")
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            # cp1252 leaves five bytes open, which print nothing.
            text = data.decode("cp1252", "replace")
            line = data.count(b"\n", 0, error.start) + 1
            warnings.append(f"line {line} is not UTF-8; the text was read as Windows-1252")
    if "\ufffd" in text and encoding:
        warnings.append(f"characters that are not valid {encoding.upper()} were replaced by \ufffd")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x85", "\n")
    text, dropped = _CONTROLS.subn("", text)
    if dropped:
        warnings.append(f"control characters were left out in {dropped} place{'s' * (dropped != 1)}")
    return DecodedText(text, tuple(warnings))


_NAMED = frozenset(
    {"utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "ascii", "iso8859-1", "cp1252"}
    | {f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16)}
    | {f"cp125{page}" for page in (0, 1, 3, 4, 5, 6, 7, 8)}
    | {"cp437", "cp850", "cp852", "cp866", "cp874", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "tis-620"}
    | {"gb2312", "gbk", "gb18030", "hz", "big5", "big5hkscs", "euc_jp", "shift_jis", "cp932", "iso2022_jp"}
    | {"euc_kr", "cp949", "johab"}
)
"""Encodings that a file may name, as Python calls them: those that documents are written in. Python knows others that
are no text, or cost more than their length."""


def named_encoding(name: str) -> str | None:
    """Return Python's name of the encoding that a file names; None if no document is written in it.

    >>> named_encoding("Windows-1251"), named_encoding("zlib_codec"), named_encoding("UTF-1.5")
    ('cp1251', None, None)
    """
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    return found if found in _NAMED else None


def is_text(data: bytes) -> bool:
    """Return whether the first bytes of a file are those of a text: hardly anything in them prints nothing."""
    if any(data.startswith(mark) for mark, _ in _MARKS) or _unmarked_wide(data[:_SAMPLE]):
        return True
    controls = sum(data.count(bytes([code])) for code in (*range(9), *range(14, 32), 127))
    return bool(data.strip()) and 20 * controls <= len(data)


def _unmarked_wide(data: bytes) -> str:
    """Return the encoding of a text in UTF-16 without a mark: every second byte of it is zero; else ""."""
    if len(data) < 4 or b"\0" not in data:
        return ""
    even, odd = data[0::2], data[1::2]
    if odd.count(0) > 0.7 * len(odd) and even.count(0) < 0.1 * len(even):
        return "utf-16-le"
    return "utf-16-be" if even.count(0) > 0.7 * len(even) and odd.count(0) < 0.1 * len(odd) else ""
