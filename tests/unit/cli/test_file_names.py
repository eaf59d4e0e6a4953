"""Names of files that would lead a terminal, or are not UTF-8: read, printed on one line, and kept."""

import json
import os
import sys
from pathlib import Path

import pytest
from command_line import Quaestor

CSV = b"x,2023,2022\nnet sales,5,4\n"
NAMES = [b"bad\xff\xfename.csv", b"two\nlines.csv", b"esc\x1b[2J.csv", "rtl\u202e.csv".encode()]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_any_name_is_asked_and_kept(quaestor: Quaestor, tmp_path: Path, name: bytes) -> None:
    path = tmp_path / os.fsdecode(name)
    path.write_bytes(CSV)
    shown = quaestor("read", str(path)).out.splitlines()
    assert shown[0].isprintable()
    asked = quaestor("ask --json", str(path), "net sales in 2023")
    assert asked.code == 0
    assert [answer["question"] for answer in json.loads(asked.out)] == ["net sales in 2023"]
    kept = quaestor("runs list --json")
    assert len(json.loads(kept.out)) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_any_name_that_cannot_be_read_is_one_line(quaestor: Quaestor, tmp_path: Path, name: bytes) -> None:
    path = tmp_path / os.fsdecode(name)
    path.write_bytes(b"MZ\0\0")
    refused = quaestor("read", str(path), str(path))
    assert refused.code == 2
    assert len(refused.err.splitlines()) == 2
    assert "\x1b" not in refused.err


def test_a_question_is_read_as_utf8_whatever_the_locale(quaestor: Quaestor, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(CSV)
    typed = "net sales in \u20ac in 2023".encode().decode("ascii", "surrogateescape")
    assert json.loads(quaestor("ask --json", str(path), typed).out)[0]["question"] == "net sales in \u20ac in 2023"
