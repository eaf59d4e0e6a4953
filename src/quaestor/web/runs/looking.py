"""What the pages of runs look into the store with: opened once by the server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, cast

from fastapi import Depends, FastAPI
from starlette.requests import Request

from quaestor.application.run_views import RunViews


@asynccontextmanager
async def looking(app: FastAPI) -> AsyncIterator[None]:
    """Open it for as long as an app runs whose store is open."""
    site = app.state.site
    async with RunViews(site.store, site.settings.store) as views:
        app.state.run_views = views
        yield


def views_of(request: Request) -> RunViews:
    """Return what the app that a request came to looks through runs with."""
    return cast("RunViews", request.app.state.run_views)


Views = Annotated[RunViews, Depends(views_of)]
"""A parameter of this type is given it."""
