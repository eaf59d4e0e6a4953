"""A stored run as an Inspect log with header, samples and figures, like the log of the Inspect task.

A conversation is a sample, with the questions, the answers as text, and the stored turns; its score is the fraction of
right turns, for each scorer. The metrics count turns with the same function as our own figures, from the verdicts in
the metadata of the scores. So every turn has the same weight, in long and in short conversations, and a turn without an
answer is wrong.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from quaestor.application.files import OutputFile
from quaestor.application.judged_runs import RunFile, read_labelled
from quaestor.application.run_service import find_run
from quaestor.application.stored_turns import find_conversation
from quaestor.conversation.answer import Answer, show_confidence
from quaestor.conversation.display import show_number, show_source
from quaestor.core import serial
from quaestor.core.answer_value import value_to_text
from quaestor.core.computing import compute
from quaestor.documents.document import Document
from quaestor.errors import InputError
from quaestor.evaluation.spec import RunSpec
from quaestor.extras import require_extra
from quaestor.llm.messages import Message, read_request, read_response
from quaestor.llm.usage import Usage
from quaestor.scoring.scorers import SCORERS, measures_of, prediction_of
from quaestor.scoring.statistics import Proportion, proportion
from quaestor.scoring.verdicts import TurnScore, judge_predictions
from quaestor.store.base import RunStore
from quaestor.store.records import ConversationRecord, PromptRecord, RunRecord, RunStatus, TurnRecord

if TYPE_CHECKING:
    from inspect_ai.event import Event, ModelEvent
    from inspect_ai.log import EvalLog, EvalResults, EvalSample, EvalScore, EvalSpec, EvalStatus
    from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelUsage
    from inspect_ai.scorer import SampleScore, Score

NO_MODEL = "none/none"
"""Inspect's name for the model of a run without one."""

TURNS = "quaestor:turns"
"""The key of the turns in the store of a sample."""
BROKEN = "quaestor:broken"
"""The key of the error that ended a conversation early."""
SCORER = "official"
"""The name of the scorer in Inspect."""

_VERDICTS, _PAGE, _PLACE = "verdicts", "page", "place"
_TASK, _SOLVER = "quaestor/convfinqa", "quaestor/conversation"
_STATUS: "Mapping[RunStatus, EvalStatus]" = {
    "complete": "success",
    "failed": "error",
    "stopped": "cancelled",
    "running": "started",
}


@dataclass(frozen=True, slots=True)
class LoggedConversation:
    """A conversation of a run, with its verdicts."""

    record: ConversationRecord
    turns: tuple[TurnRecord, ...]
    prompts: tuple[PromptRecord, ...]
    verdicts: tuple[TurnScore, ...]
    place: int


@dataclass(frozen=True, slots=True)
class LoggedRun:
    """A run with all data of its log."""

    run: RunRecord
    conversations: tuple[LoggedConversation, ...]
    labelled: RunFile | None

    @property
    def scored(self) -> bool:
        """Whether there are verdicts."""
        return any(one.verdicts for one in self.conversations)


def write_inspect_log(output: OutputFile, logged: LoggedRun) -> None:
    """Write a run as an Inspect log: in JSON if the file name ends in `.json`, else in the `.eval` format."""
    require_extra("inspect", "writing an Inspect log")
    from inspect_ai.log import write_eval_log

    log = inspect_log(logged)
    with output.replacing() as path:
        write_eval_log(log, str(path.absolute()), format="json" if output.path.suffix == ".json" else "eval")


def inspect_log(logged: LoggedRun) -> "EvalLog":
    """Return a run as a log of Inspect."""
    from inspect_ai.log import EvalLog, EvalPlan, EvalPlanStep, EvalStats

    run, samples = logged.run, [_sample(one, logged) for one in logged.conversations]
    spec, names = _spec(logged), _model_names(RunSpec.of_run(run))
    return EvalLog(
        status=_STATUS[run.status],
        eval=spec,
        plan=EvalPlan(steps=[EvalPlanStep(solver=_SOLVER, params=spec.solver_args or {})]),
        results=_results(logged, samples),
        stats=EvalStats(
            started_at=run.started.isoformat(),
            completed_at=(run.finished or run.started).isoformat(),
            model_usage=_usage([prompt for one in logged.conversations for prompt in one.prompts], names),
        ),
        samples=samples,
    )


