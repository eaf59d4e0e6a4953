import json
from pathlib import Path

import pytest
from command_line import Quaestor, one_line
from made_up import TABLE, a_record, write_dataset

from quaestor.datasets.formats import read_document
from quaestor.errors import SeveralPagesError, StoreError

PAGE = "pages.json#NORD/2012/page_41.pdf"


def test_brackets_of_a_page_are_not_read_as_markup(quaestor: Quaestor, tmp_path: Path) -> None:
    table = [*TABLE[:1], ["[bold]net[/bold] revenue", "206588", "[red]181001"]]
    write_dataset(tmp_path / "pages.json", a_record(table=table))
    outcome = quaestor(f"ask {PAGE}", "cell 1 2")
    assert "[bold]net[/bold] revenue" in outcome.out
    assert "[red]181001" in outcome.out


@pytest.mark.parametrize("how", ["--no-keep", "QUAESTOR_KEEP_ASKED=0", "keep_asked = false"])
def test_ask_without_a_store_writes_no_files(
    quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how.startswith("QUAESTOR"):
        name, _, value = how.partition("=")
        monkeypatch.setenv(name, value)
    elif not how.startswith("--"):
        Path("quaestor.toml").write_text(how)
    outcome = quaestor(f"ask {PAGE}", "cell 1 1", *([how] if how.startswith("--") else []))
    assert (outcome.code, outcome.err) == (0, "")
    assert [path.name for path in Path().iterdir() if path.suffix != ".toml"] == ["pages.json"]


def test_questions_are_stored_as_a_run_that_can_be_inspected(quaestor: Quaestor, pages: Path) -> None:
    answers = json.loads(quaestor(f"ask {PAGE} --json", "cell 1 1", "cell 1 2", "change").out)
    (run,) = json.loads(quaestor("runs list --json").out)
    assert [answer["run"] for answer in answers] == [run["id"]] * 3
    assert [(answer["kind"], answer["answerable"]) for answer in answers] == [("number", None)] * 3
    assert (run["kind"], run["status"], run["dataset"], run["conversations"]) == ("ask", "complete", PAGE, 1)
    turn = json.loads(quaestor("runs turn latest NORD/2012/page_41.pdf 3 --json").out)
    assert (turn["number"], turn["status"], turn["attempt"]) == ("-25587", "complete", 1)
    assert (turn["kind"], turn["answerable"]) == ("number", None)
    assert [past["question"] for past in turn["history"]] == ["cell 1 1", "cell 1 2"]
    shown = quaestor("runs turn latest NORD/2012/page_41.pdf 1").out
    (step,) = (line for line in shown.splitlines() if line.startswith("step "))
    assert step.split() == "step 1: 206588 million, from net revenue, 2008 | 206588 (table 0, row 1, column 1)".split()
    assert quaestor("runs kg latest NORD/2012/page_41.pdf").code == 0


def test_latest_run_to_score_or_resume_excludes_runs_of_ask(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("run pages.json").code == 0
    assert quaestor(f"ask {PAGE}", "cell 1 1").code == 0
    first, second = json.loads(quaestor("runs list --json").out)
    assert (first["kind"], second["kind"]) == ("ask", "run")
    assert first["id"] in quaestor("runs show latest").out
    assert quaestor("score latest pages.json").code == 0
    assert json.loads(quaestor(f"runs show {second['id']} --json").out)["scores"]
    assert quaestor("run pages.json --resume latest").code == 0


def test_unwritable_store_gives_a_warning_and_the_answer(quaestor: Quaestor, pages: Path) -> None:
    Path(".quaestor").write_text("a file where the folder would be")
    outcome = quaestor(f"ask {PAGE} --json", "cell 1 1")
    assert outcome.code == 0
    assert outcome.err.count("\n") == 1
    (answer,) = json.loads(outcome.out)
    assert (answer["value"], answer["run"]) == ("206588", None)


def test_store_that_fails_during_a_question_gives_a_warning_and_the_answer(
    quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr("quaestor.store.sqlite.SqliteStore.save_turn", full)
    outcome = quaestor(f"ask {PAGE}", "cell 1 1", "cell 1 2")
    assert outcome.code == 0
    assert "206,588 million" in outcome.out
    assert "181,001 million" in outcome.out


def test_solver_error_in_the_second_question_keeps_the_first_stored(quaestor: Quaestor, pages: Path) -> None:
    broken = quaestor(f"ask {PAGE}", "cell 1 1", "break")
    assert broken.code == 1
    (run,) = json.loads(quaestor("runs list --json").out)
    assert f"{run['id']}" in broken.err
    assert run["status"] == "failed"
    first, second = (
        json.loads(quaestor(f"runs turn latest NORD/2012/page_41.pdf {number} --json").out) for number in (1, 2)
    )
    assert (first["number"], first["status"]) == ("206588", "complete")
    assert (second["status"], second["error"][:8]) == ("understanding", "KeyError")


def test_a_file_of_one_page_needs_no_id(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("ask pages.json", "cell 1 1").out == quaestor("ask pages.json#NORD/2012/page_41", "cell 1 1").out
    assert quaestor("kg show pages.json").code == 0
    assert read_document("pages.json").id == "NORD/2012/page_41.pdf"


def test_page_of_a_file_with_several_pages_must_be_named(quaestor: Quaestor, pages: Path) -> None:
    several = Path("two pages.json")
    write_dataset(several, a_record(), a_record("Single_SUND/2011/page_7.pdf-1"))
    refused = quaestor("ask", str(several), "cell 1 1")
    assert refused.code == 2
    assert "pages.json" in one_line(refused)
    assert "quaestor pages 'two pages.json' lists them" in one_line(refused)
    with pytest.raises(SeveralPagesError) as raised:
        read_document(several)
    assert raised.value.pages == 2
    missing = quaestor("ask acme.csv why?")
    assert missing.code == 2
