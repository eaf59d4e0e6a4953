"""Questions that never finish: they are limited, cancelled and abandoned, through every interface."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from endless import (
    ASKED,
    ENDLESS,
    STUCK,
    are_gone,
    endless_installed,
    interrupt,
    processes_of,
    serving,
    started,
)

pytestmark = [pytest.mark.faults, pytest.mark.slow]

LIMIT = "8"
"""Seconds per question in tests that reach the limit; enough for ordinary questions on a busy machine."""


class Api:
    """A client of the HTTP interface."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._document = self.get("/documents")["items"][0]["id"]

    def get(self, where: str) -> Any:
        return self._send("GET", where).json()

    def begin(self) -> str:
        return str(self._send("POST", "/conversations", {"document": self._document}).json()["id"])

    def ask(self, conversation: str, question: str) -> tuple[int, str]:
        """Return the status, and the answer or the code of the problem."""
        reply = self._send("POST", f"/conversations/{conversation}/questions", {"question": question})
        problem = reply.json()
        return reply.status_code, problem["answers"][0]["display"] if reply.is_success else problem["code"]

    def delete(self, where: str) -> int:
        return self._send("DELETE", where).status_code

    def _send(self, method: str, where: str, body: dict[str, str] | None = None) -> httpx2.Response:
        return httpx2.request(method, f"{self.address}/api/v1{where}", json=body, timeout=100)

    @contextmanager
    def asking(self, conversation: str, question: str) -> Iterator[list[tuple[int, str]]]:
        """Ask in a thread within the context, and yield the list of replies, which is complete after its end."""
        replies: list[tuple[int, str]] = []
        thread = threading.Thread(target=lambda: replies.append(Api(self.address).ask(conversation, question)))
        thread.start()
        try:
            time.sleep(1.0)  # optional: a question that is cancelled before it starts is cancelled too
            yield replies
        finally:
            thread.join()


RIGHT = (200, "$ 120.5 million")
LATE = (504, "question_timeout")
STOPPED = (409, "question_stopped")


@pytest.mark.very_slow
@pytest.mark.timeout(240)
def test_endless_questions_end_while_others_are_answered(tmp_path: Path) -> None:
    environment = endless_installed(tmp_path)
    with serving(tmp_path, environment, "--question-seconds", LIMIT) as (address, _):
        api, late = Api(address), list[tuple[int, str]]()
        assert api.ask(api.begin(), ASKED) == RIGHT
        conversations = [api.begin() for _ in range(3)]
        threads = [
            threading.Thread(target=lambda c=one, q=question: late.append(Api(address).ask(c, q)))
            for one, question in zip(conversations, [ENDLESS, STUCK, STUCK], strict=True)
        ]
        for thread in threads:
            thread.start()
        assert api.ask(api.begin(), ASKED) == RIGHT
        for thread in threads:
            thread.join()
        assert late == [LATE] * len(threads)
        assert [api.ask(one, ASKED) for one in conversations] == [RIGHT] * len(conversations)
        assert [turn["question"] for turn in api.get(f"/conversations/{conversations[0]}")["turns"]] == [ASKED]


@pytest.mark.very_slow
@pytest.mark.timeout(240)
def test_question_can_be_cancelled_and_its_conversation_deleted(tmp_path: Path) -> None:
    with serving(tmp_path, endless_installed(tmp_path)) as (address, process):
        api = Api(address)
        one = api.begin()
        assert api.ask(one, ASKED) == RIGHT
        with api.asking(one, STUCK) as replies:
            assert api.delete(f"/conversations/{one}/questions/current") == 200
        assert replies == [STOPPED]
        assert api.ask(one, "and in 2022?") == (200, "$ 110.0 million")
        with api.asking(one, STUCK) as replies:
            assert api.delete(f"/conversations/{one}") == 204
        assert replies == [STOPPED]
        assert api.get(f"/conversations/{one}")["status"] == 404
        assert api.delete(f"/conversations/{one}/questions/current") == 404

        two = api.begin()
        where = f"/api/v1/conversations/{two}/questions/stream"
        with httpx2.Client(base_url=address) as leaving, leaving.stream("POST", where, json={"question": STUCK}):
            time.sleep(1.0)
            computing = processes_of(process.pid)
        assert api.ask(two, ASKED) == RIGHT
        assert computing - processes_of(process.pid)

        with api.asking(two, ENDLESS) as replies:
            pressed = httpx2.post(f"{address}/c/{two}/stop", headers={"Sec-Fetch-Site": "same-origin"}, timeout=100)
            assert pressed.status_code == 303
        assert replies == [STOPPED]


