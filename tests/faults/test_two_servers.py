"""Two servers share one store and one folder: uploads, questions and deletions on one are visible on the other."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest
from endless import FILING, endless_installed, serving

pytestmark = [pytest.mark.faults, pytest.mark.very_slow, pytest.mark.timeout(300)]

QUESTIONS = ["what were net sales in 2023?", "what was net income in 2022?", "what was cost of sales in 2023?"]
FILE = {"Content-Type": "application/octet-stream"}


class Server:
    """A client of the HTTP interface."""

    def __init__(self, address: str) -> None:
        self.address = f"{address}/api/v1"

    def send(self, method: str, where: str, **arguments: Any) -> Any:
        return httpx2.request(method, self.address + where, timeout=120, **arguments)

    def get(self, where: str) -> Any:
        return self.send("GET", where).json()

    def begin(self, document: str | None = None) -> str:
        document = document or self.get("/documents")["items"][0]["id"]
        reply = self.send("POST", "/conversations", json={"document": document})
        assert reply.status_code == 201, reply.text
        return str(reply.json()["id"])

    def ask(self, conversation: str, question: str) -> Any:
        return self.send("POST", f"/conversations/{conversation}/questions", json={"question": question})

    def questions(self, conversation: str) -> list[str]:
        return [turn["question"] for turn in self.get(f"/conversations/{conversation}")["turns"]]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    folder = tmp_path_factory.mktemp("two")
    environment = endless_installed(folder)
    with serving(folder, environment) as (one, _), serving(folder, environment) as (other, _):
        yield Server(one), Server(other)


def test_uploaded_document_is_available_on_both_servers(both: tuple[Server, Server]) -> None:
    one, other = both
    uploaded = one.send("POST", "/documents?name=two.md", content=FILING.encode(), headers=FILE).json()["id"]
    assert uploaded in [item["id"] for item in other.get("/documents")["items"]]
    conversation = other.begin(uploaded)
    assert other.ask(conversation, QUESTIONS[0]).json()["unkept"] is None
    assert one.questions(conversation) == QUESTIONS[:1]
    assert one.send("DELETE", f"/documents/{uploaded}").status_code == 204
    for server in both:
        gone = server.send("GET", f"/documents/{uploaded}")
        assert (gone.status_code, gone.json()["code"]) == (404, "unknown_document")


def test_conversation_continues_on_the_other_server(both: tuple[Server, Server]) -> None:
    one, other = both
    conversation = one.begin()
    questions: list[str] = []
    for server in (one, other, one, one, other):
        questions.append(QUESTIONS[len(questions) % 3])
        reply = server.ask(conversation, questions[-1])
        assert (reply.status_code, reply.json()["unkept"]) == (200, None)
        assert one.questions(conversation) == other.questions(conversation) == questions


def test_simultaneous_questions_to_both_servers_are_stored(both: tuple[Server, Server]) -> None:
    shared = both[0].begin()
    own = [(server, server.begin()) for server in both for _ in range(3)]
    with ThreadPoolExecutor(8) as pool:
        wanted = [(server, id) for server, id in own for _ in QUESTIONS] + [(server, shared) for server in both * 3]
        replies = list(pool.map(lambda one: one[0].ask(one[1], QUESTIONS[0]), wanted))
    assert [(reply.status_code, reply.json().get("unkept")) for reply in replies] == [(200, None)] * len(wanted)
    for _, id in own:
        assert [len(server.questions(id)) for server in both] == [3, 3]
    assert [len(server.questions(shared)) for server in both] == [6, 6]


@pytest.mark.very_slow
def test_conversation_deleted_on_one_server_is_not_found_on_the_other(both: tuple[Server, Server]) -> None:
    one, other = both
    conversation = one.begin()
    for server in both:
        assert server.ask(conversation, QUESTIONS[0]).status_code == 200
    with ThreadPoolExecutor(2) as pool:
        asking = [
            pool.submit(one.ask, conversation, QUESTIONS[1]),
            pool.submit(other.send, "DELETE", f"/conversations/{conversation}"),
        ]
        replies = [one.result() for one in asking]
    assert replies[0].status_code in (200, 404)
    assert replies[1].status_code == 204
    for server in both:
        gone = server.ask(conversation, QUESTIONS[1])
        assert (gone.status_code, gone.json()["code"]) == (404, "unknown_conversation")
        assert server.send("DELETE", f"/conversations/{conversation}").status_code == 404
