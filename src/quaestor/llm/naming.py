"""Names of models: `anthropic:NAME`, `openai:NAME`, `vllm:NAME`, `openai:NAME@URL`, or a `[models.NAME]` table.

This module reads no environment variables and no files: the caller passes the tables of the settings, and a spec has
the variable of its key, never the key. A `Profile` lists the features of a server, so that no others are requested.
pydantic-ai knows the limits of model families; profiles disable features in addition.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal, cast
from urllib.parse import urlsplit

from quaestor.errors import ModelAccessError, SettingsError, unknown_name

if TYPE_CHECKING:
    from pydantic_ai.profiles import ModelProfile

Protocol = Literal["anthropic", "openai"]

ANY_KEY = "QUAESTOR_API_KEY"
"""Variable with the key of a server given by its address. A vendor's key is never sent to another server."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Features of a server."""

    tools: bool = True
    json_schema: bool = True
    json_object: bool = True
    strict: bool = True
    forced_choice: bool = True
    many_system_messages: bool = True


HOSTED = Profile()

PROFILES = {
    "hosted": HOSTED,
    "vllm": Profile(strict=False, many_system_messages=False),
    "ollama": Profile(strict=False, forced_choice=False),
    "llama.cpp": Profile(strict=False, many_system_messages=False),
    "compatible": Profile(strict=False, json_schema=False, forced_choice=False, many_system_messages=False),
    "plain": Profile(False, False, False, False, False, False),
}


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """Connection and sampling settings of a model."""

    name: str
    provider: str
    model: str
    base_url: str | None = None
    key_variable: str | None = None
    key_needed: bool = False
    profile: Profile = HOSTED
    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int | None = None
    timeout: float = 120.0
    connect_timeout: float = 10.0
    attempts: int = 6
    stream: bool = False

    @property
    def protocol(self) -> Protocol:
        """The server's protocol: Anthropic's messages or OpenAI's chat completions."""
        return "anthropic" if self.provider == "anthropic" else "openai"

    @property
    def address(self) -> str:
        """The server's address, for messages."""
        return self.base_url or VENDORS[self.protocol]


VENDORS: Mapping[str, str] = {"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com/v1"}
_VENDOR_KEYS: Mapping[str, str] = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
_LOCAL: Mapping[str, str] = {
    "vllm": "http://127.0.0.1:8000/v1",
    "ollama": "http://127.0.0.1:11434/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
}
_PROVIDERS = (*VENDORS, *_LOCAL)
_FORMS = "write anthropic:NAME, openai:NAME, vllm:NAME, ollama:NAME, llama.cpp:NAME, any of them with @URL"

_SWITCHES = [item.name for item in fields(Profile)]
_KINDS: Mapping[str, tuple[type, ...]] = {
    "provider": (str,), "model": (str,), "base_url": (str,), "api_key_env": (str,), "profile": (str,),
    "temperature": (float, int, str), "seed": (int,), "max_tokens": (int,), "timeout": (float, int),
    "connect_timeout": (float, int), "attempts": (int,), "stream": (bool,),
    **dict.fromkeys(_SWITCHES, (bool,)),
}  # fmt: skip
_ABOVE_ZERO = ("max_tokens", "timeout", "connect_timeout", "attempts")


def find_model(name: str, tables: Mapping[str, Mapping[str, object]] | None = None) -> ModelSpec:
    """Find a model by name."""
    known = tables or {}
    if name in known:
        return _from_table(name, known[name])
    provider, colon, rest = name.partition(":")
    if not colon or provider not in _PROVIDERS:
        near = get_close_matches(name if not colon else provider, [*known, *_PROVIDERS], n=1, cutoff=0.6)
        hint = f"did you mean {near[0]!r}?" if near else f"{_FORMS}, or describe it as [models.NAME] in quaestor.toml"
        raise ModelAccessError(f"unknown model {name!r}; {hint}")
    model, _, url = rest.partition("@http")
    if not model:
        raise ModelAccessError(f"{name!r} is not a model name; {_FORMS}")
    _, at, version = model[1:].rpartition("@")
    if at and not url and not version.isdecimal():
        raise _bad_address(name, version)
    return _spec(name, provider, model, "http" + url if url else None)


