"""Who presses Ctrl-C while a command is still being loaded is told so in one line, as later."""

import subprocess
import sys
from pathlib import Path

import pytest

INTERRUPTED = """
import signal, sys
from importlib.abc import MetaPathFinder

class CtrlC(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            signal.raise_signal(signal.{sent})

sys.meta_path.insert(0, CtrlC())
sys.argv = ["quaestor", "ask", "sample#QUIL/2007/page_88.pdf", "what was the exercise price in 2007?", "--no-keep"]
from quaestor.cli import main
main()
"""


@pytest.mark.very_slow
@pytest.mark.parametrize(
    "module",
    [
        "quaestor.core.caching",
        "typer",
        "quaestor.cli.app",
        "quaestor.cli.ask",
        pytest.param("numpy", marks=pytest.mark.slow),
        "pydantic",
    ],
)
def test_an_interrupt_at_an_import_is_one_line(module: str) -> None:
    assert ended("SIGINT", module) == (130, "", "quaestor: interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="processes are not asked to end there")
def test_an_order_to_end_at_an_import_is_one_line() -> None:
    code, out, err = ended("SIGTERM", "quaestor.cli.app")
    assert (code, out, err.count("\n")) == (143, "", 1)


@pytest.mark.slow
def test_a_question_about_a_page_loads_nothing_that_only_filings_need(tmp_path: Path) -> None:
    ask = [
        "ask",
        "sample#QUIL/2007/page_88.pdf",
        "what was the exercise price in 2007?",
        "--store",
        f"{tmp_path}/runs.db",
    ]
    code = f"import atexit, sys; atexit.register(lambda: print(*sys.modules)); sys.argv[1:] = {ask!r}\n"
    code += "from quaestor.cli import main; main()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.splitlines()[-1].split())
    assert "quaestor.solvers.embedded.page_answers" in loaded
    unneeded = {"quaestor.solvers.embedded.filings.answering", "quaestor.facts.table", "quaestor.retrieval.index"}
    assert loaded.isdisjoint(unneeded)


def ended(sent: str, module: str) -> tuple[int, str, str]:
    """Return the exit code and what was printed, where a signal comes as a module is to be imported."""
    code = INTERRUPTED.format(sent=sent, module=module)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout, run.stderr


def test_little_is_imported_before_interrupts_are_seen_to() -> None:
    count = "import sys, typing; before = set(sys.modules); import quaestor.cli; print(*set(sys.modules) - before)"
    run = subprocess.run([sys.executable, "-c", count], capture_output=True, text=True, check=True)
    assert sorted(run.stdout.split()) == ["quaestor", "quaestor.cli"]
