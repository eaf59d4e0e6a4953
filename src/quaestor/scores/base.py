"""The score store, with the figures of every scoring and the verdicts of the latest.

It is separate from the run store and in a layer above all solvers, so that a run store gives no access to verdicts.
`quaestor.testing` has the tests for every database.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from quaestor.scores.records import (
    ConversationScoreRecord,
    JudgedTurn,
    Outcome,
    PairCounts,
    PairFilter,
    ScoreRecord,
    ScoreRecords,
    Tally,
    Verdict,
    VerdictFilter,
    Verdicts,
    frame_of_rows,
)
from quaestor.scoring.metrics import are_same_answer
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.store.base import TURN_ORDERS, filter_of, listing_of, open_store
from quaestor.store.listing import ListPage, ListPart, TurnClass, TurnFilter, TurnListing
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