def _spec(logged: LoggedRun) -> "EvalSpec":
    from inspect_ai.log import EvalConfig, EvalDataset, EvalSpec, HeadlineMetric

    run, spec = logged.run, RunSpec.of_run(logged.run)
    arguments = {"dataset": run.dataset, "solver": spec.solver, "options": spec.solver_options}
    return EvalSpec(
        eval_id=run.id,
        run_id=run.id,
        task_id=run.id,
        created=run.started.isoformat(),
        task=_TASK,
        task_registry_name=_TASK,
        task_display_name=_TASK.partition("/")[2],
        task_args=arguments,
        solver=_SOLVER,
        solver_args=arguments,
        dataset=EvalDataset(
            name=Path(run.dataset).name,
            location=run.dataset,
            samples=len(logged.conversations),
            sample_ids=[one.record.conversation for one in logged.conversations],
        ),
        model=_model(spec),
        config=EvalConfig(),
        packages={"quaestor": spec.version},
        metadata={"run": run.id, "kind": run.kind, "dataset_digest": run.dataset_digest, "prompts": spec.prompts},
        headline_metric=HeadlineMetric(scorer=SCORER) if logged.scored else None,
    )


def _model(spec: RunSpec) -> str:
    if not spec.model:
        return NO_MODEL
    return f"{spec.model.get('provider')}/{spec.model.get('model')}"


def _model_names(spec: RunSpec) -> Callable[[str], str]:
    """Return a function that gives the names of models in Inspect: `provider/model`, without an address."""

    def name(requested: str) -> str:
        provider, colon, model = requested.partition("@")[0].partition(":")
        return f"{provider}/{model}" if colon else _model(spec)

    return name


def _sample(one: LoggedConversation, logged: LoggedRun) -> "EvalSample":
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ModelOutput

    record = one.record
    conversation = logged.labelled.conversations.get(record.conversation) if logged.labelled else None
    questions = conversation.questions if conversation else tuple(turn.question for turn in one.turns)
    messages = turn_messages(one.turns, conversation.document if conversation else None)
    spec = RunSpec.of_run(logged.run)
    model, names = _model(spec), _model_names(spec)
    begun = record.started or logged.run.started
    ended = record.finished or begun
    broken = record.error if record.status == "failed" else None
    outage = record.error if record.status == "outage" else None
    return EvalSample(
        id=record.conversation,
        epoch=1,
        input=sample_input(questions),
        target="",
        messages=messages,
        output=ModelOutput.from_content(model, messages[-1].text) if messages else ModelOutput(model=model),
        scores={SCORER: inspect_score(one.verdicts, one.turns, one.place, broken)} if one.verdicts else None,
        metadata={"page": record.document, "turns": len(questions)},
        store={TURNS: dump_turns(one.turns), **({BROKEN: broken} if broken else {})},
        events=list(_events(one, names, begun)),
        model_usage=_usage(one.prompts, names),
        started_at=begun.isoformat(),
        completed_at=ended.isoformat(),
        total_time=(ended - begun).total_seconds(),
        uuid=f"{logged.run.id}/{record.conversation}",
        error=EvalError(message=outage, traceback="", traceback_ansi="") if outage else None,
    )


def _events(one: LoggedConversation, names: Callable[[str], str], begun: datetime) -> "Iterator[Event]":
    turns: Mapping[int, TurnRecord] = {turn.index: turn for turn in one.turns}
    prompts: dict[int, list[PromptRecord]] = {}
    for prompt in one.prompts:
        prompts.setdefault(prompt.turn, []).append(prompt)
    for index in sorted(turns.keys() | prompts.keys()):
        yield from turn_events(index, turns.get(index), prompts.get(index, ()), names, begun)


def _results(logged: LoggedRun, samples: "Sequence[EvalSample]") -> "EvalResults | None":
    from inspect_ai.log import EvalResults, HeadlineMetric
    from inspect_ai.scorer import SampleScore

    if not logged.scored:
        return None
    names = measures_of(next(one.verdicts[0].verdicts for one in logged.conversations if one.verdicts)).scorers
    scores = [SampleScore(score=one.scores[SCORER], sample_id=one.id) for one in samples if one.scores]
    figures = [_figure(name, scores) for name in names]
    return EvalResults(
        total_samples=len(samples),
        completed_samples=sum(one.error is None for one in samples),
        scores=figures,
        headline=HeadlineMetric(scorer=SCORER, score=names[0], metric=next(iter(figures[0].metrics))),
    )


