"""References to earlier turns in the questions of whole dialogues, as every prompt states them."""

import pytest
from gold_memories import WHEN, gold_conversations

from quaestor.conversation.references.expressions import References, reading_line
from quaestor.conversation.references.resolving import resolve
from quaestor.conversation.turn import Memory, Turn
from quaestor.core.provenance import CellRef
from quaestor.learning.examples import read_examples
from quaestor.learning.references import LabelledReference
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.questions.question import read_question
from quaestor.sample import sample_path
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext

EXAMPLES = read_examples([sample_path()])
PAGE = next(e.document for e in EXAMPLES if e.document is not None and e.document.id == "TAMR/2009/page_24.pdf")
COMPANY, INDEX = "tamarin freight lines", "continental 600 index"


def cell(entity: str, year: int, step: int = 1) -> Extract:
    table = PAGE.tables[0]
    row = [header.label for header in table.rows].index(entity)
    column = next(n for n, header in enumerate(table.columns) if header.period and header.period.year == year)
    ref = CellRef(PAGE.id, 0, row, column)
    quantity = PAGE.cell(ref).quantity
    assert quantity is not None
    return Extract(step, ref, f"{entity}, {year}", quantity)


def change(entity: str) -> Plan:
    later, earlier = (cell(entity, year, step) for step, year in ((1, 2009), (2, 2004)))
    return Plan((later, earlier, Compute(3, "subtract", (Ref(1), Ref(2)))))


def share_of_first(entity: str) -> Plan:
    return Plan((cell(entity, 2004), Compute(2, "divide", (Ref(-1), Ref(1)))))


CHANGE_SINCE = Plan((cell(INDEX, 2004), Compute(2, "subtract", (Ref(-1), Ref(1)))))
TWO_ENTITIES = [
    ("what was the change in the performance of tamarin freight lines from 2004 to 2009?", change(COMPANY), ""),
    (
        "and how much does this change represent in relation to that performance in 2004, in percentage?",
        share_of_first(COMPANY),
        f'calculated from 0 ("this change"); "that performance in 2004" is of {COMPANY}',
    ),
    ("what was the performance value of the continental 600 index in 2009?", Plan((cell(INDEX, 2009),)), ""),
    (
        "what was, then, the change in that performance from 2004 to 2009?",
        CHANGE_SINCE,
        f'calculated from 2; "that performance from 2004" is of {INDEX}',
    ),
    (
        "and how much does this change represent in relation to the performance of that index in 2004, in percentage?",
        share_of_first(INDEX),
        f'calculated from 3 ("this change"); "that index in 2004" is of {INDEX}',
    ),
    (
        "what was, then, the difference between this percentage and that of tamarin freight lines?",
        Plan((Compute(1, "subtract", (Ref(-1), Ref(-4))),)),
        'calculated from 1 ("that") and 4 ("this percentage")',
    ),
]
"""The design's dialogue about a share and an index, on a page of the sample: question, plan, line of the prompt."""


def two_entities() -> list[tuple[str, References, str]]:
    memory, found = Memory(), []
    for question, plan, line in TWO_ENTITIES:
        found.append((question, resolve(read_question(question), memory), line))
        context = TurnContext(PAGE, memory, None, None)  # type: ignore[arg-type]
        answer = answer_from_plan(plan, context, question=question)
        memory = memory.add(Turn(question, answer, verified=True, started=WHEN, finished=WHEN))
    return found


def test_references_resolve_to_the_entity_in_focus() -> None:
    for question, references, line in two_entities():
        assert reading_line(references, str) == line, question


@pytest.fixture(scope="module")
def sample() -> list[LabelledReference]:
    return [item for one in gold_conversations(EXAMPLES) for item in one.references()]


def test_reading_line_of_each_sample_turn_is_consistent(sample: list[LabelledReference]) -> None:
    for item in sample:
        references = resolve(read_question(item.question), item.memory)
        line = reading_line(references, lambda turn: f"#{turn}")
        assert "\n" not in line
        assert item.question not in line
        for expression in references.expressions:
            if references.used and line and expression.candidates and expression.kind in ("result", "results", "cell"):
                assert expression.candidates[0].turn in references.used
                assert line.count(f'"{expression.text}"') >= 1
