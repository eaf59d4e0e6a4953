"""Questions about made-up reports of many kinds, with the shipped weights."""

from pathlib import Path

import pytest

import quaestor
from quaestor.conversation.answer import Answer
from quaestor.learning.filing_confidence import is_right
from quaestor.learning.filings import LabelledQuestion, read_labelled

MADE_UP = Path(__file__).resolve().parents[2] / "training" / "made_up"


def ask_report(labels: Path) -> list[tuple[LabelledQuestion, Answer]]:
    (report,) = (path for path in MADE_UP.glob(f"{labels.stem}.*") if path != labels)
    page = quaestor.open(str(report), settings=quaestor.Settings(keep_asked=False))
    conversation, found = page.conversation(), []
    for question in read_labelled([labels]):
        conversation = conversation if question.turn else page.conversation()
        found.append((question, conversation.ask(question.text).answer))
    return found


@pytest.mark.slow
def test_most_questions_about_unusual_reports_are_answered_right() -> None:
    answered = [pair for labels in sorted(MADE_UP.glob("*.jsonl")) for pair in ask_report(labels)]
    rights = [
        "none" in question.answer if answer.value is None else is_right(question.answer, answer.value, answer.scale)
        for question, answer in answered
    ]
    sure = [right for right, (_, answer) in zip(rights, answered, strict=True) if (answer.confidence or 0.0) >= 0.7]
    assert len(rights) > 1000
    assert sum(rights) > 0.55 * len(rights)
    assert sum(sure) > 0.8 * len(sure)
