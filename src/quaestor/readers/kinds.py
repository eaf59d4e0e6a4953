"""Kinds of files: suffixes of the supported formats, and detection of unsupported ones, with advice.

Unsupported formats are never read as plain text, even if they consist of text.
"""

import re

from quaestor.readers.content import ZIP_MARKS, FileContent, is_text

SUFFIXES = {
    "html": (".html", ".htm", ".xhtml", ".xht"),
    "pdf": (".pdf",),
    "xlsx": (".xlsx", ".xlsm", ".xltx"),
    "markdown": (".md", ".markdown", ".mdown", ".mkd"),
    "csv": (".csv", ".tsv", ".tab", ".psv"),
    "text": (".txt", ".text", ".asc"),
}
"""The suffixes for each reader of this package."""


_IMAGE = "a picture without text; get the report as HTML, PDF with text, XLSX or CSV"
_ARCHIVE = "unpack it and use the file inside"
_MARKS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n", _IMAGE),
    (0, b"\xff\xd8\xff", _IMAGE),
    (0, b"GIF8", _IMAGE),
    (0, b"II*\0", _IMAGE),
    (0, b"MM\0*", _IMAGE),
    (0, b"BM", _IMAGE),
    (8, b"WEBP", _IMAGE),
    (4, b"ftyp", "a picture or a video without text; get the report as HTML, PDF with text, XLSX or CSV"),
    (0, b"7z\xbc\xaf\x27\x1c", f"a 7z archive: {_ARCHIVE}"),
    (0, b"Rar!\x1a\x07", f"a RAR archive: {_ARCHIVE}"),
    (0, b"BZh", f"packed with bzip2: {_ARCHIVE}"),
    (0, b"\xfd7zXZ\0", f"packed with xz: {_ARCHIVE}"),
    (0, b"\x28\xb5\x2f\xfd", f"packed with zstd: {_ARCHIVE}"),
    (0, b"\x1f\x8b", f"packed twice: {_ARCHIVE}"),
    (257, b"ustar", f"a tar archive: {_ARCHIVE}"),
    (0, b"SQLite format 3\0", "an SQLite database: save the tables you need as CSV"),
    (0, b"PAR1", "a Parquet file: save it as CSV"),
    (0, b"\x7fELF", "a program"),
    (0, b"MZ", "a program"),
    (0, b"{\\rtf", "a Rich Text document: save it as HTML or PDF"),
    (0, b"%!PS", "a PostScript file: print it as PDF"),
    (0, b"bplist00", "a web archive: open it in a browser and save the page as HTML only"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MHTML = re.compile(rb"\A(?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*)*?content-type:\s*multipart/related", re.IGNORECASE)
_WEBARCHIVE = re.compile(rb"\A\s*<\?xml[^>]*>\s*<!DOCTYPE plist", re.IGNORECASE)
_UNREAD_MEMBERS: dict[str, str] = {
    "word/document.xml": "a Word document (.docx): save it as HTML or PDF",
    "ppt/presentation.xml": "a PowerPoint file: save it as PDF",
    "xl/workbook.bin": "a binary workbook (.xlsb): save it as .xlsx",
    "content.xml": "an OpenDocument file: save it as .xlsx, HTML or PDF",
    "EPUB/package.opf": f"an e-book: {_ARCHIVE}",
}
_LEAST_MARK = 3
_PDF = b"%PDF-"
_TEXT_TAG = re.compile(rb"^(?:<(?:SEC-DOCUMENT|TYPE|PAGE)>|\s*<S>\s)", re.MULTILINE)
_PAGE_OF_HTML = re.compile(rb"<(?:!doctype|html|body|p|div|td|tr|br|font)[\s>]", re.IGNORECASE)
_MARKUP = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml|<!DOCTYPE|<!--|<html|<head|<body|<(?:xbrl|svg|rss|feed)[\s>:])", re.IGNORECASE
)


def unread_kind(content: FileContent) -> str | None:
    """Return the kind of an unsupported file and what to do with it; None if the format is not known as unsupported."""
    head = content.head
    if head.startswith(_OLE):
        return _old_office(content)
    if head.startswith(ZIP_MARKS):
        return _zipped(content)
    for place, mark, kind in _MARKS:
        # A plain text may begin with a mark of two letters, but contains no zero bytes.
        if head.startswith(mark, place) and (len(mark) >= _LEAST_MARK or b"\0" in head[:64]):
            return kind
    if _MHTML.match(head[:4096]):
        return "a web archive (.mht): open it in a browser and save the page as HTML only"
    if _WEBARCHIVE.match(head[:1024]):
        return "a property list or a web archive: open it in a browser and save the page as HTML only"
    return None


def is_plain_text(content: FileContent) -> bool:
    """Return whether a file is plain text: not markup, JSON or another recognisable format."""
    if content.looks_like_json or not is_text(content.head) or unread_kind(content) is not None:
        return False
    return _MARKUP.match(content.head[:4096]) is None and _PDF not in content.head[:1024]


def is_text_filing(head: bytes) -> bool:
    """Return whether a file is a filing from before HTML, in plain text with tags such as `<TABLE>` and `<PAGE>`."""
    return _TEXT_TAG.search(head) is not None and _PAGE_OF_HTML.search(head) is None


def _zipped(content: FileContent) -> str | None:
    names = content.members
    if "xl/workbook.xml" in names:
        return None
    for name, kind in _UNREAD_MEMBERS.items():
        if name in names:
            return kind
    if not names:
        broken = "cut off, damaged or in an unsupported version of zip"
        return f"a zip archive or workbook that is {broken}: download it again or save it again"
    return f"a zip archive of {len(names)} files: {_ARCHIVE}"


def _old_office(content: FileContent) -> str:
    data = content.data
    if "EncryptedPackage".encode("utf-16-le") in data:
        return "encrypted: open it with its password and save it without a password"
    if "WordDocument".encode("utf-16-le") in data:
        return "an old Word document (.doc): save it as HTML or PDF"
    if any(name.encode("utf-16-le") in data for name in ("Workbook", "Book")):
        return "an old workbook (.xls): save it as .xlsx"
    return "an old Office file: save it as .xlsx, HTML or PDF"
