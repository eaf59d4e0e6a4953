from collections.abc import Iterator

import pytest
from web_api import Program, program


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
