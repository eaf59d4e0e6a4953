"""Distributions are reproducible and contain everything that is needed and nothing else."""

import os
import re
import shutil
import subprocess
import tarfile
import tomllib
import zipfile
from hashlib import sha256
from pathlib import Path, PurePosixPath

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def build_distributions(source: Path, folder: Path) -> tuple[Path, Path]:
    """Build the source archive and the wheel of a folder into another folder."""
    from hatchling.builders.sdist import SdistBuilder
    from hatchling.builders.wheel import WheelBuilder

    (archive,) = SdistBuilder(str(source)).build(directory=str(folder), versions=["standard"])
    (wheel,) = WheelBuilder(str(source)).build(directory=str(folder), versions=["standard"])
    return Path(archive), Path(wheel)


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Build the source archive and the wheel of this checkout."""
    return build_distributions(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.mark.very_slow
def test_archive_builds_are_reproducible(archives: tuple[Path, Path], tmp_path: Path) -> None:
    """Build again from the source archive, in another folder and with other times and modes of its files."""
    with tarfile.open(archives[0]) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    for path in unpacked.rglob("*"):
        path.chmod(0o700 if path.stat().st_mode & 0o100 else 0o600)
        os.utime(path, (1_000_000_000, 1_000_000_000))
    again = build_distributions(unpacked, tmp_path / "dist")
    assert [path.name for path in again] == [path.name for path in archives]
    digests = [[sha256(path.read_bytes()).hexdigest() for path in pair] for pair in (archives, again)]
    assert digests[0] == digests[1]


@pytest.mark.slow
def test_source_archive_contains_only_tracked_files(archives: tuple[Path, Path]) -> None:
    with tarfile.open(archives[0]) as archive:
        files = {PurePosixPath(*PurePosixPath(name).parts[1:]) for name in archive.getnames()}
    top = {path.parts[0] for path in files}
    assert not {"shared", "site", ".quaestor", ".venv", "runs", "dist"} & top
    assert {"src", "tests", "docs", "LICENSE", "Makefile", "pyproject.toml", "PKG-INFO"} <= top
    assert not [path for path in files if path.suffix in (".db", ".pyc", ".sqlite")]
    if shutil.which("git") and (ROOT / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, check=True, capture_output=True, text=True,
        )  # fmt: skip
        known = {PurePosixPath(line) for line in listed.stdout.splitlines()}
        assert files - known == {PurePosixPath("PKG-INFO")}
        assert {path for path in known if path.parts[0] in ("src", "tests", "docs")} <= files


@pytest.mark.slow
def test_wheel_has_metadata(archives: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(archives[1]) as wheel:
        (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        lines = wheel.read(metadata).decode("utf-8").splitlines()
        assert {PurePosixPath(name).parts[0] for name in wheel.namelist()} == {
            "quaestor",
            PurePosixPath(metadata).parts[0],
        }
    for field in (
        "Name: quaestor",
        "License-Expression: MIT AND Apache-2.0",
        "License-File: LICENSE",
        "Requires-Python: >=3.11",
    ):
        assert field in lines
    extras = {line.removeprefix("Provides-Extra: ") for line in lines if line.startswith("Provides-Extra: ")}
    assert extras == set(PROJECT["optional-dependencies"])


def test_citation_matches_the_package() -> None:
    """The citation matches the package; `make check` validates it against the schema of the format."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["title"], citation["version"], " AND ".join(citation["license"])) == (
        PROJECT["name"],
        PROJECT["version"],
        PROJECT["license"],
    )
    assert "(c) 2026 the quaestor authors" in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert citation["authors"] == [{"name": "the quaestor authors"}]


def test_image_runs_without_root_and_with_existing_extras() -> None:
    """The image does not run as root and installs existing extras; `make check` lints the Dockerfile."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    (extras,) = (line.removeprefix("ARG EXTRAS=").split(",") for line in lines if line.startswith("ARG EXTRAS="))
    assert set(extras) <= set(PROJECT["optional-dependencies"])
    last = lines[max(number for number, line in enumerate(lines) if line.startswith("FROM ")) :]
    users = [line.removeprefix("USER ") for line in last if line.startswith("USER ")]
    assert users
    assert not {user.split(":")[0] for user in users} & {"root", "0"}


def test_image_uses_a_base_digest_and_hashed_requirements() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    assert {line.split()[1] for line in text.splitlines() if line.startswith("FROM ")} == {"${BASE}"}
    assert "*@sha256:*" in text
    fetching = [step for step in text.split("&&") if re.search(r"pip (install|download|wheel) ", step)]
    assert fetching
    for step in fetching:
        assert "--require-hashes" in step or "--no-index" in step, step


def test_image_is_built_from_listed_files_only() -> None:
    ignored = [line for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    assert ignored[0] == "*"
    copied = {
        word
        for line in (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
        if line.startswith("COPY ") and "--from" not in line
        for word in line.split()[1:-1]
    }
    assert copied == {line.removeprefix("!") for line in ignored if line.startswith("!")}
    assert all((ROOT / name).exists() for name in copied)
