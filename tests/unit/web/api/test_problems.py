import json

import pytest

from quaestor.errors import BusyError, SeveralPagesError
from quaestor.web.api.problems import Fault, code_of, is_for_programs, problem_answer, problem_of, problems


def test_a_problem_says_what_it_is_in_ascii() -> None:
    answer = problem_answer(problem_of(422, "what \udc80 and ü", errors=[Fault(where="body", what="wrong")]))
    assert (answer.status_code, answer.media_type) == (422, "application/problem+json")
    told = json.loads(bytes(answer.body).decode("ascii"))
    assert (told["title"], told["code"], told["type"]) == (
        "Unprocessable Content",
        "unprocessable_content",
        "about:blank",
    )
    assert told["errors"] == [{"where": "body", "what": "wrong"}]
    assert "errors" not in json.loads(bytes(problem_answer(problem_of(404, "no")).body))


def test_who_needs_a_token_is_told_how_it_is_sent() -> None:
    assert problem_answer(problem_of(401, "no")).headers["www-authenticate"] == "Bearer"


def test_the_code_is_that_of_the_error() -> None:
    assert [code_of(error) for error in (BusyError("no"), SeveralPagesError("x", 2))] == ["busy", "several_pages"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/api", True), ("/api/v1", True), ("/api/v9/x", True), ("/apis", False), ("/", False), ("//api/v1", False)],
)
def test_which_addresses_are_for_programs(path: str, expected: bool) -> None:
    assert is_for_programs(path) is expected


def test_operations_that_change_or_take_a_body_have_more_problems() -> None:
    assert set(problems(502, changes=True, body=True)) - set(problems()) == {403, 408, 413, 415, 502}
