import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_bench import CANARY, Bench
from model_replies import broken, call, garbled, say, too_many
from pydantic import JsonValue
from pydantic_ai import Agent
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelRequest

from quaestor.errors import CassetteError, InputError, OutageError, QuaestorError
from quaestor.llm.cassette import CassettePlayer, CassetteRecorder, pack, unpack
from quaestor.llm.models import Cassette
from quaestor.llm.transcript import Exchange, phase, turn_context
from quaestor.testing.models import ReceivedRequest, Reply


def reply_with_tool_call(request: ReceivedRequest) -> Reply:
    """Reply to a short conversation with one tool call."""
    number = len(request.results)
    if number == 0:
        return call("lookup", row=len(request.prompts))
    return say(f"it is {request.results[-1]} \u20ac\u2028 in row {len(request.prompts)}")


def with_faults(script: Callable[[ReceivedRequest], Reply]) -> Callable[[ReceivedRequest], Reply]:
    """Return a script in which every third request fails, in several ways."""
    faults = [broken(500), too_many("2"), garbled(), say("a reply that is cut off in the middle of it", cut=90)]

    def answer(request: ReceivedRequest) -> Reply:
        return faults[request.number // 3 % len(faults)] if request.number % 3 == 0 else script(request)

    return answer


def play(bench: Bench, tape: Cassette, conversations: int = 4, pace: float = 0.0) -> list[str]:
    """Run conversations of two turns in parallel; `pace` varies the order of their requests."""

    async def run() -> list[str]:
        async with bench.connect(cassette=tape, environment=None if tape.live else {}) as connection:
            agent = Agent(connection.model)

            @agent.tool_plain
            async def lookup(row: int) -> str:
                return f"<{row}>"

            async def converse(number: int) -> str:
                replies = []
                for turn in range(2):
                    await asyncio.sleep(pace * (conversations - number))
                    with turn_context("run", f"c{number}", turn), phase("ANSWER"):
                        replies.append((await agent.run(f"question {turn}")).output)
                return " / ".join(replies)

            return list(await asyncio.gather(*(converse(number) for number in range(conversations))))

    return asyncio.run(run())


def without_times(exchanges: list[Exchange]) -> list[tuple[object, ...]]:
    """Return a transcript without times, in the order of the conversations."""
    ordered = sorted(exchanges, key=lambda e: (e.place.conversation, e.place.turn, e.number))
    return [(e.place, e.number, e.phase, e.request, e.status, dict(e.headers), e.response, e.usage) for e in ordered]


@pytest.mark.slow
def test_a_run_replays_without_a_network(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers and transcript are identical to the recorded ones, including faults and retries."""
    bench.server.script = with_faults(reply_with_tool_call)
    with CassetteRecorder(tmp_path / "run.cassette") as recorder:
        answers = play(bench, recorder)
    recorded, bench.exchanges[:] = without_times(bench.exchanges), []
    before = len(bench.server.requests)

    async def refuse(self: object, request: httpx2.Request) -> httpx2.Response:
        pytest.fail(f"went to the network for {request.url}")

    monkeypatch.setattr(httpx2.AsyncHTTPTransport, "handle_async_request", refuse)
    pauses = len(bench.pauses)
    for pace in (0.0, 0.003):
        player = CassettePlayer(tmp_path / "run.cassette")
        bench.exchanges.clear()
        assert play(bench, player, pace=pace) == answers
        assert without_times(bench.exchanges) == recorded
    assert len(bench.server.requests) == before
    assert len(bench.pauses) == pauses, "the replay waited"
    assert before > 16, "no fault was recorded"


def test_stream_is_recorded_completely(bench: Bench, tmp_path: Path) -> None:
    text = "some words " * 30

    async def run(tape: Cassette) -> tuple[str, int]:
        async with bench.connect(cassette=tape) as connection:
            messages = [ModelRequest.user_text_prompt("Go on")]
            async with model_request_stream(connection.model, messages) as stream:
                events = [event async for event in stream]
                return stream.get().text or "", len(events)

    bench.says(say(text))
    with CassetteRecorder(tmp_path / "c") as recorder:
        live = asyncio.run(run(recorder))
    assert live[0] == text
    assert asyncio.run(run(CassettePlayer(tmp_path / "c"))) == live


def test_a_time_out_replays_as_one(plain: Bench, tmp_path: Path) -> None:
    plain.says(say("late", delay=30), say("here"))
    spec = replace(plain.spec, timeout=0.5)

    async def run(tape: Cassette) -> str:
        async with plain.connect(cassette=tape, spec=spec) as connection:
            return (await model_request(connection.model, [ModelRequest.user_text_prompt("hello")])).text or ""

    with CassetteRecorder(tmp_path / "c") as recorder:
        assert asyncio.run(run(recorder)) == "here"
    assert asyncio.run(run(CassettePlayer(tmp_path / "c"))) == "here"


def test_no_key_is_needed_and_none_is_in_the_file(bench: Bench, tmp_path: Path) -> None:
    bench.server.script = lambda request: Reply(f"you are {CANARY}") if request.number else broken(401 + 100)
    with CassetteRecorder(tmp_path / "c") as recorder:
        play(bench, recorder, 1)
    text = (tmp_path / "c").read_text(encoding="utf-8")
    assert CANARY not in text
    assert "authorization" not in text.lower()
    assert "you are [key]" in text
    assert "127.0.0.1" not in text
    needs_key = replace(bench.spec, key_needed=True)
    bench.spec = needs_key
    assert play(bench, CassettePlayer(tmp_path / "c"), 1) == ["you are [key] / you are [key]"]


@pytest.fixture
def three(bench: Bench, tmp_path: Path) -> Path:
    """The path of a cassette with one question in each of three conversations."""
    bench.server.script = lambda request: say("fine")
    path = tmp_path / "three"

    async def run(recorder: CassetteRecorder) -> None:
        async with bench.connect(cassette=recorder) as connection:
            for number, prompt in enumerate(
                ["what were sales in 2008?", "what was the net change?", "and in percent?"]
            ):
                with turn_context("run", f"c{number}", 0):
                    await model_request(connection.model, [ModelRequest.user_text_prompt(prompt)])

    with CassetteRecorder(path) as recorder:
        asyncio.run(run(recorder))
    return path


def test_error_for_an_unrecorded_request_names_the_nearest_and_differences(bench: Bench, three: Path) -> None:
    async def run() -> None:
        async with bench.connect(cassette=CassettePlayer(three)) as connection:
            with turn_context("run", "c9", 0):
                await model_request(connection.model, [ModelRequest.user_text_prompt("what was the gross change?")])

    with pytest.raises(CassetteError) as caught:
        asyncio.run(run())
    assert isinstance(caught.value, OutageError), "a turn that cannot be replayed is not scored as wrong"
    assert isinstance(caught.value, InputError)
    message = str(caught.value)
    assert "c9, turn 1" in message
    assert "c1, turn 1" in message
    assert "messages[0].content" in message
    assert "what was the net change?" in message
    assert "what was the gross change?" in message
    assert len(bench.server.requests) == 3, "the replay asked the live server"


def test_request_is_replayed_only_as_often_as_recorded(bench: Bench, three: Path) -> None:
    async def run() -> None:
        async with bench.connect(cassette=CassettePlayer(three)) as connection:
            for _ in range(2):
                await model_request(connection.model, [ModelRequest.user_text_prompt("and in percent?")])

    with pytest.raises(CassetteError):
        asyncio.run(run())


def test_generated_identifiers_are_matched_by_order(plain: Bench, tmp_path: Path) -> None:
    """The client generates an identifier for a tool call if the server sends none."""

    def script(request: ReceivedRequest) -> Reply:
        if request.results:
            return say(request.results[-1])
        call_without_id = {"type": "function", "function": {"name": "lookup", "arguments": '{"row": 1}'}, "id": ""}
        message = {"role": "assistant", "content": None, "tool_calls": [call_without_id]}
        choices = [{"index": 0, "message": message, "finish_reason": "tool_calls"}]
        body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": choices}
        return Reply(body=json.dumps(body))

    plain.server.script = script
    with CassetteRecorder(tmp_path / "c") as recorder:
        answers = play(plain, recorder, 1)
    assert "pyd_ai_" in (tmp_path / "c").read_text()
    assert play(plain, CassettePlayer(tmp_path / "c"), 1) == answers


def test_a_recording_is_not_overwritten_but_can_be_continued(plain: Bench, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "c"
    for go_on in (False, True):
        with CassetteRecorder(path, go_on=go_on) as recorder:
            play(plain, recorder, 1)
    both = CassettePlayer(path)
    for _ in range(2):
        play(plain, both, 1)
    with pytest.raises(CassetteError, match=str(path)):
        CassetteRecorder(path)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", None),
        ('{"kind": "other"}', None),
        ('{"kind": "quaestor cassette", "version": 99}', "99"),
        ('{"kind": "quaestor cassette", "version": 1}\n{"place": ', None),
        ('{"kind": "quaestor cassette", "version": 1}\n{"place": 1}', "exchange 1"),
        ("[" * 10, None),
    ],
)
def test_damaged_cassette_gives_a_one_line_error(tmp_path: Path, text: str, named: str | None) -> None:
    (tmp_path / "c").write_text(text)
    with pytest.raises(CassetteError, match=named) as caught:
        CassettePlayer(tmp_path / "c")
    assert "\n" not in str(caught.value)


def test_missing_cassette_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CassetteError, match=str(tmp_path / "none")):
        CassettePlayer(tmp_path / "none")
    with pytest.raises(QuaestorError, match=str(tmp_path)):
        CassettePlayer(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(CassetteError, match=str(tmp_path / "file")):
        CassetteRecorder(tmp_path / "file" / "c")


@given(st.text())
def test_any_text_is_packed_and_unpacked(text: str) -> None:
    assert unpack(pack(text)) == text


json_values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(json_values, st.sampled_from([None, 0, 2]), st.booleans())
def test_any_json_is_packed_and_unpacked(value: JsonValue, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert unpack(pack(text)) == text


@given(json_values)
def test_json_of_a_client_is_packed_as_json(value: JsonValue) -> None:
    assert "json" in pack(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def test_equal_requests_are_matched_by_conversation(plain: Bench, tmp_path: Path) -> None:
    async def ask(tape: CassetteRecorder | CassettePlayer, run: str, order: str) -> dict[str, str | None]:
        replies = {}
        async with plain.connect(cassette=tape) as connection:
            for conversation in order:
                with turn_context(run, conversation, 0):
                    replies[conversation] = (
                        await model_request(connection.model, [ModelRequest.user_text_prompt("hello")])
                    ).text
        return replies

    plain.says(say("to a"), say("to b"))
    with CassetteRecorder(tmp_path / "tape.json") as recorder:
        recorded = asyncio.run(ask(recorder, "first", "ab"))
    assert asyncio.run(ask(CassettePlayer(tmp_path / "tape.json"), "second", "ba")) == recorded
