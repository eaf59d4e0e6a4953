"""Scores of runs, stored beside them: the figures of every scoring and the verdicts of the latest.

They have verdicts and counts, but no reference answers, reference programs, or answers of a run. The score store is
separate from the run store and in a layer above all solvers, so that a run store gives no access to verdicts.
`quaestor.testing` has the tests for every database.
"""

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from typing import Any, Literal

from pydantic import ConfigDict, JsonValue

from quaestor.core import serial
from quaestor.scoring.figures import Score
from quaestor.scoring.metrics import are_same_answer
from quaestor.scoring.scorers import PROGRAMS, measures_of
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.store.base import TURN_ORDERS, filter_of, listing_of, open_store
from quaestor.store.listing import ListPage, ListPart, TurnClass, TurnFilter, TurnListing
from quaestor.store.records import RunRecord, now
from quaestor.store.tables import (
    JUDGED_TURNS,
    LATEST_TURNS,
    Among,
    Other,
    Row,
    TableStore,
    columns_of,
    operation,
    record_of,
    row_of,
)


@dataclass(frozen=True, slots=True)
class ScoreRecord:
    """Scoring of a run. Unique by `id`.

    Attributes:
        metrics: For each scorer's name, `correct`, `total`, `value` and the 95 % interval from `low` to `high`,
            resampled from `pages` pages.
        correct_answers: Turns that are right by the benchmark (`quaestor.scoring.scorers.Measures.right`).
        references_digest: SHA-256 of the labelled file used for scoring; None if the references came from elsewhere,
            and in older scores.
    """

    id: str
    run: str
    dataset: str
    dataset_digest: str
    scored: datetime
    version: str
    metrics: dict[str, JsonValue]
    conversations: int
    turns: int
    correct_answers: int
    accuracy: float
    unanswered: int
    mean_turns: float
    mean_tool_calls: float
    references_digest: str | None = None


@dataclass(frozen=True, slots=True)
class ConversationScoreRecord:
    """Score of a conversation in the latest scoring of its run. Unique by `(run, conversation)`."""

    score: str
    run: str
    conversation: str
    turns: int
    correct_answers: int
    accuracy: float
    failed_turns: list[JsonValue] = field(default_factory=list)
    mean_tool_calls: float = 0.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """Right or wrong.

    Attributes:
        correct: Whether the answer is right by the benchmark's rules.
        program_correct: Whether the program is right by official program accuracy; null without a reference program.
        cause: Why it is wrong, a name from `quaestor.scoring.taxonomy`; null if it is right, and in older verdicts.
    """

    __pydantic_config__ = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)

    correct: bool
    program_correct: bool | None
    cause: str | None = None


Verdicts = Mapping[tuple[str, int], Verdict]
"""Verdicts on turns, by conversation and index."""


@dataclass(frozen=True, slots=True)
class ScoreRecords:
    """All records of one scoring."""

    score: ScoreRecord
    conversations: Sequence[ConversationScoreRecord]
    verdicts: Verdicts


Outcome = Literal["both", "first", "second", "neither", "unjudged"]
"""Outcome of a turn in two runs: right in both, only the first, only the second, or neither; or unjudged in one."""


@dataclass(frozen=True, slots=True)
class VerdictFilter:
    """Filter of turns by verdict; None matches all."""

    correct: bool | None = None
    cause: str | None = None


JudgedTurn = tuple[TurnListing, Verdict | None]
"""A turn with its verdict, if it has one."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of right, scored and all turns of a class."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: str | int | None
    right: int
    judged: int
    turns: int


@dataclass(frozen=True, slots=True)
class PairFilter:
    """Filter of the turns of two runs; None matches all."""

    outcome: Outcome | None = None
    differ: bool | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Comparison of two runs over their shared turns; `outcomes` omits those without a turn."""

    outcomes: Mapping[Outcome, int]
    differ: int
    total: int


