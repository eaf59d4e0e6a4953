"""What a run did, turn by turn, for other programs."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from quaestor.application.answer_kinds import stored_kind_objects
from quaestor.application.files import OutputFile, json_line
from quaestor.application.run_service import find_run
from quaestor.core import serial
from quaestor.store.base import RunStore
from quaestor.store.records import PromptRecord, TurnRecord

_TOLD = ("number", "phase", "model", "prompt", "response", "started", "finished", "usage", "error")

TracedTurns = Mapping[tuple[str, int], tuple[TurnRecord | None, Sequence[PromptRecord]]]
"""By conversation and index: the turn, where the conversation came to its end, and its exchanges with a model."""


async def read_traces(store: RunStore, run: str) -> TracedTurns:
    """Returns the turns of a run with their exchanges; of a conversation that broke off only the exchanges.

    Args:
        run: Its id, the beginning of one, or `latest`.

    Raises:
        UnknownRunError: There is no such run.
    """
    record = await find_run(store, run)
    found: dict[tuple[str, int], tuple[TurnRecord | None, Sequence[PromptRecord]]]
    found = {(turn.conversation, turn.index): (turn, ()) for turn in await store.turns(record.id)}
    for example in await store.examples(record.id):
        by_turn: defaultdict[int, list[PromptRecord]] = defaultdict(list)
        for prompt in await store.prompts(record.id, example.conversation):
            by_turn[prompt.turn].append(prompt)
        for index, prompts in by_turn.items():
            turn, _ = found.get((example.conversation, index), (None, ()))
            found[example.conversation, index] = turn, prompts
    return found


def write_traces(file: OutputFile, turns: TracedTurns) -> None:
    """Writes one JSON object a turn.

    Raises:
        InputError: The file cannot be written, or may not be replaced.
    """
    with file.replacing() as path, path.open("w", encoding="utf-8") as stream:
        stream.writelines(json_line(line) for line in trace_objects(turns))


def trace_objects(turns: TracedTurns) -> Iterator[dict[str, JsonValue]]:
    """Yields each turn with its trace, and with every request and reply in the order in which they were sent."""
    for (conversation, index), (turn, prompts) in sorted(turns.items()):
        line: dict[str, JsonValue] = {"conversation": conversation, "turn": index}
        if turn is not None:
            line |= serial.dump(turn)
            line["turn"] = line.pop("index")
            line |= stored_kind_objects(turn)
        exchanges = sorted(prompts, key=lambda prompt: prompt.number)
        line["exchanges"] = [{name: serial.dump(prompt)[name] for name in _TOLD} for prompt in exchanges]
        yield line
