from pathlib import Path

import pytest
from starlette.testclient import TestClient
from web import asking

from quaestor.errors import SettingsError
from quaestor.web.app import create_app
from quaestor.web.security import Access, is_same_origin

TOKEN = "0123456789abcdef-token"
HERE = "http://127.0.0.1:8765"
SAME = {"Sec-Fetch-Site": "same-origin"}


def client(folder: Path, access: Access | None = None, address: str = HERE) -> TestClient:
    return TestClient(create_app(asking(folder), access), address, follow_redirects=False)


def test_non_local_address_requires_a_token() -> None:
    with pytest.raises(SettingsError):
        Access("0.0.0.0")
    access = Access.at("0.0.0.0")
    assert access.token is not None
    assert len(access.token) > 40
    assert access.token != Access.at("0.0.0.0").token
    assert Access.at("127.0.0.1").token is None


@pytest.mark.parametrize("token", ["short", "ein schönes langes Wort"])
def test_a_token_is_long_and_plain(token: str) -> None:
    with pytest.raises(SettingsError):
        Access("127.0.0.1", token)


@pytest.mark.parametrize(
    ("listening", "host", "known"),
    [
        ("127.0.0.1", "127.0.0.1:8765", True),
        ("127.0.0.1", "localhost:9000", True),
        ("127.0.0.1", "[::1]:8765", True),
        ("127.0.0.1", "LOCALHOST.", True),
        ("127.0.0.1", "attacker.example", False),
        ("127.0.0.1", "127.0.0.1.attacker.example", False),
        ("127.0.0.1", "localhost@attacker.example", False),
        ("127.0.0.1", "192.0.2.7:8765", False),
        ("127.0.0.1", "[", False),
        ("127.0.0.1", "", False),
        ("0.0.0.0", "192.0.2.7:8765", True),
        ("0.0.0.0", "attacker.example", False),
        ("desk.example", "desk.example:8765", True),
    ],
)
def test_only_own_host_names_are_accepted(listening: str, host: str, known: bool) -> None:
    assert Access(listening, TOKEN).accepts_host(host) is known


@pytest.mark.parametrize(
    ("headers", "same"),
    [
        ({"sec-fetch-site": "same-origin", "origin": "http://a:1"}, True),
        ({"sec-fetch-site": "same-origin", "origin": "null"}, True),
        ({"sec-fetch-site": "same-origin"}, True),
        ({"origin": "http://a:1"}, True),
        ({"origin": "http://a:2"}, False),
        ({"origin": "https://a:1"}, False),
        ({"origin": "null"}, False),
        ({"sec-fetch-site": "same-origin", "origin": "http://b:1"}, False),
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "cross-site", "origin": "http://a:1"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({}, False),
    ],
)
def test_same_origin_requests(headers: dict[str, str], same: bool) -> None:
    assert is_same_origin("http", {"host": "a:1", **headers}) is same


def test_changing_requests_must_be_same_origin(tmp_path: Path) -> None:
    with client(tmp_path, Access(token=TOKEN)) as site:
        across = site.post("/login", data={"token": TOKEN}, headers={"Origin": "http://attacker.example"})
        within = site.post("/login", data={"token": TOKEN}, headers=SAME)
    assert across.status_code == 403
    assert "set-cookie" not in across.headers
    assert within.status_code == 303
    assert "HttpOnly; Path=/; SameSite=strict" in within.headers["set-cookie"]


def test_only_static_files_are_served_without_the_token(tmp_path: Path) -> None:
    with client(tmp_path, Access(token=TOKEN)) as site:
        refused = site.get("/runs")
        style = next(part for part in refused.text.split('"') if part.endswith("app.css"))
        assert site.get(style).status_code == 200
        wrong = [site.get("/runs?token=wrong"), site.get("/runs", headers={"Authorization": "Bearer wrong"})]
        right = site.get("/runs", headers={"Authorization": f"Bearer {TOKEN}"})
    assert [answer.status_code for answer in (refused, *wrong)] == [401, 401, 401]
    assert all("set-cookie" not in answer.headers for answer in wrong)
    assert right.status_code == 200


def test_token_in_the_address_is_exchanged_for_an_opaque_cookie(tmp_path: Path) -> None:
    with client(tmp_path, Access(token=TOKEN)) as site:
        answer = site.get(f"/runs?token={TOKEN}&page=2")
        assert (answer.status_code, answer.headers["location"]) == (303, "/runs?page=2")
        assert TOKEN not in answer.headers["set-cookie"]
        assert site.get("/runs").status_code == 200
    with client(tmp_path, Access(token=f"{TOKEN}2")) as other:
        name, _, value = answer.headers["set-cookie"].partition(";")[0].partition("=")
        assert other.get("/runs", headers={"Cookie": f"{name}={value}"}).status_code == 401


def test_token_address_redirects_only_within_the_server(tmp_path: Path) -> None:
    with client(tmp_path, Access(token=TOKEN)) as site:
        answer = site.get(f"http://127.0.0.1:8765//attacker.example/?token={TOKEN}")
    assert answer.headers["location"] == "/attacker.example/"


@pytest.mark.parametrize("path", ["/", "/runs", "/nothing", "/static/nothing"])
def test_every_response_has_security_headers(tmp_path: Path, path: str) -> None:
    with client(tmp_path) as site:
        headers = site.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
