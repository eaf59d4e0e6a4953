import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from web_api import Program, program

from quaestor.application.session_manager import SessionManager
from quaestor.errors import BusyError, StoreError
from quaestor.web.api.app import Rates
from quaestor.web.errors import Fault, is_for_programs, problem_answer, problem_of


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


def test_problem_replies_are_ascii() -> None:
    answer = problem_answer(problem_of(422, "what \udc80 and ü", errors=[Fault(where="body", what="wrong")]))
    assert (answer.status_code, answer.media_type) == (422, "application/problem+json")
    problem = json.loads(bytes(answer.body).decode("ascii"))
    assert (problem["title"], problem["code"], problem["type"]) == (
        "Unprocessable Content",
        "unprocessable_content",
        "about:blank",
    )
    assert problem["errors"] == [{"where": "body", "what": "wrong"}]
    assert "errors" not in json.loads(bytes(problem_answer(problem_of(404, "no")).body))


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/api", True), ("/api/v1", True), ("/api/v9/x", True), ("/apis", False), ("/", False), ("//api/v1", False)],
)
def test_api_addresses_are_recognised(path: str, expected: bool) -> None:
    assert is_for_programs(path) is expected


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with program(tmp_path_factory.mktemp("methods")) as api:
        yield api


def test_head_is_get_without_a_body(api: Program) -> None:
    got, head = api.ask("GET", "/documents"), api.ask("HEAD", "/documents")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == got.headers["content-length"] == str(len(got.content))


@pytest.mark.parametrize(
    ("method", "address", "allowed"),
    [
        ("PUT", "/documents", "GET, HEAD, POST"),
        ("OPTIONS", "/documents", "GET, HEAD, POST"),
        ("POST", "/documents/x", "DELETE, GET, HEAD"),
        ("GET", "/conversations/x/questions", "POST"),
        ("TRACE", "/conversations/x", "DELETE, GET, HEAD, PATCH"),
    ],
)
def test_unsupported_method_lists_the_allowed_ones(api: Program, method: str, address: str, allowed: str) -> None:
    answer = api.ask(method, address)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert answer.json()["detail"].endswith(allowed)


def test_requests_up_to_the_limit_are_allowed() -> None:
    now = 0.0
    rates = Rates(60, lambda: now)
    assert [rates.wait("a") for _ in range(10)] == [0] * 10
    assert rates.wait("a") == 1
    assert rates.wait("b") == 0
    now = 0.5
    assert rates.wait("a") == 0.5
    now = 1.0
    assert rates.wait("a") == 0
    now = 3_600.0
    assert [bool(rates.wait("a")) for _ in range(11)] == [*[False] * 10, True]


def test_zero_means_no_limit_and_old_addresses_are_removed() -> None:
    assert not any(Rates(0).wait("a") for _ in range(10_000))
    rates = Rates(6, lambda: 0.0)
    assert (rates.wait("a"), rates.wait("a")) == (0, 10)
    for number in range(10_000):
        rates.wait(str(number))
    assert rates.wait("a") == 0


def test_rate_limited_request_has_retry_after(tmp_path: Path) -> None:
    with program(tmp_path, serve_requests_per_minute=12) as api:
        answers = [api.ask("GET", "/solvers") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 5
    assert answers[-1].json()["code"] == "too_many_requests"
