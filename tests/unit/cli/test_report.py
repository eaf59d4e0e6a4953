"""`quaestor report`: a file, Markdown, kept scores, and what is refused."""

import json
from pathlib import Path

import pytest
from command_line import Quaestor, one_line


def test_a_page_and_markdown(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    runs = " ".join(quaestor("run pages.json").out.strip() for _ in range(2))
    outcome = quaestor(f"report {runs} --output report.html")
    assert (outcome.code, outcome.err) == (0, "")
    assert "report.html" in outcome.out
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "66.7 %" in page
    assert "cell 3 1" not in page.partition("Wrong turns")[0]
    assert "operating costs | 2007 | 402" in page
    told = quaestor("report latest --markdown").out
    assert told.startswith("### Evaluation: Execution accuracy A 66.7 %")
    assert quaestor("report latest --markdown --output report.md").code == 0
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == told


def test_what_is_there_is_not_replaced(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    quaestor("run pages.json")
    (tmp_path / "report.html").write_text("mine", encoding="utf-8")
    one_line(quaestor("report latest --output report.html"))
    assert quaestor("report latest --output report.html --force").code == 0
    one_line(quaestor("report latest --output pages.json --dataset pages.json --force"))
    one_line(quaestor("report latest"))
    assert "'nosuch'" in one_line(quaestor("report nosuch --markdown"))


@pytest.mark.slow
def test_saved_scores_count_where_the_file_is_gone(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    runs = [quaestor("run pages.json").out.strip() for _ in range(2)]
    for run in runs:
        quaestor(f"score {run} pages.json")
    pages.unlink()
    assert quaestor(f"report {' '.join(runs)} --output report.html").code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "table 1, row" in page
    assert "reference " not in page.partition('<h2 id="errors"')[2]


def test_the_time_of_an_imported_run_is_that_of_the_turns_that_tell_it(
    quaestor: Quaestor, pages: Path, tmp_path: Path
) -> None:
    ids = [one["id"] for one in json.loads(pages.read_text(encoding="utf-8"))]
    line = {"conversation": ids[0], "turn": 0, "answer": 1, "latency_ms": 800}
    (tmp_path / "theirs.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert quaestor("runs import theirs.jsonl --dataset pages.json").code == 0
    told = quaestor("report latest --markdown").out
    assert "| 800 ms (1 of " in told
