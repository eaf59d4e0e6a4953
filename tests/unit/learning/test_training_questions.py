"""The questions in `training/` can be learned from."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from quaestor.learning.filings import read_labelled
from quaestor.questions.understanding import INTENTS

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


def test_none_is_asked_twice() -> None:
    lines = [json.loads(line) for file in FILES for line in file.read_text(encoding="utf-8").splitlines()]
    asked = [(line["conversation"], line["turn"]) for line in lines]
    assert len(set(asked)) == len(asked) > 4_000
