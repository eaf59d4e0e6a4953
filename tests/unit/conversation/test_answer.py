from decimal import Decimal

import pytest

from quaestor.conversation.answer import Answer, AnswerKind
from quaestor.core import serial
from quaestor.core.answer_value import AnswerValue, ListItem, Number, Text, ValueList, YesNo
from quaestor.core.provenance import CellRef
from quaestor.plan.steps import Compute, Constant, Extract, Plan

ONE = Constant(Decimal(1), "1")
READ = Plan((Extract(1, CellRef("a page", 0, 1, 1), "Europe", None, text="Europe"),))


def computed(operation: str) -> Plan:
    return Plan((Compute(1, operation, (ONE, ONE)),))


@pytest.mark.parametrize(
    ("value", "plan", "kind"),
    [
        (None, None, "none"),
        (None, computed("add"), "none"),
        (Number(Decimal(2)), computed("add"), "number"),
        (Number(Decimal(2)), None, "number"),
        (Number(Decimal(2)), computed("count"), "count"),
        (YesNo(True), computed("greater"), "yes_no"),
        (Text("Europe"), READ, "text"),
        (Text("Europe"), computed("argmax"), "label"),
        (ValueList((ListItem("Europe"),)), computed("above"), "list"),
    ],
)
def test_kind_of_an_answer_follows_from_value_and_plan(
    value: AnswerValue | None, plan: Plan | None, kind: AnswerKind
) -> None:
    assert Answer(value, plan=plan).kind == kind


@pytest.mark.parametrize("answerable", [None, 0.0, 0.25, 1.0])
def test_answerability_survives_serialization(answerable: float | None) -> None:
    answer = Answer(None, answerable=answerable)
    assert serial.load(Answer, serial.dump(answer)) == answer


def test_missing_fields_are_not_written() -> None:
    assert "answerable" not in serial.dump(Answer(None))
