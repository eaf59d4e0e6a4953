"""Requests for a typed object: forms of request, and repair of invalid replies."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

import pytest
from model_replies import say
from model_server import ModelServer, Script
from pydantic import Field
from solver_bench import at_once

from quaestor.errors import ModelReplyError
from quaestor.llm.models import connect
from quaestor.llm.naming import HOSTED, PROFILES, Profile, find_model
from quaestor.llm.structured.request import TypedRequest
from quaestor.llm.transcript import Exchange
from quaestor.testing.models import Call, Protocol, ReceivedRequest, Reply, structured

pytestmark = pytest.mark.usefixtures("local_models")


@dataclass(frozen=True, slots=True)
class Lookup:
    """Looks a number up."""

    words: Annotated[str, Field(description="Words.", max_length=50)]
    kind: Literal["look"] = "look"
    year: int | None = None


@dataclass(frozen=True, slots=True)
class Sum:
    """Adds."""

    of: list[int]
    kind: Literal["sum"] = "sum"


@dataclass(frozen=True, slots=True)
class Steps:
    """What to do."""

    steps: list[Annotated[Lookup | Sum, Field(discriminator="kind")]]
    thought: str = ""


@dataclass(frozen=True, slots=True)
class Loose:
    """Has an object of free keys."""

    filters: dict[str, int] = field(default_factory=dict)


GOOD = {"thought": "so", "steps": [{"kind": "look", "words": "sales", "year": None}, {"kind": "sum", "of": [1, 2]}]}
READ = Steps([Lookup("sales"), Sum([1, 2])], "so")

VLLM = PROFILES["vllm"]
NO_SCHEMA = replace(HOSTED, json_schema=False)
JSON_ONLY = replace(PROFILES["plain"], json_object=True)

WAYS: list[tuple[Protocol, Profile, str]] = [
    ("openai", HOSTED, "schema"),
    ("openai", VLLM, "schema"),
    ("openai", NO_SCHEMA, "tool"),
    ("openai", JSON_ONLY, "json"),
    ("openai", PROFILES["plain"], "text"),
    ("anthropic", HOSTED, "tool"),
    ("anthropic", PROFILES["plain"], "text"),
]


@dataclass(frozen=True)
class RequestOutcome:
    output: Any
    requests: Sequence[ReceivedRequest]
    phases: list[str]
    trace: list[tuple[Any, ...]]
    error: str = ""


def send(
    script: Script, kind: type = Steps, protocol: Protocol = "openai", profile: Profile = HOSTED, **more: Any
) -> RequestOutcome:
    """Request an object, and return the outcome."""
    trace: list[tuple[Any, ...]] = []
    exchanges: list[Exchange] = []

    async def run(server: ModelServer) -> Any:
        named = find_model(f"{protocol}:scripted@{server.url}" + ("/v1" if protocol == "openai" else ""))
        stream = more.pop("stream", False)
        async with connect(replace(named, profile=profile, stream=stream), sinks=[exchanges], sleep=at_once) as model:
            request = TypedRequest(
                model,
                kind,
                "write_steps",
                "Write the steps.",
                attempts=more.pop("attempts", 3),
                on_rejected=lambda *rejection: trace.append(rejection),
                **more,
            )
            return await request.ask("What to do?", "PLAN", "You plan.")

    with ModelServer(script) as server:
        output, error = None, ""
        try:
            output = asyncio.run(run(server))
        except ModelReplyError as raised:
            error = str(raised)
        return RequestOutcome(output, server.requests, [exchange.phase for exchange in exchanges], trace, error)


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield a schema and all schemas nested in it."""
    if isinstance(schema, list):
        for item in schema:
            yield from nodes(item)
    elif isinstance(schema, dict):
        yield schema
        for name, value in schema.items():
            yield from nodes(list(value.values()) if name in ("properties", "$defs") else value)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("protocol", "profile", "way"), WAYS)
def test_request_form_matches_the_server(protocol: Protocol, profile: Profile, way: str, stream: bool) -> None:
    came = send(lambda request: structured(request, GOOD), protocol=protocol, profile=profile, stream=stream)
    assert came.output == READ
    (request,) = came.requests
    form = request.body.get("response_format", {}).get("type")
    assert form == {"schema": "json_schema", "json": "json_object"}.get(way)
    assert request.tools == (["write_steps"] if way == "tool" else [])
    (prompt,) = request.prompts
    assert prompt.startswith("What to do?\n\nReply ")
    assert '"steps"' not in prompt
    assert request.system.startswith("You plan.")
    # The request contains the schema exactly once.
    assert ('"steps"' in request.system) == (way not in ("schema", "tool"))
    assert json.dumps(request.body).replace("\\", "").count('"steps":') == 1
    assert came.phases == ["PLAN"]
    assert came.trace == []


