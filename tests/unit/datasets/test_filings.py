import json
from pathlib import Path
from typing import Any

import pytest
from filing_questions import ALDER, FINANCEBENCH, QUESTIONS, write_filings, write_questions

from quaestor.datasets.dataset import Selection
from quaestor.datasets.formats import read_dataset
from quaestor.errors import DatasetError
from quaestor.sample import sample_path


def test_questions_are_about_the_files_of_a_folder(tmp_path: Path) -> None:
    folder = write_filings(tmp_path)
    dataset = read_dataset(write_questions(tmp_path), folder=folder)
    assert (dataset.format, dataset.answers, dataset.folder) == ("filings", "all", str(folder))
    assert dataset.unanswerable
    assert [(one.id, one.document.id, len(one.questions)) for one in dataset.conversations] == [
        ("alder-01", "alder-2024.md", 2), ("alder-02", "alder-2024.md", 1), ("birch-01", "birch-2024.md", 1),
    ]  # fmt: skip
    assert dataset.conversations[0].chained
    assert [one.company for one in dataset.conversations] == ["alder", "alder", "birch"]
    chosen = Selection(("birch-01",)).of(dataset)
    assert (chosen.folder, chosen.unanswerable, len(chosen.conversations)) == (dataset.folder, True, 1)


def test_answers_do_not_affect_the_dataset(tmp_path: Path) -> None:
    folder = write_filings(tmp_path)
    labelled = read_dataset(write_questions(tmp_path), folder=folder)
    changed = [one | dict.fromkeys(("kind", "answer", "where", "note"), "SENTINEL") for one in QUESTIONS]
    planted = read_dataset(write_questions(tmp_path, changed), folder=folder)
    assert labelled.digest == planted.digest
    assert "SENTINEL" not in repr([planted, *planted.conversations])


def test_financebench_question_is_a_conversation_about_its_document(tmp_path: Path) -> None:
    dataset = read_dataset(write_questions(tmp_path, FINANCEBENCH), folder=write_filings(tmp_path))
    (one,) = dataset.conversations
    assert not dataset.unanswerable
    assert (dataset.format, one.id, one.document.id, one.company) == ("financebench", "fb_1", "alder-2024.md", "Alder")


def test_a_file_of_docfinqa_has_its_documents(tmp_path: Path) -> None:
    path = tmp_path / "test.json"
    record = {
        "Context": ALDER,
        "Question": "What were net sales?",
        "Program": "answer = SENTINEL",
        "Answer": "SENTINEL",
    }
    path.write_text(json.dumps([record, record | {"Question": "And the costs?"}]))
    dataset = read_dataset(path)
    first, second = dataset.conversations
    assert (dataset.format, first.id, second.id) == ("docfinqa", "docfinqa-0", "docfinqa-1")
    assert first.document.id == second.document.id
    assert "SENTINEL" not in repr([dataset, first, second])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"file": "cedar-2024"}, "line 1: .*has no document 'cedar-2024'; name the folder of the documents"),
        ({"file": "../alder-2024"}, "is not the name of a file"),
        ({"file": "x" * 5_000}, "is not the name of a file"),
        ({"turn": 1}, "line 1: expected turn 0 of alder-01"),
        ({"question": " "}, "line 1: 'question' is empty"),
        ({"conversation": "birch-01", "file": "birch-2024.md"}, "line 2: expected turn 1 of birch-01"),
    ],
)
def test_invalid_line_is_reported(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    path = write_questions(tmp_path, [QUESTIONS[0] | changed, *QUESTIONS[3:]])
    with pytest.raises(DatasetError, match=message):
        read_dataset(path, folder=write_filings(tmp_path))


def test_a_name_that_fits_two_files_is_ambiguous(tmp_path: Path) -> None:
    folder = write_filings(tmp_path)
    (folder / "alder-2024.txt").write_text(ALDER)
    with pytest.raises(DatasetError, match=r"ambiguous: alder-2024\.md, alder-2024\.txt"):
        read_dataset(write_questions(tmp_path), folder=folder)


def test_a_folder_needs_questions_about_files(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="has its own documents"):
        read_dataset(sample_path(), folder=tmp_path)
    other = tmp_path / "other.jsonl"
    other.write_text('{"text": "none"}\n')
    with pytest.raises(DatasetError, match="contains no questions about documents"):
        read_dataset(other)


def test_duplicate_conversation_is_reported(tmp_path: Path) -> None:
    path = write_questions(tmp_path, [QUESTIONS[0], QUESTIONS[3], QUESTIONS[0]])
    with pytest.raises(DatasetError, match="line 3: duplicate conversation alder-01, also at"):
        read_dataset(path, folder=write_filings(tmp_path))
