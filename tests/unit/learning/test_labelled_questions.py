"""Labelled questions about filings are read for training, including those in `training/`."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from quaestor.learning.filings import label_parts, read_labelled
from quaestor.questions.understanding import INTENTS

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


FILES = sorted((Path(__file__).resolve().parents[3] / "training" / "questions").glob("*.jsonl"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_is_of_its_filing_in_the_order_of_its_conversation(file: Path) -> None:
    turns: dict[str, list[int]] = defaultdict(list)
    for one in read_labelled([file]):
        assert one.filing == file.stem
        assert one.intent in INTENTS
        turns[one.conversation].append(one.turn)
    assert turns
    assert all(several == list(range(len(several))) for several in turns.values())


def test_labelled_questions_are_unique() -> None:
    lines = [json.loads(line) for file in FILES for line in file.read_text(encoding="utf-8").splitlines()]
    places = [(line["conversation"], line["turn"]) for line in lines]
    assert len(set(places)) == len(places) > 4_000
