"""Fuzzes the HTTP API with schemathesis: `python -m benchmarks.http_fuzz [--requests N] [--seed S]`.

The server runs like `quaestor serve` in a separate process, with two scored runs of the sample in its store.
schemathesis generates valid and invalid requests from the OpenAPI document, then follows the document's links from
reply to reply (conversations are created, asked, changed, deleted and asked again), until enough requests are made.
Every response must conform to the document: no 500, and no undocumented status, type, header or body. A request that
conforms to the schema may still be rejected, for example because it names an unknown solver.
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
"""Test cases per operation, phase and round."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--requests", type=int, default=5_000, help="how many are made at least")
    parser.add_argument("--seed", type=int, default=1, help="of the first round")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/runs.db"
        for _ in range(2):
            asyncio.run(evaluate_async("sample", limit=3, store=store))
        with served(Path(folder), _PAGE, "sample") as server:
            made, seed = 0, options.seed
            while made < options.requests:
                made += _round(server.address, folder, seed)
                print(f"seed {seed}: {made:,} requests so far", flush=True)
                seed += 1
    print(f"{made:,} requests: none was answered with a 500, or with what the document does not say")


def _round(address: str, folder: str, seed: int) -> int:
    """Return the number of requests; exit if a response does not conform to the document."""
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
