"""The addresses of the area."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from quaestor.web.site import TheSite

router = APIRouter()


@router.get("/")
async def _start(request: Request, site: TheSite) -> Response:
    """Shows what can be asked about."""
    return site.pages.page(request, "ask/start.html", files=site.files)
