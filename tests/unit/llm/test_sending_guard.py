"""`llm/fast_clients.py` rests on parts of libraries that may change: this says when they have.

Where a test here fails: read what changed, see that `test_fast_clients.py` still finds the same bytes on the wire,
then widen the range.
"""

import ast
import inspect
import textwrap
from functools import cached_property
from importlib.metadata import version
from pkgutil import resolve_name

import pytest

TESTED = {"openai": ((3, 52), (4, 0)), "anthropic": ((2, 11), (3, 0)), "pydantic-ai-slim": ((2, 68), (3, 0))}
"""The versions, from and below, of which `llm/fast_clients.py` knows the parts that it overrides."""

ADVICE = "read llm/fast_clients.py against the new version, run test_fast_clients.py, then widen TESTED"


@pytest.mark.parametrize("library", TESTED)
def test_the_version_is_one_that_was_tested(library: str) -> None:
    found = version(library)
    least, below = TESTED[library]
    numbers = tuple(int(part) for part in found.split(".")[:2])
    assert least <= numbers < below, f"{library} {found} is outside of {least} to {below}: {ADVICE}"


def test_the_client_builds_its_parts_as_they_are_overridden() -> None:
    from openai import AsyncOpenAI
    from openai.resources.chat import AsyncChat

    for owner, name in ((AsyncOpenAI, "chat"), (AsyncChat, "completions")):
        assert isinstance(vars(owner)[name], cached_property), f"{owner.__name__}.{name} is another thing: {ADVICE}"
    client = AsyncOpenAI(api_key="none")
    assert client.chat._client is client, f"AsyncChat has its client elsewhere: {ADVICE}"
    assert client.chat.completions._client is client, f"AsyncCompletions has its client elsewhere: {ADVICE}"


def test_the_client_posts_what_is_posted_here() -> None:
    from openai import AsyncOpenAI
    from openai.resources.chat import AsyncCompletions

    from quaestor.llm import fast_clients as sending

    posted, ours = posted_by(AsyncCompletions.create, "_post"), posted_by(sending._Completions.create, "post")
    assert posted.keys() == ours.keys(), (
        f"create() posts {sorted(posted)} and llm/fast_clients.py {sorted(ours)}: {ADVICE}"
    )
    for name in ("path", "cast_to", "stream_cls"):
        assert posted[name] == ours[name], f"create() posts another {name}, {posted[name]}: {ADVICE}"
    takes = inspect.signature(AsyncOpenAI.post).parameters
    assert posted.keys() <= takes.keys(), f"post() takes {sorted(takes)}: {ADVICE}"


def test_options_outside_the_body_have_known_names() -> None:
    from openai.resources.chat import AsyncCompletions

    from quaestor.llm import fast_clients as sending

    takes = inspect.signature(AsyncCompletions.create).parameters
    beside = {name for name in takes if name.startswith("extra_") or name == "timeout"}
    assert beside == sending._OPTIONS.keys(), f"create() takes {sorted(beside)} beside the body: {ADVICE}"


@pytest.mark.parametrize("name", ["openai:AsyncOpenAI", "anthropic:AsyncAnthropic"])
def test_requests_are_made_and_read_by_the_methods_that_are_called_here(name: str) -> None:
    client = resolve_name(name)
    takes = {
        "_prepare_options": ["self", "options"],
        "_build_request": ["self", "options", "retries_taken"],
        "_prepare_request": ["self", "request"],
        "_make_status_error_from_response": ["self", "response"],
        "_process_response": ["self", "cast_to", "options", "response", "stream", "stream_cls", "retries_taken"],
        "request": ["self", "cast_to", "options", "stream", "stream_cls"],
    }
    for method, parameters in takes.items():
        found = list(inspect.signature(getattr(client, method)).parameters)
        assert found == parameters, f"{name}.{method} takes {found}: {ADVICE}"
    assert client(api_key="none")._platform is None, f"{name} finds out its platform elsewhere: {ADVICE}"


@pytest.mark.parametrize(
    "name", ["pydantic_ai.models.openai:OpenAIChatModel", "pydantic_ai.models.anthropic:AnthropicModel"]
)
def test_parameters_are_suited_in_the_method_that_is_overridden(name: str) -> None:
    method = getattr(resolve_name(name), "customize_request_parameters", None)
    assert method is not None, f"{name} suits its parameters elsewhere: {ADVICE}"
    assert list(inspect.signature(method).parameters) == ["self", "model_request_parameters"], ADVICE


def posted_by(method: object, name: str) -> dict[str, str]:
    """The arguments of the call of `post` in a method, as they are written."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(method)))  # type: ignore[arg-type]
    (call,) = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name
    ]
    return {"path": ast.unparse(call.args[0])} | {str(word.arg): ast.unparse(word.value) for word in call.keywords}
