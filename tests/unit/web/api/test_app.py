"""Tokens, origins and host names of the HTTP API, and conversations shared with the pages."""

from pathlib import Path

from web_api import program

from quaestor.web.security import Access

TOKEN = "0123456789abcdef-token"


def test_token_is_sent_as_bearer(tmp_path: Path) -> None:
    access = Access(token=TOKEN)
    with program(tmp_path, access=access) as api:
        refused = api.ask("GET", "/documents")
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        assert refused.headers["www-authenticate"] == "Bearer"
        for header in (f"Bearer {TOKEN}x", f"Basic {TOKEN}", "Bearer", f"Bearer {TOKEN}, Bearer {TOKEN}"):
            assert api.ask("GET", "/documents", headers={"Authorization": header}).status_code == 401
        in_address = api.ask("GET", f"/documents?token={TOKEN}")
        assert (in_address.status_code, "set-cookie" in in_address.headers) == (401, False)
    with program(tmp_path, access=access, headers={"Authorization": f"Bearer {TOKEN}"}) as api:
        assert api.ask_all("cell 1 1")
        evil = {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}
        assert api.ask("POST", "/conversations", json={"document": "x"}, headers=evil).status_code == 404


def test_pages_and_programs_share_conversations(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        there = api.ask_all("cell 1 1")
        page = api._client.get(there.replace("conversations", "c"))
    assert 'id="turn-1"' in page.text
