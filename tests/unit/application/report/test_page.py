"""The HTML report is valid and self-contained, escapes all text, and draws every mark of a chart inside it."""

import asyncio
import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from html5rdf import HTMLParser
from lxml import html
from made_up import a_record, write_dataset

from quaestor.application.report.data import (
    MOST_WRONG_TURNS,
    EvaluationReport,
    ReportedRun,
    read_report,
    report_markdown,
)
from quaestor.application.report.page import (
    ChartInterval,
    ChartLine,
    Element,
    difference_chart,
    line_chart,
    report_page,
    to_markup,
)
from quaestor.application.run_import import import_run
from quaestor.datasets.formats import read_dataset
from quaestor.scoring.statistics import Proportion
from quaestor.store.base import open_store

EVIL = "</code></script><script>alert(1)</script><img src=//evil.example/x onerror=alert(1)> & \x00 \x85 …"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> EvaluationReport:
    """A report on two imported runs over twelve pages, with confidences, costs and hostile text."""
    folder = tmp_path_factory.mktemp("report")
    names = [f"Single_N{page % 6}/2012/page_{page}.pdf-1" for page in range(12)]
    path = write_dataset(folder / "pages.json", *(a_record(name) for name in names))

    def answers(file: str, wrong: int) -> Path:
        lines = [
            {
                "conversation": name, "turn": turn, "latency_ms": 120 + page, "tokens_in": 40, "cost": 0.5,
                "confidence": 0.9 if page > wrong else 0.4, "answer": right if page > wrong else EVIL,
                "expression": EVIL, "doubt": EVIL,
            }
            for page, name in enumerate(names)
            for turn, right in enumerate((206588, 181001, -25587))
        ]  # fmt: skip
        (folder / file).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return folder / file

    async def made() -> EvaluationReport:
        uri, dataset = str(folder / "runs.db"), read_dataset(path)
        async with open_store(uri) as store:
            runs = [
                (await import_run(store, answers(f"{wrong}.jsonl", wrong), dataset, f"run {wrong}")).run.id
                for wrong in (2, 6)
            ]
            return await read_report(store, runs, uri)

    return asyncio.run(made())


@pytest.fixture(scope="module")
def page(report: EvaluationReport) -> str:
    return report_page(report)


def parsed(page: str) -> Any:
    return html.document_fromstring(page)


def test_report_is_valid_html(page: str) -> None:
    """The strict parser raises an error at the first violation of the HTML standard."""
    HTMLParser(strict=True).parse(page)
    tree = parsed(page)
    ids = tree.xpath("//@id")
    assert len(ids) == len(set(ids)) > 20
    assert not re.search(r"\s", "".join(ids))
    assert [link for link in tree.xpath("//a/@href") if link[0] != "#" or link[1:] not in ids] == []
    assert tree.xpath("//svg[not(@role='img') or not(@aria-label)]") == []
    assert tree.xpath("//th[not(@scope)]") == []
    levels = [int(heading.tag[1]) for heading in tree.xpath("//h1 | //h2 | //h3")]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_report_loads_nothing_and_runs_no_scripts(page: str) -> None:
    tree = parsed(page)
    assert tree.xpath("//script | //link | //img | //iframe | //object | //form | //@src | //@srcset") == []
    assert [name for name in tree.xpath("//*/@*") if "url(" in name or "//" in name] == []
    assert not re.search(r"url\(|@import|https?:", tree.xpath("string(//style)"))
    assert "default-src 'none'" in page
    assert tree.xpath("//*[@*[starts-with(name(), 'on')]]") == []


def test_text_from_outside_is_escaped(page: str) -> None:
    tree = parsed(page)
    shown = tree.xpath("string(//div[@class='turn'][1]//code)")
    assert shown.startswith("</code></script><script>alert(1)</script><img src=//evil.example/x onerror=alert(1)> &")
    assert "\x00" not in page
    assert "\ufffd" in page


