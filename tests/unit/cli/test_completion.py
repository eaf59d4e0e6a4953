"""`--install-completion` and `--show-completion`: what they write, and what the tab key then offers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

QUAESTOR = Path(sys.executable).with_name("quaestor")


def typed(*words: str, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a shell's user whose home is a folder of the test."""
    known = {
        name: value for name, value in os.environ.items() if not name.startswith(("QUAESTOR_", "_TYPER", "_QUAES"))
    }
    return subprocess.run(
        [QUAESTOR, *words],
        env=known | {"HOME": str(home), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "true"} | environment,
        cwd=home, check=False, capture_output=True, text=True, timeout=100,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shell", "script", "start"),
    [
        ("bash", ".bash_completions/quaestor.sh", ".bashrc"),
        ("zsh", ".zfunc/_quaestor", ".zshrc"),
        ("fish", ".config/fish/completions/quaestor.fish", None),
    ],
)
def test_completion_is_installed_where_it_says(shell: str, script: str, start: str | None, tmp_path: Path) -> None:
    ran = typed("--install-completion", shell, home=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert f"{shell} completion installed in {tmp_path / script}" in ran.stdout.replace("\n", "")
    assert "_QUAESTOR_COMPLETE" in (tmp_path / script).read_text(encoding="utf-8")
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert written == {script} | ({start} if start else set())
    if shell == "bash":
        assert script in (tmp_path / ".bashrc").read_text(encoding="utf-8")


@pytest.mark.slow
def test_bash_completes_commands_and_options(tmp_path: Path) -> None:
    """A bash that starts anew with what was installed, as a user's does."""
    if shutil.which("bash") is None:
        pytest.skip("there is no bash on this machine")
    assert typed("--install-completion", "bash", home=tmp_path).returncode == 0

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


@pytest.mark.slow
def test_what_would_be_installed_can_be_looked_at_first(tmp_path: Path) -> None:
    ran = typed("--show-completion", "bash", home=tmp_path)
    assert ran.returncode == 0
    assert "complete -o default -F _quaestor_completion quaestor" in ran.stdout
    assert not list(tmp_path.iterdir())
