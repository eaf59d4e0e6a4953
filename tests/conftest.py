import gc
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

from quaestor.core.caching import collect_seldom

# As the program does: pytest keeps what it collects.
collect_seldom()


def pytest_collection_finish() -> None:
    """Set aside what is loaded, millions of objects that stay: no look for cycles has to go through them."""
    gc.freeze()


def pytest_runtest_teardown() -> None:
    """Looks as seldom as before: a server that a test ran looks often."""
    gc.enable()
    collect_seldom()


# No test is about time: a busy machine must not fail one. `make test` takes the second; `examples.share` is for tests
# that name a number of their own.
settings.register_profile("quaestor", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=12)
settings.load_profile("quaestor")


class _WithDoctests:
    """Looks for examples in modules of the package that have some, and in no test: most of both have none."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path) -> Generator[None, list[object], list[object]]:
        found = yield
        if file_path.suffix != ".py" or (_PACKAGE in file_path.parents and b">>> " in file_path.read_bytes()):
            return found
        return [collector for collector in found if not isinstance(collector, DoctestModule)]


_PACKAGE = Path(__file__).resolve().parents[1] / "src"


def pytest_configure(config: pytest.Config) -> None:
    """Has the rule hold for the package too: a hook of this file is asked about files beside it alone."""
    config.pluginmanager.register(_WithDoctests())


SLOW_TIMEOUT = 600
"""Seconds that a test marked as slow may take, where it says nothing else."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests more time."""
    for item in items:
        slow = item.get_closest_marker("slow") or item.get_closest_marker("very_slow")
        if slow and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_TIMEOUT))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the public data beside the repository; the test is skipped where it is missing."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the public data are not beside the repository")
    return folder


@pytest.fixture(autouse=True, scope="session")
def no_live_models() -> Iterator[None]:
    """Refuse every request to a model; `local_models` allows those to a server on this machine."""
    from pydantic_ai.models import override_allow_model_requests

    with override_allow_model_requests(False):
        yield


@pytest.fixture(autouse=True, scope="session")
def no_reading_processes() -> Iterator[None]:
    """Has files read in this process: one of its own takes half a second each."""
    from reading_here import READERS, read_here, read_here_async, tags_here

    here = {"read_limited": read_here, "read_limited_async": read_here_async, "read_tags_limited": tags_here}
    with pytest.MonkeyPatch.context() as patch:
        for name in READERS:
            patch.setattr(name, here[name.rpartition(".")[2]])
        yield


@pytest.fixture
def reading_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has files read in processes, as they are outside of tests."""
    from reading_here import READERS

    from quaestor.readers import limited

    for name in READERS:
        monkeypatch.setattr(name, getattr(limited, name.rpartition(".")[2]))


@pytest.fixture
def local_models(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Allow requests to models on this machine, for one test."""
    from local_models import loopback_only

    with loopback_only(monkeypatch):
        yield
