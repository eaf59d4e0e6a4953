"""Create pydantic-ai models with the vendors' clients for a model spec.

The clients make a single attempt and read no key or address from the environment: the caller decides those.
"""

import httpx2
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.providers import Provider
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.providers.vllm import VLLMProvider
from pydantic_ai.settings import ModelSettings

from quaestor.llm.naming import ModelSpec, restrict, takes_temperature

_FAMILIES: dict[str, type[Provider[AsyncOpenAI]]] = {"vllm": VLLMProvider, "ollama": OllamaProvider}


def make_model(spec: ModelSpec, key: str, client: httpx2.AsyncClient) -> Model:
    """Create the model of a spec, with requests through `client`."""
    if spec.protocol == "anthropic":
        sdk = AsyncAnthropic(
            api_key=key, base_url=spec.address, http_client=client, max_retries=0, timeout=client.timeout
        )
        profile = restrict(AnthropicProvider.model_profile(spec.model) or {}, spec.profile)
        return AnthropicModel(
            spec.model,
            provider=AnthropicProvider(anthropic_client=sdk),
            profile=profile,
            settings=_settings(spec, profile),
        )
    openai = AsyncOpenAI(api_key=key, base_url=spec.address, http_client=client, max_retries=0, timeout=client.timeout)
    provider: Provider[AsyncOpenAI] = (
        OpenAIProvider(openai_client=openai)
        if spec.base_url is None
        else OpenAICompatibleProvider(spec.provider, openai_client=openai)
    )
    family = _FAMILIES.get(spec.provider, type(provider))
    profile = restrict(family.model_profile(spec.model) or {}, spec.profile)
    return OpenAIChatModel(spec.model, provider=provider, profile=profile, settings=_settings(spec, profile))


def _settings(spec: ModelSpec, profile: ModelProfile) -> ModelSettings:
    settings = ModelSettings()
    if spec.protocol == "anthropic":
        # Instructions and tools are the same for every turn. Other servers cache prefixes by default.
        settings = AnthropicModelSettings(anthropic_cache_instructions=True)
    if spec.temperature is not None and takes_temperature(profile):
        settings["temperature"] = spec.temperature
    if spec.max_tokens is not None:
        settings["max_tokens"] = spec.max_tokens
    if spec.seed is not None and spec.protocol == "openai":
        settings["seed"] = spec.seed
    return settings
