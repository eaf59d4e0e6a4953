"""Files whose names contain control characters, or are not UTF-8, are read like any other."""

import os
import sys
from pathlib import Path

import pytest

from quaestor.readers.content import read_content
from quaestor.readers.reading import document_key, read_file

CSV = b"x,2023,2022\nnet sales,5,4\n"
NAMES = [b"bad\xff\xfename.csv", b"two\nlines.csv", b"esc\x1b[2J.csv", "rtl\u202e.csv".encode()]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")


def named(folder: Path, name: bytes) -> Path:
    path = folder / os.fsdecode(name)
    path.write_bytes(CSV)
    return path


@pytest.mark.parametrize("name", NAMES)
def test_document_name_can_be_printed_and_stored(tmp_path: Path, name: bytes) -> None:
    content = read_content(named(tmp_path, name))
    assert document_key(content) is not None
    found = read_file(content)
    assert found is not None
    assert found[1].id.isprintable()
    assert found[1].id.encode()


def test_names_that_differ_in_a_byte_stay_different(tmp_path: Path) -> None:
    one, other = (read_content(named(tmp_path, name)) for name in (b"\xff.csv", b"\xfe.csv"))
    assert one.name != other.name
