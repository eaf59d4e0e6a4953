"""An installed package that extends quaestor: a module and the metadata that pip writes."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent


def install(folder: Path, name: str, source: str, entry_points: Mapping[str, Mapping[str, str]]) -> None:
    """Install a package in a folder.

    Args:
        folder: A folder of `sys.path`.
        name: Name of the package and of its only module.
        entry_points: `module:attribute` by name, by group.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(dedent(source), encoding="utf-8")
    write_metadata(folder, name, "1.0", entry_points)


def write_metadata(folder: Path, name: str, version: str, entry_points: Mapping[str, Mapping[str, str]]) -> None:
    """Write the metadata of an installed package: its name, version and entry points."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    groups = [
        f"[{group}]\n" + "".join(f"{entry} = {value}\n" for entry, value in entries.items())
        for group, entries in entry_points.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(groups))


def install_project(folder: Path) -> None:
    """Install the metadata that the pyproject.toml of a folder declares, as pip would."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    write_metadata(folder, project["name"], project["version"], project["entry-points"])
