"""Labelled questions as they are read for training."""

import json
from pathlib import Path

from quaestor.learning.filings import label_parts, read_labelled

TWO = {
    "file": "acme-10-k", "conversation": "1", "turn": 0, "kind": "two_part",
    "question": "Who audits the company, and how much was paid?",
    "answer": {"parts": [{"text": "Ernst & Young LLP"}, {"value": 4.05, "scale": "million", "unit": "USD"}]},
    "where": "Item 14: 'fees of $4.05 million were paid to Ernst & Young LLP'",
}  # fmt: skip


def test_questions_are_read_with_their_parts(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps(TWO) + "\n" + json.dumps(TWO | {"question": "what was paid?", "turn": 1}) + "\n")
    several, one = read_labelled([file])
    assert [(part.intent, part.numbers) for part in label_parts(several)] == [
        ("text_fact", frozenset()),
        ("lookup", frozenset({4.05})),
    ]
    assert label_parts(one) == []
