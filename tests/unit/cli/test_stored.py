from dataclasses import replace
from decimal import Decimal
from io import StringIO

from remembered import computed, looked_up, memory_of, unanswered
from rich.console import Console

from quaestor.cli.render import show_stored_turn
from quaestor.conversation.answer import Variable
from quaestor.conversation.references.resolving import resolve
from quaestor.conversation.turn import Turn
from quaestor.core.periods import Period
from quaestor.core.quantity import Scale
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.questions.question import read_question

ASKED = "how much does this change represent in relation to that rent in 2007?"
EARLIER = (
    looked_up("what was the rent in 2007?", "rent", 2007),
    looked_up("and what was it in 2008?", "rent", 2008),
    computed("what was the change?", "subtract", -1, -2, entity="rent"),
)


def shown(*turns: Turn) -> str:
    """How the last turn is shown, once it is stored."""
    record = turn_records(TurnPlace("run", "conversation"), turns)[-1]
    console = Console(file=StringIO(), width=200, highlight=False)
    show_stored_turn(console, record, None)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_a_stored_turn_says_what_its_question_referred_to_and_why() -> None:
    last = replace(unanswered(ASKED), references=resolve(read_question(ASKED), memory_of(*EARLIER)))
    lines = [line.strip() for line in shown(*EARLIER, last).splitlines()]
    assert any(line.startswith("turn 3 (") and ": a change" in line for line in lines)
    assert any(line.startswith("turn 1 (") and "of 2007" in line for line in lines)
    assert any("turn 1 and turn 3 (" in line for line in lines)
    assert any(line.split() == ["in", "focus:", "rent"] for line in lines)


def test_a_stored_turn_says_what_its_result_is() -> None:
    turn = computed("by how much did it grow, in percent?", "percentage_change", -2, -1, entity="rent")
    rent, million = Decimal("642.3"), Scale.MILLION
    variables = (Variable("rent_2008", rent, million, None), Variable("result_1", Decimal("1E+3"), Scale.ONE, None))
    answer = replace(turn.answer, base="rent in 2007", period=Period("range", 2007, last=2008), variables=variables)
    told = shown(*EARLIER, replace(turn, answer=answer))
    assert all(
        part in told for part in ("percentage_change", "2007 to 2008", "rent_2008 = 642.3 million", "result_1 = 1000")
    )


def test_a_stored_turn_says_how_sure_its_answer_is_and_why() -> None:
    turn = EARLIER[0]
    answer = replace(turn.answer, confidence=0.624, reason="next likely: 5", grounds='"rent" is in the question')
    told = shown(replace(turn, answer=answer))
    assert all(part in told for part in ("62%", "next likely: 5", '"rent" is in the question'))


def test_a_turn_without_an_answer_is_of_no_metric_type() -> None:
    lines = shown(unanswered(ASKED))
    for name in ("entity", "metric type", "period", "base", "variables"):
        assert f"\n{name}:" not in lines


def test_a_turn_that_refers_to_nothing_and_one_of_an_older_store_say_nothing_of_it() -> None:
    assert "refers:" not in shown(EARLIER[0])
    record = replace(turn_records(TurnPlace("run", "conversation"), EARLIER[:1])[0], references={})
    console = Console(file=StringIO(), width=200, highlight=False)
    show_stored_turn(console, record, None)
    assert isinstance(console.file, StringIO)
    assert "may use:" not in console.file.getvalue()