def test_strict_schema_is_valid_for_strict_modes() -> None:
    (request,) = send(lambda request: structured(request, GOOD)).requests
    sent = request.body["response_format"]["json_schema"]
    assert sent["strict"] is True
    assert sent["name"] == "write_steps"
    assert sent["schema"]["type"] == "object"
    for node in nodes(sent["schema"]):
        assert not {"oneOf", "allOf", "discriminator", "default", "title", "maxLength"} & node.keys()
        assert "$ref" not in node or len(node) == 1
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])
    year = sent["schema"]["$defs"]["Lookup"]["properties"]["year"]
    assert {"type": "null"} in year["anyOf"]


def test_free_keys_are_not_requested_strictly() -> None:
    came = send(lambda request: structured(request, {"filters": {"a": 1}}), Loose)
    assert came.output == Loose({"a": 1})
    assert came.requests[0].tools == ["write_steps"]
    came = send(lambda request: structured(request, {"filters": {"a": 1}}), Loose, profile=VLLM)
    assert came.output == Loose({"a": 1})
    assert came.requests[0].body["response_format"]["json_schema"].get("strict") is None


FAULTS = [
    (say(""), "the reply was empty"),
    (say("I cannot help."), "the reply holds no JSON object: 'I cannot help.'"),
    (say('{"steps": ['), "the reply is not valid JSON"),
    (Reply('{"steps": [', truncated=True), "cut off at its limit of tokens"),
    (say('{"steps": [{"kind": "guess"}]}'), "step 1: expected 'kind' to be one of 'look', 'sum'"),
    (say('{"steps": 5}'), "steps: expected a list"),
    (Reply(calls=(Call("rm", {"all": True}),)), "there is no tool rm"),
    (Reply(calls=(Call("write_steps", "{"),)), "the reply is not valid JSON"),
    (Reply(calls=(Call("write_steps", "[1]"),)), "holds no JSON object"),
    (Reply(calls=(Call("write_steps", {}),)), "steps: required, but missing"),
]


@pytest.mark.parametrize(("fault", "reason"), FAULTS)
@pytest.mark.parametrize("profile", [HOSTED, NO_SCHEMA, PROFILES["plain"]], ids=["schema", "tool", "text"])
def test_invalid_reply_is_returned_with_the_reason(fault: Reply, reason: str, profile: Profile) -> None:
    came = send(lambda request: structured(request, GOOD) if request.number else fault, profile=profile)
    assert came.output == READ
    assert came.phases == ["PLAN", "PLAN_repair_1"]
    assert came.trace[0][:3] == ("PLAN", "write_steps", 1)
    assert reason in "; ".join(came.trace[0][3])
    assert reason in came.requests[1].prompts[-1]
    messages = [message for message in came.requests[1].body["messages"] if message["role"] == "assistant"]
    assert len(messages) == bool(fault.text or fault.calls)


def test_faults_of_the_check_are_sent_back() -> None:
    def check(output: Steps) -> list[str]:
        return [] if output.thought == "so" else ["there is no thought.", "and no reason"]

    came = send(
        lambda request: structured(request, GOOD if request.number > 1 else {**GOOD, "thought": ""}), check=check
    )
    assert came.output == READ
    assert came.phases == ["PLAN", "PLAN_repair_1", "PLAN_repair_2"]
    assert came.trace == [("PLAN", "write_steps", reply, ("there is no thought", "and no reason")) for reply in (1, 2)]
    assert (
        came.requests[1].prompts[-1].startswith("This cannot be used:\n- there is no thought\n- and no reason\nReply ")
    )


@pytest.mark.parametrize(("attempts", "rejected"), [(1, 0), (3, 1)])
def test_doubt_is_returned_once_and_never_for_the_last_reply(attempts: int, rejected: int) -> None:
    came = send(lambda request: structured(request, GOOD), doubt=lambda _: ["are you sure?"], attempts=attempts)
    assert came.output == READ
    assert [faults for *_, faults in came.trace] == [("are you sure?",)] * rejected


@pytest.mark.parametrize("attempts", [1, 4])
def test_invalid_replies_end_in_a_named_error(attempts: int) -> None:
    came = send(lambda request: say("no"), attempts=attempts)
    assert str(attempts) in came.error
    assert len(came.requests) == len(came.trace) == attempts


def test_a_withheld_reply_is_distinguished() -> None:
    body = {
        "id": "x", "object": "chat.completion", "created": 1, "model": "scripted",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": ""}, "finish_reason": "content_filter"}],
    }  # fmt: skip
    came = send(lambda request: Reply(body=json.dumps(body)), attempts=2)
    assert came.error


def test_object_within_text_is_found_in_every_request_form() -> None:
    for profile in (HOSTED, NO_SCHEMA, PROFILES["plain"]):
        came = send(lambda request: say(f"Here it is:\n```json\n{json.dumps(GOOD)}\n```"), profile=profile)
        assert came.output == READ
