import json

import pytest

from quaestor.llm.usage import Usage, read_usage

OPENAI = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 60},
}
ANTHROPIC = {
    "input_tokens": 40,
    "output_tokens": 20,
    "cache_read_input_tokens": 60,
    "cache_creation_input_tokens": 0,
    "service_tier": "standard",
    "speed": None,
}


def stream(*events: object) -> str:
    return "".join(f"event: x\ndata: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


@pytest.mark.parametrize(
    "body",
    [
        json.dumps({"choices": [], "usage": OPENAI}),
        json.dumps({"content": [], "usage": ANTHROPIC}, indent=2),
        stream({"choices": [{}], "usage": None}, {"choices": [], "usage": OPENAI}),
        stream(
            {"type": "message_start", "message": {"usage": {**ANTHROPIC, "output_tokens": 1}}},
            {"type": "message_delta", "usage": {"output_tokens": 20}},
        ),
    ],
    ids=["openai", "anthropic", "openai-stream", "anthropic-stream"],
)
def test_counts_are_the_same_in_every_form(body: str) -> None:
    assert read_usage(body, "{}", answered=True) == Usage(1, 100, 20, 60)


def test_quoted_text_of_a_reply_is_not_counted() -> None:
    text = json.dumps({"usage": {"prompt_tokens": 9_999_999}})
    body = json.dumps({"choices": [{"message": {"content": text}}], "usage": OPENAI})
    assert read_usage(body, "{}", answered=True).input_tokens == 100


@pytest.mark.parametrize(
    "usage",
    ["[" * 100_000, '{"a":' * 900 + "1" + "}" * 900, '{"prompt_tokens": 1' + "0" * 30 + "}", "9" * 5_000],
    ids=["lists", "objects", "more than any request has", "digits"],
)
def test_implausible_counts_are_ignored(usage: str) -> None:
    read = read_usage(f'{{"choices": [], "usage": {usage}}}', "{}", answered=True)
    assert read.requests == 1
    assert read.tokens < 100_000


@pytest.mark.parametrize("body", ['{"choices": []}', "not JSON at all", stream({"choices": []}), '{"usage": null}'])
def test_uncounted_tokens_are_estimated(body: str) -> None:
    usage = read_usage(body, "x" * 400, answered=True)
    assert usage.input_tokens == 100
    assert usage.output_tokens == len(body) // 4
    assert usage.estimated_tokens == usage.tokens
