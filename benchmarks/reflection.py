"""Detection rate of computed evidence, and latency of critics: `python -m benchmarks.reflection [FILE]`.

The reference plans of a labelled file are made wrong, one kind of mistake at a time; evidence against sound plans is a
false alarm. `docs/research/model_solvers.md` quotes the table.
"""

import asyncio
import random
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from benchmarks.figure import Figure
from benchmarks.workload import SUPPORT, Workload, benchmark_file
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.runner import answer_conversation
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig, open_session
from quaestor.solvers.registry import make_solver

if TYPE_CHECKING:
    from drafting import LabelledPlan, Written

    from quaestor.plan.steps import Plan

_DRAFTS = 500
_SEED = 11
_LATENCY = 0.1
_TURNS = 20


def measure(workload: Workload) -> Iterable[Figure]:
    """Yield the time of two critics compared with one."""
    ratio = critics_beside_one(workload)
    how = f"from the first request to the last reply, {_TURNS} turns, replies after {1000 * _LATENCY:.0f} ms"
    yield Figure("two critics beside one", f"{ratio:.2f} x", how)


def critics_beside_one(workload: Workload) -> float:
    """Return the time of a round with both critics, as a multiple of one critic's latency."""
    sys.path.insert(0, SUPPORT)
    from model_server import ModelServer
    from reflection_bench import change, playing

    from quaestor.testing.models import ReceivedRequest, Reply

    replies = playing(expert=[change()])

    def late(request: ReceivedRequest) -> Reply:
        return replace(replies(request), delay=_LATENCY)

    document = workload.dataset.conversations[0].document
    conversation = Conversation("timed", document, ("what was the change?",) * _TURNS)

    async def run_round() -> float:
        with ModelServer(late) as server:
            config = ModelConfig(find_model(f"openai:scripted@{server.url}/v1"))
            async with open_session(config) as session:
                await answer_conversation(conversation, make_solver("reflection", {}), None, session)
                exchanges, _ = session.take("timed")
        rounds: dict[tuple[int, str], list[tuple[float, float]]] = {}
        for exchange in exchanges:
            if "CRITIC" in exchange.phase:
                place = exchange.place.turn, exchange.phase[-1]
                rounds.setdefault(place, []).append((exchange.started.timestamp(), exchange.finished.timestamp()))
        both = mean(max(end for _, end in times) - min(start for start, _ in times) for times in rounds.values())
        one = mean(end - start for times in rounds.values() for start, end in times)
        return both / one

    return asyncio.run(run_round())


def wrong_drafts(turns: "list[LabelledPlan]") -> "Iterator[tuple[str, LabelledPlan, Written | Plan]]":
    """Yield wrong drafts and mismatched plans, with the name of the mistake."""
    from drafting import PLAN_MISTAKES, Corruptor, comes_to_another, write_draft

    corruptor = Corruptor(_SEED)
    for turn in turns:
        sound = write_draft(turn.plan, turn.context)
        for name, mistake in PLAN_MISTAKES.items():
            wrong = mistake(corruptor, turn.plan, turn.context)
            if wrong is not None and comes_to_another(turn.plan, wrong, turn.context):
                yield name, turn, wrong
        for name, draft in (
            ("wrong arithmetic", corruptor.wrong_arithmetic(sound)),
            ("number not on the page", corruptor.made_up(sound, turn.context)),
            ("wrong cell under the right name", corruptor.misread(sound, turn.context)),
        ):
            if draft is not None:
                yield name, turn, draft


def found_shares(turns: "list[LabelledPlan]") -> dict[str, tuple[int, int]]:
    """Return for each kind of mistake how many of up to `_DRAFTS` wrong drafts were made and detected."""
    from drafting import judge

    from quaestor.plan.steps import Plan
    from quaestor.solvers.reflection.evidence import examine_plan
    from quaestor.solvers.reflection.numbers import NumberIndex

    by_kind: dict[str, list[tuple[LabelledPlan, Written | Plan]]] = {}
    for name, turn, wrong in wrong_drafts(turns):
        by_kind.setdefault(name, []).append((turn, wrong))
    draw = random.Random(_SEED)
    shares: dict[str, tuple[int, int]] = {}
    for place, (name, made) in enumerate(by_kind.items()):
        count = _DRAFTS // len(by_kind) + (place < _DRAFTS % len(by_kind))
        chosen = draw.sample(made, min(count, len(made)))
        found = sum(
            bool(
                examine_plan(wrong, turn.question, turn.context.memory, NumberIndex(turn.context.graph))
                if isinstance(wrong, Plan)
                else judge(wrong, turn)
            )
            for turn, wrong in chosen
        )
        shares[name] = len(chosen), found
    return shares


def main() -> None:
    """Print the detection rate of each kind of mistake, the false alarms, and how often the right rows are marked."""
    sys.path.insert(0, SUPPORT)
    from drafting import judge, labelled_plans, write_draft

    from quaestor.core.provenance import CellRef
    from quaestor.solvers.reflection.model_roles import find_likely_places

    path = Path(sys.argv[1]) if len(sys.argv) > 1 else benchmark_file()
    turns = list(labelled_plans(path))
    table = Table("mistake", "drafts", "found")
    for name, (made, found) in found_shares(turns).items():
        table.add_row(name, str(made), f"{100 * found / made:.0f} %")
    console = Console(highlight=False)
    console.print(table)
    alarms = sum(bool(judge(write_draft(turn.plan, turn.context), turn)) for turn in turns)
    console.print(f"false alarms: {alarms} of {len(turns)} turns, {100 * alarms / len(turns):.1f} %")
    marked = []
    for turn in turns:
        context = turn.context
        rows, _ = find_likely_places(turn.question, context.memory, context.document, context.graph)
        taken = [step.source for step in turn.plan.extracts if isinstance(step.source, CellRef)]
        marked += [(source.table, source.row) in rows for source in taken]
    console.print(f"rows that are looked up and marked as likely: {100 * mean(marked):.1f} % of {len(marked)}")


if __name__ == "__main__":
    main()
