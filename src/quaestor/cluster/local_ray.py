"""Runs a local Ray for a parent program, and ends it with the parent.

The parent keeps standard input open; when it is closed, everything ends.

Usage: local_ray.py CPUS FOLDER. Prints one line of JSON: `{"address": "127.0.0.1:PORT"}` or `{"error": "..."}`.
"""

import ctypes
import json
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

OBJECT_STORE = 256_000_000
"""Bytes of shared memory for pages, weights and pending results."""

_PR_SET_CHILD_SUBREAPER = 36
_PATIENCE = 5.0


def run_ray() -> None:
    """Start Ray, print its address, and wait until standard input is closed."""
    cpus, folder = int(sys.argv[1]), sys.argv[2]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides how to handle Ctrl-C
    threading.Thread(target=_end_with_input, args=(folder,), daemon=True).start()
    try:
        reply = {"address": _start_ray(cpus, folder)}
    except Exception as error:  # noqa: BLE001 - any error must be reported to the parent
        reply = {"error": f"{type(error).__name__}: {error}"}
    signal.signal(signal.SIGTERM, lambda *_: _end(folder))  # replaces Ray's handler, which leaves its processes running
    print(json.dumps(reply), flush=True)
    while True:
        signal.pause()


def _start_ray(cpus: int, folder: str) -> str:
    import ray

    ray.init(
        address="local",
        num_cpus=cpus,
        num_gpus=0,
        include_dashboard=False,
        log_to_driver=False,
        configure_logging=False,
        object_store_memory=OBJECT_STORE,
        _temp_dir=folder,
    )
    return str(ray.get_runtime_context().gcs_address)


def _end_with_input(folder: str) -> None:
    sys.stdin.buffer.read()
    _end(folder)


def _end(folder: str) -> None:
    """Kill all descendants of this process, remove the folder, and exit. Nothing there needs to be saved."""
    until = time.monotonic() + _PATIENCE
    while (left := _descendants(os.getpid())) and time.monotonic() < until:
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(0.02)
        _reap()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _descendants(process: int) -> list[int]:
    """Return the descendants of a process, except zombies."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir() if sys.platform == "linux" else ():
        if entry.name.isdecimal():
            try:
                status = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            except OSError:  # the process has ended
                continue
            if status[0] != "Z":
                children.setdefault(int(status[1]), []).append(int(entry.name))
    found, waiting = [], [process]
    while waiting:
        direct = children.get(waiting.pop(), [])
        found += direct
        waiting += direct
    return found


if __name__ == "__main__":
    run_ray()
