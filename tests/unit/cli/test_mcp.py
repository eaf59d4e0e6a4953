"""`quaestor mcp` as it is typed; sessions are in `tests/unit/mcp_server`."""

from pathlib import Path

import pytest
from command_line import Quaestor, one_line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing"], "quaestor: "),
        (["--exports", "missing"], "quaestor: "),
        (["--store", "sqlite://"], "in memory"),
        (["--solver", "nobody"], "nobody"),
        (["--http", "--token", "short"], "16 ASCII"),
        (["--http", "--port", "0", "--host", "no such host"], "quaestor: "),
        (["--store", "/dev/null/runs.db"], "/dev/null"),
    ],
)
def test_what_cannot_be_served_is_one_line(quaestor: Quaestor, arguments: list[str], words: str) -> None:
    outcome = quaestor("mcp", *arguments)
    assert outcome.code == 2
    assert words in one_line(outcome)


def test_the_standard_output_stays_empty_where_nothing_is_said(quaestor: Quaestor, tmp_path: Path) -> None:
    assert quaestor("mcp", str(tmp_path / "none")).out == ""
