"""`quaestor models`: check that a model can be reached, and what it can do."""

from typing import Annotated

import typer

from quaestor.cli.options import JsonOption, command_group
from quaestor.cli.printing import print_json
from quaestor.extras import require_extra
from quaestor.settings import load_settings

models = command_group("Check that a model works.")


@models.command("check")
def check_model_command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help=(
                "anthropic:NAME, openai:NAME, vllm:NAME, ollama:NAME or llama.cpp:NAME, each with an optional @URL "
                "for your own server; or the name of a \\[models.NAME] table in quaestor.toml."
            ),
            show_default=False,
        ),
    ],
    json: JsonOption = False,
) -> None:
    """Ask a model for a word, a tool call, a JSON object and a stream, and report which of them work."""
    import asyncio

    asyncio.run(_check(name, json))


async def _check(name: str, as_json: bool) -> None:
    from dataclasses import replace

    require_extra("models", "calling the model")
    from quaestor.llm.budget import Meter, find_price
    from quaestor.llm.checking import ModelCheck, check_model
    from quaestor.llm.models import connect
    from quaestor.llm.naming import find_model

    settings = load_settings()
    spec = replace(find_model(name, settings.models), attempts=2)
    meter = Meter(price=find_price(spec, settings.prices))
    async with connect(spec, meter=meter) as connection:
        findings: list[ModelCheck] = []
        async for finding in check_model(connection):
            findings.append(finding)
            if as_json:
                continue
            if finding.what == "reachable":
                print(f"{'model':18} {spec.model} at {spec.address}")
            print(f"{finding.what:18} {'yes' if finding.able else 'no'}: {finding.detail}", flush=True)
    used = meter.total
    if as_json:
        print_json({"model": spec.model, "checks": findings, "used": used})
        return
    cost = "price unknown" if used.cost is None else f"{used.cost:.6f} US dollars"
    print(f"{'used':18} {used.requests} requests, {used.tokens:,} tokens, {cost}")
