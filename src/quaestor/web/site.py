"""What every page stands on: opened once by the server, handed to each request. Nothing of it is global."""

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends
from starlette.requests import Request

from quaestor.application.ask_service import AskRequest
from quaestor.settings import Settings
from quaestor.store.base import RunStore
from quaestor.web.security import Access
from quaestor.web.templating import Pages


@dataclass(frozen=True, slots=True)
class Site:
    """A server's own.

    Attributes:
        asking: Who answers where nobody chooses another, and how; `asking.settings` are those in force.
        access: Who is let in.
        pages: The templates.
        store: Where runs and conversations are kept, open.
        files: What the server was started with: files and pages by the names that a person gave.
    """

    asking: AskRequest
    access: Access
    pages: Pages
    store: RunStore
    files: tuple[str, ...] = ()

    @property
    def settings(self) -> Settings:
        """Those in force."""
        return self.asking.settings


def site_of(request: Request) -> Site:
    """Returns the server's own, of the app that a request came to."""
    return cast("Site", request.app.state.site)


TheSite = Annotated[Site, Depends(site_of)]
"""A parameter of this type is given the server's own."""
