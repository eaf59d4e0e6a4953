import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from web import asking
from web_api import program

from quaestor.web.app import create_app
from quaestor.web.security import Access

METHODS = {"get", "post", "patch", "delete"}


TOKEN = "0123456789abcdef"


@cache
def document_of(token: str | None = None) -> Any:
    app = create_app(asking(Path("nowhere")), Access(token=token))
    (api,) = (route.app for route in app.routes if getattr(route, "name", "") == "api")  # type: ignore[attr-defined]
    return api.openapi()


def operations(document: Any) -> list[tuple[str, str, Any]]:
    return [(path, method, found) for path, all in document["paths"].items() for method, found in all.items()]


def references(value: Any) -> set[str]:
    if isinstance(value, list):
        return {found for item in value for found in references(item)}
    if not isinstance(value, dict):
        return set()
    here = {str(value["$ref"])} if "$ref" in value else set()
    return here | {found for item in value.values() for found in references(item)}


def test_description_is_openapi_3_1_without_dangling_references() -> None:
    document = document_of()
    from schemathesis.specs.openapi.definitions import OPENAPI_31_VALIDATOR

    OPENAPI_31_VALIDATOR.validate(document)
    assert document["openapi"].startswith("3.1.")
    assert document["servers"] == [{"url": "/api/v1"}]
    schemas = document["components"]["schemas"]
    assert {name.removeprefix("#/components/schemas/") for name in references(document)} <= set(schemas)
    for name, schema in schemas.items():
        jsonschema_rs.meta.validate(schema)
        assert schema.get("description") or not schema, name
    assert "HTTPValidationError" not in schemas
    names = [found["operationId"] for _, _, found in operations(document)]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in names)


def test_every_operation_documents_its_responses() -> None:
    document = document_of()
    for path, method, found in operations(document):
        assert method in METHODS
        assert found["summary"], path
        assert found["description"], path
        assert found["tags"], path
        statuses = set(found["responses"])
        assert {"400", "401", "404", "421", "422", "429", "500", "503"} < statuses, path
        assert ("403" in statuses) == (method != "get"), path
        assert ({"408", "413", "415"} <= statuses) == ("requestBody" in found), path
        for status, answer in found["responses"].items():
            kinds = set(answer.get("content", {}))
            assert answer["description"]
            assert (kinds == {"application/problem+json"}) == (int(status) >= 400), (path, status)
        for name in re.findall(r"{(\w+)}", path):
            assert any(one["name"] == name and one["in"] == "path" for one in found["parameters"])


def test_changing_operations_need_a_content_type_that_forms_cannot_send() -> None:
    """Without a token, this is the only protection from requests by other sites."""
    for path, method, found in operations(document_of()):
        if method == "post":
            kinds = set(found["requestBody"]["content"])
            assert kinds <= {"application/json", "application/octet-stream"}, path


def test_schemas_forbid_additional_properties() -> None:
    for name, schema in document_of()["components"]["schemas"].items():
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False, name


@pytest.mark.slow
@pytest.mark.parametrize("token", [None, TOKEN])
def test_token_is_documented_if_required(token: str | None) -> None:
    document = document_of(token)
    assert ("security" in document) is (token is not None)
    if token is not None:
        assert document["components"]["securitySchemes"]["token"] == {"type": "http", "scheme": "bearer"}


def test_description_is_served(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        assert api.get("/openapi.json") == document_of()
