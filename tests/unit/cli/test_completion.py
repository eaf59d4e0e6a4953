"""Output of `--install-completion` and `--show-completion`, and completions in a shell."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

QUAESTOR = Path(sys.executable).with_name("quaestor")


def run_command(*words: str, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command with a home directory of the test."""
    known = {
        name: value for name, value in os.environ.items() if not name.startswith(("QUAESTOR_", "_TYPER", "_QUAES"))
    }
    return subprocess.run(
        [QUAESTOR, *words],
        env=known | {"HOME": str(home), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "true"} | environment,
        cwd=home, check=False, capture_output=True, text=True, timeout=100,
    )  # fmt: skip


@pytest.mark.slow
def test_bash_completes_commands_and_options(tmp_path: Path) -> None:
    """The completion is installed first, and then used in a new bash."""
    if shutil.which("bash") is None:
        pytest.skip("there is no bash on this machine")
    assert run_command("--install-completion", "bash", home=tmp_path).returncode == 0

    def offered(line: str) -> set[str]:
        words = line.split(" ")
        script = (
            f"source {tmp_path}/.bashrc; complete -p quaestor >/dev/null || exit 9; "
            f"COMP_WORDS=({line}); [ -n '{words[-1]}' ] || COMP_WORDS+=(''); COMP_CWORD={len(words) - 1}; "
            "_quaestor_completion quaestor; printf '%s\\n' \"${COMPREPLY[@]}\""
        )
        path = f"{QUAESTOR.parent}{os.pathsep}{os.environ['PATH']}"
        ran = subprocess.run(
            ["bash", "--norc", "-c", script], env={"PATH": path, "HOME": str(tmp_path)}, cwd=tmp_path,
            check=False, capture_output=True, text=True, timeout=100,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        return set(ran.stdout.split())

    assert offered("quaestor cross") == {"crossvalidate"}
    assert {"list", "show", "turn"} <= offered("quaestor runs ")
    assert "--abstain-below" in offered("quaestor ask --abs")
