"""What servers can do, so that they are asked for nothing else.

A model family's own quirks are pydantic-ai's to know; these switch off on top.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_ai.profiles import ModelProfile


@dataclass(frozen=True, slots=True)
class Profile:
    """What a server can do.

    Attributes:
        tools: Native tool calls. Without them a solver takes its text protocol.
        json_schema: Replies held to a JSON schema.
        json_object: Replies held to JSON.
        strict: Tool arguments held to their schema.
        forced_choice: A tool call can be required.
        many_system_messages: More than one system message is taken.
    """

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


def restrict(base: "ModelProfile", profile: Profile, protocol: str) -> "ModelProfile":
    """Return what pydantic-ai knows of a model, less what the server cannot do.

    Args:
        protocol: `openai` or `anthropic`; only the first has strict tools and several system messages to leave out.
    """
    from pydantic_ai.profiles import ModelProfile, merge_profile
    from pydantic_ai.profiles.openai import OpenAIModelProfile

    off = ModelProfile()
    if not profile.tools:
        off["supports_tools"] = False
        off["default_structured_output_mode"] = "prompted"
    if not profile.json_schema:
        off["supports_json_schema_output"] = False
    if not profile.json_object:
        off["supports_json_object_output"] = False
    if not profile.forced_choice:
        off["supports_forced_tool_choice"] = False
    if protocol != "openai":
        return merge_profile(base, off)
    openai = OpenAIModelProfile()
    if not profile.strict:
        openai["openai_supports_strict_tool_definition"] = False
    if not profile.many_system_messages:
        openai["openai_chat_supports_multiple_system_messages"] = False
    return merge_profile(base, off, openai)


def takes_temperature(profile: "ModelProfile") -> bool:
    """Return whether a model takes a temperature: those that reason before every answer refuse it."""
    known: dict[str, object] = dict(profile)
    if known.get("anthropic_disallows_sampling_settings"):
        return False
    if not known.get("openai_supports_reasoning"):
        return True
    return bool(known.get("openai_supports_reasoning_effort_none")) and not known.get("thinking_enabled_by_default")
