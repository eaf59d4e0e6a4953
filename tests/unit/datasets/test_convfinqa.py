import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quaestor.datasets.convfinqa import read_convfinqa_page
from quaestor.datasets.dataset import Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.documents.repairs import WarningKind
from quaestor.errors import DatasetError, UnknownConversationError

TABLE = [["( in millions )", "2008", "2007"], ["net revenue", "$ 435", "$ 401"]]


def original(id: str = "Single_ACME/2008/page_1.pdf-1", **fields: Any) -> dict[str, Any]:
    return {
        "id": id,
        "pre_text": ["sales rose ."],
        "post_text": ["costs were $ 5 million ."],
        "table": TABLE,
        "annotation": {"dialogue_break": ["what was revenue in 2008?"], "turn_program": ["435"], "exe_ans_list": [435]},
    } | fields


def cleaned(id: str = "Single_ACME/2008/page_1.pdf-1", **fields: Any) -> dict[str, Any]:
    page = {
        "pre_text": "sales rose .",
        "post_text": "costs fell . they were $ 5 million .",
        "table": {"2008": {"net revenue": 435.0, "rate": 4.5, "kind": "leased"}, "2007": {"net revenue": 401.0}},
    }
    return {"id": id, "doc": page | fields, "dialogue": {"conv_questions": ["what was it?"], "conv_answers": ["435"]}}


def write(folder: Path, data: object) -> Path:
    path = folder / "data.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def test_an_original_file(tmp_path: Path) -> None:
    records = [original(), original("Double_ACME/2008/page_1.pdf"), original("Single_ACME/2007/page_9.pdf-2")]
    dataset = read_dataset(write(tmp_path, records))
    assert dataset.format == "original"
    assert [conversation.document.id for conversation in dataset.conversations] == [
        "ACME/2008/page_1.pdf",
        "ACME/2008/page_1.pdf",
        "ACME/2007/page_9.pdf",
    ]
    first, second, third = dataset.conversations
    assert first.document is second.document
    assert first.document is not third.document
    assert first.questions == ("what was revenue in 2008?",)
    assert [(sentence.section, sentence.text) for sentence in first.document.sentences] == [
        ("pre_text", "sales rose ."),
        ("post_text", "costs were $ 5 million ."),
    ]
    assert dataset.conversation("Double_ACME/2008/page_1.pdf") == second
    assert dataset.warnings == ()


def test_a_cleaned_file(tmp_path: Path) -> None:
    dataset = read_dataset(write(tmp_path, {"dev": [cleaned()], "train": [cleaned("Double_ACME/2007/page_2.pdf")]}))
    assert dataset.format == "cleaned"
    assert len(dataset.conversations) == 2
    assert "lost" in dataset.warnings[0]
    document = dataset.conversations[0].document
    assert [[cell.text for cell in row] for row in document.tables[0].cells] == [
        ["", "2008", "2007"],
        ["net revenue", "435", "401"],
        ["rate", "4.5", ""],
        ["kind", "leased", ""],
    ]
    assert [sentence.text for sentence in document.sentences] == [
        "sales rose .",
        "costs fell .",
        "they were $ 5 million .",
    ]


def test_the_limit_reads_the_first_records(tmp_path: Path) -> None:
    path = write(tmp_path, [original(), {"id": 5}])
    assert len(read_dataset(path, limit=1).conversations) == 1
    with pytest.raises(DatasetError):
        read_dataset(path, limit=0)


def test_an_unknown_conversation_names_the_nearest(tmp_path: Path) -> None:
    names = [f"Single_ACME/200{year}/page_1.pdf-1" for year in range(5)]
    dataset = read_dataset(write(tmp_path, [original(name) for name in names]))
    with pytest.raises(UnknownConversationError) as caught:
        dataset.conversation("Single_ACME/2003/page_1.pdf-2")
    assert "Single_ACME/2003/page_1.pdf-1" in str(caught.value)
    assert str(caught.value).count("Single_") == 4


ANSWERS = ["turn_program", "exe_ans_list", "answer_list", "qa_split"]


def test_answers_do_not_change_the_digest(tmp_path: Path) -> None:
    before = read_dataset(write(tmp_path, [original()]))
    annotation = {"dialogue_break": ["what was revenue in 2008?"]}
    sentinels = {field: ["SENTINEL"] for field in ANSWERS}
    after = read_dataset(write(tmp_path, [original(annotation=annotation | sentinels, qa={"answer": "SENTINEL"})]))
    unlabelled = read_dataset(write(tmp_path, [original(annotation=annotation)]))
    other = read_dataset(write(tmp_path, [original(annotation={"dialogue_break": ["and in 2007?"]})]))
    assert before.digest == after.digest == unlabelled.digest != other.digest
    assert before.conversations == after.conversations
    assert "SENTINEL" not in repr([after, *after.conversations])
    dialogue = {"conv_questions": ["what was it?"], "conv_answers": ["SENTINEL"]}
    plain = read_dataset(write(tmp_path, {"dev": [cleaned()]}))
    planted = read_dataset(write(tmp_path, {"dev": [cleaned() | {"dialogue": dialogue}]}))
    assert plain.digest == planted.digest
    assert "SENTINEL" not in repr([planted, *planted.conversations])