@pytest.mark.very_slow
@pytest.mark.timeout(240)
def test_killed_worker_is_replaced(tmp_path: Path) -> None:
    with serving(tmp_path, endless_installed(tmp_path)) as (address, process):
        api = Api(address)
        one = api.begin()
        assert api.ask(one, ASKED) == RIGHT
        (server,) = [child for child in processes_of(process.pid) if processes_of(child)]
        for worker in processes_of(server):
            os.kill(worker, signal.SIGKILL)
        assert api.ask(one, "and in 2022?") == (200, "$ 110.0 million")


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.timeout(240)
@pytest.mark.very_slow
def test_server_stops_during_endless_questions(tmp_path: Path, end: signal.Signals) -> None:
    with serving(tmp_path, endless_installed(tmp_path)) as (address, process):
        api = Api(address)
        for question in (ENDLESS, STUCK, STUCK):
            where = f"{address}/api/v1/conversations/{api.begin()}/questions"
            threading.Thread(target=_ask_without_reply, args=(where, question), daemon=True).start()
        time.sleep(3.0)
        workers = processes_of(process.pid)
        process.send_signal(end)
        process.wait(30)
        assert workers
        assert are_gone(workers)


def _ask_without_reply(where: str, question: str) -> None:
    with suppress(httpx2.HTTPError):
        httpx2.post(where, json={"question": question}, timeout=100)


class McpClient:
    """A client of MCP over the standard streams of a process."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self._replies: dict[int, Any] = {}
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        self.send(id=0, method="initialize", params=client)
        self.reply(0)
        self.send(method="notifications/initialized")

    def send(self, **message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, id: int, question: str) -> None:
        given = {"document": "tern.md", "question": question}
        self.send(id=id, method="tools/call", params={"name": "ask", "arguments": given})

    def reply(self, id: int) -> Any:
        assert self.process.stdout is not None
        while id not in self._replies:
            message = json.loads(self.process.stdout.readline())
            self._replies[message.get("id")] = message
        return self._replies[id].get("result")


@pytest.mark.very_slow
@pytest.mark.timeout(240)
def test_mcp_question_can_be_cancelled_and_is_limited(tmp_path: Path) -> None:
    environment = endless_installed(tmp_path)
    with started(tmp_path, environment, "mcp", "tern.md", "--question-seconds", LIMIT) as process:
        assistant = McpClient(process)
        assistant.ask(1, ASKED)
        assert assistant.reply(1)["structuredContent"]["answers"][0]["display"] == "$ 120.5 million"
        for number in range(2, 7):
            assistant.ask(number, STUCK)
        time.sleep(1.0)
        for number in range(2, 7):
            assistant.send(method="notifications/cancelled", params={"requestId": number})
        assistant.ask(7, ASKED)
        assert not assistant.reply(7).get("isError")
        assistant.ask(8, ENDLESS)
        late = assistant.reply(8)
        assert late["isError"]
        assert "question_seconds" in late["content"][0]["text"]


@pytest.mark.parametrize("end", ["input", signal.SIGKILL])
@pytest.mark.timeout(240)
@pytest.mark.very_slow
def test_mcp_server_stops_during_endless_questions(tmp_path: Path, end: signal.Signals | str) -> None:
    with started(tmp_path, endless_installed(tmp_path), "mcp", "tern.md") as process:
        assistant = McpClient(process)
        assistant.ask(1, ASKED)
        assistant.reply(1)
        for number, question in enumerate((STUCK, ENDLESS, STUCK), start=2):
            assistant.ask(number, question)
        time.sleep(2.0)
        workers = processes_of(process.pid)
        if isinstance(end, signal.Signals):
            process.send_signal(end)
        else:
            assert process.stdin is not None
            process.stdin.close()
            process.stdin = None
        process.wait(30)
        assert workers
        assert are_gone(workers)


@pytest.mark.timeout(240)
@pytest.mark.very_slow
def test_one_interrupt_stops_a_command(tmp_path: Path) -> None:
    environment = endless_installed(tmp_path)
    with started(tmp_path, environment, "ask", "tern.md", ENDLESS) as process:
        _wait_until_it_computes(process, tmp_path)
        interrupt(process)
        assert process.wait(30) == 130


def _wait_until_it_computes(process: "subprocess.Popen[str]", folder: Path) -> None:
    began = time.monotonic()
    while not (folder / "begun").exists():
        assert process.poll() is None
        assert time.monotonic() < began + 150
        time.sleep(0.1)
    time.sleep(0.5)


@pytest.mark.timeout(240)
@pytest.mark.very_slow
def test_command_names_the_setting_that_limits_a_question(tmp_path: Path) -> None:
    environment = endless_installed(tmp_path)
    with started(tmp_path, environment, "ask", "tern.md", ENDLESS, "--question-seconds", "2") as process:
        assert process.wait(200) == 1
        assert process.stderr is not None
        assert "question_seconds" in process.stderr.read()


PROGRAM = f"""
import asyncio, threading, quaestor
from quaestor.errors import QuestionTimeoutError

