"""Run the documented requests against a server."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from fenced import blocks
from web import asking, served

from quaestor.web.app import create_app

ADDRESS = "http://127.0.0.1:8765"
SERVED = [block for block in blocks("sh") if "served" in block.remarks]
FILES = sorted({block.file for block in SERVED})

# Any status other than 2xx ends the shell with an error.
SHELL = 'set -euo pipefail; curl() { command curl --fail-with-body --show-error --max-time 60 "$@"; echo; }\n'


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")
@pytest.mark.parametrize("file", FILES)
def test_requests_succeed(file: str, tmp_path: Path) -> None:
    mine = [block for block in SERVED if block.file == file]
    for block in blocks():
        if block.file == file and "file" in block.remarks:
            (tmp_path / block.remarks["file"]).write_text(block.text, encoding="utf-8")
    (shown,) = {block.remarks["served"] for block in mine}
    with served(create_app(asking(tmp_path), None, (shown,))) as address:
        script = SHELL + "".join(block.text for block in mine).replace(ADDRESS, address)
        done = subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
        )
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr
    assert (tmp_path / "answers.xlsx").read_bytes().startswith(b"PK")


def test_documented_addresses_agree() -> None:
    for block in SERVED:
        assert set(re.findall(r"http://[\w.:]+", block.text)) <= {ADDRESS}, block
