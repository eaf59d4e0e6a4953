"""Two runs of the same questions, side by side."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from quaestor.application.replies import Value
from quaestor.application.run_views import by_chance
from quaestor.scores.listing import Outcome, PairFilter
from quaestor.web.api.bodies import StrictRoute
from quaestor.web.api.problems import problems
from quaestor.web.api.run_values import RunTurnReply, turn_of
from quaestor.web.api.runs import Text
from quaestor.web.api.values import Part, PartReply
from quaestor.web.runs.looking import Views

router = APIRouter(route_class=StrictRoute, prefix="/comparisons", tags=["scores"])

_Run = Query(max_length=200, description="The id of a run.")


class ComparisonReply(Value):
    """A comparison of two runs over the turns that both have.

    Attributes:
        first: The id of the first run.
        second: The id of the second run.
        turns: The number of turns that both have.
        both: The number right in both.
        wins: The number right in the first run only.
        losses: The number right in the second run only.
        neither: The number wrong in both.
        unjudged: The number not scored in one of the runs.
        differ: The number with different answers.
        p: The p-value of the exact McNemar test; null if no turn is scored in both runs, or if the extra `compare` is
            not installed.
    """

    first: str
    second: str
    turns: int
    both: int
    wins: int
    losses: int
    neither: int
    unjudged: int
    differ: int
    p: float | None


class PairReply(Value):
    """A turn in both runs."""

    first: RunTurnReply
    second: RunTurnReply
    differ: bool


class PairList(PartReply[PairReply]):
    """Turns of two runs."""


@router.get("", responses=problems())
async def _compare(views: Views, first: Annotated[str, _Run], second: Annotated[str, _Run]) -> ComparisonReply:
    """Compare two runs of the same questions."""
    one, other = await views.run(first), await views.run(second)
    counts = await views.compared(one, other)
    said = counts.outcomes
    return ComparisonReply.of(
        counts,
        first=one.run.id,
        second=other.run.id,
        turns=counts.total,
        both=said.get("both", 0),
        wins=said.get("first", 0),
        losses=said.get("second", 0),
        neither=said.get("neither", 0),
        unjudged=said.get("unjudged", 0),
        p=by_chance(counts),
    )


@router.get("/turns", responses=problems())
async def _list_pairs(
    views: Views,
    part: Part,
    first: Annotated[str, _Run],
    second: Annotated[str, _Run],
    outcome: Annotated[
        Outcome | None,
        Query(
            description="Only turns with this outcome: right in both, in the first or second run only, or in neither."
        ),
    ] = None,
    answers: Annotated[
        Literal["differ", "same"] | None, Query(description="Only turns whose answers differ, or are the same.")
    ] = None,
    text: Text = "",
) -> PairList:
    """List the turns of two runs side by side."""
    wanted = PairFilter(outcome, None if answers is None else answers == "differ", text)
    page = await views.compare(await views.run(first), await views.run(second), wanted, part)
    return PairList.of_page(
        page.map(lambda one: PairReply.of(one, first=turn_of(one.first), second=turn_of(one.second)))
    )
