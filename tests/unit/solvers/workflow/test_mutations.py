"""Valid plans with one fault: each is detected before execution, and repaired by the model or reported as an error."""

import asyncio
import json
from collections import Counter
from typing import Any

import pytest
from model_server import ModelServer
from mutated_plans import MUTATIONS, mutated
from solver_bench import at_once, context_of, spec_for
from toolboxes import CASH_FLOWS, sample_knowledge, sample_pages
from workflow_bench import OPERATING, change, compute, plan, table, text

from quaestor.conversation.events import ReplyRejected
from quaestor.conversation.turn import Turn
from quaestor.datasets.dataset import Conversation
from quaestor.errors import ModelReplyError
from quaestor.evaluation.runner import answer_conversation
from quaestor.llm.models import connect
from quaestor.llm.session import ModelSession
from quaestor.llm.structured.replies import read_json
from quaestor.solvers.workflow.checking import check_workflow_plan, statistics
from quaestor.solvers.workflow.schema import WorkflowPlan
from quaestor.solvers.workflow.solver import WorkflowSolver
from quaestor.solvers.workflow.spec import WorkflowLimits
from quaestor.testing.models import ReceivedRequest, Reply, structured

Json = dict[str, Any]

pytestmark = pytest.mark.slow

COUNT = 200
VALID = [
    change(),
    plan(table(1, "cash at end of year", "2009"), table(2, OPERATING, "2009"), compute(3, "percentage", 1, 2)),
    plan(
        table(1, OPERATING, "2009"),
        table(2, OPERATING, "2008"),
        compute(3, "subtract", 1, 2),
        compute(4, "divide", 3, [1000]),
    ),
    plan(
        text(1, "capital expenditures", "capital expenditures were in and", "million USD", "2009"),
        table(2, OPERATING, "2009"),
        compute(3, "multiply", 1, [1000]),
        compute(4, "divide", 3, 2),
    ),
]


async def run_plans(broken: list[tuple[str, Json, Json]], mended: bool) -> list[Turn]:
    """Ask one question per plan; the model writes the broken plan, then the valid plan if `mended`."""
    answers: list[list[Json]] = []

    def script(request: ReceivedRequest) -> Reply:
        if "these numbers of the text fit" in request.prompts[0]:
            return structured(request, {"number": 1})
        return structured(request, answers[-1].pop(0) if len(answers[-1]) > 1 else answers[-1][0])

    turns: list[Turn] = []
    with ModelServer(script) as server:
        async with connect(spec_for(server), sleep=at_once) as connection:
            line = ModelSession(connection)
            conversation = Conversation("made up", sample_pages()[CASH_FLOWS], ("what was it?",))
            for _, faulty, valid in broken:
                answers.append([faulty, valid] if mended else [faulty])
                turns += await answer_conversation(
                    conversation, WorkflowSolver(WorkflowLimits(repairs=1)), sample_knowledge(), line
                )
    return turns


def faults(written: Json) -> list[str]:
    """Return the faults found in a plan."""
    try:
        return list(
            check_workflow_plan(read_json(WorkflowPlan, json.dumps(written)), "what was it?", context_of()).issues
        )
    except ModelReplyError as fault:
        return [str(fault)]


def test_every_broken_plan_is_caught_before_it_has_a_result() -> None:
    kinds: Counter[str] = Counter()
    for name, faulty, valid in mutated(VALID, COUNT):
        assert faults(valid) == []
        assert faults(faulty) != [], (name, faulty)
        kinds[name] += 1
    assert len(kinds) == len(MUTATIONS)
    assert kinds.total() == COUNT


@pytest.mark.usefixtures("local_models")
@pytest.mark.very_slow
def test_broken_plan_is_repaired_by_the_model() -> None:
    broken = list(mutated(VALID, COUNT))
    turns = asyncio.run(run_plans(broken, mended=True))
    for (name, faulty, _), turn in zip(broken, turns, strict=True):
        assert any(isinstance(event, ReplyRejected) for event in turn.events), (name, faulty)
        assert turn.error is None, (name, faulty, turn.error)
        assert turn.verified
    found = statistics((turn.events, turn.answer.value is not None) for turn in turns)
    assert (found.turns, found.first, found.repaired, found.failed, found.empty) == (COUNT, 0, COUNT, 0, 0)


@pytest.mark.usefixtures("local_models")
@pytest.mark.very_slow
def test_model_that_does_not_repair_its_plan_leaves_a_named_error() -> None:
    broken = list(mutated(VALID, COUNT))
    for (name, faulty, _), turn in zip(broken, asyncio.run(run_plans(broken, mended=False)), strict=True):
        assert turn.answer.value is None, (name, faulty)
        assert turn.error is not None
        assert turn.error.startswith("ModelReplyError: "), (name, turn.error)
