"""The disk is full while a server receives files and answers questions: files can grow to a few bytes only."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from web import SAME_ORIGIN, asking

from quaestor.web.app import create_app

pytestmark = [pytest.mark.faults, pytest.mark.skipif(os.name != "posix", reason="limits the size of files")]

FILING = ",2023\nnet sales,17\n"
LARGE = (FILING + "".join(f"line {number},{number}\n" for number in range(3_000))).encode()
LARGER_THAN_MEMORY = LARGE + b"\n" * 1_500_000
FILE = {"Content-Type": "application/octet-stream"}


@contextmanager
def full_disk(largest: int) -> Iterator[None]:
    """Limit the size of every written file."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[TestClient]:
    (tmp_path / "in.csv").write_text(FILING)
    app = create_app(asking(tmp_path), None, (str(tmp_path / "in.csv"),))
    with TestClient(app, "http://127.0.0.1:8765", follow_redirects=False) as client:
        yield client


def documents(server: TestClient) -> list[str]:
    return [one["name"] for one in server.get("/api/v1/documents").json()["items"]]


def files_in(folder: Path) -> list[str]:
    return [path.name for path in folder.glob("*")]


def send_to_api(server: TestClient, data: bytes) -> Any:
    return server.post("/api/v1/documents?name=large.csv", content=data, headers=FILE)


def send_form(server: TestClient, data: bytes) -> Any:
    return server.post("/documents", files={"file": ("large.csv", data)}, headers=SAME_ORIGIN)


@pytest.mark.very_slow
@pytest.mark.parametrize("data", [LARGE, LARGER_THAN_MEMORY], ids=["large", "larger than memory"])
@pytest.mark.parametrize("largest", [0, 4_000])
@pytest.mark.parametrize(("send", "taken"), [(send_to_api, 201), (send_form, 303)])
def test_upload_is_refused_and_leaves_no_files(
    server: TestClient, tmp_path: Path, send: Any, taken: int, largest: int, data: bytes
) -> None:
    with full_disk(largest):
        refused = send(server, data)
        assert refused.status_code == 503, refused.text
        assert "large" in refused.text or "file" in refused.text
        assert str(tmp_path) not in refused.text
        assert server.get("/").status_code == 200
        assert documents(server) == ["in.csv"]
    assert files_in(tmp_path / "uploads") == []
    assert send(server, LARGE).status_code == taken
    assert documents(server) == ["in.csv", "large.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("largest", [0, 4_000])
def test_answer_that_cannot_be_stored_is_shown(server: TestClient, largest: int) -> None:
    document = server.get("/api/v1/documents").json()["items"][0]["id"]

    def begin() -> str:
        reply = server.post("/api/v1/conversations", json={"document": document})
        assert reply.status_code == 201
        return f"/api/v1/conversations/{reply.json()['id']}"

    def ask(conversation: str) -> Any:
        reply = server.post(f"{conversation}/questions", json={"question": "net sales in 2023?"})
        assert reply.status_code == 200, reply.text
        assert reply.json()["answers"][0]["display"] == "17"
        return reply.json()["unkept"]

    before, during = begin(), begin()
    assert ask(before) is None
    with full_disk(largest):
        assert ask(before)
        assert ask(during)
        shown = server.get(during.replace("/api/v1/conversations", "/c"))
        assert shown.status_code == 200
        assert "17" in shown.text
    assert ask(begin()) is None
    assert len(server.get(before).json()["turns"]) == 2


def test_unrecordable_conversation_is_refused(server: TestClient) -> None:
    document = server.get("/api/v1/documents").json()["items"][0]["id"]
    with full_disk(0):
        assert server.post("/api/v1/conversations", json={"document": document}).status_code == 503
        begun = server.post("/conversations", data={"document": document}, headers=SAME_ORIGIN)
        assert begun.status_code == 503
    assert server.get("/api/v1/conversations").json()["items"] == []
    assert server.post("/api/v1/conversations", json={"document": document}).status_code == 201
