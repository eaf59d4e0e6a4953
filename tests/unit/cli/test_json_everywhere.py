"""What a program reads of commands that print for people, and what a newcomer is left with."""

import json
from pathlib import Path

import pytest
from command_line import Quaestor

PAGE = "sample#QUIL/2007/page_88.pdf"


@pytest.mark.parametrize(
    "line", [f"kg show {PAGE}", f"kg build {PAGE}", "runs kg latest Single_NORD/2012/page_41.pdf-2"]
)
def test_a_graph_goes_as_json(quaestor: Quaestor, pages: Path, line: str) -> None:
    assert quaestor("run pages.json").code == 0
    found = json.loads(quaestor(f"{line} --json").out)
    assert len(found["observations"]) == found["statistics"]["observations"] > 5
    assert len(found["digest"]) == 64


def test_ontologies_go_as_json(quaestor: Quaestor) -> None:
    for limit in (1, 4):
        assert quaestor(f"ontology build sample --limit {limit} --output o{limit}.ttl").code == 0
    shown = json.loads(quaestor("ontology show --ontology o4.ttl --json").out)
    named = shown["types"][0]["name"]
    assert [
        kind["name"] for kind in json.loads(quaestor(f"ontology show {named} --ontology o4.ttl --json").out)["types"]
    ] == [named]
    assert json.loads(quaestor("ontology diff o1.ttl o4.ttl --json").out)["properties_added"]
    assert not any(json.loads(quaestor("ontology diff o4.ttl o4.ttl --json").out).values())
    why = json.loads(quaestor("ontology why nothing 'net revenue' --ontology o4.ttl --json").out)
    assert why["same"] is False


@pytest.mark.slow
def test_the_demo_goes_as_json_and_takes_the_settings(quaestor: Quaestor) -> None:
    assert json.loads(quaestor("demo --json").out)["solver"] == "embedded"
    Path("quaestor.toml").write_text('solver = "nobody"\n')
    refused = quaestor("demo")
    assert refused.code == 2
    assert "'nobody'" in refused.err


@pytest.mark.slow
def test_the_demo_ends_with_what_its_figures_mean_and_what_to_do_next(quaestor: Quaestor) -> None:
    closing = quaestor("demo").out.splitlines()[-4:]
    assert closing[1].startswith("  quaestor ask sample#")
    assert closing[2:] == ["  quaestor ask FILE", "  quaestor chat FILE"]


def test_what_is_looked_up_prints_no_arithmetic(quaestor: Quaestor, pages: Path) -> None:
    shown = quaestor("ask pages.json#NORD/2012/page_41", "cell 1 1", "change").out
    assert [line for line in shown.splitlines() if " = " in line] == [
        line for line in shown.splitlines() if "25,587" in line
    ]


def test_shell_completion_is_offered(quaestor: Quaestor) -> None:
    assert "--install-completion" in quaestor("--help").out
