"""The addresses of the area."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from quaestor.web.site import TheSite

router = APIRouter(prefix="/runs")


@router.get("")
async def _list_runs(request: Request, site: TheSite) -> Response:
    """Shows the runs of the store, the latest first."""
    runs = [run for run in await site.store.runs() if run.kind == "run"]
    return site.pages.page(request, "runs/list.html", runs=runs)
