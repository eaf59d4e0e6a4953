"""What independent questions teach: those with a number that a program comes to, each for itself."""

from dataclasses import replace
from pathlib import Path

import pytest
from tatqa_pages import write_tatqa
from values import a_value

from quaestor.learning.examples import read_examples
from quaestor.learning.lessons import INDEPENDENT, as_program, lessons
from quaestor.sample import sample_path
from quaestor.scoring.gold import GoldTurn, StatedAnswer, StatedReference


def stated(spans: tuple[str, ...], kind: str, scale: str = "", form: str = "number") -> StatedReference:
    return StatedReference(StatedAnswer(spans, scale), kind, "table", "", form)


def test_numbers_are_taught_one_by_one_and_words_not(tmp_path: Path) -> None:
    taught = lessons(read_examples([write_tatqa(tmp_path)]))
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


def test_conversations_are_lessons_as_they_are() -> None:
    examples = read_examples([sample_path()])
    assert lessons(examples) == examples


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
def test_an_answer_is_a_program_if_one_comes_to_it(gold: GoldTurn, program: str | None) -> None:
    found = as_program(gold)
    assert (None if found is None else found.program) == program


def test_a_program_keeps_its_exact_result() -> None:
    gold = GoldTurn("divide(1, 3)", a_value(33.33), None, 0, stated(("33.33",), "arithmetic", "percent"))
    found = as_program(gold)
    assert found is not None
    assert abs(float(str(found.executed.value)) - 1 / 3) < 1e-9  # type: ignore[union-attr]
    assert replace(found, executed=gold.executed) == gold
