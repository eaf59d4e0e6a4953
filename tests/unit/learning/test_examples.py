"""Training examples from labelled conversations: programs that give numbers, and second questions."""

from dataclasses import replace
from pathlib import Path

import pytest
from tatqa_pages import write_tatqa
from values import a_value

from quaestor.datasets.convfinqa import read_convfinqa_page
from quaestor.learning.examples import (
    INDEPENDENT,
    Example,
    as_program,
    read_examples,
    rejoin_conversations,
    select_training_examples,
)
from quaestor.learning.signature import second_samples, signature_samples
from quaestor.sample import sample_path
from quaestor.scoring.gold import GoldTurn, StatedAnswer, StatedReference


def stated(spans: tuple[str, ...], kind: str, scale: str = "", form: str = "number") -> StatedReference:
    return StatedReference(StatedAnswer(spans, scale), kind, "table", "", form)


def test_only_numbers_are_training_examples(tmp_path: Path) -> None:
    taught = select_training_examples(read_examples([write_tatqa(tmp_path)]))
    assert [(lesson.id, lesson.gold[0].program) for lesson in taught] == [
        ("1f0c-mill#0", "subtract(1200.5, 1000.5)"),
        ("1f0c-mill#1", "subtract(300, 400), divide(#0, 400)"),
        ("1f0c-mill#2", "1500.5"),
        ("1f0c-mill#3", "-1250"),
        ("2a7e-fleet#1", "add(12, 9), divide(#0, 2)"),
    ]
    assert {lesson.company for lesson in taught} == {"1f0c-mill", "2a7e-fleet"}
    assert all(len(lesson.questions) == 1 and lesson.chained for lesson in taught)
    assert {lesson.weight for lesson in taught} == {INDEPENDENT}


def test_conversations_are_examples_without_change() -> None:
    examples = read_examples([sample_path()])
    assert select_training_examples(examples) == examples


@pytest.mark.parametrize(
    ("gold", "program"),
    [
        (GoldTurn("", a_value(5.2), None, 0, stated(("5.2%",), "span")), "5.2%"),
        (GoldTurn("", a_value(5.2), None, 0, stated(("5.2",), "span", "percent")), "5.2%"),
        (GoldTurn("", a_value(2019), None, 0, stated(("2019",), "span")), None),
        (GoldTurn("", a_value(3), None, 0, stated(("3",), "count", form="count")), None),
        (GoldTurn("divide(1, 4)", a_value(25), None, 0, stated(("25",), "arithmetic", "percent")), "divide(1, 4)"),
        (GoldTurn("divide(1, 4)", a_value(25), None, 0, stated(("25",), "arithmetic")), None),
        (GoldTurn("divide(1, 0)", a_value(25), None, 0, stated(("25",), "arithmetic")), None),
        (GoldTurn("divide(1, 4)", a_value(0.25), None, 0), "divide(1, 4)"),
    ],
)
def test_answer_is_a_program_if_one_gives_its_value(gold: GoldTurn, program: str | None) -> None:
    found = as_program(gold)
    assert (None if found is None else found.program) == program


def test_a_program_keeps_its_exact_result() -> None:
    gold = GoldTurn("divide(1, 3)", a_value(33.33), None, 0, stated(("33.33",), "arithmetic", "percent"))
    found = as_program(gold)
    assert found is not None
    assert abs(float(str(found.executed.value)) - 1 / 3) < 1e-9  # type: ignore[union-attr]
    assert replace(found, executed=gold.executed) == gold


def example(identity: str, *turns: tuple[str, str], second: int = 0, page: str = "") -> Example:
    document = read_convfinqa_page({"id": page, "table": [["", "2008"], ["rent", "5"]]}, "here") if page else None
    gold = tuple(GoldTurn(program, a_value(1), None, 0) for _, program in turns)
    return Example(identity, tuple(question for question, _ in turns), gold, document, "ACME", second=second)


JOINED = example("Double_ACME/1/p.pdf", ("rent?", "5"), ("and lease?", "7"), ("the gap?", "subtract(7, 9)"), second=2)


def test_parts_of_a_joined_conversation_are_swapped() -> None:
    (turned,) = rejoin_conversations([JOINED])
    assert turned.questions == ("the gap?", "rent?", "and lease?")
    assert [gold.program for gold in turned.gold] == ["subtract(7, 9)", "5", "7"]
    assert (turned.second, turned.joined, turned.company) == (1, True, "ACME")


def test_single_questions_of_one_page_follow_each_other() -> None:
    one, other, again = (
        example(f"ACME/1/p.pdf-{n}", turn, page="ACME/1/p.pdf")
        for n, turn in enumerate((("rent?", "5"), ("the gap?", "subtract(7, 9)"), ("rent?", "5")))
    )
    elsewhere = example("ACME/1/q.pdf-1", ("lease?", "7"), page="ACME/1/q.pdf")
    found = {joined.questions for joined in rejoin_conversations([one, other, again, elsewhere])}
    assert found == {("rent?", "the gap?"), ("the gap?", "rent?")}


def test_conversations_of_unknown_parts_stay_as_they_are() -> None:
    assert not list(rejoin_conversations([example("Double_ACME/1/p.pdf", ("rent?", "5"), ("and lease?", "7"))]))


def test_start_of_the_second_part_of_a_joined_conversation_is_learned() -> None:
    (sample,) = second_samples(rejoin_conversations([JOINED]))
    assert sample.signature == "lookup(new)"
    assert sample.features["turn:1"] == 1.0
    assert sample != signature_samples([JOINED])[0]