def _figure(scorer: str, scores: "Sequence[SampleScore]") -> "EvalScore":
    from inspect_ai.log import EvalMetric, EvalScore

    metrics: dict[str, EvalMetric] = {}
    for name, make_scorer in METRICS.items():
        found = make_scorer(scorer)(list(scores))
        parts = found if isinstance(found, dict) else {"": found}
        for part, value in parts.items():
            key = f"quaestor/{name}_{part}" if part else f"quaestor/{name}"
            metrics[key] = EvalMetric(
                name=part or key, group=name if part else None, value=value, params={"scorer": scorer}
            )
    return EvalScore(name=scorer, scorer=SCORER, metrics=metrics, scored_samples=len(scores))


def _usage(prompts: Sequence[PromptRecord], names: Callable[[str], str]) -> "dict[str, ModelUsage]":
    found: dict[str, Usage] = {}
    for prompt in prompts:
        name = names(prompt.model)
        found[name] = found.get(name, Usage()) + Usage.of_counts(prompt.usage)
    return {model: model_usage(usage) for model, usage in found.items()}


_ENDED = ("complete", "failed")


async def read_logged_run(
    store: RunStore, run: str, names: Sequence[str] = (), dataset: Path | None = None
) -> LoggedRun:
    """Read a run with its exchanges, and judge it if it is complete and its labelled file is available."""
    record = await find_run(store, run)
    examples = await store.examples(record.id)
    whole = len(examples) == record.conversations and all(one.status in _ENDED for one in examples)
    labelled = await compute(read_labelled, record, dataset)
    wanted = {await find_conversation(store, record.id, name) for name in names}
    chosen = [one for one in examples if not wanted or one.conversation in wanted]
    if not chosen:
        raise InputError(f"run {record.id} has no finished conversations yet")
    places = {name: place for place, name in enumerate(labelled.conversations)} if labelled else {}
    chosen.sort(key=lambda one: places.get(one.conversation, 0))
    found = [await _read(store, record, one, labelled if whole else None, places) for one in chosen]
    return LoggedRun(record, tuple(found), labelled)


async def _read(
    store: RunStore, run: RunRecord, example: ConversationRecord, labelled: RunFile | None, places: dict[str, int]
) -> LoggedConversation:
    name = example.conversation
    turns, prompts = await store.turns(run.id, name), await store.prompts(run.id, name)
    verdicts = await compute(_verdicts, name, turns, labelled) if labelled else ()
    return LoggedConversation(example, tuple(turns), tuple(prompts), verdicts, places.get(name, 0))


def _verdicts(name: str, turns: Sequence[TurnRecord], labelled: RunFile) -> tuple[TurnScore, ...]:
    conversation = labelled.conversations.get(name)
    if conversation is None or name not in labelled.gold:
        return ()
    return judge_predictions(map(prediction_of, turns), labelled.gold, [conversation])


_CALL = "call "


def turn_events(
    index: int, turn: TurnRecord | None, prompts: Sequence[PromptRecord], model: Callable[[str], str], begun: datetime
) -> "Iterator[Event]":
    """Yield the events of a turn."""
    from inspect_ai.event import InfoEvent, SpanBeginEvent, SpanEndEvent

    exchanges = sorted(prompts, key=lambda prompt: prompt.number)
    first = turn.started if turn else exchanges[0].started
    last = (turn.finished or turn.started) if turn else exchanges[-1].finished
    span, name = f"turn-{index + 1}", f"turn {index + 1}"

    def since(moment: datetime) -> float:
        return max(0.0, (moment - begun).total_seconds())

    yield SpanBeginEvent(id=span, name=name, span_id=span, timestamp=first, working_start=since(first))
    for prompt in exchanges:
        yield model_event(prompt, model, span, since(prompt.started))
    if turn is not None:
        facts = turn_facts(turn)
        yield InfoEvent(source="quaestor", data=facts, span_id=span, timestamp=last, working_start=since(last))
    yield SpanEndEvent(id=span, span_id=span, timestamp=last, working_start=since(last))


