"""Writes output files. All named files are created and replaced here.

An existing file stays unchanged until its replacement is complete, and remains if writing fails. Input files of a
command are never replaced, not even with `force`.
"""

import json
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

from pydantic import JsonValue

from quaestor.core.private_files import make_private_folder, open_private
from quaestor.errors import InputError, OutputExistsError


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file to write; `inputs` are files that the same command reads or writes and that must not be replaced."""

    path: Path
    inputs: Sequence[Path] = ()
    force: bool = False

    def require_free(self) -> None:
        """Raise an error if the file must not be written; a command calls this before it starts its work."""
        _require_free(self.path, self.inputs, self.force)
        if self.path.is_dir():
            raise InputError(f"cannot write {self.path}: it is a directory")

    @contextmanager
    def replacing(self) -> Iterator[Path]:
        """Yield the path of a temporary file, which replaces the file if the block succeeds."""
        self.require_free()
        if self.path.exists() and not self.path.is_file():
            # A device or a pipe, such as /dev/stdout, cannot be replaced.
            with named_in_errors(self.path):
                yield self.path
            return
        target = self.path.resolve()
        temporary = _temporary_path(target)
        with named_in_errors(self.path):
            try:
                temporary.touch(exist_ok=False)
                yield temporary
                if not self.force and target.exists():
                    raise OutputExistsError(
                        f"{self.path} was written by another process in the meantime and was not overwritten"
                    )
                if target.exists():
                    shutil.copymode(target, temporary)
                os.replace(temporary, target)
            finally:
                temporary.unlink(missing_ok=True)

    def write(self, text: str) -> None:
        """Write text as UTF-8."""
        with self.replacing() as temporary:
            temporary.write_text(text, encoding="utf-8")

    def write_json_lines(self, objects: Iterable[JsonValue | dict[str, JsonValue]]) -> None:
        """Write one JSON object per line."""
        with self.replacing() as temporary, temporary.open("w", encoding="utf-8") as stream:
            stream.writelines(map(json_line, objects))


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """A folder to write files with given names into. Its other files stay."""

    path: Path
    names: Sequence[str]
    inputs: Sequence[Path] = ()
    force: bool = False

    def require_free(self) -> None:
        """Raise an error if the files must not be written."""
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"cannot write to {self.path}: not a folder")
        for name in self.names:
            _require_free(self.path / name, self.inputs, self.force)

    def growing(self, name: str, *, go_on: bool = False) -> TextIO:
        """Open one of the files for writing line by line, in place, because it is read while it grows."""
        path = self.path / name
        _require_free(path, self.inputs, self.force or go_on)
        with named_in_errors(path):
            make_private_folder(self.path)
            mode: Literal["a", "w", "x"] = "a" if go_on else "w" if self.force else "x"
            return open(path, mode, encoding="utf-8", opener=open_private)

    @contextmanager
    def replacing(self) -> Iterator[Path]:
        """Yield an empty temporary folder; its files are moved here if the block succeeds."""
        self.require_free()
        target = self.path.resolve()
        temporary = _temporary_path(target)
        with named_in_errors(self.path):
            try:
                temporary.mkdir(parents=True)
                yield temporary
                target.mkdir(exist_ok=True)
                for file in sorted(temporary.iterdir()):
                    os.replace(file, target / file.name)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)


def _require_free(path: Path, inputs: Sequence[Path], force: bool) -> None:
    used = next((other for other in inputs if same_file(path, other)), None)
    if used is not None:
        raise InputError(f"cannot write {path}: this command reads or writes that file ({used}); choose another")
    if not force and (path.is_file() or path.is_symlink()):
        raise OutputExistsError(f"{path} already exists")


def same_file(one: Path, other: Path) -> bool:
    """Return whether two paths refer to the same file, through links and other spellings, even if it does not exist."""
    try:
        return one.samefile(other)
    except OSError:
        return one.resolve() == other.resolve()


def _temporary_path(target: Path) -> Path:
    return target.parent / f".{target.name[:100]}.{secrets.token_hex(4)}.part"


@contextmanager
def named_in_errors(path: Path, what: str = "write") -> Iterator[None]:
    """Raise the errors of the system in the block as errors about a file: `cannot write FILE: no space left`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot {what} {path}: {error.strerror or error}") from error


def write_private(path: Path, data: bytes) -> None:
    """Write a file readable only by its owner, completely or not at all."""
    unfinished = _temporary_path(path)
    try:
        with open(unfinished, "xb", opener=open_private) as file:
            file.write(data)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def json_line(value: JsonValue | dict[str, JsonValue]) -> str:
    """Return a value as one line of a JSON Lines file."""
    return json.dumps(value, ensure_ascii=False) + "\n"
