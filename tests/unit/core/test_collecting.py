"""A program looks for cycles seldom; a process that only imports the package does as it did."""

import subprocess
import sys

THRESHOLD = "import gc; print(gc.get_threshold()[0])"


def threshold_after(statement: str) -> int:
    """Returns after how many new objects a process looks for cycles that has run a statement."""
    run = subprocess.run(
        [sys.executable, "-c", f"{statement}\n{THRESHOLD}"], capture_output=True, text=True, check=True
    )
    return int(run.stdout.split()[-1])


def test_a_program_looks_seldom() -> None:
    assert threshold_after("from quaestor.core.collecting import collect_seldom; collect_seldom()") > 10_000
    asked = "import quaestor.cli, sys; sys.argv = ['quaestor', '--version']"
    assert threshold_after(f"{asked}\ntry: quaestor.cli.main()\nexcept SystemExit: pass") > 10_000


def test_a_server_looks_often_and_not_at_what_it_has_loaded() -> None:
    turned = "from quaestor.core.collecting import collect_seldom, collect_steadily; collect_seldom()"
    frozen = "import gc; assert gc.get_freeze_count() > 1_000; assert gc.isenabled()"
    assert threshold_after(f"{turned}; collect_steadily(); {frozen}") < 10_000


def test_who_imports_the_package_keeps_its_own() -> None:
    assert threshold_after("import quaestor") == threshold_after("pass")