def model_event(prompt: PromptRecord, model: Callable[[str], str], span: str, working_start: float) -> "ModelEvent":
    """Return an exchange with a model as an event of Inspect, with the bodies verbatim."""
    from inspect_ai.event import ModelEvent
    from inspect_ai.model import ChatCompletionChoice, GenerateConfig, ModelCall, ModelOutput

    response = () if prompt.response is None else read_response(prompt.response)
    failed = prompt.error or next((message.text for message in response if message.who == "error"), None)
    reply = _assistant(response)
    calls = bool(reply.tool_calls)
    choice = ChatCompletionChoice(message=reply, stop_reason="tool_calls" if calls else "stop")
    seconds = (prompt.finished - prompt.started).total_seconds()
    usage = model_usage(Usage.of_counts(prompt.usage))
    return ModelEvent(
        model=model(prompt.model),
        input=_messages(read_request(prompt.prompt)),
        tools=[],
        tool_choice="auto",
        config=GenerateConfig(),
        output=ModelOutput(model=model(prompt.model), choices=[] if failed else [choice], usage=usage, time=seconds),
        error=failed,
        call=ModelCall(request=_body(prompt.prompt), response=_body(prompt.response or ""), time=seconds),
        completed=prompt.finished,
        working_time=seconds,
        span_id=span,
        metadata={"phase": prompt.phase},
        timestamp=prompt.started,
        working_start=working_start,
    )


def model_usage(usage: Usage) -> "ModelUsage":
    """Return usage as Inspect counts it: tokens read from a cache are not input tokens."""
    from inspect_ai.model import ModelUsage

    return ModelUsage(
        input_tokens=usage.input_tokens - usage.cached_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.tokens,
        input_tokens_cache_read=usage.cached_tokens or None,
        total_cost=None if usage.cost is None else float(usage.cost),
    )


def _messages(messages: Sequence[Message]) -> "list[ChatMessage]":
    """Return the messages of a request; consecutive texts and calls of the model become one message."""
    from inspect_ai.model import ChatMessageSystem, ChatMessageTool, ChatMessageUser

    found: list[ChatMessage] = []
    own: list[Message] = []
    for message in (*messages, Message("", "")):
        if message.who == "assistant" or message.who.startswith(_CALL):
            own.append(message)
            continue
        if own:
            found.append(_assistant(own))
            own = []
        if message.who == "system":
            found.append(ChatMessageSystem(content=message.text))
        elif message.who == "result":
            found.append(ChatMessageTool(content=message.text))
        elif message.who in ("user", "body"):
            found.append(ChatMessageUser(content=message.text))
    return found


def _assistant(pieces: Sequence[Message]) -> "ChatMessageAssistant":
    from inspect_ai.model import ChatMessageAssistant
    from inspect_ai.tool import ToolCall

    calls = [piece for piece in pieces if piece.who.startswith(_CALL)]
    return ChatMessageAssistant(
        content="\n".join(piece.text for piece in pieces if piece.who in ("assistant", "body")),
        tool_calls=[
            ToolCall(id=f"call-{number}", function=call.who.removeprefix(_CALL), arguments=_body(call.text))
            for number, call in enumerate(calls, start=1)
        ]
        or None,
    )


def _body(text: str) -> dict[str, JsonValue]:
    """Parse a body as a JSON object; if it is anything else, wrap it as text."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"text": text}


def answer_of(turn: TurnRecord) -> Answer:
    """Return the answer of a stored turn."""
    return serial.restore(Answer, turn.answer)


def sample_input(questions: Sequence[str]) -> str:
    """Return the questions of a conversation as the input of a sample, one per line."""
    return "\n".join(f"{number}. {' '.join(question.split())}" for number, question in enumerate(questions, start=1))


def show_answer(turn: TurnRecord, document: Document | None) -> str:
    """Return an answer as text: the number, its formula and sources, or why there is no answer."""
    answer = answer_of(turn)
    if answer.value is None:
        return f"no answer: {turn.error or answer.reason or 'none was given'}"
    lines = [show_number(answer)]
    if answer.formula:
        lines.append(f"= {answer.formula}")
    shown = [show_source(source, document) for source in answer.sources] if document else []
    lines += [f"- {source.place}: {source.span}" for source in shown]
    if answer.confidence is not None:
        lines.append(f"confidence {show_confidence(answer.confidence)}")
    return "\n".join(lines)


def turn_messages(turns: Sequence[TurnRecord], document: Document | None) -> "list[ChatMessage]":
    """Return turns as messages of a user and an assistant."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

    messages: list[ChatMessage] = []
    for turn in turns:
        messages.append(ChatMessageUser(content=turn.question))
        messages.append(ChatMessageAssistant(content=show_answer(turn, document)))
    return messages


def turn_facts(turn: TurnRecord) -> dict[str, JsonValue]:
    """Return the data of a turn for the transcript."""
    answer = answer_of(turn)
    return {
        "turn": turn.index + 1,
        "question": turn.question,
        "answer": show_number(answer),
        "value": turn.number,
        "formula": answer.formula or None,
        "program": turn.program,
        "verified": turn.verified,
        "error": turn.error,
        "reason": answer.reason,
        "sources": turn.sources,
    }


