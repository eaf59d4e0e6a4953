import pytest

from quaestor.errors import InputError, ModelAccessError, OutageError, SettingsError
from quaestor.llm.naming import ANY_KEY, find_model


@pytest.mark.parametrize(
    ("name", "provider", "protocol", "model", "base_url", "key"),
    [
        ("anthropic:claude-x", "anthropic", "anthropic", "claude-x", None, "ANTHROPIC_API_KEY"),
        ("openai:gpt-x", "openai", "openai", "gpt-x", None, "OPENAI_API_KEY"),
        ("openai:q/w-7b@http://10.0.0.1:8000/v1/", "openai", "openai", "q/w-7b", "http://10.0.0.1:8000/v1", ANY_KEY),
        ("anthropic:m@https://gate.example/a", "anthropic", "anthropic", "m", "https://gate.example/a", ANY_KEY),
        ("vllm:q/w-7b", "vllm", "openai", "q/w-7b", "http://127.0.0.1:8000/v1", ANY_KEY),
        ("ollama:llama3.2:3b", "ollama", "openai", "llama3.2:3b", "http://127.0.0.1:11434/v1", ANY_KEY),
        ("llama.cpp:any@http://[::1]:9/v1", "llama.cpp", "openai", "any", "http://[::1]:9/v1", ANY_KEY),
    ],
)
def test_a_name_has_server_and_protocol(
    name: str, provider: str, protocol: str, model: str, base_url: str | None, key: str
) -> None:
    spec = find_model(name)
    assert (spec.provider, spec.protocol, spec.model, spec.base_url) == (provider, protocol, model, base_url)
    assert spec.key_variable == key
    assert spec.key_needed == (base_url is None)
    assert spec.temperature == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gpt-x", "anthropic:NAME"),
        ("antropic:claude", "'anthropic'"),
        ("lcoal", "'local'"),
        ("openai:", "'openai:'"),
        ("openai:@http://x", "'openai:@http://x'"),
    ],
)
def test_an_unknown_name(name: str, message: str) -> None:
    with pytest.raises(ModelAccessError, match=message) as caught:
        find_model(name, {"local": {}})
    # A user error on the command line, and an outage rather than a solver defect during a run.
    assert isinstance(caught.value, InputError)
    assert isinstance(caught.value, OutageError)


def test_a_table_states_everything() -> None:
    table = {
        "provider": "vllm", "model": "q/w-7b", "base_url": "http://10.0.0.2:8000/v1", "api_key_env": "LAB_KEY",
        "profile": "plain", "json_object": True, "temperature": 0.3, "max_tokens": 500, "timeout": 30, "attempts": 2,
        "seed": 7, "stream": True,
    }  # fmt: skip
    spec = find_model("lab", {"lab": table})
    assert (spec.name, spec.provider, spec.model, spec.base_url) == ("lab", "vllm", "q/w-7b", "http://10.0.0.2:8000/v1")
    assert (spec.key_variable, spec.key_needed) == ("LAB_KEY", True)
    assert spec.profile.json_object
    assert not spec.profile.tools
    assert (spec.temperature, spec.max_tokens, spec.timeout, spec.attempts) == (0.3, 500, 30, 2)
    assert (spec.seed, spec.stream) == (7, True)


def test_a_temperature_can_be_left_to_the_server() -> None:
    assert find_model("m", {"m": {"temperature": "unset"}}).temperature is None


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"modle": "x"}, r"'modle' in \[models.m\].*'model'"),
        ({"timeout": "long"}, "'timeout' in .*'long'"),
        ({"timeout": 0}, "'timeout'"),
        ({"tools": 1}, "'tools'"),
        ({"attempts": True}, "'attempts'"),
        ({"profile": "vlm"}, "'vlm'"),
        ({"provider": "gemini"}, "'gemini'"),
        ({"temperature": "hot"}, "'hot'"),
        ({"base_url": "ftp://x"}, "ftp://x"),
        ({"base_url": "http://x:y/v1"}, "x:y|'y"),
        ({"base_url": "http://h/v1?key=1"}, "key=1"),
    ],
)
def test_invalid_table_is_refused(table: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        find_model("m", {"m": table})


@pytest.mark.parametrize("name", ["openai:m@nowhere", "vllm:m@ftp://host", "openai:m@127.0.0.1:8000/v1"])
def test_address_without_http_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="must be like http"):
        find_model(name)
    assert find_model("anthropic:claude@20250514").model == "claude@20250514"


def test_address_with_a_password_is_refused() -> None:
    with pytest.raises(SettingsError, match=ANY_KEY) as caught:
        find_model("openai:m@http://me:s3cret@host/v1")
    assert "s3cret" not in str(caught.value)
