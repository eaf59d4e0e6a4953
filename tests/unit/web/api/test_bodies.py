from pathlib import Path

import pytest
from starlette.exceptions import HTTPException
from web_api import program

from quaestor.web.api.bodies import strict_json

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        (b'{"document": "a", "document": "b"}', "'document' stands twice"),
        (b'{"document": NaN}', "NaN is no number"),
        (b'{"document": -Infinity}', "-Infinity is no number"),
        (b'{"document": 1e999}', "too large"),
        (b'{"document": ' + b"9" * 5_000 + b"}", "5000 digits"),
        (b"[" * 50_000, "nested too deeply"),
        (b'{"a":' * 50_000, "nested too deeply"),
        (b'{"document": "\xff"}', "not UTF-8 at byte 14"),
        ("\ufeff{}".encode(), "not JSON"),
        ('{"document": "a"}'.encode("utf-16"), "not UTF-8"),
        (b"{'document': 1}", "not JSON"),
        (b'{"document": "a"} {}', "not JSON"),
    ],
)
def test_json_with_two_meanings_or_none_is_refused(text: bytes, detail: str) -> None:
    with pytest.raises(HTTPException) as refused:
        strict_json(text)
    assert refused.value.status_code == 400
    assert detail in refused.value.detail


def test_json_is_read_as_it_stands() -> None:
    assert strict_json(b'{"a": [1, 2.5, null, true, "\\u00e9"]}') == {"a": [1, 2.5, None, True, "é"]}


def test_a_body_of_another_type_or_size_is_refused(tmp_path: Path) -> None:
    with program(tmp_path, serve_request_kb=1) as asked:
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "",
                     "application/json; charset=latin-1", "application/jsonp"):  # fmt: skip
            answer = asked.ask("POST", "/conversations", content=b"{}", headers={"Content-Type": kind})
            assert answer.status_code == 415, kind
        said = {"Content-Type": "Application/JSON; charset=UTF-8"}
        assert asked.ask("POST", "/conversations", content=b"{}", headers=said).status_code == 422
        large = b'{"document": "' + b"a" * 1_000 + b'"}'
        assert asked.ask("POST", "/conversations", content=large, headers=JSON).status_code == 413
        in_pieces = asked.ask("POST", "/conversations", content=iter([large[:500], large[500:]]), headers=JSON)
        assert in_pieces.status_code == 413
        assert in_pieces.headers["connection"] == "close"


def test_parameters_that_are_unknown_or_stand_twice_are_refused(tmp_path: Path) -> None:
    with program(tmp_path) as asked:
        problem = asked.get("/documents?limt=1", 422)
        assert problem["errors"] == [{"where": "query.limt", "what": "is not known here: leave it out"}]
        assert "twice" in asked.get("/documents?limit=1&limit=2", 422)["detail"]
        assert asked.post("/conversations", 422, document="x", titel="y")["errors"][0]["where"] == "body.titel"
