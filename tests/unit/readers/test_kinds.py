import io
import zipfile
from pathlib import Path

import pytest

from quaestor.readers.content import FileContent, read_content
from quaestor.readers.kinds import is_plain_text, unread_kind


def content(tmp_path: Path, data: bytes) -> FileContent:
    path = tmp_path / "file.csv"
    path.write_bytes(data)
    return read_content(path)


def zipped(*names: str) -> bytes:
    with zipfile.ZipFile(file := io.BytesIO(), "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), "x")
    return file.getvalue()


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"\x89PNG\r\n\x1a\n", "picture"),
        (b"\xff\xd8\xff\xe0 JFIF", "picture"),
        (zipped("a.txt", "b.txt"), "2"),
        (zipped("a.txt")[:30], "zip"),
        (b"PK\x05\x06" + b"\0" * 18, "zip"),
        (zipped("word/document.xml"), "Word"),
        (zipped("xl/workbook.bin"), ".xlsx"),
        (OLE + "Workbook".encode("utf-16-le"), ".xls"),
        (OLE + "WordDocument".encode("utf-16-le"), ".doc"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        (OLE, "Office"),
        (b"From: a\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n boundary=x\r\n", "archive"),
        (b"bplist00\xd1", "archive"),
        (b"%!PS-Adobe", "PostScript"),
        (b"{\\rtf1 hello}", "Rich Text"),
        (b"MZ\x90\0\3\0\0", "program"),
    ],
)
def test_each_kind_is_named_with_advice(tmp_path: Path, data: bytes, named: str) -> None:
    found = content(tmp_path, data)
    assert named in (unread_kind(found) or "")
    assert not is_plain_text(found)


@pytest.mark.parametrize("data", [b"BM is a letter, as MZ is\n", b"a,b\n1,2\n", zipped("xl/workbook.xml")])
def test_readable_content_has_no_unread_kind(tmp_path: Path, data: bytes) -> None:
    assert unread_kind(content(tmp_path, data)) is None


@pytest.mark.parametrize("data", [b"<!DOCTYPE html>", b"<?xml version='1.0'?>", b"%PDF-1.7 ", b'{"a": 1}', b"\0\1\2\3"])
def test_file_with_a_signature_is_not_plain_text(tmp_path: Path, data: bytes) -> None:
    assert not is_plain_text(content(tmp_path, data))


def test_archive_with_millions_of_names_is_not_listed(tmp_path: Path) -> None:
    entry = zipped("a.txt")
    end = entry.rfind(b"PK\x05\x06")
    assert content(tmp_path, entry[: end + 12] + b"\xff\xff\xff\x7f" + entry[end + 16 :]).members == ()
