import os
from pathlib import Path

import pytest

from quaestor.application.folder_library import Folders
from quaestor.errors import InputError, UnknownUploadError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files, one beside it, and links of all kinds."""
    inside = tmp_path / "inside"
    (inside / "deep").mkdir(parents=True)
    (inside / ".quaestor").mkdir()
    for name in ("a.html", "deep/b.csv", ".hidden.csv", ".quaestor/c.csv", "notes.unknown"):
        (inside / name).write_text("x", encoding="utf-8")
    (tmp_path / "secret.csv").write_text("x", encoding="utf-8")
    (tmp_path / "inside-too").mkdir()
    (tmp_path / "inside-too" / "d.csv").write_text("x", encoding="utf-8")
    (inside / "out.csv").symlink_to(tmp_path / "secret.csv")
    (inside / "up").symlink_to(tmp_path)
    (inside / "loop.csv").symlink_to(inside / "loop.csv")
    (inside / "in.csv").symlink_to(inside / "deep" / "b.csv")
    (inside / "a.html#page").symlink_to(tmp_path / "secret.csv")
    if hasattr(os, "mkfifo"):
        os.mkfifo(inside / "pipe.csv")
    return inside


def test_files_of_the_folder_are_listed_and_found(folder: Path) -> None:
    found = Folders([str(folder)])
    assert found.list_files() == ("a.html", "in.csv", "deep/b.csv")
    assert found.find("a.html") == str(folder / "a.html")
    assert found.find(str(folder / "deep" / "b.csv")) == str(folder / "deep" / "b.csv")
    assert found.find("in.csv") == str(folder / "deep" / "b.csv")
    assert found.find("inside/deep/../a.html") == str(folder / "a.html")
    assert found.find("deep/b.csv#MRO/page_1") == f"{folder}/deep/b.csv#MRO/page_1"
    assert found.find("notes.unknown") == str(folder / "notes.unknown")


@pytest.mark.parametrize(
    "name",
    [
        "../secret.csv", "deep/../../secret.csv", "out.csv", "up/secret.csv", "up/inside-too/d.csv", "loop.csv",
        "pipe.csv", "deep", "", ".", "..", "/", "/etc/passwd", "/dev/zero", "/proc/self/environ", "~/x.csv", "a.html\0",
        ".hidden.csv", ".quaestor/c.csv", "missing.csv", "a.html#page", "../inside-too/d.csv", "a" * 5_000,
        "file:///etc/passwd", "\\\\host\\share", "a.html\n", "sample", "sample#NORD/2012/page_41.pdf", "out.csv#x",
    ],
)  # fmt: skip
def test_nothing_else_is_and_nobody_learns_what_there_is(folder: Path, name: str) -> None:
    with pytest.raises(UnknownUploadError):
        Folders([str(folder)]).find(name)


def test_an_absolute_path_beside_the_folder_is_none_of_it(folder: Path) -> None:
    with pytest.raises(UnknownUploadError):
        Folders([str(folder)]).find(str(folder.parent / "secret.csv"))
    with pytest.raises(UnknownUploadError):
        Folders([str(folder)]).find(str(folder.parent / "inside-too" / "d.csv"))


def test_of_several_folders_each_file_is_called_by_its_folder(folder: Path) -> None:
    found = Folders([str(folder), str(folder.parent / "inside-too"), "sample", str(folder / "notes.unknown")])
    assert found.list_files() == ("sample", "inside/a.html", "inside/in.csv", "inside/deep/b.csv", "inside-too/d.csv",
                              "notes.unknown")  # fmt: skip
    assert found.find("inside-too/d.csv") == str(folder.parent / "inside-too" / "d.csv")
    assert found.find("sample#NORD/2012/page_41.pdf") == "sample#NORD/2012/page_41.pdf"
    assert found.name_of(folder / "deep" / "b.csv") == "inside/deep/b.csv"


def test_a_single_file_lets_nobody_at_its_neighbours(folder: Path) -> None:
    found = Folders([str(folder / "a.html")])
    assert found.list_files() == ("a.html",)
    with pytest.raises(UnknownUploadError):
        found.find("notes.unknown")


def test_a_file_that_is_too_large_is_said_to_be(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quaestor.application.folder_library.LARGEST", 0)
    with pytest.raises(InputError):
        Folders([str(folder)]).find("a.html")


@pytest.mark.parametrize("name", ["missing", "", "\0", "inside/pipe.csv"])
def test_what_is_no_folder_is_refused_at_the_start(folder: Path, name: str) -> None:
    with pytest.raises(InputError):
        Folders([str(folder.parent / name) if name.startswith("inside") else name or "none"])