def opened(seconds):
    settings = quaestor.Settings(solver="endless", question_seconds=seconds, keep_asked=False)
    return quaestor.open("tern.md", settings=settings)

opened(60.0).ask({ASKED!r})  # the first one loads what the others use
page = opened(3.0)

def late(call):
    try:
        call()
    except QuestionTimeoutError as error:
        print(error.seconds, flush=True)

late(lambda: page.ask({ENDLESS!r}))
thread = threading.Thread(target=late, args=(lambda: page.ask({ENDLESS!r}),))
thread.start()
thread.join()
late(lambda: asyncio.run(page.ask_async({ENDLESS!r})))
conversation = page.conversation()
late(lambda: conversation.ask({ENDLESS!r}))

async def two():
    asked = page.ask_async({ENDLESS!r}), page.ask_async({ASKED!r})
    late, answer = await asyncio.gather(*asked, return_exceptions=True)
    print(late.seconds, answer)

asyncio.run(two())
print(conversation.ask({ASKED!r}), len(conversation.answers))
"""


@pytest.mark.timeout(240)
@pytest.mark.very_slow
def test_limit_applies_in_every_thread_and_loop(tmp_path: Path) -> None:
    environment = endless_installed(tmp_path)
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split("\n")[:4] == ["3.0"] * 4
    assert "120.5" in ran.stdout.split("\n")[4]
    assert ran.stdout.split("\n")[5].endswith(" 1")


@pytest.mark.parametrize(
    "call",
    [
        "page.ask(QUESTION)",
        "asyncio.run(page.conversation().ask_async(QUESTION))",
    ],
)
@pytest.mark.timeout(240)
@pytest.mark.very_slow
def test_one_interrupt_stops_a_call_in_python(tmp_path: Path, call: str) -> None:
    environment = endless_installed(tmp_path)
    code = (
        "import asyncio, signal, quaestor\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "page = quaestor.open('tern.md', settings=quaestor.Settings(solver='endless', keep_asked=False))\n"
        f"QUESTION = {ENDLESS!r}\n"
        f"try:\n    {call}\nexcept KeyboardInterrupt:\n    print('interrupted')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, env={**environment}, stdout=subprocess.PIPE, text=True
    )
    try:
        _wait_until_it_computes(process, tmp_path)
        interrupt(process)
        assert process.communicate(timeout=30)[0] == "interrupted\n"
        assert process.returncode == 0
    finally:
        process.kill()
        process.communicate()


@pytest.mark.timeout(240)
@pytest.mark.very_slow
def test_turn_over_its_limit_fails_and_the_others_are_scored(tmp_path: Path) -> None:
    environment: Mapping[str, str] = {**endless_installed(tmp_path), "QUAESTOR_QUESTION_SECONDS": LIMIT}
    record = {
        "id": "Single_tern",
        "doc": {"pre_text": "", "post_text": "", "table": {"2023": {"net sales": 120.5}, "2022": {"net sales": 110.0}}},
        "dialogue": {
            "conv_questions": [ENDLESS, "what were net sales in 2022?"],
            "conv_answers": ["120.5", "110.0"],
            "turn_program": ["120.5", "110.0"],
            "executed_answers": [120.5, 110.0],
            "qa_split": [False, False],
        },
        "features": {"num_dialogue_turns": 2, "has_type2_question": False, "has_duplicate_columns": False,
                     "has_non_numeric_values": False},
    }  # fmt: skip
    (tmp_path / "asked.json").write_text(json.dumps({"train": [record]}))
    ran = subprocess.run(
        [sys.executable, "-c", "from quaestor.cli import main; raise SystemExit(main())", "eval", "asked.json"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr

    from quaestor.store.base import open_store

    async def errors() -> list[str | None]:
        async with open_store(str(tmp_path / "runs.db")) as store:
            (run,) = await store.runs()
            return [turn.error for turn in await store.turns(run.id)]

    late, right = asyncio.run(errors())
    assert late is not None
    assert "QuestionTimeoutError" in late
    assert right is None
