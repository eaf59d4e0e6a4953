"""A perfect model for stated answers, which is given the reference of each question.

Each question of the benchmark is a conversation of its own. An answer is right if the benchmark's exact match accepts
it, including its scale. If the prompt allows numbers only and the answer is of another kind, the model says so first,
as a real one has to. References whose spans are not on the page have no plan and are counted separately.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from model_replies import counted, say
from model_server import ModelServer
from oracle import SCRIPTS
from stated_plans import StatedPlan, stated_plan

from quaestor.conversation.answer import Answer
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import answer_conversation
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig, open_session
from quaestor.llm.usage import Usage
from quaestor.scoring.gold import GoldTurn, StatedReference
from quaestor.scoring.stated import exact_match, stated_answer
from quaestor.solvers.base import Solver, TurnContext


@dataclass(frozen=True)
class StatedOutcome:
    """The result of one question.

    Attributes:
        plan: The plan given to the model; None if the reference has no plan on its page.
        right: Whether the answer is right by exact match with scale.
        said: The answer, or why there is none.
        requests: Number of requests of the turn.
    """

    question: str
    reference: StatedReference
    plan: StatedPlan | None
    right: bool
    answer: str
    requests: int = 0

    @property
    def of_table(self) -> bool:
        """Whether the answer comes from the table: cells, labels, a list or a count of them."""
        return self.reference.source != "text" and (self.plan is None or self.plan.in_table)

    @property
    def group(self) -> str:
        """The way to the answer, and whether it comes from the table."""
        return f"{self.plan.way if self.plan else 'not on the page'}, {'table' if self.of_table else 'text'}"


@dataclass(frozen=True)
class StatedRun:
    """The results of a file."""

    outcomes: tuple[StatedOutcome, ...]
    usage: Usage

    def lines(self) -> Iterator[str]:
        """Yield the wrong answers, then the share of right answers by way and of all that come from the table."""
        for outcome in self.outcomes:
            if not outcome.right:
                yield f"{outcome.question} | {outcome.reference.answer} | {outcome.group} | {outcome.answer}"
        for group in sorted({outcome.group for outcome in self.outcomes}):
            yield f"{group}: {_format_share([outcome.right for outcome in self.outcomes if outcome.group == group])}"
        yield f"used: {self.usage.words}"
        yield f"of the table: {_format_share([outcome.right for outcome in self.outcomes if outcome.of_table])}"


def _format_share(right: Sequence[bool]) -> str:
    return f"{sum(right)} of {len(right)}, {100 * sum(right) / max(1, len(right)):.1f} %"


class _Guided:
    """A solver under test whose model is given the plan of the question's reference before it is asked."""

    name = "guided"

    def __init__(self, solver: Solver, server: ModelServer, reference: StatedReference) -> None:
        self._solver, self._server, self._reference = solver, server, reference
        self.plan: StatedPlan | None = None

    async def solve(self, question: str, context: TurnContext) -> Answer:
        self.plan = stated_plan(question, context, self._reference)
        if self.plan is None:
            return Answer(None)
        plan = replace(self.plan.plan, thought="as the reference has it")
        script = SCRIPTS[self._solver.name](context, lambda: plan)
        self._server.script = lambda request: counted(request, script(request), self._server.requests[:-1])
        return await self._solver.solve(question, context)


async def run_stated(
    conversations: Sequence[Conversation], golds: Mapping[str, Sequence[GoldTurn]], solver: Solver
) -> StatedRun:
    """Run a solver on stated answers with a perfect model, through the real client and a local server."""
    knowledge = GraphProvider.of({c.document.id: c.document for c in conversations}.values())
    outcomes: list[StatedOutcome] = []
    with ModelServer(lambda before: say("")) as server:
        async with open_session(ModelConfig(find_model(f"openai:oracle@{server.url}/v1"))) as line:
            for conversation in conversations:
                for place, (question, gold) in enumerate(
                    zip(conversation.questions, golds[conversation.id], strict=True)
                ):
                    reference = gold.stated
                    if reference is None or reference.kind == "arithmetic":
                        continue
                    alone = Conversation(f"{conversation.id}-{place}", conversation.document, (question,))
                    guided = _Guided(solver, server, reference)
                    (turn,) = await answer_conversation(alone, guided, knowledge, line)
                    line.take(alone.id)
                    answer = stated_answer(turn.answer)
                    words = turn.error or turn.answer.reason or "" if answer is None else str(answer)
                    right = exact_match(answer, reference)
                    before = len(server.requests)
                    outcomes.append(StatedOutcome(question, reference, guided.plan, right, words, before))
                    server.requests.clear()
            return StatedRun(tuple(outcomes), line.connection.meter.total)
