"""Compares simulated cascades with real ones: `python -m benchmarks.cascade DIR`, DIR of `benchmarks.fold_weights`.

The first stage is the embedded solver with weights that never saw the company. The second is the workflow, once with a
perfect model and once with a model that plans the recorded expressions of a careful reading, right or wrong. Both run
alone for the simulations: one takes each turn as answered in its own run, the other lets the embedded solver answer
again after the second stage's answers. Then both run as a cascade at each threshold, in which the conversation contains
the answers of either. `docs/research/evaluation.md` quotes the tables.
"""

import argparse
import ast
import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.fold_weights import DATA, OutOfFold
from benchmarks.workload import SUPPORT
from quaestor.application.simulated_cascade import CachingSolver, CascadePoint, StageTurn, cascade_curve, replayed_curve
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.evaluation.runner import answer_conversation
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig, open_session
from quaestor.scoring.gold import GoldTurn, read_gold
from quaestor.scoring.metrics import executed_equal
from quaestor.scoring.scorers import prediction_of
from quaestor.solvers.base import Solver
from quaestor.solvers.cascade.solver import CascadeSolver, Stage
from quaestor.solvers.registry import make_solver
from quaestor.store.records import TurnRecord

if TYPE_CHECKING:
    from model_server import ModelServer

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)
_OPERATIONS: Mapping[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
}

Gold = Mapping[str, Sequence[GoldTurn]]
Steps = Callable[[str, "ModelServer"], Solver]
"""Creates the solver of a conversation, given its id and the server that acts as its model."""
AnsweredTurns = list[tuple[StageTurn, TurnRecord]]
"""Turns as answered, and as stored."""


class Bench:
    """The conversations to run, with their references."""

    def __init__(self, conversations: Sequence[Conversation], gold: Gold) -> None:
        """Take the conversations and their references."""
        self.dataset, self.gold = Dataset.of("convfinqa_tune.json", "convfinqa", conversations), gold
        self._knowledge = GraphProvider.of({c.document.id: c.document for c in conversations}.values())
        self.pages = [c.document.id for c in conversations for _ in c.questions]

    def run(self, steps: Steps) -> AnsweredTurns:
        """Run all conversations with a solver, and return every turn."""
        return asyncio.run(self._answer(steps))

    async def _answer(self, steps: Steps) -> AnsweredTurns:
        sys.path.insert(0, SUPPORT)
        from model_replies import say
        from model_server import ModelServer

        found: AnsweredTurns = []
        with ModelServer(lambda request: say("")) as server:
            async with open_session(ModelConfig(find_model(f"openai:second@{server.url}/v1"))) as session:
                for conversation in self.dataset.conversations:
                    solver = steps(conversation.id, server)
                    turns = await answer_conversation(conversation, solver, self._knowledge, session)
                    session.take(conversation.id)
                    server.requests.clear()
                    records = turn_records(TurnPlace("cascade", conversation.id), turns)
                    for turn, record, gold in zip(turns, records, self.gold[conversation.id], strict=True):
                        right = executed_equal(prediction_of(record).value, gold.executed)
                        answered, failed = turn.answer.value is not None, turn.error is not None
                        found.append((StageTurn(right, answered, failed, turn.answer.confidence, turn.usage), record))
        return found

    def replay(self, first: Solver, second: AnsweredTurns) -> tuple[CascadePoint, ...]:
        """Simulate cascades in which the first stage answers again after the second one's answers."""
        records = [record for _, record in second]
        return asyncio.run(replayed_curve(self.dataset, self.gold, first, records, THRESHOLDS, self._knowledge))