def _spec(name: str, provider: str, model: str, base_url: str | None) -> ModelSpec:
    if base_url is None:
        base_url = _LOCAL.get(provider)
    if base_url is None:
        return ModelSpec(name, provider, model, None, _VENDOR_KEYS[provider], True)
    profile = PROFILES.get(provider, HOSTED if provider == "anthropic" else PROFILES["compatible"])
    return ModelSpec(name, provider, model, _checked_url(name, base_url), ANY_KEY, False, profile)


def _checked_url(name: str, url: str) -> str:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise SettingsError(f"invalid address in {name!r}: {error}") from error
    if parts.username or parts.password:
        # Addresses appear in messages and records; the message must not repeat this one either.
        raise SettingsError(
            f"the address of a model contains a password; set the environment variable {ANY_KEY} instead"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise _bad_address(name, url)
    return url.rstrip("/")


def _bad_address(name: str, url: str) -> SettingsError:
    return SettingsError(f"the address of {name!r} must be like http://127.0.0.1:8000/v1, not {url!r}")


def _from_table(name: str, table: Mapping[str, object]) -> ModelSpec:
    where = f"[models.{name}]"
    for key, value in table.items():
        _check(where, key, value)
    provider = str(table.get("provider", "openai"))
    if provider not in _PROVIDERS:
        raise SettingsError(unknown_name("provider", provider, _PROVIDERS, where=f"in {where}"))
    url = table.get("base_url")
    spec = _spec(name, provider, str(table.get("model", name)), None if url is None else str(url))
    if "api_key_env" in table:
        spec = replace(spec, key_variable=str(table["api_key_env"]), key_needed=True)
    if "profile" in table:
        if table["profile"] not in PROFILES:
            raise SettingsError(unknown_name("profile", str(table["profile"]), PROFILES, where=f"in {where}"))
        spec = replace(spec, profile=PROFILES[str(table["profile"])])
    switched = {key: bool(table[key]) for key in _SWITCHES if key in table}
    chosen = {
        key: value
        for key, value in table.items()
        if key not in _SWITCHES and key not in ("provider", "model", "base_url", "api_key_env", "profile")
    }
    if isinstance(chosen.get("temperature"), str):
        chosen["temperature"] = None
    return replace(spec, profile=replace(spec.profile, **switched), **chosen)  # type: ignore[arg-type]  # _check has compared every value with its kind


def _check(where: str, key: str, value: object) -> None:
    kinds = _KINDS.get(key)
    if kinds is None:
        raise SettingsError(unknown_name("key", key, _KINDS, where=f"in {where}"))
    if type(value) not in kinds:
        wanted = " or ".join({str: "text", bool: "true or false"}.get(kind, "a number") for kind in kinds[:1])
        raise SettingsError(f"{key!r} in {where} must be {wanted}, not {value!r}")
    if key == "temperature" and isinstance(value, str) and value != "unset":
        raise SettingsError(f"'temperature' in {where} must be a number or \"unset\", not {value!r}")
    if key in _ABOVE_ZERO and isinstance(value, int | float) and not 0 < value < float("inf"):
        raise SettingsError(f"{key!r} in {where} must be greater than 0, not {value!r}")


_FEATURES: Mapping[str, str] = {
    "tools": "supports_tools",
    "json_schema": "supports_json_schema_output",
    "json_object": "supports_json_object_output",
    "forced_choice": "supports_forced_tool_choice",
    "strict": "openai_supports_strict_tool_definition",
    "many_system_messages": "openai_chat_supports_multiple_system_messages",
}
"""The keys of pydantic-ai's profiles, by field of `Profile`."""


def restrict(base: "ModelProfile", profile: Profile) -> "ModelProfile":
    """Return pydantic-ai's profile of a model without the features that the server lacks."""
    from pydantic_ai.profiles import merge_profile

    lacking = {key: False for name, key in _FEATURES.items() if not getattr(profile, name)}
    output = {} if profile.tools else {"default_structured_output_mode": "prompted"}
    return merge_profile(base, cast("ModelProfile", lacking | output))


def takes_temperature(profile: "ModelProfile") -> bool:
    """Return whether a model accepts a temperature; models that always reason refuse it."""
    known: dict[str, object] = dict(profile)
    if known.get("anthropic_disallows_sampling_settings"):
        return False
    if not known.get("openai_supports_reasoning"):
        return True
    return bool(known.get("openai_supports_reasoning_effort_none")) and not known.get("thinking_enabled_by_default")
