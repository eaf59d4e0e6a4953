import os
import subprocess
import sys
import time

from quaestor.cluster.local_ray import _descendants


def test_all_that_descend_from_a_process_are_found() -> None:
    inner = "import time; time.sleep(60)"
    outer = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {inner!r}]).wait()"
    with subprocess.Popen([sys.executable, "-c", outer]) as child:
        until = time.monotonic() + 30
        while len(found := _descendants(child.pid)) < 1 and time.monotonic() < until:
            time.sleep(0.02)
        assert len(found) == 1
        assert {child.pid, *found} <= set(_descendants(os.getpid()))
        os.kill(found[0], 9)
        assert child.wait(timeout=30) == 0
    assert _descendants(child.pid) == []
