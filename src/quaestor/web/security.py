"""Who may ask the server, by which name, and from which page: the only place where a request is refused for that.

A pure ASGI middleware, in front of everything. What it lets through has a Host header that the server goes by (a page
of another site cannot make its own name lead here), comes from a page of this server where it changes anything, and
brings the token where one is needed.
"""

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import URL, Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quaestor.errors import SettingsError

SHORTEST_TOKEN = 16
LOGIN = "/login"
STATIC = "/static/"
"""Below which nothing is private: the files of the package."""

_SEND_THE_TOKEN = "this server requires a token: send the header Authorization: Bearer TOKEN"

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_LOOPBACK_NAMES = frozenset({"localhost"})

_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # Nothing is told to other sites; under `no-referrer` a browser would also hide from us where a form was sent from.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True, slots=True)
class Access:
    """Who is let in.

    Attributes:
        token: What whoever asks has to know; None if all of this machine may ask.
        made: Whether the token was made here, so that nobody knows it yet.
    """

    host: str = "127.0.0.1"
    token: str | None = None
    made: bool = False

    def __post_init__(self) -> None:
        if self.token is None and not is_loopback(self.host):
            raise SettingsError(f"{self.host} can be reached from other machines, which requires a token")
        if self.token is not None and (len(self.token) < SHORTEST_TOKEN or not self.token.isascii()):
            raise SettingsError(
                f"a token needs at least {SHORTEST_TOKEN} ASCII characters; omit it to have one generated"
            )

    @classmethod
    def at(cls, host: str, token: str | None = None) -> "Access":
        """Return who is let in at an address: other machines only with a token, which is made if none is given.

        Raises:
            SettingsError: The token is too short.
        """
        if token or is_loopback(host):
            return cls(host, token or None)
        return cls(host, secrets.token_urlsafe(32), made=True)

    def goes_by(self, host: str) -> bool:
        """Tell whether the server goes by the name of a Host header.

        A name of another site that leads here is none of them: addresses and the machine's own names alone are.
        """
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:
            return False
        if is_loopback(self.host):
            return is_loopback(name)
        return _is_address(name) or name in {*_LOOPBACK_NAMES, self.host.lower(), *_own_names()}

    @property
    def cookie(self) -> str:
        """The name of the cookie: another server of this machine has another one."""
        return f"quaestor_{self._derive('name')[:12]}"

    @property
    def cookie_value(self) -> str:
        """What the cookie holds: it follows from the token, which does not follow from it."""
        return self._derive("value")

    def knows(self, token: str) -> bool:
        """Tell whether a token is the right one, in the same time whatever it is."""
        return self.token is not None and hmac.compare_digest(token.encode(), self.token.encode())

    def lets_in(self, headers: Mapping[str, str]) -> bool:
        """Tell whether a request brings what is needed: the cookie, or the token as a bearer's."""
        if self.token is None:
            return True
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.knows(token.strip())
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return found is not None and hmac.compare_digest(found.value.encode(), self.cookie_value.encode())

    def grant(self, response: Response, *, secure: bool) -> None:
        """Give whoever knew the token the cookie."""
        response.set_cookie(self.cookie, self.cookie_value, httponly=True, samesite="strict", secure=secure)

    def _derive(self, purpose: str) -> str:
        return hmac.new((self.token or "").encode(), f"quaestor {purpose}".encode(), sha256).hexdigest()


def is_loopback(host: str) -> bool:
    """Tell whether an address is of this machine alone.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "localhost.example.com", "")]
    [True, True, True, False, False, False]
    """
    try:
        return host.lower() in _LOOPBACK_NAMES or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _own_names() -> set[str]:
    name = socket.gethostname().lower()
    return {name, f"{name}.local"} - {""}


def is_same_origin(scheme: str, headers: Mapping[str, str]) -> bool:
    """Tell whether a request comes from a page of this server, as its browser says.

    Browsers of today say it in `Sec-Fetch-Site`, which no page can set, and all of them in `Origin` where something is
    sent across sites. What says neither is no browser, and has to bring the token.

    Args:
        headers: Its headers, by lower-case names.
    """
    site, origin, host = headers.get("sec-fetch-site"), headers.get("origin"), headers.get("host", "")
    if site is not None and site != "same-origin":
        return False
    if origin is not None and origin != "null":
        return origin == f"{scheme}://{host}"
    return site is not None


class Guard:
    """Lets requests through, or refuses them; says in every response what a browser may do with it."""

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        refuse: Callable[[Request, int, str], Response],
        programs: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """Take what it guards.

        Args:
            refuse: Makes the answer to a request that is not let through, of its status and one line; 401 asks for
                the token.
            programs: Whether a path is for programs, which say nothing of a page that they come from.
        """
        self.app, self.access, self.refuse, self.programs = app, access, refuse, programs

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        request = Request(scope)
        answer = self._refusal(request) or self._sign_in(request)
        await (answer or self.app)(scope, receive, send_guarded)

    def _refusal(self, request: Request) -> Response | None:
        headers = {name: ", ".join(request.headers.getlist(name)) for name in request.headers}
        scheme = request.scope["scheme"]
        if not self.access.goes_by(headers.get("host", "")):
            return self.refuse(
                request,
                421,
                "Unknown host name. Use the address that the server printed at its start.",
            )
        bearer = self.access.token is not None and "authorization" in headers and self.access.lets_in(headers)
        trusted = bearer or is_same_origin(scheme, headers) or self._is_a_program(request, headers)
        if request.method not in _SAFE and not trusted:
            return self.refuse(request, 403, "This request came from another site and was refused.")
        return None

    def _is_a_program(self, request: Request, headers: Mapping[str, str]) -> bool:
        """Tell whether a request is for programs and from none of the browsers that say where a page comes from.

        What browsers send for a page without a word of that is a form, and no form has the type of a body or the method
        that is taken there.
        """
        return self.programs(request.scope["path"]) and not headers.keys() & {"origin", "sec-fetch-site"}

    def _sign_in(self, request: Request) -> Response | None:
        """Return the answer to who brings a token in the address, or none at all; None if the way is free."""
        path = request.scope["path"]
        if self.access.token is None or path.startswith(STATIC):
            return None
        if self.programs(path):  # whose token is in no address
            let_in = self.access.lets_in(_plain(request.headers))
            return None if let_in else self.refuse(request, 401, _SEND_THE_TOKEN)
        url = URL(scope=request.scope)
        given = parse_qs(url.query).get("token", [])
        if given and request.method in _SAFE and self.access.knows(given[0]):
            target = str(url.remove_query_params("token").replace(scheme="", netloc=""))
            response = RedirectResponse(f"/{target.lstrip('/')}", 303)
            self.access.grant(response, secure=url.is_secure)
            return response
        if path == LOGIN or self.access.lets_in(_plain(request.headers)):
            return None
        return self.refuse(request, 401, "The token is incorrect." if given else "This server requires a token.")


def _plain(headers: Headers) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}
