"""Which answers are shown with a formula."""

import pytest
from pages import page

import quaestor
from quaestor.conversation.answer import Answer
from quaestor.conversation.display import arithmetic
from quaestor.core.answer_value import ListItem, ValueList
from quaestor.core.provenance import SentenceRef
from quaestor.plan.steps import Compute, Extract, Plan, Ref

ROWS = [["( in millions )", "2012", "2011"], ["net sales", "980", "910"], ["rent", "88", "91"]]
TEXT = ["sales rose due to higher prices .", "rent fell because of a smaller mill ."]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what was the change in net sales from 2011 to 2012?", "980 - 910"),
        ("what were net sales in 2012?", ""),
        ("why did sales rise?", ""),
        ("why?", ""),
    ],
)
def test_only_computed_answers_have_a_formula(question: str, expected: str) -> None:
    assert arithmetic(quaestor.open(page(ROWS, TEXT)).ask(question).answer) == expected


def test_words_of_the_document_are_not_a_formula() -> None:
    document = page(ROWS, TEXT)
    section = document.sentences[0].section
    taken = [
        Extract(step, SentenceRef(document.id, section, step - 1, 0, 5), "cause", None, text=text[:5])
        for step, text in enumerate(TEXT, start=1)
    ]
    plan = Plan((*taken, Compute(3, "items", (Ref(1), Ref(2)))))
    answer = Answer(ValueList((ListItem("sales"), ListItem("rent "))), plan=plan, formula="{sales; rent }")
    assert arithmetic(answer) == ""
