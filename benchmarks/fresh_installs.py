"""Installs the built wheel in new environments and asks a question: each extra alone, all together, on each Python.

`python -m benchmarks.fresh_installs` uses the Pythons from 3.11 to 3.14 on the machine, including those of pyenv, and
prints a line for each environment: packages, megabytes, whether the extra's packages can be imported, and whether the
plain package answers a question. `--here` uses only this Python, and `--plain` no extras; the lock file of the
development environment already shows that all extras can be installed together. It needs a package index configured
for pip, so it is not part of `make bench`. With uv it is several times as fast.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_PYTHONS = ("3.11", "3.12", "3.13", "3.14")
_QUESTION = ("ask", "sample#QUIL/2007/page_88.pdf", "what was the exercise price in 2007?", "--no-keep")
_ANSWER = "$ 48.65"
_LOAD = """
import importlib, sys
from quaestor.extras import EXTRAS, require_extra
for extra in sys.argv[1:]:
    require_extra(extra, extra)
    for module in EXTRAS[extra]:
        importlib.import_module(module)
"""


def pythons() -> Iterator[tuple[str, Path]]:
    """Yield the version and path of each installed Python, one per minor version."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in _PYTHONS:
        named = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"))]
        for path in [Path(found) for found in named if found]:
            asked = [path, "-c", "import sys, venv, ssl; print('%d.%d.%d' % sys.version_info[:3])"]
            completed = subprocess.run([str(word) for word in asked], check=False, capture_output=True, text=True)
            if completed.returncode == 0 and completed.stdout.startswith(f"{version}."):
                yield completed.stdout.strip(), path
                break


def extras() -> list[str]:
    """Return the extras for users; `dev` is only for this repository."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return sorted(set(project["optional-dependencies"]) - {"dev"})


def wheel(folder: Path) -> Path:
    """Build the wheel of this checkout in a folder."""
    from hatchling.builders.wheel import WheelBuilder

    (built,) = WheelBuilder(str(_ROOT)).build(directory=str(folder), versions=["standard"])
    return Path(built)


def install(python: Path, built: Path, brought: list[str], folder: Path) -> tuple[int, int]:
    """Install the wheel in a new environment and test it.

    Returns:
        The number of packages, and their size in megabytes.

    Raises:
        subprocess.CalledProcessError: The installation, an import or the question fails.
        AssertionError: The answer is wrong.
    """
    own = folder / "bin" / "python"
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    _run([python, "-m", "venv", *(["--without-pip"] if uv else []), folder])
    install: list[str | Path] = (
        [uv, "pip", "install", "--python", own] if uv else [own, "-m", "pip", "install", "--no-compile"]
    )
    _run([*install, "--quiet", f"{built}[{','.join(brought)}]" if brought else built])
    _run([own, "-c", _LOAD, *brought], cwd=folder)
    answered = _run([folder / "bin" / "quaestor", *_QUESTION], cwd=folder)
    assert _ANSWER in answered, answered
    files = [path for path in (folder / "lib").rglob("*") if path.is_file() and not path.is_symlink()]
    packages = {path.parent for path in files if path.name == "METADATA"}
    return len(packages), round(sum(path.stat().st_size for path in files if path.suffix != ".pyc") / 2**20)


def _run(words: list[str | Path], cwd: Path | None = None) -> str:
    ran = subprocess.run([str(word) for word in words], cwd=cwd, check=False, capture_output=True, text=True)
    if ran.returncode:
        print(ran.stdout, ran.stderr, file=sys.stderr)
        ran.check_returncode()
    return ran.stdout


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fresh_installs", description=__doc__.partition("\n")[0])
    parser.add_argument("--here", action="store_true", help="this Python alone")
    parser.add_argument("--plain", action="store_true", help="without any extra alone")
    given = parser.parse_args()
    own = [(".".join(map(str, sys.version_info[:3])), Path(sys.executable))]
    whole = extras()
    chosen = [[]] if given.plain else [[], *([extra] for extra in whole), whole]
    with tempfile.TemporaryDirectory() as folder:
        built = wheel(Path(folder))
        print(f"{'python':8} {'extras':10} {'packages':>8} {'MB':>5}")
        for version, python in own if given.here else list(pythons()):
            for brought in chosen:
                name = "all" if brought == whole else ", ".join(brought) or "none"
                place = Path(folder, f"{version}-{name}")
                packages, megabytes = install(python, built, brought, place)
                print(f"{version:8} {name:10} {packages:8} {megabytes:5}", flush=True)
                shutil.rmtree(place)


if __name__ == "__main__":
    main()
