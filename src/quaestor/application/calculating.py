"""Exact arithmetic for a formula over named values, or for a whole plan in words.

The kinds of named values are in `named_values`. The result is a turn, as for a question: value, formula, program,
sources, steps.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import ValidationError

from quaestor.application.error_lines import read_faults
from quaestor.application.named_values import (
    LONGEST_NUMBER,
    MOST_VALUES,
    CellValue,
    EarlierValue,
    GivenValue,
    NamedValue,
    TextValue,
)
from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Memory, Turn
from quaestor.core import serial
from quaestor.core.parsing import parse_cell
from quaestor.core.provenance import CellRef
from quaestor.documents.document import Document
from quaestor.errors import InputError, QuantityError
from quaestor.plan.expressions import Variable, is_name, parse_expression
from quaestor.plan.steps import Constant, Extract, Ref, given_number
from quaestor.questions.question import read_question
from quaestor.repair.choosing import find_cell, place_label, quantity_at
from quaestor.solvers.answering import answer_without_value, build_answer, no_answer_reason, remarks_with, verify_answer
from quaestor.solvers.base import TurnContext
from quaestor.solvers.quoting import QuoteFailure, quote
from quaestor.solvers.workflow.checking import check_workflow_plan
from quaestor.solvers.workflow.schema import WorkflowPlan
from quaestor.store.records import now

_SHOWN = 4


def calculate_formula(
    document: Document, formula: str, values: Mapping[str, NamedValue], turns: Sequence[Turn] = ()
) -> Turn:
    """Compute a formula over named values, and return a turn with the formula as its question."""
    if len(values) > MOST_VALUES:
        raise InputError(f"{len(values)} values given, but a formula takes at most {MOST_VALUES}")
    named = {name: _variable(name, value, document, turns) for name, value in values.items()}
    plan, memory, started = parse_expression(formula, named), Memory(tuple(turns)), now()
    answer = build_answer(plan, memory, document, read_question(formula))
    return _make_turn(formula, answer, memory, document, started)


def read_plan(written: Mapping[str, object]) -> WorkflowPlan:
    """Parse a plan in words from its JSON."""
    try:
        return serial.load(WorkflowPlan, written)
    except ValidationError as error:
        found = error.errors(include_url=False)
        (where, what), *_ = read_faults(found, written)
        raise InputError(f"invalid plan at {where}: {what}") from None


def calculate_plan(written: WorkflowPlan, context: TurnContext) -> Turn:
    """Look up the words of a plan in the document, compute it, and return the turn."""
    question, started = context.question.text, now()
    examined = check_workflow_plan(written, question, context)
    issues = [*examined.issues]
    for place, match in examined.open.items():
        shown = "; ".join(f"{number.label!r}" for number in match.numbers[:_SHOWN])
        issues.append(
            f"step {place + 1}: the text has several matching numbers; quote more of the surrounding words ({shown})"
        )
    if issues:
        raise InputError("invalid plan: " + "; ".join(issues))
    if written.no_answer is not None:
        answer = answer_without_value(context, no_answer_reason(written.no_answer), written.thought_process)
        return Turn(question, answer, False, started, now(), context.trace.events)
    reason = remarks_with(written.assumption, examined.remarks)
    answer = build_answer(examined.final_plan, context.memory, context.document, context.question, reason=reason)
    return _make_turn(question, answer, context.memory, context.document, started)


def _variable(name: str, value: NamedValue, document: Document, turns: Sequence[Turn]) -> Variable:
    if not is_name(name):
        raise InputError(
            f"invalid name {name[:40]!r} in a formula: use letters, digits and underscores, and no function name"
        )
    match value:
        case CellValue():
            return _cell(name, value, document)
        case TextValue():
            return _text(name, value, document)
        case EarlierValue(turn=turn):
            if not 1 <= turn <= len(turns):
                raise InputError(f"{name}: the conversation has turns 1 to {len(turns)}, but not turn {turn}")
            return Ref(turn - 1 - len(turns))
        case GivenValue(number=number):
            return _constant(name, number)


def _cell(name: str, value: CellValue, document: Document) -> Extract:
    source = find_cell(document, value.row, value.column, table=value.table, first=0)
    label, quantity = place_label(document, source), quantity_at(document, source)
    if quantity is None:
        raise InputError(f"{name}: no number at {label}")
    return Extract(0, source, label, quantity)


def _text(name: str, value: TextValue, document: Document) -> Extract:
    try:
        quoted = quote(document, value.words)
    except QuoteFailure as failure:
        raise InputError(f"{name}: {failure}") from None
    source = quoted.source
    if isinstance(source, CellRef):
        quantity = quantity_at(document, source)
        if quantity is None:
            raise InputError(f"{name}: {quoted.text[:60]!r} contains no number: quote words around the number")
        return Extract(0, source, place_label(document, source), quantity)
    mentions = document.sentence(source).mentions
    within = [one for one in mentions if one.ref.start < source.end and source.start < one.ref.end]
    if len(within) != 1:
        what = "no number" if not within else f"{len(within)} numbers"
        raise InputError(f"{name}: {quoted.text[:60]!r} contains {what}: quote words around exactly one number")
    return Extract(0, within[0].ref, quoted.label, within[0].quantity)


def _constant(name: str, text: str) -> Constant:
    typed = " ".join(text.split())
    if len(typed) > LONGEST_NUMBER:
        raise QuantityError(typed, f"a number may have at most {LONGEST_NUMBER} characters, not {len(typed)}")
    found = parse_cell(typed)
    if len(found) != 1:
        raise QuantityError(typed, "expected one number as printed in tables, such as 5,300, (435) or 14.1 %", name)
    return given_number(found[0])


def _make_turn(question: str, answer: Answer, memory: Memory, document: Document, started: datetime) -> Turn:
    verified, registers = verify_answer(answer, memory, document)
    return Turn(question, answer, verified, started, now(), registers=registers)
