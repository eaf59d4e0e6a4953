import json
from pathlib import Path

from command_line import Quaestor
from inline_xbrl import filing, number
from made_up import a_record, write_dataset


def test_counts_programs_and_lists_suspicious_ones(quaestor: Quaestor, tmp_path: Path) -> None:
    wrong = [
        a_record(f"Single_NORD/2012/page_{n}.pdf-1", answers=(206588.0, 181001.0, 25587.0), displays=("1", "2", "3"))
        for n in range(5)
    ]
    write_dataset(tmp_path / "odd.json", *wrong)
    outcome = quaestor("check odd.json")
    assert outcome.code == 0
    assert "5 conversations, 15 questions, 5 pages" in outcome.out
    assert "10 of 15" in outcome.out
    assert "and 2 more" in outcome.out
    whole = quaestor("check odd.json --all").out
    assert all(f"page_{n}.pdf-1, turn 3" in whole for n in range(5))
    assert "and 2 more" not in whole


def test_filing_is_compared_with_its_tags(quaestor: Quaestor, tmp_path: Path) -> None:
    now = number("120", scale="6"), number("205", scale="6")
    before = number("100", scale="6", context="y23"), number("150", scale="3", context="y23")
    rows = (
        "<tr><td>(in millions)</td><td>2024</td><td>2023</td></tr>"
        f"<tr><td>Net sales</td><td>$ {now[0]}</td><td>{before[0]}</td></tr>"
        f"<tr><td>Plants paid</td><td>({now[1]})</td><td>({before[1]})</td></tr>"
    )
    body = f"<p>Results</p><table>{rows}</table><p>Sales were ${now[0]} million in 2024.</p>"
    (tmp_path / "nord.html").write_text(filing(body), encoding="utf-8")
    report = json.loads(quaestor("check nord.html --json").out)
    assert (report["facts"], report["tables"]["facts"], report["text"]["facts"]) == (5, 4, 1)
    assert (report["located"], report["value_right"], report["sign_right"]) == (5, 5, 5)
    assert (report["scale_right"], report["period_right"], report["unit_right"]) == (4, 5, 5)
    assert report["sign_agrees"] == 3
    (different,) = report["different"]
    assert (different["which"], different["printed"], different["in"]) == (["scale"], "(150)", "tables")
    shown = quaestor("check nord.html").out
    assert "5 tagged numbers" in shown
    assert "150" in shown