@pytest.mark.parametrize(
    "content",
    [
        "",
        '[{"id": "a", "table": [["x"',
        "id,question\n1,what",
        "[]",
        "{}",
        "5",
        '{"dev": 5}',
        "[5]",
        "[" * 100_000,
        "[{}]",
        json.dumps([original(id=" ")]),
        json.dumps([original(table=None)]),
        json.dumps([original(table=[])]),
        json.dumps([original(table=[5])]),
        json.dumps([original(table="x")]),
        json.dumps([original(table=[["a", {}]])]),
        json.dumps([original(table={"a": 5})]),
        json.dumps([original(pre_text=5)]),
        json.dumps([original(pre_text=[5])]),
        json.dumps([original(pre_text=["\ud800"])]),
        json.dumps([original(annotation={})]),
        json.dumps([original(annotation={"dialogue_break": []})]),
        json.dumps([original(annotation={"dialogue_break": [""]})]),
        json.dumps([original(annotation={"dialogue_break": [5]})]),
        json.dumps([original(), original()]),
        json.dumps({"dev": [{"id": "a", "doc": 5}]}),
    ],
)
def test_file_of_the_wrong_kind(tmp_path: Path, content: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(DatasetError) as caught:
        read_dataset(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_table_without_numbers_is_a_warning(tmp_path: Path) -> None:
    dataset = read_dataset(write(tmp_path, [original(table=[["", "kind"], ["a", "leased"]])]))
    (warning,) = dataset.warnings
    assert warning.startswith("ACME/2008/page_1.pdf: table 0: ")


def test_rows_of_unequal_length_are_filled(tmp_path: Path) -> None:
    document = (
        read_dataset(write(tmp_path, [original(table=[["", "2008", "2007"], ["a", "1"]])])).conversations[0].document
    )
    assert [cell.text for cell in document.tables[0].cells[1]] == ["a", "1", ""]
    assert document.warnings[0].kind is WarningKind.UNEQUAL_ROWS


def test_a_single_turn_record_may_lack_table_and_texts() -> None:
    document = read_convfinqa_page(
        {"id": "finqa_dev#10", "table": None, "pre_text": None, "post_text": "it fell ."}, "line 1"
    )
    assert (document.id, document.tables) == ("finqa_dev#10", ())
    assert [sentence.text for sentence in document.sentences] == ["it fell ."]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (15.0, "15"),
        (2014.0, "2014"),
        (-26.0, "-26"),
        (4.5, "4.5"),
        (1e-7, "0.0000001"),
        (1e22, "1" + "0" * 22),
        (7, "7"),
    ],
)
def test_floats_of_the_cleaned_format_print_as_numbers(number: float, text: str) -> None:
    document = read_convfinqa_page(cleaned(table={"2008": {"a": number}}), "here")
    assert document.tables[0].cells[1][1].text == text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
CELL = st.text(max_size=12) | st.sampled_from(
    ["2014", "$ 2014", "-5 ( 5 )", "high $ 60.15", "", "2008", "( in millions )"]
)
RECORD = st.fixed_dictionaries(
    {
        "id": st.text(max_size=8) | st.just("Single_A/2008/page_1.pdf-1"),
        "table": st.lists(st.lists(CELL, max_size=4), max_size=4) | JSON,
        "pre_text": st.lists(st.text(max_size=20), max_size=3) | JSON,
        "annotation": st.fixed_dictionaries({"dialogue_break": st.lists(st.text(max_size=10), max_size=3)}) | JSON,
    }
)


def attempt(path: Path) -> Dataset | DatasetError:
    try:
        return read_dataset(path)
    except DatasetError as error:
        return error


def check_dataset_or_error(path: Path) -> None:
    outcome = attempt(path)
    assert len(outcome.digest) == 64 if isinstance(outcome, Dataset) else str(path) in str(outcome)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(content=st.binary(max_size=80))
def test_any_bytes_are_a_dataset_or_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bytes.json"
    path.write_bytes(content)
    check_dataset_or_error(path)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=JSON | st.lists(RECORD, max_size=2) | st.fixed_dictionaries({"dev": JSON | st.lists(RECORD, max_size=2)}))
def test_any_json_is_a_dataset_or_an_error(tmp_path: Path, data: object) -> None:
    check_dataset_or_error(write(tmp_path, data))


def test_conversation_has_the_facts_of_its_id(tmp_path: Path) -> None:
    records = [original(), original("Double_ACME/2008/page_1.pdf")]
    single, double = read_dataset(write(tmp_path, records)).conversations
    assert (single.company, single.joined, single.chained) == ("ACME", False, True)
    assert (double.company, double.joined, double.chained) == ("ACME", True, True)
