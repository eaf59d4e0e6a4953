"""Answers imported from the lines of a file: fields, mistakes, and answers without a plan."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from made_up import a_record, write_dataset

from quaestor.application.run_import import imported_turns, read_answers
from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import ListItem, Number, Text, ValueList, YesNo, value_to_text
from quaestor.core.quantity import Scale
from quaestor.datasets.dataset import Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.errors import BadLinesError, InputError
from quaestor.llm.usage import Usage
from quaestor.store.records import now

ONE = "Single_NORD/2012/page_41.pdf-1"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    path = tmp_path_factory.mktemp("pages") / "pages.json"
    return read_dataset(write_dataset(path, a_record(), a_record("Single_NORD/2012/page_41.pdf-2")))


def line(answer: object, **fields: object) -> dict[str, Any]:
    return {"conversation": ONE, "turn": 0, "answer": answer, **fields}


def read(dataset: Dataset, *lines: object) -> list[Answer]:
    data = "\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines).encode()
    return [given.answer for given in read_answers("a.jsonl", data, dataset).values()]


@pytest.mark.parametrize(
    ("fields", "number"),
    [
        (line("10.82", unit="percent"), "0.1082"), (line(10.82, unit="percent"), "0.1082"),
        (line("10.82 %"), "0.1082"), (line("-21.05%", unit="raw"), "-0.2105"), (line("0.1082", unit="ratio"), "0.1082"),
        (line("$ 1,234.50", unit="raw"), "1234.50"), (line(-4, unit="raw"), "-4"), (line("2022", unit="none"), "2022"),
        (line(-1.7000000000000028), "-1.7000000000000028"), (line(".5"), "0.5"), (line("1e3"), "1000"),
        (line(True), "yes"), (line("No"), "no"), (line("<UNKNOWN>"), '{"text": "<UNKNOWN>"}'),
        (line([1.5, "Europe"], unit="percent"), '{"list": [{"number": "0.015"}, {"label": "Europe"}]}'),
    ],
)  # fmt: skip
def test_answer_is_converted_to_the_convention_of_the_benchmark(
    dataset: Dataset, fields: dict[str, Any], number: str
) -> None:
    (answer,) = read(dataset, fields)
    assert answer.value is not None
    assert value_to_text(answer.value) == number
    assert (answer.plan, answer.sources) == (None, ())


def test_units_are_percent_scale_or_counted_items(dataset: Dataset) -> None:
    def describe(unit: str | None) -> tuple[Scale, str | None, str, str]:
        (answer,) = read(dataset, line(12.5, unit=unit))
        return answer.scale, answer.unit, answer.metric_type, str(answer)

    assert describe("percent") == (Scale.ONE, None, "percentage", "12.5 %")
    assert describe("millions") == (Scale.MILLION, None, "value", "12.5 million")
    assert describe("USD") == (Scale.ONE, "USD", "value", "$ 12.5")
    assert describe(None) == describe("raw") == describe("ratio") == (Scale.ONE, None, "value", "12.5")


def test_additional_fields_of_a_line_are_kept(dataset: Dataset) -> None:
    given = line(
        0.5, confidence=0.75, expression="(2 - 1) / 2", doubt="or 1 / 2", latency_ms=1500, tokens_in=30, tokens_out=7,
        cost=0.25, comment={"of": "ours"},
    )  # fmt: skip
    found = read_answers("a.jsonl", json.dumps(given).encode(), dataset)
    ((key, value),) = found.items()
    assert key == (ONE, 0)
    assert (value.answer.confidence, value.answer.formula, value.answer.reason) == (0.75, "(2 - 1) / 2", "or 1 / 2")
    assert value.usage == Usage(1, 30, 7, cost=Decimal("0.25"))
    started = now()
    turns = list(imported_turns(dataset.conversations[0], found, started))
    assert [turn.question for turn in turns] == list(dataset.conversations[0].questions)
    assert [turn.answer.value for turn in turns] == [Number(Decimal("0.5")), None, None]
    assert [(turn.finished - started).total_seconds() for turn in turns] == [1.5, 0, 0]
    assert not any(turn.verified for turn in turns)
    assert sum(len(one.questions) for one in dataset.conversations) - len(found) == 5


def test_null_means_unanswered_and_empty_lines_are_skipped(dataset: Dataset) -> None:
    assert read(dataset, "\ufeff" + json.dumps(line(None)), "", "  ") == [Answer(None)]
    with pytest.raises(InputError):
        read(dataset, "")


@pytest.mark.parametrize(
    "bad",
    [
        "{", "[1]", "[" * 100_000,
        '{"turn": NaN}', '{"turn": ' + "9" * 400 + "}",
        line(1, conversation=None), line(1, conversation=3),
        line(1, conversation="Single_NORD/2012/page_41.pdf-3"),
        line(1, turn=3), line(1, turn=-1),
        line(1, turn=True), line(1, turn="0"),
        {"conversation": ONE, "turn": 0}, line({"a": 1}),
        line(""), line("x" * 30_000), line([[1]]),
        line([True]), line([]), line("1e999"),
        '{"conversation": "' + ONE + '", "turn": 0, "answer": 1e99999}',
        line(1, unit=5), line(1, confidence=1.5),
        line(1, confidence=True), line(1, latency_ms=-1),
        line(1, tokens_in="5"),
        line(1, expression=["1 + 1"]),
    ],
)  # fmt: skip
def test_error_names_the_bad_line_and_its_fault(dataset: Dataset, bad: object) -> None:
    with pytest.raises(BadLinesError) as caught:
        read(dataset, line(2, turn=1), bad, line(3, turn=2))
    (message,) = caught.value.lines
    assert message.startswith("a.jsonl:2: ")
    assert len(message) < 300
    assert (caught.value.file, len(caught.value.lines)) == ("a.jsonl", 1)


def test_all_bad_lines_and_repeated_turns_are_reported(dataset: Dataset) -> None:
    with pytest.raises(BadLinesError) as caught:
        read(dataset, line(1), "{", line(1), b"\xff".decode("latin-1") + "{")
    assert [line.partition(": ")[0] for line in caught.value.lines] == ["a.jsonl:2", "a.jsonl:3", "a.jsonl:4"]
    assert ONE in caught.value.lines[1]


def test_invalid_utf8_is_a_bad_line(dataset: Dataset) -> None:
    with pytest.raises(BadLinesError):
        read_answers("a.jsonl", b'{"conversation": "\xff"}', dataset)


def test_value_has_the_kind_of_its_json_value(dataset: Dataset) -> None:
    assert [read(dataset, line(given))[0].value for given in (False, "Europe", [1, "a"])] == [
        YesNo(False), Text("Europe"), ValueList((ListItem(number=Decimal(1)), ListItem("a"))),
    ]  # fmt: skip


@pytest.mark.slow
def test_shared_answer_files_are_read(shared_data: Path) -> None:
    dataset = read_dataset(shared_data / "convfinqa_tune.json")
    for name in ("careful_reading_tune", "hosted_model_answers_tune"):
        found = read_answers(name, (shared_data / f"{name}.jsonl").read_bytes(), dataset)
        assert len(found) == sum(len(one.questions) for one in dataset.conversations) == 841
