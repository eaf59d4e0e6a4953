import gzip
import json
import os
from pathlib import Path

import pytest

from quaestor.errors import DatasetError
from quaestor.readers import content
from quaestor.readers.content import read_content


def write_file(tmp_path: Path, name: str, data: bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def test_compressed_file_is_read_by_its_content(tmp_path: Path) -> None:
    found = read_content(write_file(tmp_path, "a.json.gz", gzip.compress(b'{"a": 1}')))
    assert (found.json, found.suffix, found.is_packed) == ({"a": 1}, ".json", True)
    assert found.data == found.head == b'{"a": 1}'


def test_gz_suffix_alone_does_not_mean_compressed(tmp_path: Path) -> None:
    plain = read_content(write_file(tmp_path, "a.csv.gz", b"a,b\n1,2\n"))
    packed = read_content(write_file(tmp_path, "b.csv", gzip.compress(b"a,b\n1,2\n")))
    assert plain.data == packed.data == b"a,b\n1,2\n"


def test_the_digest_is_of_the_bytes_on_the_disk(tmp_path: Path) -> None:
    one, other = (read_content(write_file(tmp_path, name, b"x,y\n")) for name in ("a", "b"))
    assert one.digest == other.digest != read_content(write_file(tmp_path, "c", b"x,z\n")).digest


@pytest.mark.parametrize("cut", [3, 12, -1])
def test_truncated_compressed_file(tmp_path: Path, cut: int) -> None:
    packed = gzip.compress(os.urandom(1_000))
    with pytest.raises(DatasetError, match=r"a\.gz"):
        _ = read_content(write_file(tmp_path, "a.gz", packed[:cut])).data


def test_decompression_bomb_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "LARGEST", 1 << 20)
    bomb = read_content(write_file(tmp_path, "bomb.gz", gzip.compress(b"0" * (2 << 20))))
    with pytest.raises(DatasetError, match="1 MB"):
        _ = bomb.data
    with pytest.raises(DatasetError):
        _ = read_content(write_file(tmp_path, "x.json", b"[" + b"0" * (2 << 20))).json


def test_a_text_is_read_up_to_a_bound_and_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "LONGEST_TEXT", 1 << 20)
    found = read_content(write_file(tmp_path, "a.txt", b"0123456789\n" * 100_000)).text
    assert len(found.text) == (1 << 20) // 11 * 11
    (warning,) = found.warnings
    assert "1 MB" in warning


def test_too_large_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "LARGEST_FILE", 1 << 20)
    with pytest.raises(DatasetError, match=r"2 MB.*1 MB"):
        read_content(write_file(tmp_path, "a.txt", b"a" * (2 << 20)))


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\xef\xbb\xbf", b"\0\0\0", gzip.compress(b"", mtime=0)])
def test_an_empty_file(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(DatasetError, match=r"a\.csv"):
        read_content(write_file(tmp_path, "a.csv", data))


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, json.dumps({"a": [1]}).encode())
    os.close(writing)
    found = read_content(Path(f"/dev/fd/{reading}"))
    assert found.json == {"a": [1]}
    assert found.digest
    os.close(reading)


@pytest.mark.parametrize(
    ("name", "data", "like"),
    [
        ("a.json", b"hello", True), ("a", b'{"a": 1', True), ("a", b"[[1, 2]", True), ("a", b"17\n", True),
        ("a", b"[note] that", False), ("a.csv", b"1,2\n", False), ("a", b"17 of them", False),
    ],
)  # fmt: skip
def test_recognises_json_by_its_first_characters(tmp_path: Path, name: str, data: bytes, like: bool) -> None:
    assert read_content(write_file(tmp_path, name, data)).looks_like_json is like


def test_reading_an_idle_pipe_times_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "_PATIENCE", 0)
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DatasetError, match=r"pipe\.csv"):
        read_content(tmp_path / "pipe.csv")