def test_every_section_is_present_and_links_to_turns(page: str, report: EvaluationReport) -> None:
    tree = parsed(page)
    assert tree.xpath("//h2/@id") == [
        "runs", "score", "comparison", "breakdowns", "conventions", "confidence", "cost", "errors",
    ]  # fmt: skip
    assert len(tree.xpath("//svg")) == 4
    for place, found in enumerate(report.runs):
        letter = "AB"[place]
        assert len(tree.xpath(f"//div[starts-with(@id, '{letter}-cause-')]/div[@class='turn']")) == len(found.wrong)
    assert tree.xpath("//section[h2[@id='errors']]//table//a/text()") == ["9", "21"]
    assert "+33.3" in tree.xpath("string(//section[h2[@id='comparison']])")
    assert "120" not in tree.xpath("string(//section[h2[@id='cost']])").split("median")[0]


def test_report_omits_comparison_of_one_run_and_curves_without_confidences(report: EvaluationReport) -> None:
    unsure = replace(report.runs[0].score, certainty=None)
    alone = replace(report, runs=(replace(report.runs[0], score=unsure),), compared=None)
    tree = parsed(report_page(alone))
    assert not {"comparison", "confidence"} & set(tree.xpath("//h2/@id"))
    HTMLParser(strict=True).parse(report_page(alone))


def test_first_of_many_wrong_turns_are_shown(report: EvaluationReport) -> None:
    def longer(found: ReportedRun) -> ReportedRun:
        row = found.wrong[0]
        wrong = (replace(row.shown, conversation=f"c{number}") for number in range(MOST_WRONG_TURNS))
        return replace(found, wrong=tuple(replace(row, shown=one) for one in wrong), causes={row.cause: 50_000})

    page = report_page(replace(report, runs=tuple(longer(found) for found in report.runs)))
    assert str(50_000 - MOST_WRONG_TURNS) in page
    assert len(page.encode()) < 2_000_000


def test_report_without_turns(report: EvaluationReport) -> None:
    def empty(found: ReportedRun) -> ReportedRun:
        nothing = dict.fromkeys(found.score.results, Proportion(0, 0, 0.0, 0.0))
        score = replace(found.score, results=nothing, breakdowns=(), certainty=None)
        return replace(found, judged=replace(found.judged, conventions=()), score=score, causes={}, wrong=())

    page = report_page(replace(report, runs=tuple(map(empty, report.runs)), compared=None))
    HTMLParser(strict=True).parse(page)
    assert "Wrong turns" not in page


def test_markdown_report_has_figures_but_no_turns(report: EvaluationReport) -> None:
    text = report_markdown(report)
    assert text.startswith("### Evaluation: Execution accuracy A 75.0 %, B 41.7 %\n")
    assert "| A - B | 12 | 0 | +33.3 |" in text
    assert "| 75.0 % | 41.7 % |" in text
    assert "evil" not in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(lines) > 20
    assert all(line.endswith("|") for line in lines)


def marks(chart: Element) -> list[tuple[float, float]]:
    """Return the positions of the marks of a chart, as fractions of its width and height."""
    drawn = html.fromstring(to_markup(chart))
    _, _, width, height = map(float, drawn.get("viewbox", drawn.get("viewBox", "")).split())
    found = [(float(mark.get("cx", "")) / width, float(mark.get("cy", "")) / height) for mark in drawn.iter("circle")]
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in found)
    return found


def test_larger_values_are_drawn_further_right_and_up() -> None:
    one, other, third = marks(line_chart("t", "x", "y", [ChartLine("A", 0, ((0.0, 0.0), (0.5, 0.7), (1.0, 1.0)))]))
    assert one[0] < other[0] < third[0]
    assert one[1] > other[1] > third[1]


def test_zero_difference_is_drawn_in_the_middle() -> None:
    rows = [("a", 0, -0.1, 0.1), ("b", 0.3, 0.2, 0.4), ("c", -0.3, -0.4, 0)]
    even, better, worse = marks(difference_chart("t", [ChartInterval(*row) for row in rows]))
    assert worse[0] < even[0] < better[0]
    assert better[0] - even[0] == pytest.approx(even[0] - worse[0])
