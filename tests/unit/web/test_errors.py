from pathlib import Path

import pytest
from fastapi import FastAPI
from web import asking, client_of

from quaestor.errors import InputError, StoreError, UnknownRunError
from quaestor.web.app import create_app

SECRET = "sk-this-is-a-key"


def app_that_fails(folder: Path) -> FastAPI:
    app = create_app(asking(folder))

    @app.get("/broken")
    async def broken() -> None:
        raise RuntimeError(f"{SECRET} in /home/somebody/secret.py")

    @app.get("/mistaken")
    async def mistaken() -> None:
        raise InputError("/home/somebody/filing.htm: <b>x</b>")

    @app.get("/gone")
    async def gone() -> None:
        raise UnknownRunError("no run 'x'")

    @app.get("/locked")
    async def locked() -> None:
        raise StoreError("cannot read .quaestor/runs.db: it is locked")

    return app


def test_user_error_is_one_line_without_folders(tmp_path: Path) -> None:
    with client_of(app_that_fails(tmp_path)) as client:
        answer = client.get("/mistaken")
    assert answer.status_code == 400
    assert "filing.htm: &lt;b&gt;x&lt;/b&gt;" in answer.text
    assert "somebody" not in answer.text


def test_unexpected_error_is_only_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with client_of(app_that_fails(tmp_path)) as client:
        answer = client.get("/broken")
    assert answer.status_code == 500
    assert SECRET not in answer.text
    assert "Traceback" not in answer.text
    assert SECRET in caplog.text
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize(("path", "status"), [("/gone", 404), ("/locked", 503), ("/nothing", 404), ("/static/x", 404)])
def test_status_distinguishes_client_and_server_errors(tmp_path: Path, path: str, status: int) -> None:
    with client_of(app_that_fails(tmp_path)) as client:
        answer = client.get(path)
    assert answer.status_code == status
    assert "<h1>" in answer.text


def test_error_in_a_page_fragment_is_one_line(tmp_path: Path) -> None:
    with client_of(app_that_fails(tmp_path)) as client:
        answer = client.get("/mistaken", headers={"HX-Request": "true"})
    assert answer.text.startswith("<p")
    assert answer.headers["hx-retarget"] == "#notice"
