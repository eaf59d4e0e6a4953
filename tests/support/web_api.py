"""The HTTP interface, used in this process."""

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
    """A client that uses the interface as programs do, without the headers of a browser."""

    def __init__(self, client: TestClient) -> None:
        self._client = client

    def ask(self, method: str, address: str, **arguments: Any) -> Any:
        """Send a request and return the response; an error has to be a problem document."""
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
        """Return the JSON of an address."""
        return self._send("GET", address, status)

    def post(self, address: str, status: int = 200, /, **body: Any) -> Any:
        """Send a JSON body and return the response's JSON."""
        return self._send("POST", address, status, json=body)

    def patch(self, address: str, status: int = 200, /, **body: Any) -> Any:
        """Send a JSON body and return the response's JSON."""
        return self._send("PATCH", address, status, json=body)

    def delete(self, address: str, status: int = 204) -> Any:
        """Send a DELETE request and return the response's JSON, if any."""
        return self._send("DELETE", address, status)

    def upload(self, data: bytes, name: str, status: int = 201) -> Any:
        """Upload a file."""
        return self._send("POST", f"/documents?name={name}", status, content=data, headers=FILE)

    def begin(self) -> str:
        """Begin a conversation about the first document, and return its address."""
        document = self.get("/documents")["items"][0]["id"]
        return f"/conversations/{self.post('/conversations', 201, document=document)['id']}"

    def ask_all(self, *questions: str) -> str:
        """Begin a conversation, ask questions in it, and return its address."""
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
    """Start the app with a made-up page, or with files, and yield a client of it.

    Questions are answered by the scripted solver, or by the one that the settings name.
    """
    shown = files or (str(write_dataset(folder / "page.json", a_record())),)
    app = create_app(asking(folder, ScriptedSolver() if scripted else None, **settings), access, shown)
    with TestClient(app, HOST, headers=headers, follow_redirects=False) as client:
        yield Program(client)
