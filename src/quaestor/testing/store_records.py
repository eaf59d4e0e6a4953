"""Records of made-up runs, to test run stores and their presentation."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

from quaestor.core.serial import Triple
from quaestor.store.base import RunStore, open_store
from quaestor.store.records import ConversationRecord, CorrectionRecord, PromptRecord, RunRecord, TurnRecord
from quaestor.store.turn_summary import COUNTED, RunMeasures, sum_measures, summary_row

START = datetime(2026, 1, 5, 9, 30, 0, 123000, tzinfo=UTC)

OPTIONS = Triple("kg:StockOption_2007", "rdf:type", "kg:StockOption")
PRICE = Triple("kg:StockOption_2007", "kg:exercise_price", '"60.94"^^xsd:decimal')
EARLIER_PRICE = Triple("kg:StockOption_2006", "kg:exercise_price", '"25.140"^^xsd:decimal')
TEXT = Triple("<urn:a b>", "kg:text", '"two\\nlines, \\"quoted\\", in €"')
GRAPH = tuple(sorted([OPTIONS, PRICE, EARLIER_PRICE, TEXT]))

Scenario = Callable[[RunStore], Coroutine[None, None, None]]


def run_scenario(uri: str, scenario: Scenario) -> None:
    """Run a scenario on an opened store."""

    async def opened() -> None:
        async with open_store(uri) as store:
            await scenario(store)

    asyncio.run(opened())


def make_run(run: str = "20260105-093000-scripted-0001", *, minutes: int = 0, conversations: int = 2) -> RunRecord:
    """Return a run of two conversations."""
    return RunRecord(
        id=run,
        spec={
            "solver": "scripted",
            "solver_options": {"depth": 3, "names": ["é", "日本"], "share": 0.25},
            "limit": None,
        },
        spec_digest="ab" * 32,
        dataset="pages.json",
        dataset_digest="cd" * 32,
        conversations=conversations,
        started=START + timedelta(minutes=minutes),
    )


def make_example(
    run: RunRecord, conversation: str = "c1", status: str = "complete", turns: int = 2, attempt: int = 1
) -> ConversationRecord:
    """Return the record of a conversation."""
    return ConversationRecord(
        run=run.id,
        conversation=conversation,
        document="NORD/2012/page_41.pdf",
        status=status,  # type: ignore[arg-type]  # parametrised tests pass plain text
        turns=turns,
        started=START,
        finished=None if status == "pending" else START + timedelta(milliseconds=7),
        error=None if status in ("pending", "complete") else "KeyError: 'x'",
        kg_stats={"instances": 3, "triples": 21, "entityType": "kg:StockOption"},
        usage={"requests": 4, "input_tokens": 1200},
        attempt=attempt,
    )


def make_turns(run: RunRecord, conversation: str = "c1", count: int = 2, attempt: int = 1) -> tuple[TurnRecord, ...]:
    """Return the turns of a conversation, the first without an answer."""
    return tuple(
        TurnRecord(
            run=run.id,
            conversation=conversation,
            index=index,
            question=f"what was it in {2000 + index}, in €?",
            answer={"value": "1.50", "plan": {"steps": [{"id": 1, "nothing": None, "flag": True}]}, "confidence": 0.5},
            program="subtract(3, 1.5)" if index else None,
            number="1.50" if index else None,
            verified=bool(index),
            started=START,
            finished=START + timedelta(milliseconds=index),
            error=None if index else "SolverError: no plan",
            sources=[{"kind": "cell", "row": 1}],
            events=[{"text": "looks for a difference", "warning": True, "kind": "note"}] if index else [],
            references={"expressions": [{"text": "it", "candidates": [{"turn": 0, "score": 1.0}]}], "focus": None},
            tool_calls=[
                {
                    "tool": "calculate",
                    "input": {"operation": "subtract"},
                    "output": {"success": True, "value": 1.5},
                    "seconds": 0.001,
                    "started": "2026-01-05T09:30:00.123000Z",
                }
            ],
            usage={"requests": 2, "tokens": 1 << 40},
            history=[{"question": "and before?", "answer": "3"}] * index,
            registers=[{"value": "1.50", "scale": "million", "unit": "$", "sources": [{"kind": "cell", "row": 1}]}],
            attempt=attempt,
        )
        for index in range(count)
    )


def make_prompt(
    run: RunRecord, conversation: str = "c1", turn: int = 0, number: int = 0, attempt: int = 1
) -> PromptRecord:
    """Return a request to a model."""
    return PromptRecord(
        run=run.id,
        conversation=conversation,
        turn=turn,
        number=number,
        phase="understand" if number == 0 else f"answer_{number}",
        model="test:model",
        prompt='What is asked?\n{"question": "… in €"}',
        response=None if number == 2 else f"reply {number}",
        started=START,
        finished=START + timedelta(milliseconds=900),
        usage={"input_tokens": 812},
        error="ReadTimeout" if number == 2 else None,
        attempt=attempt,
    )


def make_correction(run: RunRecord, conversation: str = "c1", number: int = 1, attempt: int = 1) -> CorrectionRecord:
    """Return a correction of a number."""
    return CorrectionRecord(
        run=run.id,
        conversation=conversation,
        number=number,
        act={"kind": "number", "source": {"kind": "cell", "row": 1}, "was": None, "now": {"value": "5400"}},
        turns=2,
        author="Ada, in €",
        made=START + timedelta(minutes=number),
        reason="misread" if number == 1 else "",
        changes=[{"turn": 1, "was": "1.50", "answer": {"value": "1.60"}, "verified": True}] if number == 1 else [],
        attempt=attempt,
    )


def measure_records(turns: Iterable[TurnRecord]) -> RunMeasures:
    """Return the measures of a run with these turns."""
    outcome = ("refusals", "no_answer", "answered", "verified", "ended", "stages")
    rows = [
        {**summary_row(asdict(turn)), "answered": turn.number is not None, "verified": turn.verified}
        | {"ended": turn.status == "complete"}
        for turn in turns
    ]
    return sum_measures((*(row[name] for name in (*COUNTED, *outcome)), 1) for row in rows)
