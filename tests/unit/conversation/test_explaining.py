"""Numbers in the sentences of explanations are results of the plan's steps."""

from dataclasses import replace

import pytest
from pages import page
from plan_steps import cell, compute, number

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Memory, Turn
from quaestor.core import serial
from quaestor.core.answer_value import Text
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.errors import PlanValidationError, ProgramError
from quaestor.plan.program import to_program
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.plan.validate import validate
from quaestor.questions.question import read_question
from quaestor.solvers.answering import build_answer, verify_answer
from quaestor.store.records import now

PAGE = page(
    [["( in millions )", "2008", "2007"], ["net revenue", "$ 120", "$ 100"], ["operating costs", "80", "70"]],
    before=["revenue rose because prices did ."],
)
WHY = SentenceRef(PAGE.id, "pre_text", 0, 13, 30)
QUOTED = Extract(1, WHY, "why", None, text="because prices did")
GROWTH = (QUOTED, cell(PAGE, 1, 1, 2), cell(PAGE, 1, 2, 3), compute(4, "percentage_change", 2, 3))
SENTENCES = ("Revenue grew {#4} to {#2} [#1].", 'The report says "{#1}".')
NEVER = Memory()
ALONE = compute(2, "explain", 1)
NEW, OLD = CellRef(PAGE.id, 0, 1, 1), CellRef(PAGE.id, 0, 1, 2)


def explained(plan: Plan, question: str = "why did revenue grow?", memory: Memory = NEVER) -> Answer:
    answer = build_answer(plan, memory, PAGE, read_question(question))
    assert serial.load(Answer, serial.dump(answer)) == answer
    assert verify_answer(answer, memory, PAGE)[0]
    return answer


def test_sentences_of_a_value_are_filled_in_as_answers_are_printed() -> None:
    answer = explained(Plan(GROWTH, explanation=SENTENCES))
    plain = explained(Plan((replace(GROWTH[1], id=1), replace(GROWTH[2], id=2), compute(3, "percentage_change", 1, 2))))
    assert answer.explanation is not None
    first, second = answer.explanation.sentences
    assert (first.text, second.text) == (
        "Revenue grew 20.0 % to $ 120 million.",
        'The report says "because prices did".',
    )
    assert [(first.text[r.start : r.end], r.step, r.sources) for r in first.references] == [
        ("20.0 %", 4, (NEW, OLD)), ("$ 120 million", 2, (NEW,)), ("", 1, (WHY,)),
    ]  # fmt: skip
    assert (answer.kind, answer.value, answer.sources) == ("number", plain.value, plain.sources)
    assert (answer.description, answer.formula, answer.variables) == (plain.description, plain.formula, plain.variables)
    assert plain.explanation is None
    assert "explanation" not in serial.dump(plain)
    assert "explanation" not in serial.dump(plain)["plan"]
    assert to_program(Plan(GROWTH, explanation=SENTENCES)) == "subtract(120, 100), divide(#0, 100)"


def test_an_explanation_alone_is_its_sentences_with_all_their_places() -> None:
    plan = Plan((*GROWTH, compute(5, "explain", 4, 2, 1)), explanation=SENTENCES)
    answer = explained(plan)
    assert answer.kind == "explanation"
    assert str(answer) == 'Revenue grew 20.0 % to $ 120 million. The report says "because prices did".'
    assert (answer.value, answer.sources, answer.formula) == (Text(str(answer)), (NEW, OLD, WHY), "")
    assert not verify_answer(replace(answer, value=Text("Revenue grew 99 %.")), Memory(), PAGE)[0]
    again = Memory((Turn("why did revenue grow?", answer, True, now(), now()),))
    assert explained(Plan((Compute(1, "identity", (Ref(-1),)),)), "why?", again).value == answer.value
    with pytest.raises(ProgramError):
        to_program(plan)


def test_step_without_a_printed_number_lacks_a_source() -> None:
    steps = (cell(PAGE, 1, 1), compute(2, "identity", number("15", "15")))
    answer = explained(Plan((*steps, compute(3, "greater", 1, 2)), explanation=("{#1} is above {#2}: {#3}.",)))
    assert answer.explanation is not None
    assert answer.explanation.text == "$ 120 million is above 15: yes."
    assert [bool(reference.sources) for reference in answer.explanation.sentences[0].references] == [True, False, True]


@pytest.mark.parametrize(
    ("steps", "explanation", "issue"),
    [
        (GROWTH, ("Revenue grew.",), "sentence 1 of the explanation refers to no step"),
        (GROWTH, ("By {#4}.", "{#5}"), "sentence 2 of the explanation refers to step 5; steps 1 to 4 can be named"),
        (GROWTH, ("{#0}",), "sentence 1 of the explanation refers to step 0; steps 1 to 4 can be named"),
        (GROWTH, ("[#1]",) * 7, "the explanation has 7 sentences, more than 6"),
        (GROWTH, ("[#1]" * 300,), "sentence 1 of the explanation has 1200 characters, more than 1000"),
        ((QUOTED, ALONE), (), "step 2 (explain) needs the sentences of an explanation"),
        ((QUOTED, ALONE), ("[#2]",), "sentence 1 of the explanation refers to step 2; steps 1 to 1 can be named"),
        ((QUOTED, ALONE, compute(3, "identity", 2)), ("[#1]",), "step 2 (explain) must be the last step"),
        ((QUOTED, compute(2, "explain", number("1"))), ("[#1]",), "step 2 (explain) takes only references to steps"),
    ],
)
def test_faults_of_an_explanation_are_one_line(
    steps: tuple[Extract | Compute, ...], explanation: tuple[str, ...], issue: str
) -> None:
    plan = Plan(steps, explanation=explanation)
    assert validate(plan, 0) == (issue,)
    with pytest.raises(PlanValidationError):
        build_answer(plan, Memory(), PAGE, read_question("why?"))


def test_the_answers_own_number_is_printed_as_the_answer_is() -> None:
    half = Plan((cell(PAGE, 2, 1), cell(PAGE, 1, 1, 2), compute(3, "divide", 1, 2)), explanation=("Costs are {#3}.",))
    answer = explained(half, "what share of revenue are costs?")
    assert answer.explanation is not None
    assert answer.explanation.text == f"Costs are {answer}."
