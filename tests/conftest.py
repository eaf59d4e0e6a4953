import gc
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

from quaestor.core.caching import collect_seldom

# Configure garbage collection as the program does: pytest keeps the modules that it collects.
collect_seldom()


def pytest_collection_finish() -> None:
    """Freeze the objects that collection loaded, so that the garbage collector does not traverse them."""
    gc.freeze()


def pytest_runtest_teardown() -> None:
    """Restore infrequent garbage collection after a test that ran a server."""
    gc.enable()
    collect_seldom()


# Tests do not measure time, so they must not fail on a busy machine. `make test` uses the "quick" profile; tests
# that set their own number of examples use `examples.share`.
settings.register_profile("quaestor", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=12)
settings.load_profile("quaestor")


class _WithDoctests:
    """Collect doctests only from modules of the package that contain examples, and from no test module."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path) -> Generator[None, list[object], list[object]]:
        found = yield
        if file_path.suffix != ".py" or (_PACKAGE in file_path.parents and b">>> " in file_path.read_bytes()):
            return found
        return [collector for collector in found if not isinstance(collector, DoctestModule)]


_PACKAGE = Path(__file__).resolve().parents[1] / "src"


def pytest_configure(config: pytest.Config) -> None:
    """Register the doctest filter globally: hooks of a conftest.py apply only to files below its folder."""
    config.pluginmanager.register(_WithDoctests())


SLOW_TIMEOUT = 600
"""Timeout in seconds of a test marked as slow, unless it sets its own."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests a longer timeout."""
    for item in items:
        slow = item.get_closest_marker("slow") or item.get_closest_marker("very_slow")
        if slow and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_TIMEOUT))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of public data next to the repository; skip the test if it is missing."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the public data are not beside the repository")
    return folder


@pytest.fixture(autouse=True, scope="session")
def no_live_models() -> Iterator[None]:
    """Refuse every model request; `local_models` allows requests to servers on this machine."""
    from pydantic_ai.models import override_allow_model_requests

    with override_allow_model_requests(False):
        yield


@pytest.fixture(autouse=True, scope="session")
def no_reading_processes() -> Iterator[None]:
    """Read files in this process, since starting a process for each file takes half a second."""
    from reading_here import READERS, read_here, read_here_async, tags_here

    here = {"read_limited": read_here, "read_limited_async": read_here_async, "read_tags_limited": tags_here}
    with pytest.MonkeyPatch.context() as patch:
        for name in READERS:
            patch.setattr(name, here[name.rpartition(".")[2]])
        yield


@pytest.fixture
def reading_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read files in separate processes, as outside of tests."""
    from reading_here import READERS

    from quaestor.readers import limited

    for name in READERS:
        monkeypatch.setattr(name, getattr(limited, name.rpartition(".")[2]))


@pytest.fixture
def local_models(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Allow model requests to servers on this machine for one test."""
    from local_models import loopback_only

    with loopback_only(monkeypatch):
        yield
