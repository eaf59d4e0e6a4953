"""A whole run: a dataset, a solver and an engine in, records out.

Owns what is stored and the resumption of a run; its unit is the conversation. The stored results are the same
whatever the engine, the order and the interruptions, times apart.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Turn
from quaestor.core import serial
from quaestor.documents.convfinqa import Conversation, Dataset
from quaestor.errors import DatasetError, InputError, PlanError
from quaestor.evaluation.engines import Engine
from quaestor.evaluation.runner import Played, SolverFactory, check_questions
from quaestor.evaluation.spec import RunSpec
from quaestor.plan.execute import Register, benchmark_number
from quaestor.plan.program import to_program
from quaestor.plan.steps import Plan
from quaestor.store.base import RunStore
from quaestor.store.records import ExampleRecord, RunRecord, RunStatus, TurnRecord, now

OnConversation = Callable[[Conversation, tuple[Turn, ...]], None]


async def run_dataset(
    dataset: Dataset,
    spec: RunSpec,
    store: RunStore,
    engine: Engine,
    *,
    resume: str | None = None,
    on_conversation: OnConversation | None = None,
    factory: SolverFactory | None = None,
) -> RunRecord:
    """Returns the record of a run that has come to its end; the store has the rest.

    Args:
        dataset: What is asked. Only its documents and questions reach the solver, one question at a time.
        spec: What decides the results; it must be of this dataset.
        store: Where everything is kept. Nothing is written before dataset and spec have been checked.
        engine: How the conversations are spread.
        resume: The run to go on with, instead of a new one. Conversations that are complete are not played again.
        on_conversation: Called when a conversation is stored, with no turns where it failed.
        factory: Builds the solver; by default the registry does, from the spec.

    Raises:
        InputError: The dataset or the spec do not fit: each other, or the run that is to be resumed.
        QuestionError: A question of the dataset cannot be asked.
        UnknownRunError: There is no run `resume`.
        StoreError: The store failed. What it has stands, and the run can be resumed.
        EngineError: A worker died. The same holds.
    """
    _check(dataset, spec)
    run = await (_resume(store, spec, resume) if resume else _create(store, spec, dataset))
    if run.status == "complete":
        return run
    complete = {example.conversation for example in await store.examples(run.id) if example.status == "complete"}
    waiting = (conversation for conversation in dataset.conversations if conversation.id not in complete)
    status: RunStatus = "stopped"
    try:
        await engine.play(waiting, factory or _registered(spec), _Recorder(store, run.id, on_conversation))
        progress = await store.progress(run.id)
        if progress.get("complete") == run.conversations:
            status = "complete"
        elif progress.get("failed"):
            status = "failed"
    except Exception:
        status = "failed"
        raise
    finally:
        await store.finish_run(run.id, status, now())
    return await store.run(run.id)


def _registered(spec: RunSpec) -> SolverFactory:
    from quaestor.solvers.registry import make_solver

    return partial(make_solver, spec.solver, spec.solver_options)


def _check(dataset: Dataset, spec: RunSpec) -> None:
    if spec.dataset_digest != dataset.digest:
        raise InputError(f"the spec is of another dataset than {dataset.path}: make it with RunSpec.of")
    repeated = [key for key, count in Counter(item.id for item in dataset.conversations).items() if count > 1]
    if repeated:
        raise DatasetError(f"{dataset.path} has conversations with the same id: {', '.join(repeated[:5])}")
    for conversation in dataset.conversations:
        check_questions(conversation)


async def _create(store: RunStore, spec: RunSpec, dataset: Dataset) -> RunRecord:
    started = now()
    run = RunRecord(
        id=spec.new_run_id(started),
        spec=serial.dump(spec),
        spec_digest=spec.digest,
        dataset=spec.dataset,
        dataset_digest=spec.dataset_digest,
        conversations=len(dataset.conversations),
        started=started,
    )
    await store.create_run(run)
    return run


async def _resume(store: RunStore, spec: RunSpec, run_id: str) -> RunRecord:
    run = await store.run(run_id)
    spec.require_same(run)
    if run.status != "complete":
        await store.resume_run(run_id)
        run = await store.run(run_id)
    return run


class _Recorder:
    """The Listener that writes: one transaction when a conversation begins, one when it ends."""

    def __init__(self, store: RunStore, run: str, on_conversation: OnConversation | None) -> None:
        self._store, self._run, self._on_conversation = store, run, on_conversation

    async def began(self, conversation: Conversation) -> None:
        await self._store.begin_example(
            ExampleRecord(self._run, conversation.id, conversation.document.id, started=now())
        )

    async def played(self, conversation: Conversation, played: Played) -> None:
        turns = turn_records(self._run, conversation.id, played.turns)
        example = ExampleRecord(
            run=self._run,
            conversation=conversation.id,
            document=conversation.document.id,
            status=played.status,
            turns=len(turns),
            started=played.started,
            finished=played.finished,
            error=_storable(played.error),
        )
        await self._store.complete_example(example, turns)
        if self._on_conversation:
            self._on_conversation(conversation, played.turns)


def turn_records(run: str, conversation: str, turns: Sequence[Turn]) -> tuple[TurnRecord, ...]:
    """Returns the turns of one whole conversation as they are stored."""
    records: list[TurnRecord] = []
    plans: list[Plan | None] = []
    for index, turn in enumerate(turns):
        plan = turn.answer.plan if turn.answer.value is not None else None
        answer = _storable(serial.dump(turn.answer))
        record = TurnRecord(
            run=run,
            conversation=conversation,
            index=index,
            question=turn.question,
            answer=answer,
            program=_program(plan, plans),
            number=_number(turn.answer),
            verified=turn.verified,
            started=turn.started,
            finished=turn.finished,
            error=_storable(turn.error),
            sources=answer["sources"],
            understanding=_storable(turn.understanding),
            tool_calls=_storable([serial.dump(call) for call in turn.tool_calls]),
            usage=turn.usage,
        )
        plans.append(plan)
        records.append(record)
    return tuple(records)


def _program(plan: Plan | None, history: Sequence[Plan | None]) -> str | None:
    try:
        return _storable(to_program(plan, history)) if plan else None
    except PlanError:
        # Program text has no word for some plans (the smaller of two); their number counts all the same.
        return None


def _number(answer: Answer) -> str | None:
    if answer.value is None:
        return None
    number = benchmark_number(Register(answer.value, answer.scale, answer.unit))
    if isinstance(number, bool):
        return "yes" if number else "no"
    return format(number, "f")


def _storable(value: Any) -> Any:
    """Returns JSON whose texts every store can hold: half a surrogate pair becomes a question mark."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
