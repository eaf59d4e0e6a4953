"""`quaestor kg`, and the ontologies with which graphs are built."""

import json
from pathlib import Path

import pytest
from command_line import Quaestor, one_line, refused
from made_up import a_record, write_dataset
from toolboxes import OPTIONS, sample_knowledge, sample_pages

from quaestor.ontology.terms import read_turtle
from quaestor.sample import sample_path

PAGE = f"{sample_path()}#{OPTIONS}"


def test_turtle_output_equals_the_graph(quaestor: Quaestor) -> None:
    triples, _ = read_turtle(quaestor(f"kg show {PAGE} --turtle").out, "the graph")
    assert triples == sample_knowledge().graph(sample_pages()[OPTIONS]).triples()


def test_query_supports_select_and_ask(quaestor: Quaestor) -> None:
    select = "SELECT ?i ?v WHERE { ?i a kg:StockOption ; kg:exercise_price ?v ; kg:year '2007' }"
    assert json.loads(quaestor("kg query", PAGE, select, "--json").out) == [{"i": "kg:StockOption_2007", "v": "48.65"}]
    assert "1 row\n" in quaestor("kg query", PAGE, select).out
    assert json.loads(quaestor("kg query", PAGE, "SELECT ?i { ?i kg:exercise_price 1 }", "--json").out) == []
    assert quaestor("kg query", PAGE, "# SELECT\nASK { ?i kg:exercise_price 48.65 }").out == "yes\n"
    assert quaestor("kg query", PAGE, "ask { ?i kg:exercise_price 1 }", "--json").out == "false\n"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT ?i { SERVICE <http://127.0.0.1:1/> { ?i ?p ?o } }", "SERVICE"),
        ("DELETE WHERE { ?s ?p ?o }", "DELETE"),
        ("SELECT", "quaestor: "),
        ("", "quaestor: "),
    ],
)
def test_refused_query_gives_a_one_line_error(quaestor: Quaestor, query: str, message: str) -> None:
    assert message in refused(quaestor("kg query", PAGE, query))


def test_strict_policy_lists_all_gaps(quaestor: Quaestor) -> None:
    """The page is about oil reserves: four of its lines are not in the ontology."""
    assert quaestor(f"ontology build {sample_path()} --limit 1 --output one.ttl").code == 0
    page = f"{sample_path()}#GRYF/2008/page_71.pdf"
    outcome = quaestor(f"kg build {page} --ontology one.ttl --policy strict")
    assert (outcome.code, outcome.out) == (2, "")
    _, *gaps = outcome.err.splitlines()
    assert len(gaps) == 4
    assert all("nearest: " in gap for gap in gaps)
    assert "minted:        4" in quaestor(f"kg build {page} --ontology one.ttl").out


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
    text = quaestor("kg query", str(file), query).out
    assert "1 row\n" in text
    assert "2014" in text
    assert [row["v"] for row in json.loads(quaestor("kg query", str(file), query, "--json").out)] == ["3"]
    assert quaestor("kg query", str(file), "ASK { ?i kg:write_off 2014 }").code == 0


HEAD = ["( in millions )", "2008", "2007"]
# Lines that no other company prints, except the first.
MINE = [HEAD, ["net revenue", "206588", "181001"], ["zorbic flux", "435", "402"], ["gromel drift", "13", "12"]]
OTHER = [HEAD, ["quonset yarrow", "5", "4"], ["pellucid brine", "3", "2"]]


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A dataset with pages of two companies."""
    pages = [a_record(table=MINE), a_record("Single_VESK/2010/page_9.pdf-1", ("cell 1 1",), None, table=OTHER)]
    return write_dataset(tmp_path / "two.json", *pages)


def test_ontology_of_a_file_is_built_once_and_used_by_its_runs(quaestor: Quaestor, two: Path) -> None:
    (first,), (second,) = (json.loads(quaestor(f"kg build {two} --json").out) for _ in range(2))
    assert (first["built"], second["built"], second["pages"]) == (2, 0, 2)
    (again,) = json.loads(quaestor(f"kg build {two} --force --json").out)
    assert (again["pages"], again["built"], again["minted"], again["policy"]) == (2, 2, 0, "extend")
    run = quaestor(f"run {two}")
    assert f"{again['ontology'][:12]}" in run.err
    assert "graphs:" in quaestor("runs show latest").out


@pytest.mark.slow
def test_configured_ontology_is_used_by_every_command(quaestor: Quaestor, two: Path, tmp_path: Path) -> None:
    mine = write_dataset(tmp_path / "mine.json", a_record("Single_BRIN/2013/page_3.pdf-1", table=MINE[:2]))
    digest = quaestor(f"ontology build {mine}").out.split()[-1]
    listed = quaestor("ontology list").out
    assert digest[:12] in listed
    assert quaestor(f"ontology use {digest[:10]}").out == f"quaestor.toml: ontology = {digest}\n"
    assert quaestor("ontology list").out != listed
    built = quaestor(f"kg build {two}")
    # The core knows only the first row of the first page.
    assert f"{digest}" in built.out
    text = built.err
    assert "extend" in text
    page = f"{two}#NORD/2012/page_41.pdf"
    assert quaestor(f"kg show {page}").err == text
    assert text in quaestor(f"run {two}").err
    assert "2 of 2" in quaestor(f"run {two} --policy extend").err
    assert quaestor("ask", page, "cell 1 1", "--policy", "extend", "--no-keep").err == ""
    assert digest in quaestor("runs show latest").out
    (kept,) = [item for item in json.loads(quaestor("ontology list --json").out) if item["digest"] == digest]
    assert (kept["graphs"], kept["runs"], kept["default"]) == (2, 2, True)
    strict = quaestor(f"kg build {two} --policy strict")
    assert strict.code == 2
    assert json.loads(quaestor(f"kg build {two} --ontology own --json").out)[0]["minted"] == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("kg build two.json missing.json", "missing.json"),
        ("kg build two.json --ontology 12", "quaestor: "),
        ("ontology use missing.ttl", "missing.ttl"),
        ("ontology use two.json", "two.json"),
        ("ontology list --store missing.db", "quaestor: "),
    ],
)
def test_user_error_gives_a_one_line_message(quaestor: Quaestor, two: Path, line: str, message: str) -> None:
    outcome = quaestor(line)
    assert (outcome.code, two.exists()) == (2, True)
    assert message in one_line(outcome)
    assert not Path("quaestor.toml").exists()
