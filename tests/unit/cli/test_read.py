"""`quaestor read` and `find`, and files with control characters in their names."""

import gzip
import json
import os
import sys
from pathlib import Path

import pytest
from command_line import Quaestor

REPORT = """# Annual report

Costs fell in 2023.

## Income

| (in millions) | 2023 | 2022 |
|---|---|---|
| Net sales | $ 1,200 | $ 1,100 |
| Cost of sales | (600) | — |
"""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "report.md"
    path.write_text(REPORT, encoding="utf-8")
    return path


@pytest.mark.usefixtures("report")
def test_a_table_is_shown_with_its_place_and_periods(quaestor: Quaestor) -> None:
    printed = quaestor("read report.md --table 0").out
    assert "section: Annual report > Income" in printed
    assert "periods: 2023, 2022" in printed
    assert "(600)" in printed


@pytest.mark.usefixtures("report")
def test_json_output_has_exact_cells(quaestor: Quaestor) -> None:
    outline = json.loads(quaestor("read report.md --json").out)
    assert [section["path"] for section in outline["sections"]] == [["Annual report"], ["Annual report", "Income"]]
    table = json.loads(quaestor("read report.md --table 0 --json").out)
    assert table["body"][1]["cells"][1] == {
        "text": "(600)", "value": "-600", "scale": "million", "unit": "USD", "period": "2023",
    }  # fmt: skip
    assert table["body"][1]["cells"][2]["value"] is None


