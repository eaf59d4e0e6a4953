"""Existing files are not lost: without force, as an input, or when writing fails."""

import os
from pathlib import Path

import pytest

from quaestor.application.files import OutputFile, OutputFolder
from quaestor.errors import InputError, OutputExistsError


def test_existing_file_is_replaced_only_with_force(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_text("old")
    path.chmod(0o640)
    with pytest.raises(OutputExistsError):
        OutputFile(path).write("new")
    assert path.read_text() == "old"
    OutputFile(path, force=True).write("new")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o640)


@pytest.mark.parametrize("spelling", ["data.json", "sub/../data.json", "symbolic.json", "hard.json", "up/data.json"])
def test_an_input_is_never_replaced_under_any_name(tmp_path: Path, spelling: str) -> None:
    data = tmp_path / "data.json"
    data.write_text("[1]")
    (tmp_path / "sub").mkdir()
    (tmp_path / "symbolic.json").symlink_to(data)
    os.link(data, tmp_path / "hard.json")
    (tmp_path / "up").symlink_to(tmp_path)
    with pytest.raises(InputError):
        OutputFile(tmp_path / spelling, [data], force=True).write("[]")
    assert data.read_text() == "[1]"


def test_two_outputs_with_one_name_are_refused_before_writing(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        OutputFile(tmp_path / "x", [tmp_path / "y" / ".." / "x"], force=True).require_free()


def test_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_text("old")

    def write_half() -> None:
        with OutputFile(path, force=True).replacing() as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert [(found.name, found.read_text()) for found in tmp_path.iterdir()] == [("old.txt", "old")]


def test_symbolic_link_is_kept(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    OutputFile(tmp_path / "link.txt", force=True).write("new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_output_is_written_to_a_device() -> None:
    OutputFile(Path("/dev/null")).write("gone")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("place", ["nowhere/file.txt", "."])
def test_unwritable_path_raises_input_error(tmp_path: Path, place: str) -> None:
    with pytest.raises(InputError):
        OutputFile(tmp_path / place).write("x")


def test_other_files_of_a_folder_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    with OutputFolder(folder, ["a", "b"]).replacing() as temporary:
        (temporary / "a").write_text("1")
    (folder / "notes").write_text("mine")
    with pytest.raises(OutputExistsError):
        OutputFolder(folder, ["a", "b"]).require_free()
    with OutputFolder(folder, ["a", "b"], force=True).replacing() as temporary:
        (temporary / "a").write_text("2")
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"a": "2", "notes": "mine"}
    with pytest.raises(InputError):
        OutputFolder(folder, ["a", "notes"], [folder / "notes"], force=True).require_free()
    assert [path.name for path in tmp_path.iterdir()] == ["weights"]


def test_failed_write_leaves_the_folder_unchanged(tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    folder.mkdir()
    (folder / "a").write_text("old")

    def write_half() -> None:
        with OutputFolder(folder, ["a"], force=True).replacing() as temporary:
            (temporary / "a").write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(InputError):
        write_half()
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"a": "old"}
