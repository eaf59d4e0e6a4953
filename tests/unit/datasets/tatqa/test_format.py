from pathlib import Path
from typing import Any

import pytest
from tatqa_pages import tatqa_pages, without_answers, write_tatqa

from quaestor.datasets.formats import read_dataset
from quaestor.errors import DatasetError

FIELDS = ["answer", "answer_type", "answer_from", "derivation", "scale", "rel_paragraphs", "req_comparison"]


def test_a_conversation_is_a_page_with_independent_questions_and_the_page_s_id(tmp_path: Path) -> None:
    for conversation in read_dataset(write_tatqa(tmp_path)).conversations:
        assert not conversation.chained
        assert conversation.id == conversation.document.id
        assert conversation.company == ""


def test_answers_do_not_affect_the_dataset(tmp_path: Path) -> None:
    labelled = read_dataset(write_tatqa(tmp_path))
    changed = tatqa_pages()
    for item in (item for record in changed for item in record["questions"]):
        item.update(dict.fromkeys(FIELDS, "SENTINEL"))
    planted = read_dataset(write_tatqa(tmp_path, changed))
    unlabelled = read_dataset(write_tatqa(tmp_path, [without_answers(record) for record in tatqa_pages()]))
    assert labelled.digest == planted.digest == unlabelled.digest
    assert labelled.conversations == planted.conversations == unlabelled.conversations
    assert "SENTINEL" not in repr([planted, *planted.conversations])


@pytest.mark.parametrize(
    "second",
    [
        5,
        tatqa_pages()[0],
        {**tatqa_pages()[1], "questions": []},
        {**tatqa_pages()[1], "questions": ["why?"]},
        {**tatqa_pages()[1], "questions": [{"uid": "x"}]},
    ],
)
def test_invalid_record_is_reported(second: Any, tmp_path: Path) -> None:
    with pytest.raises(DatasetError):
        read_dataset(write_tatqa(tmp_path, [tatqa_pages()[0], second]))


@pytest.mark.very_slow
def test_the_published_file_is_read(shared_data: Path) -> None:
    dataset = read_dataset(shared_data / "tatqa_dev.json")
    assert (dataset.format, len(dataset.conversations)) == ("tatqa", 278)
    assert sum(len(conversation.questions) for conversation in dataset.conversations) == 1668
    assert all(len(conversation.document.tables) == 1 for conversation in dataset.conversations)
