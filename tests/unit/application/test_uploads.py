"""Uploaded files: which are kept or refused, and that their names are never used as paths."""

import asyncio
import os
import stat
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.application import document_library
from quaestor.application.document_library import Upload, UploadLimits, Uploads, display_name, open_uploads
from quaestor.errors import InputError, UnknownUploadError
from quaestor.readers.cache import FolderCache
from quaestor.settings import load_settings

CSV = b"( in millions ),2009,2008\nnet sales,120,100\nrent,5,4\n"


def csv(number: int) -> bytes:
    return CSV + f"wages,{number},{number}\n".encode()


def hand_over(uploads: Uploads, *files: bytes, name: str = "sales.csv") -> list[Upload]:
    async def all_of_them() -> list[Upload]:
        return [await uploads.read_upload(data, name) for data in files]

    return asyncio.run(all_of_them())


@pytest.mark.slow
def test_an_upload_is_found_again_by_its_id_alone(tmp_path: Path) -> None:
    first, again = hand_over(Uploads(tmp_path / "u"), CSV, CSV)
    assert first.document.id == first.page.document.id == "sales.csv"
    assert first.id != again.id
    assert asyncio.run(Uploads(tmp_path / "u").open(first.id)) == first
    assert [path.name for path in (tmp_path / "u").glob("*.file")] == [f"{first.digest}.file"]
    for id in ("", "x", first.id[:-1], f"../u/{first.id}", first.digest, "\0", first.id + "/"):
        with pytest.raises(UnknownUploadError):
            asyncio.run(Uploads(tmp_path / "u").open(id))


def test_upload_folder_is_private(tmp_path: Path) -> None:
    hand_over(Uploads(tmp_path / "u"), CSV)
    assert stat.S_IMODE((tmp_path / "u").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "u").iterdir()} == {0o600}


def test_parsed_upload_is_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uploads = Uploads(tmp_path / "u", FolderCache(tmp_path / "files"))
    (uploaded,) = hand_over(uploads, CSV)

    async def nobody_reads(*_: object) -> None:
        raise AssertionError("it was read again")

    monkeypatch.setattr(document_library, "read_limited_async", nobody_reads)
    assert asyncio.run(Uploads(tmp_path / "u", FolderCache(tmp_path / "files")).open(uploaded.id)) == uploaded


@pytest.mark.parametrize(
    "data", [CSV * 100, b" \n\t", b"Nothing but words is here.\n", b"\x89PNG\r\n\x1a\n" + bytes(99)]
)
def test_unreadable_uploads_are_refused_in_one_line_and_not_kept(tmp_path: Path, data: bytes) -> None:
    uploads = Uploads(tmp_path / "u", FolderCache(tmp_path / "files"), UploadLimits(largest=1000))
    with pytest.raises(InputError) as raised:
        hand_over(uploads, data, name="../../etc/passwd.txt")
    assert "passwd.txt" in str(raised.value)
    assert "etc" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_least_recently_used_upload_is_removed(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path / "u", limits=UploadLimits(files=3))
    uploaded = hand_over(uploads, csv(1), csv(2), csv(3))
    for number, upload in enumerate(uploaded):
        os.utime(tmp_path / "u" / f"{upload.id}.json", (number, number))
    asyncio.run(uploads.open(uploaded[0].id))
    (fourth,) = hand_over(uploads, csv(4))
    stored = {path.stem for path in (tmp_path / "u").glob("*.json")}
    assert stored == {uploaded[0].id, uploaded[2].id, fourth.id}
    assert {path.stem for path in (tmp_path / "u").glob("*.file")} == {
        upload.digest for upload in (uploaded[0], uploaded[2], fourth)
    }


def test_new_upload_is_kept_after_the_clock_is_set_back(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path / "u", limits=UploadLimits(files=1))
    (old,) = hand_over(uploads, csv(1))
    ahead = time.time() + 3600
    os.utime(tmp_path / "u" / f"{old.id}.json", (ahead, ahead))
    (new,) = hand_over(uploads, csv(2))
    assert [entry.id for entry in uploads.all()] == [new.id]


@pytest.mark.slow
def test_total_size_of_uploads_is_limited(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path / "u", limits=UploadLimits(most=2 * len(csv(1)) + 1))
    uploaded = hand_over(uploads, csv(1), csv(2), csv(3), csv(3))
    files = {path.stem for path in (tmp_path / "u").glob("*.file")}
    assert files == {uploaded[1].digest, uploaded[2].digest}


@pytest.mark.slow
def test_deleting_an_upload_keeps_other_files(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path / "u")
    one, same = hand_over(uploads, CSV, CSV)
    assert [entry.name for entry in uploads.all()] == [one.name] * 2
    assert uploads.forget(one.id)
    assert not uploads.forget("../" + same.id)
    assert [entry.id for entry in uploads.all()] == [same.id]
    with pytest.raises(UnknownUploadError):
        asyncio.run(uploads.open(one.id))
    assert asyncio.run(uploads.open(same.id)).digest == one.digest
    uploads.forget(same.id)
    assert list((tmp_path / "u").iterdir()) == []


def test_a_file_that_was_changed_in_its_folder_is_not_that_upload(tmp_path: Path) -> None:
    (uploaded,) = hand_over(Uploads(tmp_path / "u"), CSV)
    (tmp_path / "u" / f"{uploaded.digest}.file").write_bytes(csv(9))
    with pytest.raises(UnknownUploadError):
        asyncio.run(Uploads(tmp_path / "u").open(uploaded.id))


def test_uploads_are_stored_beside_the_store_or_temporarily(tmp_path: Path) -> None:
    settings = load_settings({"store": str(tmp_path / "runs.db")})
    with open_uploads(settings) as uploads:
        assert uploads.folder == tmp_path / "uploads"
    with open_uploads(replace(settings, store="sqlite://")) as uploads:
        hand_over(uploads, CSV)
        assert uploads.folder.is_dir()
    assert not uploads.folder.exists()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("10-K 2009.html", "10-K 2009.html"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\report.pdf", "report.pdf"),
        ("..", "document"),
        ("", "document"),
        ("a\0b\x1b[2J.csv", "a_b_[2J.csv"),
        ("evil\u202efdp.exe", "evil_fdp.exe"),
        ("Gesch\u00e4ft \u2014 Bericht.html", "Gesch\u00e4ft \u2014 Bericht.html"),
        ("x" * 300 + ".html", "x" * 95 + ".html"),
        ("line\r\nSet-Cookie: a.csv", "line__Set-Cookie: a.csv"),
    ],
)
def test_upload_name_is_only_a_label(name: str, shown: str) -> None:
    assert display_name(name) == shown


@given(st.text(max_size=300))
def test_any_name_is_a_harmless_line(name: str) -> None:
    shown = display_name(name)
    assert 0 < len(shown) <= 100
    assert shown.isprintable()
    assert not set(shown) & set("/\\\0\n\r\u202e")
    assert shown not in (".", "..")
    assert display_name(shown) == shown
