import json
from pathlib import Path

import pytest
from command_line import Quaestor, one_line
from made_up import a_record, write_dataset
from toolboxes import OPTIONS, sample_knowledge, sample_pages

from quaestor.ontology.terms import read_turtle
from quaestor.sample import sample_path

PAGE = f"{sample_path()}#{OPTIONS}"


def test_build_says_what_the_page_was_taken_for_and_why(quaestor: Quaestor) -> None:
    shown = quaestor(f"kg build {PAGE}").out
    assert "table 0: kg:StockOption" in shown
    assert "same words" in shown
    assert "minted:        0" in shown


def test_show_has_every_value_and_mention(quaestor: Quaestor) -> None:
    shown = quaestor(f"kg show {PAGE}").out
    for value in ("48.65", "33.20", "27.95", "26.3"):
        assert value in shown


def test_turtle_is_the_graph(quaestor: Quaestor) -> None:
    triples, _ = read_turtle(quaestor(f"kg show {PAGE} --turtle").out, "the graph")
    assert triples == sample_knowledge().graph(sample_pages()[OPTIONS]).triples()


def test_query_answers_select_and_ask(quaestor: Quaestor) -> None:
    select = "SELECT ?i ?v WHERE { ?i a kg:StockOption ; kg:exercise_price ?v ; kg:year '2007' }"
    assert json.loads(quaestor("kg query", PAGE, select, "--json").out) == [{"i": "kg:StockOption_2007", "v": "48.65"}]
    assert "1 row\n" in quaestor("kg query", PAGE, select).out
    assert json.loads(quaestor("kg query", PAGE, "SELECT ?i { ?i kg:exercise_price 1 }", "--json").out) == []
    assert quaestor("kg query", PAGE, "# SELECT\nASK { ?i kg:exercise_price 48.65 }").out == "yes\n"
    assert quaestor("kg query", PAGE, "ask { ?i kg:exercise_price 1 }", "--json").out == "false\n"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT ?i { SERVICE <http://127.0.0.1:1/> { ?i ?p ?o } }", "SERVICE"),
        ("DELETE WHERE { ?s ?p ?o }", "DELETE"),
        ("SELECT", "quaestor: "),
        ("", "quaestor: "),
    ],
)
def test_a_query_that_is_refused_is_one_line(quaestor: Quaestor, query: str, said: str) -> None:
    outcome = quaestor("kg query", PAGE, query)
    assert outcome.code == 2
    assert said in one_line(outcome)


def test_under_strict_all_gaps_are_listed(quaestor: Quaestor) -> None:
    """On a page of oil reserves, of whose lines four are none that statements of many companies print."""
    assert quaestor(f"ontology build {sample_path()} --limit 1 --output one.ttl").code == 0
    page = f"{sample_path()}#GRYF/2008/page_71.pdf"
    outcome = quaestor(f"kg build {page} --ontology one.ttl --policy strict")
    assert (outcome.code, outcome.out) == (2, "")
    _, *gaps = outcome.err.splitlines()
    assert len(gaps) == 4
    assert all("nearest: " in gap for gap in gaps)
    assert "minted:        4" in quaestor(f"kg build {page} --ontology one.ttl").out


def test_a_page_that_is_not_there_is_one_line(quaestor: Quaestor) -> None:
    for page in ("pages.json", f"{sample_path()}#nothing", "missing.json#x"):
        outcome = quaestor(f"kg show {page}")
        assert outcome.code == 2
        one_line(outcome)


def test_a_dash_that_is_printed_as_a_year_is_shown_as_empty(quaestor: Quaestor, tmp_path: Path) -> None:
    grid = [["( in millions )", "2012", "2011"], ["write-off", "$ 2014", "3"], ["revenue", "7", "-"]]
    file = write_dataset(tmp_path / "one.json", a_record(table=grid))
    shown = quaestor(f"kg show {file}").out
    assert "2014" in " ".join(shown.split())
    assert "empty (a dash)" in shown
    assert "$ 2014" not in shown
    cells = json.loads(quaestor(f"kg show {file} --json").out)["text_cells"]
    assert [(cell["text"], cell["empty"]) for cell in cells] == [("$ 2014", True), ("-", True)]
    query = "SELECT ?i ?v { ?i kg:write_off ?v }"
    said = quaestor("kg query", str(file), query).out
    assert "1 row\n" in said
    assert "2014" in said
    assert [row["v"] for row in json.loads(quaestor("kg query", str(file), query, "--json").out)] == ["3"]
    assert quaestor("kg query", str(file), "ASK { ?i kg:write_off 2014 }").code == 0
