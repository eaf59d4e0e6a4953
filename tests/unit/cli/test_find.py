import json
from pathlib import Path

import pytest
from command_line import Quaestor

PAGE = "sample#NORD/2012/page_41.pdf"


def test_places_are_listed_with_score_and_reason(quaestor: Quaestor) -> None:
    outcome = quaestor(f'find {PAGE} "what was net revenue?"')
    assert outcome.code == 0
    assert "score" in outcome.out
    assert "because:" in outcome.out


def test_json_is_a_list_of_places(quaestor: Quaestor) -> None:
    found = json.loads(quaestor(f'find {PAGE} "what was net revenue?" --top 2 --json').out)
    assert 1 <= len(found) <= 2
    assert {"page", "section", "kind", "text", "score", "why", "table", "anchor"} <= set(found[0])


def test_nothing_found_says_what_to_try(quaestor: Quaestor) -> None:
    outcome = quaestor(f'find {PAGE} "who won the chess tournament?"')
    assert outcome.code == 0
    assert json.loads(quaestor(f'find {PAGE} "who won the chess tournament?" --json').out) == []


def test_an_empty_question_is_refused(quaestor: Quaestor) -> None:
    assert quaestor(f'find {PAGE} " "').err


def test_lines_are_not_wider_than_a_narrow_terminal(quaestor: Quaestor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    printed = quaestor(f'find {PAGE} "what was net revenue in 2012?"').out
    assert max(map(len, printed.splitlines())) <= 60


def test_a_question_goes_on_with_those_before(quaestor: Quaestor) -> None:
    found = json.loads(quaestor(f'find {PAGE} "what was net revenue in 2011?" "and in 2012?" --json').out)
    assert "revenue" in found[0]["text"].casefold() or found[0]["table"] is not None


def test_a_file_is_read_and_indexed_once(quaestor: Quaestor, tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>line {n}</td><td>{n + 100}</td></tr>" for n in range(40))
    (tmp_path / "report.html").write_text(
        f"<html><body><h1>Costs</h1><table><tr><td></td><td>2024</td></tr>{rows}</table><h1>Rent</h1>"
        "<p>Rent was $ 9 million in 2024.</p></body></html>"
    )
    first = quaestor('find report.html "what was rent in 2024?" --json').out
    kept = sorted(path.name.partition("-")[0] for path in tmp_path.rglob("*.kept"))
    assert kept == ["document", "index"]
    assert quaestor('find report.html "what was rent in 2024?" --json').out == first
    assert json.loads(first)[0]["section"] == "Rent"


def test_what_would_lead_a_terminal_is_shown(quaestor: Quaestor) -> None:
    Path("sales.csv").write_text("item,2020,2019\nNet sales \u202e54\u202c,5,4\nCosts,3,2\n")
    printed = quaestor('find sales.csv "net sales in 2020"').out
    assert "\u202e" not in printed
    assert "Net sales \ufffd54\ufffd" in printed
    printed = quaestor('find sales.csv "net sales in 2020" --json').out
    assert "\u202e" not in printed
    assert "Net sales \u202e54\u202c" in json.loads(printed)[0]["text"]


def test_an_error_shows_what_would_lead_a_terminal(quaestor: Quaestor) -> None:
    assert "\u202e" not in quaestor('find "sales\u202efdp.csv" "net sales"').err


@pytest.mark.parametrize("command", ["find", "ask"])
def test_what_was_not_read_is_said(quaestor: Quaestor, command: str) -> None:
    table = "<table><tr><td></td><td>2020</td></tr><tr><td>Net sales</td><td>$ 5</td></tr></table>"
    Path("deep.html").write_text(f"<html><body>{table}{'<div>' * 3000}Rent was $ 3 in 2020.")
    outcome = quaestor(f'{command} deep.html "what were net sales in 2020?"')
    assert outcome.code == 0
    assert "deep.html" in outcome.err


def test_a_row_that_stands_twice_is_shown_once(quaestor: Quaestor) -> None:
    Path("sales.csv").write_text(
        "item,2020,2019\nShoes,3,2\nShirts,2,2\nTotal sales,5,4\nAt home,1,1\nAbroad,4,3\nTotal sales,5,4\n"
    )
    found = json.loads(quaestor('find sales.csv "what were total sales in 2020?" --json').out)
    assert found[0]["text"].count("Total sales") == 1
    assert len(found[0]["rows"]) == 2
