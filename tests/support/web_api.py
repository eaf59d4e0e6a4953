"""The interface for programs, asked in this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from made_up import a_record, write_dataset
from scripted import ScriptedSolver
from starlette.testclient import TestClient
from web import asking

from quaestor.settings import Setting
from quaestor.web.api.app import ADDRESS
from quaestor.web.app import create_app
from quaestor.web.security import Access

FILE = {"Content-Type": "application/octet-stream"}
HOST = "http://127.0.0.1:8765"


class Program:
    """A program that asks, as programs do: without a word of a page or an origin."""

    def __init__(self, client: TestClient) -> None:
        """Take what makes the requests."""
        self._client = client

    def ask(self, method: str, address: str, **arguments: Any) -> Any:
        """Return the answer, whatever it is; an error has to be a problem."""
        answer = self._client.request(method, f"{ADDRESS}{address}", **arguments)
        assert "html" not in answer.headers.get("content-type", "") or "content-disposition" in answer.headers
        if answer.status_code >= 400:
            assert answer.headers["content-type"] == "application/problem+json", answer.text
            body = answer.json()
            assert body["status"] == answer.status_code
            assert body["detail"]
            assert "\n" not in body["detail"]
            assert set(body) <= {"type", "title", "status", "detail", "code", "errors"}
        return answer

    def get(self, address: str, status: int = 200) -> Any:
        """Return the content of an address."""
        return self._send("GET", address, status)

    def post(self, address: str, status: int = 200, /, **body: Any) -> Any:
        """Return the answer to a body of JSON."""
        return self._send("POST", address, status, json=body)

    def patch(self, address: str, status: int = 200, /, **body: Any) -> Any:
        """Return the answer to a body of JSON."""
        return self._send("PATCH", address, status, json=body)

    def delete(self, address: str, status: int = 204) -> Any:
        """Return the answer to a request to delete."""
        return self._send("DELETE", address, status)

    def upload(self, data: bytes, name: str, status: int = 201) -> Any:
        """Hand a file over."""
        return self._send("POST", f"/documents?name={name}", status, content=data, headers=FILE)

    def begin(self) -> str:
        """Begin a conversation about the first document, and return its address."""
        document = self.get("/documents")["items"][0]["id"]
        return f"/conversations/{self.post('/conversations', 201, document=document)['id']}"

    def ask_all(self, *questions: str) -> str:
        """Begin a conversation in which some questions are answered, and return its address."""
        there = self.begin()
        for question in questions:
            self.post(f"{there}/questions", question=question)
        return there

    def _send(self, method: str, address: str, status: int, **arguments: Any) -> Any:
        answer = self.ask(method, address, **arguments)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None


@contextmanager
def program(
    folder: Path,
    *files: str,
    scripted: bool = True,
    access: Access | None = None,
    headers: dict[str, str] | None = None,
    **settings: Setting,
) -> Iterator[Program]:
    """Start the app with a made-up page, or with files, and give a program that asks it.

    Who answers is a scripted solver, or the one that the settings name.
    """
    shown = files or (str(write_dataset(folder / "page.json", a_record())),)
    app = create_app(asking(folder, ScriptedSolver() if scripted else None, **settings), access, shown)
    with TestClient(app, HOST, headers=headers, follow_redirects=False) as client:
        yield Program(client)
