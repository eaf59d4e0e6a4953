"""Access control: the accepted host names, origins and tokens. No other module rejects requests for these reasons.

A plain ASGI middleware runs before everything else. It accepts a request only if the Host header names this server
(against DNS rebinding), if the request comes from a page of this server when it changes data, and if it carries the
token when one is required.
"""

import hmac
import secrets
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import URL, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quaestor.errors import SettingsError

SHORTEST_TOKEN = 16
LOGIN = "/login"
STATIC = "/static/"
"""Prefix of the static files, which need no token."""

_TOKEN_REQUIRED = "this server requires a token: send the header Authorization: Bearer TOKEN"

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_LOOPBACK_NAME = "localhost"

_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # Other sites get no referrer; `no-referrer` would also hide from this server which page sent a form.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True, slots=True)
class Access:
    """Access rules of a server."""

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
        """Return the rules for a listening address: other machines need a token, which is generated if missing."""
        if token or is_loopback(host):
            return cls(host, token or None)
        return cls(host, secrets.token_urlsafe(32), made=True)

    def accepts_host(self, host: str) -> bool:
        """Return whether a Host header names this server.

        Only addresses and the machine's own names are accepted, so that no other site's domain can be pointed here.
        """
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:
            return False
        if is_loopback(self.host):
            return is_loopback(name)
        own = socket.gethostname().lower()
        return _address(name) is not None or name in {_LOOPBACK_NAME, self.host.lower(), own, f"{own}.local"} - {""}

    @property
    def cookie(self) -> str:
        """Name of the cookie, which differs between servers on the same machine."""
        return f"quaestor_{self._derive('name')[:12]}"

    @property
    def cookie_value(self) -> str:
        """Value of the cookie, derived from the token by a one-way function."""
        return self._derive("value")

    def knows(self, token: str) -> bool:
        """Return whether a token is correct, comparing in constant time."""
        return self.token is not None and hmac.compare_digest(token.encode(), self.token.encode())

    def lets_in(self, headers: Mapping[str, str]) -> bool:
        """Return whether a request carries the cookie or the bearer token, if one is required."""
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
        """Set the login cookie."""
        response.set_cookie(self.cookie, self.cookie_value, httponly=True, samesite="strict", secure=secure)

    def _derive(self, purpose: str) -> str:
        return hmac.new((self.token or "").encode(), f"quaestor {purpose}".encode(), sha256).hexdigest()


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached only from this machine.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "localhost.example.com", "")]
    [True, True, True, False, False, False]
    """
    address = _address(host)
    return host.lower() == _LOOPBACK_NAME or (address is not None and address.is_loopback)


def _address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name)
    except ValueError:
        return None


def is_same_origin(scheme: str, headers: Mapping[str, str]) -> bool:
    """Return whether the browser reports that a request comes from a page of this server.

    Current browsers send `Sec-Fetch-Site`, which pages cannot set; all browsers send `Origin` with cross-site requests
    that change data. A client that sends neither is not a browser and must send the token.
    """
    site, origin, host = headers.get("sec-fetch-site"), headers.get("origin"), headers.get("host", "")
    if site is not None and site != "same-origin":
        return False
    if origin is not None and origin != "null":
        return origin == f"{scheme}://{host}"
    return site is not None


class Guard:
    """ASGI middleware that enforces the access rules and adds security headers to every response."""

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        refuse: Callable[[Request, int, str], Response],
        programs: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.app, self.access, self.refuse, self.programs = app, access, refuse, programs

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
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
        if not self.access.accepts_host(headers.get("host", "")):
            return self.refuse(
                request,
                421,
                "Unknown host name. Use the address that the server printed at its start.",
            )
        bearer = self.access.token is not None and "authorization" in headers and self.access.lets_in(headers)
        # A browser that reports no origin can only send forms, which the API does not accept.
        program = self.programs(request.scope["path"]) and not headers.keys() & {"origin", "sec-fetch-site"}
        trusted = bearer or program or is_same_origin(request.scope["scheme"], headers)
        if request.method not in _SAFE and not trusted:
            return self.refuse(request, 403, "This request came from another site and was refused.")
        return None

    def _sign_in(self, request: Request) -> Response | None:
        """Log in a request with a token in its address, or reject one without a token; None if it may proceed."""
        path = request.scope["path"]
        if self.access.token is None or path.startswith(STATIC):
            return None
        if self.programs(path):  # the API never takes the token from the address
            return None if self.access.lets_in(request.headers) else self.refuse(request, 401, _TOKEN_REQUIRED)
        url = URL(scope=request.scope)
        given = parse_qs(url.query).get("token", [])
        if given and request.method in _SAFE and self.access.knows(given[0]):
            target = str(url.remove_query_params("token").replace(scheme="", netloc=""))
            response = RedirectResponse(f"/{target.lstrip('/')}", 303)
            self.access.grant(response, secure=url.is_secure)
            return response
        if path == LOGIN or self.access.lets_in(request.headers):
            return None
        return self.refuse(request, 401, "The token is incorrect." if given else "This server requires a token.")
