import hashlib
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from values import a_value

from quaestor.core.answer_value import YesNo
from quaestor.errors import DatasetError
from quaestor.scoring.gold import FileGold, GoldTurn, read_gold

ANSWERS = {
    "turn_program": ["5", "add(5, 27%)"],
    "exe_ans_list": [5.0, 5.27],
    "answer_list": ["5", "5.27"],
    "qa_split": [0, 1],
}
EXPECTED = (GoldTurn("5", a_value(5.0), "5", 0), GoldTurn("add(5, 27%)", a_value(5.27), "5.27", 1))


def write_json(folder: Path, content: object, name: str = "data.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def record(**changes: object) -> dict[str, object]:
    return {"id": "Single_X/2010/page_1.pdf-1", "annotation": {**ANSWERS, **changes}}


def test_dialogues(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"id": name, "annotation": ANSWERS}) + "\n" for name in "ab")
    assert read_gold(write_json(tmp_path, lines, "data.jsonl")) == {"a": EXPECTED, "b": EXPECTED}


@pytest.mark.parametrize("listed", [["5", "A0"], ["5", "#0"], ["5"], ["5", "5.27", "6"], None, "5"])
def test_steps_are_not_read_as_display_answers(tmp_path: Path, listed: object) -> None:
    (turns,) = read_gold(write_json(tmp_path, [record(answer_list=listed)])).values()
    assert [turn.display for turn in turns] == [None, None]


def test_yes_and_no(tmp_path: Path) -> None:
    (turns,) = read_gold(write_json(tmp_path, [record(exe_ans_list=["yes", "no"])])).values()
    assert [turn.executed for turn in turns] == [YesNo(True), YesNo(False)]


@pytest.mark.parametrize(
    "content",
    [
        "[",
        "[" + "1" * 5000 + "]",
        "5",
        [],
        {"dev": 5},
        [5],
        [{}],
        [{"id": "x"}],
        [{"id": "x", "annotation": {"dialogue_break": []}}],
        [record(), record()],
        [record(), {"id": "y", "annotation": {}}],
        [record(turn_program="5")],
        [record(turn_program=[])],
        [record(exe_ans_list=[5.0])],
        [record(exe_ans_list=[5.0, "maybe"])],
        [record(exe_ans_list=[True, 5.0])],
        [record(exe_ans_list=[5.0, 10**400])],
        [record(turn_program=["5", " "])],
        [record(qa_split=[0, 2])],
    ],
)
def test_file_without_labels_is_named(tmp_path: Path, content: object) -> None:
    with pytest.raises(DatasetError):
        read_gold(write_json(tmp_path, content))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)
)


@pytest.mark.slow
@given(
    st.fixed_dictionaries(
        {}, optional={"turn_program": JSON, "exe_ans_list": JSON, "answer_list": JSON, "qa_split": JSON}
    )
)
def test_any_record_is_answers_or_a_named_error(
    tmp_path_factory: pytest.TempPathFactory, answers: dict[str, object]
) -> None:
    path = write_json(tmp_path_factory.getbasetemp(), [{"id": "x", "annotation": answers}])
    try:
        turns = read_gold(path)["x"]
    except DatasetError:
        return
    assert len(turns) == len(answers["turn_program"])  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_data_files(shared_data: Path) -> None:
    turns = {
        "convfinqa_tune.json": 841,
        "convfinqa_tune_cleaned.json": 841,
        "convfinqa_train50.json": 183,
        "convfinqa_train100.json": 355,
        "convfinqa_train_dialogues.jsonl": 3319,
    }
    for name, count in turns.items():
        assert sum(map(len, read_gold(shared_data / name).values())) == count
    assert read_gold(shared_data / "convfinqa_tune.json") == read_gold(shared_data / "convfinqa_tune_cleaned.json")
    raw = read_gold(shared_data / "convfinqa_train50.json").values()
    assert not any(turn.display for conversation in raw for turn in conversation)
    with pytest.raises(DatasetError):
        read_gold(shared_data / "convfinqa_test_questions.json")


def test_answers_of_a_file_are_not_cached(tmp_path: Path) -> None:
    records = [{**record(), "id": str(place)} for place in range(300)]
    path = write_json(tmp_path, {"train": records[:200], "notes": "none", "dev": records[200:]})
    gold = read_gold(path)
    assert isinstance(gold, FileGold)
    assert gold == {str(place): EXPECTED for place in range(300)}
    assert gold == pickle.loads(pickle.dumps(gold))  # noqa: S301 - our own bytes
    assert gold.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert "300" not in gold
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"5.27", b"5.28"))
    with pytest.raises(DatasetError):
        gold["0"]
