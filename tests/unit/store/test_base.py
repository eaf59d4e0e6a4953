import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from quaestor.errors import SettingsError, StoreError
from quaestor.store.base import open_store


def opened(uri: str) -> None:
    asyncio.run(open_store(uri).close())


@pytest.mark.parametrize("uri", ["runs.db", "sqlite:///runs.db", "./runs.db", "sqlite:///sub/../runs.db"])
def test_relative_paths_start_at_the_current_directory(
    uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    opened(uri)
    assert (tmp_path / "runs.db").is_file()


@pytest.mark.parametrize("form", ["{}", "sqlite:///{}"])
def test_absolute_paths(form: str, tmp_path: Path) -> None:
    opened(form.format(tmp_path / "a b" / "runs.db"))
    assert (tmp_path / "a b" / "runs.db").is_file()


def test_uri_without_a_path_is_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    opened("sqlite://")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_scheme_names_the_known_ones_and_no_password() -> None:
    with pytest.raises(StoreError, match=r"redis.*sqlite.*mongodb") as caught:
        open_store("redis://user:hunter2@host/0")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("uri", ["", "a\0b", "sqlite://host/runs.db"])
def test_invalid_store_uri_is_refused(uri: str) -> None:
    with pytest.raises(StoreError):
        open_store(uri)


def test_a_store_on_mongodb_without_its_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.startswith("quaestor.store.mongo")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "pymongo", None)
    with pytest.raises(SettingsError, match=r"pip install 'quaestor\[mongo\]'"):
        open_store("mongodb://localhost/runs")


@pytest.mark.slow
def test_a_store_in_a_file_does_not_load_the_driver() -> None:
    opened = "from quaestor.store.base import open_store; open_store('sqlite://')"
    program = f"import sys; {opened}; print('pymongo' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "False\n"
