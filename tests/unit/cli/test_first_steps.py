"""What a newcomer meets: help without an error, pages by name, questions from stdin, quiet ends."""

import hashlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Quaestor


@pytest.mark.parametrize("line", ["runs", "kg", "ontology", "models", "-h", "runs -h", "eval -h"])
def test_help_is_no_mistake(quaestor: Quaestor, line: str) -> None:
    outcome = quaestor(line)
    assert (outcome.code, outcome.err) == (0, "")
    assert "Usage: quaestor" in outcome.out


def test_alone_it_lists_commands_that_exist(quaestor: Quaestor) -> None:
    outcome = quaestor("")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines
    for line in lines:
        command = line.split()[1]
        assert command == "--help" or quaestor(f"{command} --help").code == 0


def test_help_names_the_table_of_models(quaestor: Quaestor) -> None:
    assert "[models.NAME]" in " ".join(quaestor("eval --help").out.split())


def test_pages_are_listed_and_named_where_one_is_missing(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("pages pages.json").out == "NORD/2012/page_41.pdf  2 conversations\n"
    assert "quaestor pages lists all" in quaestor("ask pages.json#NORD/2012/page_42", "why?").err
    assert len(json.loads(quaestor("pages sample --json").out)) > 10


def test_questions_come_from_stdin_and_answers_go_as_json(
    quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("cell 1 1\n\nfail\n"))
    answers = json.loads(quaestor("ask pages.json#nord/2012/page_41 - --json").out)
    assert [answer["question"] for answer in answers] == ["cell 1 1", "fail"]
    assert (answers[0]["value"], answers[0]["answer"], answers[0]["sources"][0]["text"]) == ("206588", 206588, "206588")
    assert answers[1]["value"] is None
    assert "no plan for" in answers[1]["error"]


def test_a_misspelt_variable_is_named(quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_SOLVR", "agent")
    assert "QUAESTOR_SOLVER" in quaestor("pages pages.json").err


def test_few_pages_have_no_interval(quaestor: Quaestor, pages: Path) -> None:
    assert " to " not in quaestor("eval pages.json").out


@pytest.mark.slow
def test_no_line_is_padded_and_no_word_broken_where_it_is_narrow() -> None:
    environment = {**os.environ, "COLUMNS": "60"}
    page = "sample#NORD/2012/page_41.pdf"
    shown = subprocess.run(
        [sys.executable, "-m", "quaestor", "kg", "build", page],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    lines = shown.splitlines()
    assert not [line for line in lines if line != line.rstrip()]
    record = json.loads(
        subprocess.run(
            [sys.executable, "-m", "quaestor", "kg", "build", page, "--json"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )
    for word in {word for line in record["lines"] for word in (*line["label"].split(), line["predicate"])}:
        assert word in shown, word


@pytest.mark.slow
def test_nobody_reading_a_table_is_quiet() -> None:
    writer = subprocess.Popen(
        [sys.executable, "-m", "quaestor", "kg", "show", "sample#NORD/2012/page_41.pdf"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert writer.stdout is not None
    writer.stdout.close()
    _, err = writer.communicate(timeout=60)
    assert (writer.returncode, err) == (141, b"")


def test_weights_are_not_praised_for_what_they_were_trained_on(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    from quaestor.application.solver_options import is_trained_on

    assert not is_trained_on(pages, "embedded", {})
    (tmp_path / "weights").mkdir()
    digest = hashlib.sha256(pages.read_bytes()).hexdigest()
    (tmp_path / "weights" / "card.json").write_text(json.dumps({"files": {"x": digest}}))
    assert is_trained_on(pages, "embedded", {"weights": str(tmp_path / "weights")})
    assert "pages.json" in quaestor("eval pages.json --weights weights").err
