"""The ontologies of a store, and which of them pages are read with if none is named."""

import json
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from quaestor.application.files import OutputFile
from quaestor.application.ontologies import OWN, find_ontology
from quaestor.errors import InputError, SettingsError
from quaestor.settings import FILE, Settings
from quaestor.store.base import open_store

_LINE = re.compile(r"^[ \t]*ontology[ \t]*=.*(?:\n|$)", re.MULTILINE)
_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class StoredOntology:
    """An ontology of a store."""

    digest: str
    created: datetime
    triples: int
    graphs: int
    runs: int
    default: bool


async def list_ontologies(settings: Settings) -> tuple[StoredOntology, ...]:
    """Return the ontologies of the store, the latest first."""
    async with open_store(settings.store, create=False) as opened:
        graphs = Counter(key.ontology for key in await opened.frozen_graphs())
        runs = Counter(run.spec.get("ontology") for run in await opened.runs())
        named, stored = settings.ontology or OWN, await opened.ontologies()
        # A file may say one that the store has, too.
        chosen = named if named == OWN else (await find_ontology(named, opened)).digest
        return tuple(
            StoredOntology(o.digest, o.created, o.triples, graphs[o.digest], runs[o.digest], o.digest == chosen)
            for o in stored
        )


async def use_ontology(name: str, settings: Settings, folder: Path | None = None) -> str:
    """Set the ontology that pages are read with, in the settings file, and return how it is named there.

    Args:
        name: A Turtle file, a digest of the store's or its beginning, or `own`.
        folder: Where the settings file is; by default the current directory.
    """
    written = name
    if name != OWN:
        found = await find_ontology(name, settings.store)
        written = name if Path(name).exists() else found.digest
    path = (folder or Path()) / FILE
    before = _read(path)
    after = _with_line(before, written)
    if _parse(after, path) != _parse(before, path) | {"ontology": written}:
        raise SettingsError(
            f"cannot edit {path} without changing other lines: set ontology = {json.dumps(written)} in it yourself"
        )
    OutputFile(path, force=True).write(after)
    return written


def _with_line(text: str, value: str) -> str:
    """Return TOML text that sets the ontology, above the first table."""
    line = f"ontology = {json.dumps(value, ensure_ascii=False)}\n"
    table = _TABLE.search(text)
    head, rest = (text[: table.start()], text[table.start() :]) if table else (text, "")
    if _LINE.search(head):
        return _LINE.sub(lambda _: line, head, count=1) + rest
    return line + text


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error


def _parse(text: str, path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from error
