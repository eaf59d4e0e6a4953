from pathlib import Path

import pytest
from command_line import Quaestor, one_line
from made_up import TABLE, a_record, write_dataset

from quaestor.datasets.formats import read_document
from quaestor.errors import SeveralPagesError

PAGE = "pages.json#NORD/2012/page_41.pdf"


def test_shows_each_answer_with_its_sources(quaestor: Quaestor, pages: Path) -> None:
    outcome = quaestor(f"ask {PAGE}", "cell 1 1", "cell 1 2", "change")
    assert outcome.code == 0
    assert outcome.err == ""
    assert "1. cell 1 1" in outcome.out
    assert "   206,588 million\n     net revenue | 2008 | 206588\n" in outcome.out
    assert "-25,587 million" in outcome.out


def test_takes_a_conversations_id_too(quaestor: Quaestor, pages: Path) -> None:
    by_page = quaestor(f"ask {PAGE}", "cell 3 1")
    by_conversation = quaestor("ask pages.json#Single_NORD/2012/page_41.pdf-2", "cell 3 1")
    assert by_page == by_conversation
    assert "13.7 %" in by_page.out


def test_a_turn_without_an_answer_says_why_and_the_others_go_on(quaestor: Quaestor, pages: Path) -> None:
    outcome = quaestor(f"ask {PAGE}", "fail", "cell 1 1")
    assert outcome.code == 0
    assert "no answer" in outcome.out
    assert "SolverError: no plan for 'fail'" in outcome.out
    assert "206,588" in outcome.out


def test_brackets_of_a_page_are_no_markup(quaestor: Quaestor, tmp_path: Path) -> None:
    table = [*TABLE[:1], ["[bold]net[/bold] revenue", "206588", "[red]181001"]]
    write_dataset(tmp_path / "pages.json", a_record(table=table))
    outcome = quaestor(f"ask {PAGE}", "cell 1 2")
    assert "[bold]net[/bold] revenue" in outcome.out
    assert "[red]181001" in outcome.out


def test_leaves_nothing_behind(quaestor: Quaestor, pages: Path) -> None:
    quaestor(f"ask {PAGE}", "cell 1 1")
    assert [path.name for path in Path().iterdir()] == ["pages.json"]


def test_a_file_of_one_page_needs_no_id(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("ask pages.json", "cell 1 1").out == quaestor("ask pages.json#NORD/2012/page_41", "cell 1 1").out
    assert quaestor("kg show pages.json").code == 0
    assert read_document("pages.json").id == "NORD/2012/page_41.pdf"


def test_of_several_pages_one_has_to_be_named(quaestor: Quaestor, pages: Path) -> None:
    several = Path("two pages.json")
    write_dataset(several, a_record(), a_record("Single_SUND/2011/page_7.pdf-1"))
    refused = quaestor("ask", str(several), "cell 1 1")
    assert refused.code == 2
    assert "two pages.json holds 2 pages: name one of them" in one_line(refused)
    assert "quaestor pages 'two pages.json' lists them" in one_line(refused)
    with pytest.raises(SeveralPagesError) as raised:
        read_document(several)
    assert raised.value.pages == 2
    missing = quaestor("ask acme.csv why?")
    assert (missing.code, "there is no such file" in one_line(missing)) == (2, True)
