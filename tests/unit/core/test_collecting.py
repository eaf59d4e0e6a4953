"""A program looks for cycles seldom; a process that only imports the package does as it did."""

import platform
import resource
import subprocess
import sys

import pytest

THRESHOLD = "import gc; print(gc.get_threshold()[0])"


def threshold_after(statement: str) -> int:
    """Returns after how many new objects a process looks for cycles that has run a statement."""
    return int(said_by(f"{statement}\n{THRESHOLD}").split()[-1])


def said_by(statements: str) -> str:
    """Returns what a process prints that runs statements."""
    return subprocess.run([sys.executable, "-c", statements], capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_a_program_looks_seldom() -> None:
    assert threshold_after("from quaestor.core.collecting import collect_seldom; collect_seldom()") > 10_000
    asked = "import quaestor.cli, sys; sys.argv = ['quaestor', '--version']"
    assert threshold_after(f"{asked}\ntry: quaestor.cli.main()\nexcept SystemExit: pass") > 10_000


def test_a_server_looks_often_and_not_at_what_it_has_loaded() -> None:
    turned = (
        "import gc; from quaestor.core.collecting import collect_later, collect_seldom, collect_steadily; "
        "collect_seldom(); collect_later(); assert not gc.isenabled()"
    )
    frozen = "import gc; assert gc.get_freeze_count() > 1_000; assert gc.isenabled()"
    assert threshold_after(f"{turned}; collect_steadily(); {frozen}") < 10_000


def test_a_program_at_its_end_looks_no_more() -> None:
    made = (
        "import gc; from quaestor.core.collecting import collect_no_more\n"
        "class Held:\n    def __del__(self): print('looked')\n"
        "one = Held(); one.itself = one; del one\n"
    )
    assert said_by(made) == "looked\n"
    assert said_by(f"{made}collect_no_more()") == ""


def test_a_program_tidies_up_between_its_steps_and_a_library_does_not() -> None:
    tidied = "from quaestor.core import collecting; {}for _ in collecting.tidying(range(256)): pass"
    count = "\nimport gc; print(gc.get_freeze_count() > 1_000)"
    assert said_by(tidied.format("collecting.collect_seldom()\n") + count) == "True\n"
    assert said_by(tidied.format("\n") + count) == "False\n"
    assert said_by("from quaestor.core.collecting import tidying; print(*tidying('abc'))") == "a b c\n"


@pytest.mark.slow
@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="other libraries give memory back by themselves, or never"
)
def test_tidying_gives_back_what_was_freed_below_what_is_held() -> None:
    left = (
        "from quaestor.core import collecting; {}many = [bytes(2_000) for _ in range(20_000)]; held = bytes(2_000)\n"
        "del many; collecting.tidy()\n"
        "print(open('/proc/self/statm').read().split()[1])"
    )
    library, program = (int(said_by(left.format(owned))) for owned in ("", "collecting.collect_seldom(); "))
    assert library - program > 20e6 / resource.getpagesize()


def test_who_imports_the_package_keeps_its_own() -> None:
    assert threshold_after("import quaestor") == threshold_after("pass")
