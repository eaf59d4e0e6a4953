from pathlib import Path

import pytest
from starlette.exceptions import HTTPException
from web_api import program

from quaestor.web.api.bodies import strict_json

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (b'{"document": "a", "document": "b"}', "'document'"),
        (b'{"document": NaN}', "NaN"),
        (b'{"document": -Infinity}', "-Infinity"),
        (b'{"document": 1e999}', ""),
        (b'{"document": ' + b"9" * 5_000 + b"}", "5000"),
        (b"[" * 50_000, ""),
        (b'{"a":' * 50_000, ""),
        (b'{"document": "\xff"}', "14"),
        ("\ufeff{}".encode(), ""),
        ('{"document": "a"}'.encode("utf-16"), "0"),
        (b"{'document': 1}", ""),
        (b'{"document": "a"} {}', ""),
    ],
)
def test_ambiguous_or_invalid_json_is_refused(text: bytes, named: str) -> None:
    with pytest.raises(HTTPException) as refused:
        strict_json(text)
    assert refused.value.status_code == 400
    assert named in refused.value.detail


def test_json_is_parsed_exactly() -> None:
    assert strict_json(b'{"a": [1, 2.5, null, true, "\\u00e9"]}') == {"a": [1, 2.5, None, True, "é"]}


def test_a_body_of_another_type_or_size_is_refused(tmp_path: Path) -> None:
    with program(tmp_path, serve_request_kb=1) as api:
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "",
                     "application/json; charset=latin-1", "application/jsonp"):  # fmt: skip
            answer = api.ask("POST", "/conversations", content=b"{}", headers={"Content-Type": kind})
            assert answer.status_code == 415, kind
        headers = {"Content-Type": "Application/JSON; charset=UTF-8"}
        assert api.ask("POST", "/conversations", content=b"{}", headers=headers).status_code == 422
        large = b'{"document": "' + b"a" * 1_000 + b'"}'
        assert api.ask("POST", "/conversations", content=large, headers=JSON).status_code == 413
        in_pieces = api.ask("POST", "/conversations", content=iter([large[:500], large[500:]]), headers=JSON)
        assert in_pieces.status_code == 413
        assert in_pieces.headers["connection"] == "close"


def test_unknown_or_duplicate_parameters_are_refused(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        problem = api.get("/documents?limt=1", 422)
        assert [error["where"] for error in problem["errors"]] == ["query.limt"]
        twice = api.get("/documents?limit=1&limit=2", 422)
        assert [error["where"] for error in twice["errors"]] == ["query.limit"]
        assert api.post("/conversations", 422, document="x", titel="y")["errors"][0]["where"] == "body.titel"