def frame_of_rows(
    rows: Sequence[Row], turns: Sequence[Row], pages: Mapping[str, str], scorers: Iterable[str]
) -> TurnFrame:
    """Return the frame of verdicts and their turns, empty if they were not run; `pages` is by conversation."""
    try:
        measures = measures_of(scorers)
    except ValueError:  # the score was stored by another version
        measures = PROGRAMS
    documents = [pages[row["conversation"]] for row in rows]
    both = [(row["correct"], row.get("program_correct")) for row in rows]
    verdicts = {one: {measures.right: one[0], measures.second: one[1]} for one in set(both)}
    classes = {index: (f"turn {index + 1}",) for index in {row["index"] for row in rows}}
    return TurnFrame(
        measures,
        ("turn",),
        [row["conversation"] for row in rows],
        [row["index"] for row in rows],
        documents,
        [page.partition("/")[0] for page in documents],
        [turn.get("number") for turn in turns],
        [turn.get("confidence") for turn in turns],
        [row.get("cause") for row in rows],
        [verdicts[one] for one in both],
        [classes[row["index"]] for row in rows],
    )


def make_score_records(
    run: RunRecord,
    dataset: str,
    turns: TurnFrame,
    figures: Score,
    called: Mapping[str, int],
    references_digest: str | None = None,
) -> ScoreRecords:
    """Return the records of a run's score.

    Breakdowns are left out: for a run with a single conversation they would reveal its reference programs.
    """
    scored = now()
    places: dict[str, list[int]] = {}
    for place, conversation in enumerate(turns.conversations):
        places.setdefault(conversation, []).append(place)
    right = sum(map(turns.correct, range(len(turns))))
    score = ScoreRecord(
        id=f"{scored:%Y%m%d-%H%M%S}-{secrets.token_hex(4)}",
        run=run.id,
        dataset=dataset,
        dataset_digest=run.dataset_digest,
        scored=scored,
        version=version("quaestor"),
        metrics={name: {**serial.dump(found), "value": found.value} for name, found in figures.results.items()},
        conversations=len(places),
        turns=len(turns),
        correct_answers=right,
        accuracy=_mean(right, len(turns)),
        unanswered=figures.unanswered,
        mean_turns=_mean(len(turns), len(places)),
        mean_tool_calls=_mean(sum(called.get(id, 0) for id in places), len(turns)),
        references_digest=references_digest,
    )

    def conversation_score(id: str) -> ConversationScoreRecord:
        members = places[id]
        right = sum(map(turns.correct, members))
        return ConversationScoreRecord(
            score=score.id,
            run=run.id,
            conversation=id,
            turns=len(members),
            correct_answers=right,
            accuracy=_mean(right, len(members)),
            failed_turns=[turns.places[place] for place in members if not turns.correct(place)],
            mean_tool_calls=_mean(called.get(id, 0), len(members)),
        )

    verdicts = {}
    for at, turn in enumerate(zip(turns.conversations, turns.places, strict=True)):
        program = turns.verdicts[at].get("program")
        verdicts[turn] = Verdict(turns.correct(at), None if program is None else bool(program), turns.causes[at])
    return ScoreRecords(score, tuple(map(conversation_score, places)), verdicts)


def _mean(count: int, among: int) -> float:
    return count / among if among else 0.0


_LATEST = ("-scored", "-id")
_TURN = ("conversation", "index")
_JUDGED = (*columns_of(TurnListing), "score", *columns_of(Verdict))
_VERDICTS = (*_TURN, *columns_of(Verdict))
_LATEST_ONLY = ("scored_turns", "scored_examples")
"""Tables that keep only the latest scoring of a run."""
_OUTCOMES: Mapping[tuple[bool | None, bool | None], Outcome] = {
    (True, True): "both",
    (True, False): "first",
    (False, True): "second",
    (False, False): "neither",
}


