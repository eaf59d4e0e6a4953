"""The page that asks for the token, where one is needed."""

from typing import Annotated

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from quaestor.web.security import LOGIN
from quaestor.web.site import TheSite

router = APIRouter()


@router.get(LOGIN)
async def _show_login(request: Request, site: TheSite) -> Response:
    """Show the form; the start page to who needs no token."""
    if site.access.token is None:
        return RedirectResponse("/", 303)
    return site.pages.page(request, "login.html", line="")


@router.post(LOGIN)
async def _take_token(request: Request, site: TheSite, token: Annotated[str, Form(max_length=1_000)] = "") -> Response:
    """Give who knows the token the cookie."""
    if site.access.token is None:
        return RedirectResponse("/", 303)
    if not site.access.knows(token.strip()):
        return site.pages.page(request, "login.html", status=401, line="The token is incorrect.")
    response = RedirectResponse("/", 303)
    site.access.grant(response, secure=request.url.is_secure)
    return response
