from pathlib import Path

import pytest
from command_line import Quaestor

from quaestor.cli.demo import SHOWN
from quaestor.datasets.formats import read_dataset
from quaestor.sample import sample_path


@pytest.mark.slow
def test_shows_pages_questions_and_the_score_and_leaves_nothing_behind(quaestor: Quaestor) -> None:
    # The scripted solver has no answer to real questions: the demo shows that too.
    outcome = quaestor("demo")
    assert outcome.code == 0
    dataset = read_dataset(sample_path())
    for identity in SHOWN:
        conversation = dataset.conversation(identity)
        assert conversation.document.id in outcome.out
        assert all(question[:80] in outcome.out for question in conversation.questions)
    turns = sum(len(conversation.questions) for conversation in dataset.conversations)
    assert f"{turns}" in outcome.out
    assert "execution accuracy" in outcome.out
    assert list(Path().iterdir()) == []