class ScoreStore(TableStore):
    """Stores the scores of runs: the figures of every scoring, and the verdicts of the latest.

    Operations are safe with concurrent processes and may raise StoreError (unreachable, damaged, read-only). Deleting a
    run deletes its scores. Results are empty if the run does not exist or has not been scored.
    """

    @operation("write to")
    async def add_score(self, records: ScoreRecords) -> None:
        """Add a scoring of a run. Its verdicts replace those of earlier scorings, whose figures remain.

        The figures are written last, because they make the verdicts valid. Raises UnknownRunError if the run does not
        exist.
        """
        run, key = records.score.run, {"run": records.score.run, "score": records.score.id}
        await self._require(run)
        if self._tables.done_before:
            for table in _LATEST_ONLY:
                await self._tables.delete(table, key)
        before = await self._scores({"run": run}, ListPart(limit=1))
        latest = not before or (before[0].scored, before[0].id) < (records.score.scored, records.score.id)
        if latest:  # otherwise another process has added a later scoring
            for table in _LATEST_ONLY if self._tables.transactional else ():
                await self._tables.delete(table, {"run": run})
            await self._tables.insert("scored_examples", map(row_of, records.conversations))
            verdicts = (
                key | dict(zip(_TURN, turn, strict=True)) | row_of(one) for turn, one in records.verdicts.items()
            )
            await self._tables.insert("scored_turns", verdicts)
        await self._tables.replace("scores", [row_of(records.score)])
        _, *earlier = [score.id for score in await self._scores({"run": run})]
        for table in _LATEST_ONLY if earlier else ():
            await self._tables.delete(table, {"run": run, "score": Among(earlier)})

    @operation("read")
    async def scores(self, run: str | None = None) -> tuple[ScoreRecord, ...]:
        """Return the figures of every scoring of a run, or of all runs, latest first."""
        return await self._scores({"run": run})

    async def _scores(self, where: Mapping[str, Any], part: ListPart | None = None) -> tuple[ScoreRecord, ...]:
        return await self._records(ScoreRecord, "scores", where, _LATEST, part)

    @operation("read")
    async def conversation_scores(self, run: str) -> tuple[ConversationScoreRecord, ...]:
        """Return the conversation scores of a run's latest scoring, by id."""
        return await self._records(
            ConversationScoreRecord, "scored_examples", await self._latest(run), ("conversation",)
        )

    @operation("read")
    async def verdicts(self, run: str) -> Verdicts:
        """Return the verdicts of a run's latest scoring, in order."""
        rows = await self._tables.find("scored_turns", _VERDICTS, await self._latest(run), TURN_ORDERS["conversation"])
        return {_place(row): record_of(Verdict, row) for row in rows}

    @operation("read")
    async def judged_frame(self, run: str) -> TurnFrame:
        """Return the verdicts of a run's latest scoring with the answers."""
        latest = await self._scores({"run": run}, ListPart(limit=1))
        if not latest:
            return TurnFrame()
        examples = await self._tables.find("examples", ("conversation", "document"), {"run": run})
        turns = await self._tables.find(LATEST_TURNS, (*_TURN, "number", "confidence"), {"run": run})
        by_place = {_place(turn): turn for turn in turns}
        where = {"run": run, "score": latest[0].id}
        judged = await self._tables.find("scored_turns", _VERDICTS, where, TURN_ORDERS["conversation"])
        pages = {row["conversation"]: row["document"] for row in examples}
        return frame_of_rows(judged, [by_place.get(_place(row), {}) for row in judged], pages, latest[0].metrics)

    @operation("read")
    async def latest_scores(self, runs: Sequence[str]) -> Mapping[str, ScoreRecord]:
        """Return the figures of the latest scoring of each run."""
        one = ListPart(limit=1)
        return {run: score for run in runs for score in await self._scores({"run": run}, one)}

    @operation("read")
    async def list_turns(
        self, run: str, wanted: TurnFilter, verdicts: VerdictFilter, part: ListPart
    ) -> ListPage[JudgedTurn]:
        """Return turns of a run with the verdicts of its latest scoring."""
        order, found = filter_of(run, wanted)
        where = await self._latest(run) | found | {"correct": verdicts.correct, "cause": verdicts.cause}
        rows = await self._tables.find(JUDGED_TURNS, _JUDGED, where, order, part)
        return part.page(map(_judged_turn, rows), await self._total(JUDGED_TURNS, where))

    @operation("read")
    async def tally(self, run: str, by: TurnClass) -> tuple[Tally, ...]:
        """Count the right turns of each class in a run's latest scoring; turns without a class have the name None."""
        counts: dict[str | int | None, Counter[bool | None]] = {}
        for name, correct, count in await self._tables.count(JUDGED_TURNS, (by, "correct"), await self._latest(run)):
            counts.setdefault(name, Counter())[correct] += count
        return tuple(Tally(name, n[True], n[True] + n[False], n.total()) for name, n in counts.items())

    @operation("read")
    async def causes(self, run: str) -> Mapping[str, int]:
        """Count the wrong turns of a run's latest scoring by cause, most frequent first."""
        where = await self._latest(run) | {"correct": False, "cause": Other(None)}
        counts = dict(await self._tables.count("scored_turns", ("cause",), where))
        return dict(sorted(counts.items(), key=lambda cause: (-cause[1], cause[0])))

    @operation("read")
    async def compare(
        self, first: str, second: str, wanted: PairFilter, part: ListPart
    ) -> ListPage[tuple[JudgedTurn, JudgedTurn]]:
        """Return the turns that two runs share side by side, by conversation and index."""
        found = [
            place
            for place, outcome, differ in await self._pairs(first, second, wanted.text)
            if wanted.outcome in (None, outcome) and wanted.differ in (None, differ)
        ]
        places = found[part.offset : part.offset + part.limit]
        sides = [await self._judged_turns(run, places) for run in (first, second)]
        return part.page([(sides[0][place], sides[1][place]) for place in places], len(found))

    @operation("read")
    async def count_pairs(self, first: str, second: str) -> PairCounts:
        """Count the outcomes over the turns that two runs share."""
        found = await self._pairs(first, second)
        outcomes = Counter(outcome for _, outcome, _ in found)
        return PairCounts(dict(outcomes), sum(differ for *_, differ in found), len(found))

    async def _pairs(self, first: str, second: str, text: str = "") -> list[tuple[tuple[str, int], Outcome, bool]]:
        """Return the places of the turns that two runs share, with the outcome and whether the answers differ."""
        columns = (*_TURN, "number", "correct")
        wheres = [await self._latest(first) | filter_of(first, TurnFilter(text))[1], await self._latest(second)]
        rows = [await self._tables.find(JUDGED_TURNS, columns, where) for where in wheres]
        one, other = ({_place(row): row for row in found} for found in rows)
        return [
            (
                place,
                _OUTCOMES.get((one[place].get("correct"), other[place].get("correct")), "unjudged"),
                not are_same_answer(one[place].get("number"), other[place].get("number")),
            )
            for place in sorted(one.keys() & other.keys())
        ]

    async def _judged_turns(self, run: str, places: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], JudgedTurn]:
        among = {"conversation": Among({name for name, _ in places})}
        rows = await self._tables.find(JUDGED_TURNS, _JUDGED, await self._latest(run) | among) if places else []
        return {_place(row): _judged_turn(row) for row in rows}

    async def _latest(self, run: str) -> dict[str, Any]:
        """Return the condition for the rows of a run's latest scoring."""
        found = await self._scores({"run": run}, ListPart(limit=1))
        return {"run": run, "score": found[0].id if found else ""}


def _place(row: Row) -> tuple[str, int]:
    return row["conversation"], row["index"]


def _judged_turn(row: Row) -> JudgedTurn:
    return listing_of(row), None if row.get("score") is None else record_of(Verdict, row)


def open_scores(uri: str) -> ScoreStore | None:
    """Open the scores of an existing store, whose tables they share; None for a store in memory."""
    scheme, _, rest = uri.partition("://")
    if scheme == "sqlite" and not rest.strip("/"):
        return None
    return ScoreStore(open_store(uri, create=False)._tables)
