import json
from pathlib import Path

import pytest
from command_line import Quaestor, refused
from model_replies import call, say
from model_server import ModelServer

from quaestor.testing.models import ReceivedRequest, Reply


def able(request: ReceivedRequest) -> Reply:
    if "add" in request.tools:
        return call("add", a=2, b=3)
    return say('{"total": 5}' if "response_format" in request.body else "ready")


def test_model_capabilities_are_printed_as_json(quaestor: Quaestor, local_models: None) -> None:
    with ModelServer(able) as server:
        outcome = quaestor(f"models check vllm:scripted@{server.url}/v1 --json")
    found = json.loads(outcome.out)
    assert found["model"] == "scripted"
    assert {check["what"]: check["able"] for check in found["checks"]}["tools"] is True
    assert found["used"]["requests"] == 4


def test_configured_model_is_shown_with_its_price(quaestor: Quaestor, local_models: None, tmp_path: Path) -> None:
    with ModelServer(able) as server:
        table = f'[models.lab]\nbase_url = "{server.url}/v1"\nmodel = "m"\nprofile = "plain"\n'
        (tmp_path / "quaestor.toml").write_text(table + "[prices.lab]\ninput = 1000\noutput = 1000\n")
        outcome = quaestor("models check lab")
    assert outcome.code == 0
    assert "2 requests, 30 tokens, 0.030000 US dollars" in outcome.out


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("anthropic:claude-x", "ANTHROPIC_API_KEY"),
        ("claude-x", "'claude-x'"),
        ("openai:m@http://127.0.0.1:9/v1", "127.0.0.1"),
    ],
)
def test_missing_model_gives_a_one_line_error(
    quaestor: Quaestor, local_models: None, monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setattr("quaestor.llm.models.RetryPolicy.pause", lambda *_: None)
    assert message in refused(quaestor(f"models check {name}"))
