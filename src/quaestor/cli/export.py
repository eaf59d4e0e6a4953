"""`quaestor runs export`: what a run did, turn by turn, for other programs."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.inspection import read_store
from quaestor.cli.options import RunArgument, StoreOption

if TYPE_CHECKING:
    from pydantic import JsonValue

    from quaestor.store.base import RunStore
    from quaestor.store.records import PromptRecord, TurnRecord

Turns = dict[tuple[str, int], "tuple[TurnRecord | None, Sequence[PromptRecord]]"]


def export(
    run: RunArgument,
    traces: Annotated[
        Path, typer.Option("--traces", help="Write one JSON object a turn to this file.", metavar="FILE.jsonl")
    ],
    store: StoreOption = None,
) -> None:
    """Write the traces of a run: of every turn what was asked, said, called, judged and answered.

    A conversation that broke off has its exchanges with the model, and no answers.
    """
    from quaestor.cli.playing import find_run
    from quaestor.errors import InputError

    async def read(opened: "RunStore") -> Turns:
        record = await find_run(opened, run)
        found: Turns = {(turn.conversation, turn.index): (turn, ()) for turn in await opened.turns(record.id)}
        for example in await opened.examples(record.id):
            by_turn: defaultdict[int, list[PromptRecord]] = defaultdict(list)
            for prompt in await opened.prompts(record.id, example.conversation):
                by_turn[prompt.turn].append(prompt)
            for index, prompts in by_turn.items():
                turn, _ = found.get((example.conversation, index), (None, ()))
                found[example.conversation, index] = turn, prompts
        return found

    turns = read_store(store, read)
    try:
        with traces.open("w", encoding="utf-8") as file:
            for line in trace_objects(turns):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
    except OSError as error:
        raise InputError(f"cannot write {traces}: {error.strerror}") from error
    print(f"{len(turns)} turns in {traces}")


def trace_objects(turns: Turns) -> "Iterator[dict[str, JsonValue]]":
    """Yields each turn with its trace, and with every request and reply in the order in which they were sent."""
    from quaestor.core import serial

    for (conversation, index), (turn, prompts) in sorted(turns.items()):
        line: dict[str, JsonValue] = {"conversation": conversation, "turn": index}
        if turn is not None:
            line |= serial.dump(turn)
            line["turn"] = line.pop("index")
        exchanges = sorted(prompts, key=lambda prompt: prompt.number)
        told = ("number", "phase", "model", "prompt", "response", "started", "finished", "usage", "error")
        line["exchanges"] = [{name: serial.dump(prompt)[name] for name in told} for prompt in exchanges]
        yield line
