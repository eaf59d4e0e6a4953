"""The document of the interface: OpenAPI 3.1, with the problems and the token that every operation has in common."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from quaestor.web.api.problems import Problem

SECURITY = "token"
_TAGS = {
    "documents": "Files and pages to ask questions about.",
    "conversations": "Sequences of questions about one document; later questions can refer to earlier ones.",
    "questions": "Questions in a conversation, and their answers with sources.",
    "corrections": "Manual corrections of answers.",
    "tools": "Find passages, check numbers, query facts, calculate, and explain answers.",
    "runs": "Recorded answers: to the questions of a dataset, of a person, or of another program.",
    "scores": "Accuracy of runs, and comparisons of two runs.",
    "solvers": "Available solvers and models.",
}
_BEGINS = "begin_conversation"
_GIVEN = (
    ("list_documents", "200", "document", "/items/0/id"),
    ("upload_document", "201", "document", "/id"),
    ("list_pages", "200", "document", "/items/0/id"),
    (_BEGINS, "201", "conversation", "/id"),
    ("list_runs", "200", "run", "/items/0/id"),
)
"""Operations that give an id, in the answer of which status, for which parameter, and where in it."""


def describe_api(api: FastAPI, *, token: bool) -> dict[str, Any]:
    """Return the document of an interface.

    Args:
        token: Whether whoever asks needs the token.
    """
    told = get_openapi(
        title=api.title,
        version=api.version,
        summary=api.summary,
        description=api.description,
        routes=api.routes,
        tags=[{"name": name, "description": words} for name, words in _TAGS.items()],
        servers=[{"url": "/api/v1"}],
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    _link(told["paths"])
    schemas = told["components"]["schemas"]
    problem = Problem.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
    schemas |= problem.pop("$defs", {}) | {"Problem": {**problem, "required": [*_always(problem)]}}
    if token:
        told["components"]["securitySchemes"] = {SECURITY: {"type": "http", "scheme": "bearer"}}
        told["security"] = [{SECURITY: []}]
    return told


def _link(paths: dict[str, dict[str, Any]]) -> None:
    """Say of each operation that gives an id which others take it."""
    operations = [(path, operation) for path, methods in paths.items() for operation in methods.values()]
    for source, status, parameter, where in _GIVEN:
        links = {
            operation["operationId"]: {
                "operationId": operation["operationId"],
                "parameters": {parameter: f"$response.body#{where}"},
            }
            for path, operation in operations
            if f"{{{parameter}}}" in path
        }
        if parameter == "document":
            links[_BEGINS] = {"operationId": _BEGINS, "requestBody": {"document": f"$response.body#{where}"}}
        (found,) = (operation for _, operation in operations if operation["operationId"] == source)
        found["responses"][status]["links"] = links


def _always(problem: dict[str, Any]) -> list[str]:
    """The members that every problem has: `errors` is left out if there are none."""
    return [name for name in problem["properties"] if name != "errors"]
