"""The addresses of two runs side by side."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from quaestor.application.run_views import by_chance
from quaestor.errors import InputError
from quaestor.web.runs import words
from quaestor.web.runs.filters import TURNS_SHOWN, ListRequest, pager, pair_filter
from quaestor.web.runs.looking import Views
from quaestor.web.site import TheSite

router = APIRouter()

OUTCOMES = (
    ("both", "right in both"),
    ("first", "right in A only"),
    ("second", "right in B only"),
    ("neither", "wrong in both"),
    ("unjudged", "not scored"),
)


@router.get("/compare")
async def _compare(request: Request, site: TheSite, views: Views) -> Response:
    """Show two runs turn by turn; runs that are ticked in a list come as `run`, the later one first."""
    listed = ListRequest.of("/runs/compare", request.query_params, TURNS_SHOWN)
    if ticked := request.query_params.getlist("run"):
        if len(ticked) != 2:
            raise InputError(f"select two runs to compare, not {len(ticked)}")
        return RedirectResponse(ListRequest("/runs/compare", {}, 1).address(first=ticked[1], second=ticked[0]), 303)
    names = listed.text("first"), listed.text("second")
    if names[0] is None or names[1] is None:
        raise InputError("select two runs to compare")
    first, second = await views.run(names[0]), await views.run(names[1])
    page = await views.compare(first, second, pair_filter(listed), listed.part)
    counts = await views.compared(first, second)
    return site.pages.page(
        request,
        "runs/compare.html",
        first=first,
        second=second,
        counts=counts,
        chance=by_chance(counts),
        outcomes=OUTCOMES,
        pairs=page.items,
        pager=pager(listed, page),
        listed=listed,
        words=words,
    )
