"""Responses to generated requests match the OpenAPI document; `benchmarks.http_fuzz` sends more requests."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from played_runs import run_sample
from web import pages_served

NORD = "sample#NORD/2012/page_41.pdf"


@pytest.mark.very_slow
@pytest.mark.timeout(300)
def test_http_responses_match_the_openapi_document(tmp_path: Path) -> None:
    run_sample(tmp_path / "runs.db", 2, runs=2)
    with pages_served(tmp_path, NORD, serve_requests_per_minute=0) as address:
        # Requests that match the document may be refused, because no schema lists the installed solvers.
        command = [
            str(Path(sys.executable).with_name("schemathesis")), "run", f"{address}/api/v1/openapi.json",
            "--exclude-checks", "positive_data_acceptance", "--max-examples", "2", "--seed", "1", "--warnings", "off",
            "--phases", "examples,fuzzing",
        ]  # fmt: skip
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "120"}
        )
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
    counted = re.search(r"(\d+) generated", done.stdout)
    assert counted is not None, done.stdout
    assert int(counted[1]) >= 32
