"""Made-up pages in the format of TAT-QA, with questions of every kind and their answers."""

import json
import zlib
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def question(text: str, answer: Any, kind: str, source: str, scale: str = "", derivation: str = "") -> Record:
    """Return a question with its answer, in the format of the published files."""
    return {
        "uid": f"q-{zlib.crc32(text.encode())}",
        "order": 1,
        "question": text,
        "answer": answer,
        "derivation": derivation,
        "answer_type": kind,
        "answer_from": source,
        "rel_paragraphs": [],
        "req_comparison": False,
        "scale": scale,
    }


def page(uid: str, grid: list[list[str]], paragraphs: list[str], questions: list[Record]) -> Record:
    """Return a page with its questions."""
    texts = [{"uid": f"{uid}-{place}", "order": place, "text": text} for place, text in enumerate(paragraphs, 1)]
    return {"table": {"uid": uid, "table": grid}, "paragraphs": texts, "questions": questions}


def tatqa_pages() -> list[Record]:
    """Return two pages with ten questions, at least one of each kind."""
    mill = page(
        "1f0c-mill",
        [
            ["(in thousands)", "2019", "2018"],
            ["Flour", "$ 1,200.5", "$ 1,000.5"],
            ["Bran", "300", "400"],
            ["Loss on sale of carts", "(1,250)", "(900)"],
            ["Total sales", "$ 1,500.5", "$ 1,400.5"],
        ],
        [
            "Sales by product are shown in the following table.",
            "Flour is sold to bakers. Bran is sold to stables, mills and the U.S. army.",
        ],
        [
            question("What was the change in sales of flour from 2018 to 2019?", 200, "arithmetic", "table", "thousand",
                     "1,200.5-1,000.5"),
            question("What was the percentage change in bran from 2018 to 2019?", -25, "arithmetic", "table",
                     "percent", "(300-400)/400"),
            question("What were total sales in 2019?", ["$ 1,500.5"], "span", "table", "thousand"),
            question("What was the loss on sale of carts in 2019?", ["(1,250)"], "span", "table", "thousand"),
            question("Which products are sold?", ["Flour", "Bran"], "multi-span", "table-text"),
            question("To whom is flour sold?", ["bakers"], "span", "text"),
        ],
    )  # fmt: skip
    fleet = page(
        "2a7e-fleet",
        [
            ["Fleet", "2019", "2018"],
            ["Barges", "12", "9"],
            ["Tugs", "4", "5"],
            ["Share of fleet on hire", "87.5%", "80.0%"],
        ],
        ["We count vessels at the end of the year. Barges and tugs are vessels."],
        [
            question("How many kinds of vessels grew in number?", "1", "count", "table", "", "Barges"),
            question("What was the average number of barges in 2018 and 2019?", 10.5, "arithmetic", "table", "",
                     "(12 + 9) / 2"),
            question("What share of the fleet was on hire in 2019 and 2018 respectively?", ["87.5%", "80.0%"],
                     "multi-span", "table"),
            question("When are vessels counted?", ["at the end of the year"], "span", "text"),
        ],
    )  # fmt: skip
    return [mill, fleet]


def without_answers(record: Record) -> Record:
    """Return a page as in the unlabelled test split."""
    return {
        **record,
        "questions": [{key: item[key] for key in ("uid", "order", "question")} for item in record["questions"]],
    }


def write_tatqa(folder: Path, records: list[Record] | None = None) -> Path:
    """Write pages to a file, by default the made-up ones, and return its path."""
    path = folder / "tatqa.json"
    path.write_text(json.dumps(tatqa_pages() if records is None else records), encoding="utf-8")
    return path
