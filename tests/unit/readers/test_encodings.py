import codecs
import encodings.aliases

import pytest

from quaestor.readers.content import decode_text, is_text, named_encoding

TEXT = "Umsatzerlöse in Mio. €\n“net sales”\n"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r").encode(),
    ],
)
def test_the_text_is_the_same_in_every_encoding(data: bytes) -> None:
    found = decode_text(data)
    assert found.text == TEXT
    assert found.warnings == ()
    assert is_text(data)


def test_text_that_is_not_utf_8_is_read_as_windows_1252_with_a_warning() -> None:
    found = decode_text(TEXT.encode("cp1252"))
    assert found.text == TEXT
    (warning,) = found.warnings
    assert "line 1 " in warning


def test_control_characters_are_left_out_and_counted() -> None:
    found = decode_text(b"net\0 sales\x07\n5\0\0\n")
    assert found.text == "net sales\n5\n"
    (warning,) = found.warnings
    assert "3" in warning


def test_every_byte_sequence_is_decoded() -> None:
    assert decode_text(bytes(range(256)) * 3).text


@pytest.mark.parametrize("data", [b"", b"  ", bytes(range(32)) * 9, b"\0" * 99])
def test_binary_content_is_not_text(data: bytes) -> None:
    assert not is_text(data)


@pytest.mark.parametrize(
    "name", ["utf8", "UTF-16", "latin1", "windows-1251", "ISO-8859-15", "Shift_JIS", "gb2312", "EUC-KR"]
)
def test_an_encoding_of_documents_is_known_by_each_of_its_names(name: str) -> None:
    assert named_encoding(name) is not None


def test_any_declared_encoding_is_decoded_or_unknown() -> None:
    for name in (*encodings.aliases.aliases, "undefined", "UTF-1.5", "../utf_8", "os", "", "\0"):
        if (found := named_encoding(name)) is not None:
            assert isinstance(bytes(range(256)).decode(found, "replace"), str)
    assert {named_encoding(name) for name in ("zlib_codec", "rot13", "undefined", "punycode", "unicode_escape")} == {
        None
    }