def expressions(path: Path, gold: Gold) -> dict[str, list[GoldTurn]]:
    """Return the expressions of a recorded run as programs that replace those of the references."""
    programs: dict[tuple[str, int], str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        read = json.loads(line)
        programs[read["conversation"], read["turn"]] = program_of(read["expression"])
    return {
        name: [replace(turn, program=programs[name, place]) for place, turn in enumerate(turns)]
        for name, turns in gold.items()
    }


def program_of(expression: str) -> str:
    """Convert arithmetic over numbers to a program of the benchmark.

    >>> program_of("(88.8 - 90.5) / 90.5")
    'subtract(88.8, 90.5), divide(#0, 90.5)'
    >>> program_of("-30584")
    '-30584'
    """
    steps: list[str] = []

    def written(node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            return str(ast.get_source_segment(expression, node))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = written(node.operand)
            return step("multiply", inner, "const_m1") if inner.startswith("#") else f"-{inner}"
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
            return step(_OPERATIONS[type(node.op)], written(node.left), written(node.right))
        raise ValueError(f"{expression!r} is no arithmetic")

    def step(operation: str, *operands: str) -> str:
        steps.append(f"{operation}({', '.join(operands)})")
        return f"#{len(steps) - 1}"

    whole = written(ast.parse(expression.strip(), mode="eval").body)
    return ", ".join(steps) or whole


def tables(bench: Bench, first: Solver, planned: Mapping[str, Gold]) -> Iterator[str]:
    """Yield a Markdown table for each second stage."""
    sys.path.insert(0, SUPPORT)
    from oracle import GuidedSolver
    from oracle_workflow import WorkflowOracle

    workflow = make_solver("workflow")
    alone = bench.run(lambda name, server: first)
    yield f"{len(bench.pages)} turns; the embedded solver alone: {_right(alone)}"
    for title, gold in planned.items():

        def guided(name: str, server: "ModelServer", gold: Gold = gold) -> Solver:
            return GuidedSolver(workflow, server, gold[name], WorkflowOracle)

        second = bench.run(guided)
        yield f"\n{title} alone: {_right(second)}\n"
        yield "| threshold | to the 2nd: apart % | replayed % | real % | right: apart % | replayed % | real % | off |"
        yield "|---:|---:|---:|---:|---:|---:|---:|---:|"
        one, other = ([turn for turn, _ in answered] for answered in (alone, second))
        points = zip(cascade_curve(one, other, bench.pages, THRESHOLDS), bench.replay(first, second), strict=True)
        after = list[str]()
        for apart, again in points:
            least = apart.threshold

            def both(name: str, server: "ModelServer", least: float = least) -> Solver:
                return CascadeSolver([Stage(first, least), Stage(guided(name, server))])

            answered = bench.run(both)
            real = [turn for turn, _ in answered]
            asked = sum(turn.usage.requests > 0 for turn in real) / len(real)
            right = sum(turn.right for turn in real) / len(real)
            shares = (apart.share, again.share, asked, apart.right.value, again.right.value, right)
            off = f"{100 * (right - again.right.value):+.1f}"
            yield f"| {least:g} | {' | '.join(f'{100 * share:.1f}' for share in shares)} | {off} |"
            after.append(f"{least:g}: {_after_others(answered)}")
        yield "\nwhat the first stage answered after an answer of the second, " + "; ".join(after)


def _after_others(answered: AnsweredTurns) -> str:
    """Describe the confidence and accuracy of the first stage's answers that follow an answer of the second."""
    passed, found = set[str](), list[StageTurn]()
    for turn, record in answered:
        if turn.usage.requests:
            passed.add(record.conversation)
        elif record.conversation in passed:
            found.append(turn)
    sure = sum(turn.confidence or 0.0 for turn in found) / max(1, len(found))
    right = sum(turn.right for turn in found) / max(1, len(found))
    return f"{len(found)} turns, confidence {sure:.2f}, right {right:.2f}"


def _right(turns: AnsweredTurns) -> str:
    right = sum(turn.right for turn, _ in turns)
    return f"{right} of {len(turns)} right, {100 * right / len(turns):.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cascade", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="the weights of the folds")
    folder = parser.parse_args().folder
    path, first, started = DATA / "convfinqa_tune.json", OutOfFold(folder), perf_counter()
    dataset, gold = read_dataset(path), read_gold(path)
    conversations = [one for one in dataset.conversations if one.document.id.partition("/")[0] in first.companies]
    read = expressions(DATA / "careful_reading_tune.jsonl", gold)
    for line in tables(
        Bench(conversations, gold), CachingSolver(first), {"A perfect model": gold, "The careful reading": read}
    ):
        print(line, flush=True)
    print(f"\n{perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
