"""Answerers are asked in order until one has answers."""

from collections.abc import Iterator
from decimal import Decimal
from typing import cast

from values import a_value

from quaestor.conversation.answer import Answer
from quaestor.solvers.embedded.readings import Answerer, AskedTurn, answer_by_first

ASKED = cast(AskedTurn, object())


class ScriptedAnswerer:
    """Gives the scripted answers and records its calls."""

    def __init__(self, *numbers: int) -> None:
        self.found = [Answer(value=a_value(Decimal(number))) for number in numbers]
        self.calls = list[tuple[AskedTurn, float]]()

    def __call__(self, turn: AskedTurn, least: float) -> Iterator[Answer]:
        self.calls.append((turn, least))
        yield from self.found


def test_first_answerer_with_answers_gives_all_of_them() -> None:
    silent, first, second = ScriptedAnswerer(), ScriptedAnswerer(1, 2), ScriptedAnswerer(3)
    answerers: list[Answerer] = [silent, first, second]
    assert [answer.number for answer in answer_by_first(answerers, ASKED, 0.5)] == [1, 2]
    assert (silent.calls, first.calls, second.calls) == ([(ASKED, 0.5)], [(ASKED, 0.5)], [])


def test_no_answers_if_no_answerer_has_any() -> None:
    assert list(answer_by_first([ScriptedAnswerer(), ScriptedAnswerer()], ASKED, 0.0)) == []
