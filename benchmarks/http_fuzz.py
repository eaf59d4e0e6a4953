"""What schemathesis makes of the interface for programs: `python -m benchmarks.http_fuzz [--requests N] [--seed S]`.

The server runs as `quaestor serve` does, in a process of its own, with two scored runs of the sample in its store.
schemathesis makes requests out of the OpenAPI document, right ones and wrong ones, then follows the links of the
document from reply to reply (what was begun is asked, changed, deleted, and asked again), until so many are made.
Every answer has to be what the document says: no 500, no status, type, header or body that it does not name. What fits
the document may be refused all the same: a solver that is not there is, and no schema says which are.
"""

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.http_load import served
from quaestor import evaluate_async

_PAGE = "sample#NORD/2012/page_41.pdf"
_AN_OPERATION = 32
"""Test cases of an operation in a round, of each phase."""


def main() -> None:
    wanted = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    wanted.add_argument("--requests", type=int, default=5_000, help="how many are made at least")
    wanted.add_argument("--seed", type=int, default=1, help="of the first round")
    said = wanted.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/runs.db"
        for _ in range(2):
            asyncio.run(evaluate_async("sample", limit=3, store=store))
        with served(Path(folder), _PAGE, "sample") as server:
            made, seed = 0, said.seed
            while made < said.requests:
                made += _round(server.address, folder, seed)
                print(f"seed {seed}: {made:,} requests so far", flush=True)
                seed += 1
    print(f"{made:,} requests: none was answered with a 500, or with what the document does not say")


def _round(address: str, folder: str, seed: int) -> int:
    """Return how many requests were made; ends the program where an answer was not what the document says."""
    command = [
        str(Path(sys.executable).with_name("schemathesis")), "run", f"{address}/api/v1/openapi.json",
        "--exclude-checks", "positive_data_acceptance", "--max-examples", str(_AN_OPERATION), "--seed", str(seed),
        "--continue-on-failure", "--request-timeout", "60", "--warnings", "off",
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "120"}
    )
    counted = re.search(r"(\d+) generated", done.stdout)
    if done.returncode or counted is None:
        raise SystemExit(done.stdout[-6_000:] + done.stderr[-2_000:])
    return int(counted[1])


if __name__ == "__main__":
    main()
