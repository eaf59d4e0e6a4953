"""Lock files: the user packages are a subset of the test packages, and no index addresses are listed."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
APART = "requirements-inspect.lock"
LOCKS = ("requirements.lock", "requirements-dev.lock", APART)
OLDER = {"python-dateutil"}
"""Packages that Inspect requires in another version than the other extras."""


def pinned(lock: str) -> dict[str, list[str]]:
    """Return the hashes of each requirement, keyed by its text with version and condition."""
    entries = (ROOT / lock).read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    split = [entry.partition("--hash=") for entry in entries]
    return {required.strip(): re.findall(r"sha256:\w{64}", hashes) for required, _, hashes in split}


def names(requirements: list[str]) -> set[str]:
    """Return the lower-case names of requirements, without versions and extras."""
    return {re.split(r"[\[<>=~! ]", line)[0].lower() for line in requirements}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_requirement_has_one_version_and_its_hashes(lock: str) -> None:
    for required, hashes in pinned(lock).items():
        assert re.match(r"[a-z0-9.-]+==[\w.]+( ;|$)", required)
        assert hashes


@pytest.mark.parametrize("lock", LOCKS)
def test_no_lock_names_a_host_or_a_folder(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert not re.findall(r"://|^-|^#| @ |file:", text, re.MULTILINE)


def test_lock_has_the_tested_versions() -> None:
    # Without platform conditions: a package for some platforms in the user lock may be for all in the development lock.
    plain, whole = (
        {required.partition(" ;")[0]: hashes for required, hashes in pinned(lock).items()} for lock in LOCKS[:2]
    )
    assert plain
    for required, hashes in plain.items():
        anywhere = required.partition(" ;")[0]  # another development package may drop the condition
        assert whole.get(required, whole.get(anywhere)) == hashes


def test_lock_has_required_packages_without_extras() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = names(project["project"]["dependencies"]) | names(project["dependency-groups"]["build"])
    extras = project["project"]["optional-dependencies"]
    of_inspect = names(extras.pop("inspect"))
    of_extras = {name for requirements in extras.values() for name in names(requirements)}
    locked = {name: names(list(pinned(name))) for name in LOCKS}
    assert needed <= locked["requirements.lock"]
    assert of_extras - {"quaestor"} <= locked["requirements-dev.lock"]
    assert not locked["requirements.lock"] & of_extras
    assert of_inspect - {"quaestor"} <= locked[APART]
    assert not (of_inspect - {"quaestor"}) & (locked["requirements.lock"] | locked["requirements-dev.lock"])


def test_inspect_extra_uses_the_same_locked_versions() -> None:
    versions = [dict(re.findall(r"^([a-z0-9.-]+)==([\w.]+)", "\n".join(pinned(lock)), re.MULTILINE)) for lock in LOCKS]
    _, whole, apart = versions
    shared = whole.keys() & apart.keys()
    assert len(shared) > 50
    assert {name for name in shared if whole[name] != apart[name]} == OLDER
