"""Two runs of the same questions, side by side."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from quaestor.application.run_views import by_chance
from quaestor.scores.listing import Outcome, PairFilter
from quaestor.web.api.bodies import StrictRoute
from quaestor.web.api.problems import problems
from quaestor.web.api.run_values import RunTurnReply, turn_of
from quaestor.web.api.runs import Text
from quaestor.web.api.values import Part, PartReply, Value
from quaestor.web.runs.looking import Views

router = APIRouter(route_class=StrictRoute, prefix="/comparisons", tags=["scores"])

_Run = Query(max_length=200, description="The id of a run.")


class ComparisonReply(Value):
    """How two runs compare over the turns that both have.

    Attributes:
        first: The id of one run.
        second: That of the other.
        turns: How many turns both have.
        both: How many are right in both.
        wins: How many are right in the first alone.
        losses: How many are right in the second alone.
        neither: How many are wrong in both.
        unjudged: How many are not judged in one of them.
        differ: How many have other answers in one than in the other.
        p: How likely two runs that are as good as one another compare at least as far apart (exact McNemar test); null
            where no turn is judged in both, or the extra `compare` is not installed.
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
    """One turn of both runs."""

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
    return ComparisonReply(
        first=one.run.id,
        second=other.run.id,
        turns=counts.total,
        both=said.get("both", 0),
        wins=said.get("first", 0),
        losses=said.get("second", 0),
        neither=said.get("neither", 0),
        unjudged=said.get("unjudged", 0),
        differ=counts.differ,
        p=by_chance(counts),
    )


@router.get("/turns", responses=problems())
async def _list_pairs(
    views: Views,
    part: Part,
    first: Annotated[str, _Run],
    second: Annotated[str, _Run],
    outcome: Annotated[Outcome | None, Query(description="Right in both, in one alone, in neither.")] = None,
    answers: Annotated[
        Literal["differ", "same"] | None, Query(description="Only other answers, or only the same.")
    ] = None,
    text: Text = "",
) -> PairList:
    """List the turns of two runs side by side."""
    wanted = PairFilter(outcome, None if answers is None else answers == "differ", text)
    page = await views.compare(await views.run(first), await views.run(second), wanted, part)
    items = tuple(
        PairReply(first=turn_of(one.first), second=turn_of(one.second), differ=one.differ) for one in page.items
    )
    return PairList(items=items, total=page.total, offset=part.offset, limit=part.limit)
