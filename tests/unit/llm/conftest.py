from collections.abc import Iterator

import pytest
from model_bench import Bench
from model_server import ModelServer

from quaestor.testing.models import Reply


@pytest.fixture
def server(local_models: None) -> Iterator[ModelServer]:
    with ModelServer(lambda request: Reply("hello")) as running:
        yield running


@pytest.fixture(
    params=[
        pytest.param("openai", marks=pytest.mark.slow),
        "openai-stream",
        "anthropic",
        pytest.param("anthropic-stream", marks=pytest.mark.slow),
    ]
)
def bench(request: pytest.FixtureRequest, server: ModelServer) -> Bench:
    """A test bench for each protocol, streamed and not; quick tests use only some of these."""
    protocol, _, stream = request.param.partition("-")
    return Bench(server, protocol, bool(stream))


@pytest.fixture
def plain(server: ModelServer) -> Bench:
    """A test bench with OpenAI's protocol, not streamed."""
    return Bench(server, "openai", False)