def test_lines_are_not_wider_than_a_narrow_terminal(
    quaestor: Quaestor, report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    report.write_text(REPORT.replace("Income", "Consolidated statements of income and comprehensive income, unaudited"))
    for command in ("read report.md", "read report.md --table 0"):
        assert max(map(len, quaestor(command).out.splitlines())) <= 60


def test_parsed_file_is_cached_unless_disabled(quaestor: Quaestor, report: Path) -> None:
    files = report.parent / ".quaestor" / "files"
    quaestor("read report.md --no-cache")
    assert not files.exists()
    first = quaestor("read report.md").out
    assert len(list(files.iterdir())) == 1
    assert quaestor("read report.md").out == first


def test_other_commands_read_the_same_files(quaestor: Quaestor, report: Path) -> None:
    packed = report.with_name("packed.md.gz")
    packed.write_bytes(gzip.compress(REPORT.encode()))
    for name in ("report.md", "packed.md.gz"):
        assert "-600" in quaestor(f"kg show {name}").out
        assert quaestor(f'kg query {name} "ASK {{ ?s ?p ?o }}"').out == "yes\n"
        assert f"{name}" in quaestor(f"pages {name}").out
    assert quaestor("ontology build report.md packed.md.gz").code == 0


SECOND = "# Second report\n\nSales rose to $ 12 million in 2023.\n"


@pytest.fixture
def several(report: Path) -> list[str]:
    """The names of files of several formats, some of them damaged or missing."""
    folder = report.parent
    (folder / "second.txt").write_text(SECOND, encoding="utf-8")
    (folder / "packed.md.gz").write_bytes(gzip.compress(REPORT.encode()))
    (folder / "cut.md.gz").write_bytes(gzip.compress(REPORT.encode())[:-20])
    (folder / "damaged.pdf").write_bytes(b"%PDF-1.7\nnothing follows")
    (folder / "empty.csv").write_bytes(b"")
    (folder / "table.csv").write_text("(in millions),2023,2022\nNet sales,5,4\n", encoding="utf-8")
    return ["report.md", "damaged.pdf", "second.txt", "cut.md.gz", "packed.md.gz", "none.md", "empty.csv", "table.csv"]


GOOD = ("report.md", "second.txt", "packed.md.gz", "table.csv")


def test_several_files_are_shown_in_order_and_damaged_ones_are_reported(several: list[str], quaestor: Quaestor) -> None:
    alone = {name: quaestor(f"read {name} --no-cache") for name in several}
    outcome = quaestor(f"read {' '.join(several)} --no-cache")
    assert outcome.out == "".join(alone[name].out for name in several)
    assert outcome.err == "".join(alone[name].err for name in several)
    assert outcome.code == 2
    assert outcome.err.count("\n") == len(several) - len(GOOD)
    assert all(alone[name].code == 0 for name in GOOD)


def test_json_output_has_an_entry_for_each_file(several: list[str], quaestor: Quaestor) -> None:
    outlines = json.loads(quaestor(f"read {' '.join(several)} --json").out)
    assert [name for name, outline in zip(several, outlines, strict=True) if "error" not in outline] == list(GOOD)
    assert outlines[0] == json.loads(quaestor("read report.md --json").out)


def test_table_option_requires_one_file(several: list[str], quaestor: Quaestor) -> None:
    outcome = quaestor(f"read {' '.join(several)} --table 0")
    assert (outcome.code, outcome.out) == (2, "")


PAGE = "sample#NORD/2012/page_41.pdf"


def test_search_without_results_suggests_other_words(quaestor: Quaestor) -> None:
    outcome = quaestor(f'find {PAGE} "who won the chess tournament?"')
    assert outcome.code == 0
    assert json.loads(quaestor(f'find {PAGE} "who won the chess tournament?" --json').out) == []


def test_question_continues_earlier_ones(quaestor: Quaestor) -> None:
    found = json.loads(quaestor(f'find {PAGE} "what was net revenue in 2011?" "and in 2012?" --json').out)
    assert "revenue" in found[0]["text"].casefold() or found[0]["table"] is not None


def test_terminal_control_characters_are_escaped(quaestor: Quaestor) -> None:
    Path("sales.csv").write_text("item,2020,2019\nNet sales \u202e54\u202c,5,4\nCosts,3,2\n")
    printed = quaestor('find sales.csv "net sales in 2020"').out
    assert "\u202e" not in printed
    assert "Net sales \ufffd54\ufffd" in printed
    printed = quaestor('find sales.csv "net sales in 2020" --json').out
    assert "\u202e" not in printed
    assert "Net sales \u202e54\u202c" in json.loads(printed)[0]["text"]


@pytest.mark.parametrize("command", ["find", "ask"])
def test_unread_parts_are_reported(quaestor: Quaestor, command: str) -> None:
    table = "<table><tr><td></td><td>2020</td></tr><tr><td>Net sales</td><td>$ 5</td></tr></table>"
    Path("deep.html").write_text(f"<html><body>{table}{'<div>' * 3000}Rent was $ 3 in 2020.")
    outcome = quaestor(f'{command} deep.html "what were net sales in 2020?"')
    assert outcome.code == 0
    assert "deep.html" in outcome.err


CSV = b"x,2023,2022\nnet sales,5,4\n"
NAMES = [b"bad\xff\xfename.csv", b"two\nlines.csv", b"esc\x1b[2J.csv", "rtl\u202e.csv".encode()]

any_name = pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")


@any_name
@pytest.mark.parametrize("name", NAMES)
def test_file_with_any_name_can_be_asked_about_and_stored(quaestor: Quaestor, tmp_path: Path, name: bytes) -> None:
    path = tmp_path / os.fsdecode(name)
    path.write_bytes(CSV)
    shown = quaestor("read", str(path)).out.splitlines()
    assert shown[0].isprintable()
    answered = quaestor("ask --json", str(path), "net sales in 2023")
    assert answered.code == 0
    assert [answer["question"] for answer in json.loads(answered.out)] == ["net sales in 2023"]
    listed = quaestor("runs list --json")
    assert len(json.loads(listed.out)) == 1


@any_name
def test_question_is_read_as_utf_8_in_any_locale(quaestor: Quaestor, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(CSV)
    typed = "net sales in \u20ac in 2023".encode().decode("ascii", "surrogateescape")
    assert json.loads(quaestor("ask --json", str(path), typed).out)[0]["question"] == "net sales in \u20ac in 2023"
