"""An installation without extras answers without a model, and reports missing extras in one line."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from quaestor.errors import SettingsError
from quaestor.extras import EXTRAS, extra_of, require_extra
from quaestor.sample import sample_path

ROOT = Path(__file__).resolve().parents[2]
PAGE = f"{sample_path()}#NORD/2012/page_41.pdf"

# `sitecustomize`, which Python runs first, also in worker processes.
BLOCKER = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if any(f"{name}.".startswith(f"{absent}.") for absent in {names}):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
"""

QUAESTOR = ("-c", "from quaestor.cli import main; main()")
Python = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def python_without(tmp_path: Path) -> Python:
    """Run Python in an empty folder, with the modules of some extras missing."""

    def run(extras: tuple[str, ...], *arguments: str) -> "subprocess.CompletedProcess[str]":
        absent = tuple(module for extra in extras for module in EXTRAS[extra])
        blocker = tmp_path / "blocker"
        blocker.mkdir(exist_ok=True)
        (blocker / "sitecustomize.py").write_text(BLOCKER.replace("{names}", repr(absent)))
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(blocker), "QUAESTOR_STORE": str(tmp_path / "runs.db")},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    return run


def test_every_extra_is_known_to_the_program() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(declared) - {"dev"} == set(EXTRAS)


APART = {"inspect"}
"""Extras that cannot be installed beside the others: tested in an environment of their own (`make test-inspect`)."""


@pytest.mark.parametrize("extra", sorted(EXTRAS.keys() - APART))
def test_modules_of_an_extra_are_known(extra: str) -> None:
    require_extra(extra, "this")
    for module in EXTRAS[extra]:
        found = extra_of(f"{module}.anything")
        assert found is not None
        assert module in EXTRAS[found]  # it may name another extra with this module


def test_module_outside_extras_has_no_extra() -> None:
    assert extra_of("numpy") is None
    assert extra_of("") is None
    assert extra_of("scipyre") is None


def test_missing_extras_are_listed_with_install_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("sklearn", "xgboost"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(SettingsError) as raised:
        require_extra("train", "training")
    assert all(part in str(raised.value) for part in ("sklearn", "xgboost", "pip install 'quaestor[train]'"))
    assert "scipy" not in str(raised.value)


@pytest.mark.slow
def test_a_plain_install_has_every_public_name(python_without: Python) -> None:
    code = "import quaestor; print(len([getattr(quaestor, name) for name in quaestor.__all__]))"
    outcome = python_without(tuple(EXTRAS), "-c", code)
    assert outcome.stderr == ""
    assert int(outcome.stdout) > 20


@pytest.mark.very_slow
@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["ask", PAGE, "what were cables sales in 2012?"], "sure"),
        (["eval", str(sample_path()), "--limit", "2", "--workers", "2"], "execution"),
        (["eval", str(sample_path()), "--limit", "1", "--solver", "reflection", "--expert", "embedded"], "execution"),
        (["kg", "build", PAGE], "triples"),
    ],
    ids=lambda value: " ".join(value[:1] + value[4:]) if isinstance(value, list) else "",
)
def test_a_plain_install_answers_without_a_model(command: list[str], shown: str, python_without: Python) -> None:
    outcome = python_without(tuple(EXTRAS), *QUAESTOR, *command)
    assert "not installed" not in outcome.stderr
    assert (outcome.returncode, shown in outcome.stdout.lower()) == (0, True), outcome.stderr + outcome.stdout


@pytest.mark.very_slow
@pytest.mark.parametrize(
    ("extra", "command"),
    [
        pytest.param(
            "models",
            ["ask", PAGE, "what?", "--solver", "agent", "--model", "ollama:small"],
            marks=pytest.mark.slow,
        ),
        ("models", ["models", "check", "ollama:small"]),
        pytest.param("mongo", ["runs", "list", "--store", "mongodb://localhost/quaestor"], marks=pytest.mark.slow),
        pytest.param("train", ["train", str(sample_path()), "--output", "learned"], marks=pytest.mark.slow),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else value,
)
def test_missing_extra_is_one_line_before_any_work(
    extra: str, command: list[str], python_without: Python, tmp_path: Path
) -> None:
    outcome = python_without((extra,), *QUAESTOR, *command)
    assert outcome.returncode == 2
    assert outcome.stdout == ""
    assert outcome.stderr.startswith("quaestor: ")
    assert outcome.stderr.count("\n") == 1, outcome.stderr
    assert all(module in outcome.stderr for module in EXTRAS[extra])
    assert f"pip install 'quaestor[{extra}]'" in outcome.stderr
    assert not (tmp_path / "learned").exists()


@pytest.mark.very_slow
def test_training_from_python_names_the_missing_extra(python_without: Python) -> None:
    code = (
        "from quaestor.errors import SettingsError\n"
        "from quaestor.learning.train import fit_weights\n"
        "try:\n    fit_weights([], [])\n"
        "except SettingsError as error:\n    print(error)"
    )
    outcome = python_without(("train",), "-c", code)
    assert "pip install 'quaestor[train]'" in outcome.stdout


def test_tracing_names_the_missing_extra(python_without: Python) -> None:
    code = (
        "from quaestor.errors import SettingsError\n"
        "from quaestor.llm.tracing import start_tracing\n"
        "try:\n    start_tracing()\n"
        "except SettingsError as error:\n    print(error)"
    )
    assert "pip install 'quaestor[otel]'" in python_without(("otel",), "-c", code).stdout


def test_missing_nested_module_is_reported(python_without: Python) -> None:
    code = (
        "import sys\n"
        "from quaestor.cli.failures import run_for_exit_code\n"
        "def run():\n    import httpx2.nothing\n"
        "sys.exit(run_for_exit_code(run))"
    )
    outcome = python_without(("models",), "-c", code)
    assert outcome.returncode == 2
    assert "httpx2" in outcome.stderr
    assert "pip install 'quaestor[models]'" in outcome.stderr
