import json

import pytest

from quaestor.web.api.problems import Fault, is_for_programs, problem_answer, problem_of


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
