from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tatqa_pages import tatqa_pages, without_answers, write_tatqa

from quaestor.core.answer_value import ListItem, Number, Text, ValueList
from quaestor.datasets.formats import read_dataset
from quaestor.errors import DatasetError, UnlabelledError
from quaestor.scoring.gold import StatedAnswer, StatedReference, read_gold


def test_answers_are_beside_the_questions_of_their_page(tmp_path: Path) -> None:
    path = write_tatqa(tmp_path)
    gold = read_gold(path)
    conversations = read_dataset(path).conversations
    assert {c.id: len(c.questions) for c in conversations} == {name: len(turns) for name, turns in gold.items()}
    change, percentage, total, loss, products, buyers = gold["1f0c-mill"]
    assert change.program == "subtract(1200.5, 1000.5)"
    assert change.stated == StatedReference(
        StatedAnswer(("200",), "thousand"), "arithmetic", "table", "1,200.5-1,000.5", "number"
    )
    assert (change.executed, percentage.executed) == (Number(Decimal(200)), Number(Decimal(-25)))
    assert total.executed == Number(Decimal("1500.5"))
    assert loss.executed == Number(Decimal(-1250))
    assert products.executed == ValueList((ListItem("Flour"), ListItem("Bran")))
    assert (buyers.executed, buyers.program, buyers.display) == (Text("bakers"), "", None)
    count, _, shares, _ = gold["2a7e-fleet"]
    forms = [turn.stated.form for turns in gold.values() for turn in turns if turn.stated]
    assert forms == [*["number"] * 4, "several words", "words", "count", "number", "numbers", "words"]
    assert (count.executed, count.program) == (Number(Decimal(1)), "")
    assert shares.executed == ValueList((ListItem(number=Decimal("87.5")), ListItem(number=Decimal("80.0"))))


def test_a_count_is_a_whole_number(tmp_path: Path) -> None:
    records = tatqa_pages()
    records[1]["questions"][0]["answer"] = "2.0"
    stated = read_gold(write_tatqa(tmp_path, records))["2a7e-fleet"][0].stated
    assert stated is not None
    assert stated.answer == StatedAnswer(("2",))


def test_a_file_without_answers_is_unlabelled(tmp_path: Path) -> None:
    bare = [without_answers(record) for record in tatqa_pages()]
    with pytest.raises(UnlabelledError):
        read_gold(write_tatqa(tmp_path, bare))
    with pytest.raises(DatasetError):
        read_gold(write_tatqa(tmp_path, [tatqa_pages()[0], bare[1]]))


@pytest.mark.parametrize(
    "fields",
    [
        {"answer_type": "sum"},
        {"scale": "dozen"},
        {"answer": None},
        {"answer": []},
        {"answer": ["a", ["b"]]},
        {"answer": "many"},
        {"answer": [1, 2]},
    ],
)
def test_invalid_answer_is_reported(fields: dict[str, Any], tmp_path: Path) -> None:
    records = tatqa_pages()
    records[0]["questions"][0].update(fields)
    with pytest.raises(DatasetError) as caught:
        read_gold(write_tatqa(tmp_path, records))
    assert "1f0c-mill" in str(caught.value)


@pytest.mark.parametrize("second", [tatqa_pages()[0], {"table": {}}, 5, {**tatqa_pages()[1], "questions": 5}])
def test_invalid_record_is_reported(second: Any, tmp_path: Path) -> None:
    with pytest.raises(DatasetError):
        read_gold(write_tatqa(tmp_path, [tatqa_pages()[0], second]))


def test_page_with_missing_answers_is_reported(tmp_path: Path) -> None:
    records = tatqa_pages()
    del records[0]["questions"][1]["answer"]
    with pytest.raises(DatasetError):
        read_gold(write_tatqa(tmp_path, records))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)
)


@given(
    st.fixed_dictionaries(
        {"answer": JSON, "answer_type": st.sampled_from(["span", "multi-span", "count", "arithmetic"]) | JSON},
        optional={"scale": st.sampled_from(["", "percent"]) | JSON, "derivation": JSON, "answer_from": JSON},
    )
)
def test_any_answer_is_parsed_or_a_named_error(
    tmp_path_factory: pytest.TempPathFactory, answer: dict[str, object]
) -> None:
    records = tatqa_pages()
    records[1]["questions"][0].update(answer)
    try:
        turns = read_gold(write_tatqa(tmp_path_factory.getbasetemp(), records))["2a7e-fleet"]
    except DatasetError:
        return
    assert len(turns) == 4


@pytest.mark.slow
def test_the_published_file(shared_data: Path) -> None:
    turns = [turn for turns in read_gold(shared_data / "tatqa_dev.json").values() for turn in turns]
    kinds = [turn.stated.kind for turn in turns if turn.stated]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        "arithmetic": 718,
        "span": 701,
        "multi-span": 217,
        "count": 32,
    }
    assert sum(bool(turn.program) for turn in turns) == 717
