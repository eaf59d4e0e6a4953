from pathlib import Path

import pytest
from web_api import Program, program

from quaestor.application.session_manager import SessionManager
from quaestor.errors import BusyError, StoreError


@pytest.mark.parametrize("address", ["/nothing", "/", "/documents/", "/documents//parts", "/runs/x/y/z"])
def test_missing_resource_is_a_problem_reply(tmp_path: Path, address: str) -> None:
    with program(tmp_path) as api:
        assert api.get(address, 404)["code"] in ("not_found", "unknown_document")


@pytest.mark.parametrize(
    ("raised", "status", "code", "header"),
    [
        (BusyError("too much: ask again", 3), 429, "busy", ("retry-after", "3")),
        (StoreError("cannot read /home/me/secret/runs.db: damaged"), 503, "store", None),
        (RuntimeError("/home/me/secret"), 500, "internal_server_error", None),
    ],
)
def test_errors_are_problems_without_a_folder_of_the_machine(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    raised: Exception,
    status: int,
    code: str,
    header: tuple[str, str] | None,
) -> None:
    async def fail(self: SessionManager, id: str) -> None:
        raise raised

    monkeypatch.setattr(SessionManager, "delete", fail)
    with program(tmp_path) as api:
        answer = api.ask("DELETE", api.begin())
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert "secret" not in answer.text
    assert header is None or answer.headers[header[0]] == header[1]


def test_unknown_version_is_a_problem_reply(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        answer = Program(api._client).ask("GET", "/../v2/documents")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