def dump_turns(turns: Sequence[TurnRecord]) -> list[dict[str, Any]]:
    """Return turns for the store of a sample, with the fields that scoring needs but no events or registers."""
    bare = (replace(turn, events=[], references={}, tool_calls=[], history=[], registers=[]) for turn in turns)
    return [serial.dump(turn) for turn in bare]


def turns_of_sample(dumped: object) -> tuple[TurnRecord, ...]:
    """Restore the turns that `dump_turns` wrote; empty if there are none."""
    return tuple(serial.restore(TurnRecord, turn) for turn in dumped) if isinstance(dumped, list) else ()


def inspect_score(
    scored: Sequence[TurnScore], records: Sequence[TurnRecord], place: int, broken: str | None = None
) -> "Score":
    """Return the verdicts on one conversation as the score of a sample."""
    from inspect_ai.scorer import Score

    names = measures_of(scored[0].verdicts).scorers
    verdicts: dict[str, JsonValue] = {name: list(_outcomes(scored, name)) for name in names}
    answered = {turn.index: turn for turn in records}
    lines = [_line(turn, answered.get(turn.turn)) for turn in scored]
    end = [] if broken is None else ["", f"The conversation did not finish: {broken}"]
    return Score(
        value={name: _mean(_outcomes(scored, name)) for name in names},
        answer="; ".join(_show(answered.get(turn.turn)) for turn in scored),
        explanation="\n".join(["| | answer | reference | |", "|---|---|---|---|", *lines, *end]),
        metadata={_VERDICTS: verdicts, _PAGE: scored[0].page, _PLACE: place},
    )


def counted_turns(scores: Iterable[Any], scorer: str) -> Proportion:
    """Return the proportion of right turns over all samples, failed ones included."""
    metadata = [one.score.metadata or {} for one in scores]
    # The random draws of the interval depend on the order, and samples finish in any order.
    metadata.sort(key=lambda found: int(found[_PLACE]))
    outcomes = [(outcome, str(found[_PAGE])) for found in metadata for outcome in found[_VERDICTS][scorer]]
    return proportion([outcome for outcome, _ in outcomes], [page for _, page in outcomes])


def accuracy(scorer: str) -> Callable[[list[Any]], float]:
    """Return an Inspect metric: the proportion of turns that a scorer judges right."""

    def share(scores: list[Any]) -> float:
        return counted_turns(scores, scorer).value

    return share


def share_interval(scorer: str) -> Callable[[list[Any]], dict[str, float]]:
    """Return an Inspect metric: the 95 % interval of the accuracy, resampled by page."""

    def ends(scores: list[Any]) -> dict[str, float]:
        counted = counted_turns(scores, scorer)
        return {"low": counted.low, "high": counted.high}

    return ends


def turns(scorer: str) -> Callable[[list[Any]], dict[str, float]]:
    """Return an Inspect metric: the numbers of right and of all turns, or conversations for their scorers."""

    def counts(scores: list[Any]) -> dict[str, float]:
        counted = counted_turns(scores, scorer)
        return {"right": counted.correct, "all": counted.total}

    return counts


METRICS: Mapping[str, Callable[[str], Any]] = {"accuracy": accuracy, "interval": share_interval, "turns": turns}
"""The metrics of each scorer by their names in Inspect. Inspect reads their annotations: hence `list[Any]`."""


def _outcomes(scored: Sequence[TurnScore], name: str) -> Sequence[bool | float]:
    """Return the verdicts of a scorer, without missing ones; a scorer of conversations has a single one."""
    whole = SCORERS[name].whole
    found = [verdict for turn in scored if (verdict := turn.verdicts[whole or name]) is not None]
    return [all(verdict == 1 for verdict in found)] if whole and found else found


def _mean(outcomes: Sequence[bool | float]) -> float:
    """Return the mean, or NaN if there are no verdicts; Inspect leaves NaN out."""
    return sum(outcomes) / len(outcomes) if outcomes else float("nan")


def _line(scored: TurnScore, turn: TurnRecord | None) -> str:
    reference = scored.display or value_to_text(scored.gold)
    outcome = _show(turn) if turn is None or turn.error is None else turn.error
    cells = (scored.turn + 1, outcome, reference, "right" if scored.correct else scored.cause or "wrong")
    return f"| {' | '.join(' '.join(str(cell).split()).replace('|', '/') for cell in cells)} |"


def _show(turn: TurnRecord | None) -> str:
    return "no answer" if turn is None else show_number(answer_of(turn))
