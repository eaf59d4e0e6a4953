"""Regressions found by fuzzing, and short runs of the harness; longer runs have a command."""

import subprocess
import sys
from pathlib import Path

import pytest
from fuzzing.all_targets import TARGETS
from fuzzing.corpora import LONGEST, MOST, seeds_of
from fuzzing.drawing import Drawing, text_or_words
from fuzzing.run import distribute_inputs
from fuzzing.target import Reads
from fuzzing.watched import CrashRecorder, Figures, read_figures, write_figures
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SERVERS = ("pages", "api", "assistants", "asked")
"""Slow targets, which the tests of the servers and longer fuzzing runs cover."""
READERS = [name for name in TARGETS if name not in SERVERS]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Reads]:
    return {name: TARGETS[name].opened(tmp_path_factory.mktemp(name)) for name in READERS}


@pytest.mark.parametrize("name", READERS)
def test_each_seed_is_read_or_refused(opened: dict[str, Reads], name: str) -> None:
    seeds = seeds_of(name)
    assert 0 < len(seeds) <= MOST
    assert max(map(len, seeds)) <= LONGEST
    for data in seeds:
        opened[name](data)


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(opened: dict[str, Reads], name: str, data: bytes) -> None:
    opened[name](data)


def test_each_crash_is_reported_once_and_fuzzing_continues() -> None:
    def raise_for_some(data: bytes) -> None:
        if data == b"list":
            raise IndexError
        if data == b"number":
            raise ValueError

    done: list[Figures] = []
    watched = CrashRecorder(raise_for_some, 5, done.append)
    for data in (b"list", b"fine", b"number", b"list"):
        watched(data)
    assert done == []
    watched(b"fine")
    (figures,) = done
    assert figures.inputs == 5
    assert sorted((crash.error.partition(":")[0], crash.input, crash.times) for crash in figures.crashes.values()) == [
        ("IndexError", "list", 2),
        ("ValueError", "number", 1),
    ]
    assert figures.memory > 10


def test_figures_are_restored_from_their_file(tmp_path: Path) -> None:
    watched = CrashRecorder(
        lambda data: print(int(data)), 1, lambda figures: write_figures(figures, tmp_path / "figures.json")
    )
    watched(b"\xff\x00")
    restored = read_figures(tmp_path / "figures.json")
    assert restored == watched.figures
    assert restored.slowest == "\xff\x00"


def test_every_target_gets_a_share_of_the_inputs() -> None:
    each = distribute_inputs(list(TARGETS.values()), 1_000_000)
    assert abs(sum(each.values()) - 1_000_000) < len(TARGETS)
    assert min(distribute_inputs(list(TARGETS.values()), 10).values()) == 1


def test_bytes_determine_the_choices() -> None:
    draw = Drawing(b"\x01\x02")
    assert [draw.getrandbits(8) for _ in range(4)] == [1, 2, 0, 0]
    assert Drawing(b"\x02").choice("abcd") == "c"
    assert Drawing(b"\x01\x02rest").rest == b"\x01\x02rest"
    assert text_or_words(b"\x01\x00\x02", ["a", "b", "c"]) == "ac"
    assert text_or_words(b"\x02a\xff", ["a"]) == "a\udcff"


@pytest.mark.very_slow
def test_target_in_its_own_process_is_reported(tmp_path: Path) -> None:
    command = [sys.executable, "tests/support/run_fuzz.py", "--inputs", "300", "formulas"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    rows = {line.split()[0]: line.split()[1:3] for line in ended.stdout.splitlines()[1:]}
    assert {name: (int(inputs.replace(",", "")), crashes) for name, (inputs, crashes) in rows.items()} == {
        "formulas": (300, "0"),
        "all": (300, "0"),
    }
