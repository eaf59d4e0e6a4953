"""Who can be asked."""

from fastapi import APIRouter

from quaestor.application.choices import answerers
from quaestor.application.replies import Value
from quaestor.web.api.bodies import StrictRoute
from quaestor.web.api.problems import problems
from quaestor.web.api.values import Part, PartReply, part_of_whole
from quaestor.web.site import TheSite

router = APIRouter(route_class=StrictRoute, tags=["solvers"])


class SolverReply(Value):
    """A solver, with its model if it uses one.

    Attributes:
        summary: A one-line description.
    """

    id: str
    name: str
    summary: str
    asks_model: bool


class SolverList(PartReply[SolverReply]):
    """Available solvers, the default first."""


@router.get("/solvers", responses=problems())
async def _list_solvers(site: TheSite, part: Part) -> SolverList:
    """List the available solvers, each with the configured models."""
    found = tuple(SolverReply.of(one, asks_model=one.asks) for one in answerers(site.asking))
    return SolverList.of_page(part_of_whole(found, part))
