"""Two small made-up reports, and questions about them in the formats of quaestor and FinanceBench."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ALDER = """# Alder Tools annual report

## Item 7. Discussion

Net sales increased in 2024 mainly because of higher prices for drills and saws.

## Consolidated Statements of Income

| (in millions) | 2024 | 2023 |
|---|---|---|
| Net sales | $ 4,120 | $ 3,980 |
| Cost of sales | 2,510 | 2,470 |
| Net income | $ 412 | $ 371 |
"""
BIRCH = ALDER.replace("Alder Tools", "Birch Mills").replace("4,120", "5,230").replace("412", "520")

QUESTIONS: list[dict[str, Any]] = [
    {
        "file": "alder-2024", "conversation": "alder-01", "turn": 0, "question": "What were net sales in 2024?",
        "kind": "lookup", "answer": {"value": 4120, "scale": "million", "unit": "USD"}, "where": "Net sales 4,120",
    },
    {
        "file": "alder-2024", "conversation": "alder-01", "turn": 1, "question": "Why did net sales increase?",
        "kind": "why", "answer": {"text": "higher prices for drills and saws"}, "where": "Discussion",
    },
    {
        "file": "alder-2024", "conversation": "alder-02", "turn": 0, "question": "How many patents does Alder own?",
        "kind": "unanswerable", "answer": {"none": "patents are not mentioned"}, "where": "",
    },
    {
        "file": "birch-2024.md", "conversation": "birch-01", "turn": 0, "question": "What was net income in 2024?",
        "kind": "lookup", "answer": {"value": 520, "scale": "million", "unit": "USD"}, "where": "Net income 520",
    },
]  # fmt: skip

FINANCEBENCH: list[dict[str, Any]] = [
    {
        "financebench_id": "fb_1", "company": "Alder", "doc_name": "alder-2024", "question_type": "metrics-generated",
        "question": "What is the FY2024 cost of sales (in USD millions)?", "answer": "$2510.00",
        "justification": "taken from the statement of income",
        "evidence": [{"evidence_text": "Cost of sales", "doc_name": "alder-2024", "evidence_page_num": 0}],
    }
]  # fmt: skip


def write_filings(folder: Path) -> Path:
    """Write the reports to a folder and return it."""
    filings = folder / "filings"
    filings.mkdir()
    (filings / "alder-2024.md").write_text(ALDER)
    (filings / "birch-2024.md").write_text(BIRCH)
    return filings


def write_questions(folder: Path, records: Sequence[Mapping[str, Any]] = QUESTIONS) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path
