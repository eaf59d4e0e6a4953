import json
from pathlib import Path

import pytest
from command_line import Quaestor, one_line
from made_up import a_record, write_dataset

HEAD = ["( in millions )", "2008", "2007"]
# Lines that no other company prints, but for the first.
MINE = [HEAD, ["net revenue", "206588", "181001"], ["zorbic flux", "435", "402"], ["gromel drift", "13", "12"]]
OTHER = [HEAD, ["quonset yarrow", "5", "4"], ["pellucid brine", "3", "2"]]


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two pages of two companies."""
    pages = [a_record(table=MINE), a_record("Single_VESK/2010/page_9.pdf-1", ("cell 1 1",), None, table=OTHER)]
    return write_dataset(tmp_path / "two.json", *pages)


def test_a_whole_file_is_frozen_once_and_its_runs_take_it(quaestor: Quaestor, two: Path) -> None:
    (first,), (second,) = (json.loads(quaestor(f"kg build {two} --json").out) for _ in range(2))
    assert (first["built"], second["built"], second["pages"]) == (2, 0, 2)
    (again,) = json.loads(quaestor(f"kg build {two} --force --json").out)
    assert (again["pages"], again["built"], again["minted"], again["policy"]) == (2, 2, 0, "extend")
    played = quaestor(f"run {two}")
    assert f"{again['ontology'][:12]}" in played.err
    assert "graphs:" in quaestor("runs show latest").out


def test_a_run_that_builds_all_of_its_graphs_says_nothing_of_it(quaestor: Quaestor, two: Path) -> None:
    played = quaestor(f"run {two}")
    assert (played.code, played.err) == (0, "")
    assert "graphs:" not in quaestor("runs show latest").out


@pytest.mark.slow
def test_an_ontology_that_is_set_is_that_of_every_command(quaestor: Quaestor, two: Path, tmp_path: Path) -> None:
    mine = write_dataset(tmp_path / "mine.json", a_record("Single_BRIN/2013/page_3.pdf-1", table=MINE[:2]))
    digest = quaestor(f"ontology build {mine}").out.split()[-1]
    listed = quaestor("ontology list").out
    assert digest[:12] in listed
    assert quaestor(f"ontology use {digest[:10]}").out == f"quaestor.toml: ontology = {digest}\n"
    assert quaestor("ontology list").out != listed
    built = quaestor(f"kg build {two}")
    # Of the made-up pages only the first row of the first is known.
    assert f"{digest}" in built.out
    said = built.err
    assert "extend" in said
    page = f"{two}#NORD/2012/page_41.pdf"
    assert quaestor(f"kg show {page}").err == said
    assert said in quaestor(f"run {two}").err
    assert "2 of 2" in quaestor(f"run {two} --policy extend").err
    assert quaestor("ask", page, "cell 1 1", "--policy", "extend", "--no-keep").err == ""
    assert digest in quaestor("runs show latest").out
    (kept,) = [item for item in json.loads(quaestor("ontology list --json").out) if item["digest"] == digest]
    assert (kept["graphs"], kept["runs"], kept["default"]) == (2, 2, True)
    strict = quaestor(f"kg build {two} --policy strict")
    assert strict.code == 2
    assert json.loads(quaestor(f"kg build {two} --ontology own --json").out)[0]["minted"] == 0


@pytest.mark.slow
def test_the_policy_can_be_set_too(quaestor: Quaestor, two: Path, tmp_path: Path) -> None:
    mine = write_dataset(tmp_path / "mine.json", a_record("Single_BRIN/2013/page_3.pdf-1", table=MINE[:2]))
    digest = quaestor(f"ontology build {mine}").out.split()[-1]
    Path("quaestor.toml").write_text(f'ontology = "{digest}"\npolicy = "strict"\n')
    refused = quaestor(f"kg show {two}#NORD/2012/page_41.pdf")
    assert refused.code == 2
    assert quaestor(f"kg show {two}#NORD/2012/page_41.pdf --policy extend").code == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("kg build two.json missing.json", "missing.json"),
        ("kg build two.json --ontology 12", "quaestor: "),
        ("ontology use missing.ttl", "missing.ttl"),
        ("ontology use two.json", "two.json"),
        ("ontology list --store missing.db", "quaestor: "),
    ],
)
def test_a_mistake_is_one_line(quaestor: Quaestor, two: Path, line: str, said: str) -> None:
    outcome = quaestor(line)
    assert (outcome.code, two.exists()) == (2, True)
    assert said in one_line(outcome)
    assert not Path("quaestor.toml").exists()
