"""The store of scores: every scoring's figures, and the verdicts of the latest; and how it is opened.

It is an object of its own beside the run store, and is above everything that answers: whoever holds a run store
has no way to a verdict. `quaestor.testing` checks every database.
"""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from quaestor.scores.columns import PLACES, pack_rows, unpack_frame
from quaestor.scores.records import (
    ConversationScoreRecord,
    JudgedTurn,
    Outcome,
    PairCounts,
    PairFilter,
    ScoreRecord,
    ScoreRecords,
    Tally,
    TurnPair,
    VerdictFilter,
    VerdictRecord,
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
    turns_where,
)

_LATEST = ("-scored", "-id")
_VERDICT = ("score", "correct", "program_correct", "cause")
_OF_THE_LATEST = ("scored_columns", "scored_turns", "scored_examples")
"""What is kept of the latest scoring of a run alone."""
_OUTCOMES: Mapping[tuple[bool | None, bool | None], Outcome] = {
    (True, True): "both",
    (True, False): "first",
    (False, True): "second",
    (False, False): "neither",
}
_SOME = 500
"""Conversations whose turns are read together: those of a large run do not fit in memory."""


class ScoreStore(TableStore):
    """Keeps the scores of runs: every scoring's figures, and the verdicts of the latest.

    Every operation is safe beside other processes, and may raise StoreError (unreachable, damaged, read-only). With
    its run a score goes too. Of a run that is not there, and of one without a scoring, nothing is found.
    """

    @operation("write to")
    async def add_score(self, records: ScoreRecords) -> None:
        """Add a scoring of a run. Its verdicts are in place of those of an earlier one, whose figures stay.

        The figures are written last: they make the verdicts count. Raises UnknownRunError where there is no such run.
        """
        run, key = records.score.run, {"run": records.score.run, "score": records.score.id}
        await self._require(run)
        if self._tables.done_before:
            for table in _OF_THE_LATEST:
                await self._tables.delete(table, key)
        before = await self._scores({"run": run}, ListPart(limit=1))
        latest = not before or (before[0].scored, before[0].id) < (records.score.scored, records.score.id)
        if latest:  # else another process has added a later one meanwhile
            for table in _OF_THE_LATEST if self._tables.transactional else ():
                await self._tables.delete(table, {"run": run})
            await self._tables.insert("scored_examples", map(row_of, records.conversations))
            await self._tables.insert("scored_turns", map(row_of, records.verdicts))
            columns = pack_rows(await self._judged_rows(records.score)).items()
            await self._tables.insert("scored_columns", [{**key, "name": name, "data": data} for name, data in columns])
        await self._tables.replace("scores", [row_of(records.score)])
        _, *earlier = [score.id for score in await self._scores({"run": run})]
        for table in _OF_THE_LATEST if earlier else ():
            await self._tables.delete(table, {"run": run, "score": Among(earlier)})

    @operation("read")
    async def scores(self, run: str | None = None) -> tuple[ScoreRecord, ...]:
        """Return the figures of every scoring of a run, or of all runs, the latest first."""
        return await self._scores({"run": run})

    async def _scores(self, where: Mapping[str, Any], part: ListPart | None = None) -> tuple[ScoreRecord, ...]:
        return await self._records(ScoreRecord, "scores", where, _LATEST, part)

    @operation("read")
    async def conversation_scores(self, run: str) -> tuple[ConversationScoreRecord, ...]:
        """Return how the conversations of a run did in its latest scoring, by id."""
        return await self._records(
            ConversationScoreRecord, "scored_examples", await self._latest(run), ("conversation",)
        )

    @operation("read")
    async def verdicts(self, run: str) -> tuple[VerdictRecord, ...]:
        """Return the verdicts of a run's latest scoring, by conversation and index."""
        return await self._records(VerdictRecord, "scored_turns", await self._latest(run), TURN_ORDERS["conversation"])

    @operation("read")
    async def judged_frame(self, run: str) -> TurnFrame:
        """Return the verdicts of a run's latest scoring with what was answered when it was added."""
        latest = await self._scores({"run": run}, ListPart(limit=1))
        if not latest:
            return TurnFrame()
        where = {"run": run, "score": latest[0].id}
        packed = {
            row["name"]: row["data"] for row in await self._tables.find("scored_columns", ("name", "data"), where)
        }
        if PLACES not in packed:  # an earlier version kept the score
            packed = pack_rows(await self._judged_rows(latest[0]))
        return unpack_frame(packed, latest[0].metrics)

    @operation("read")
    async def latest_scores(self, runs: Sequence[str]) -> Mapping[str, ScoreRecord]:
        """Return the figures of the latest scoring of some runs, by run."""
        one = ListPart(limit=1)
        return {run: score for run in runs for score in await self._scores({"run": run}, one)}

    @operation("read")
    async def list_turns(
        self, run: str, wanted: TurnFilter, verdicts: VerdictFilter, part: ListPart
    ) -> ListPage[JudgedTurn]:
        """Return turns of a run with the verdicts of its latest scoring."""
        order, found = filter_of(run, wanted)
        where = await self._latest(run) | found | {"correct": verdicts.correct, "cause": verdicts.cause}
        columns = (*columns_of(TurnListing), *_VERDICT)
        rows = await self._tables.find(JUDGED_TURNS, columns, where, order, part)
        return ListPage(tuple(_judged_turn(run, row) for row in rows), await self._total(JUDGED_TURNS, where), part)

    @operation("read")
    async def tally(self, run: str, by: TurnClass) -> Mapping[str | int | None, Tally]:
        """Return how many turns of each class are right in a run's latest scoring; those without one under None."""
        counts: dict[str | int | None, Counter[bool | None]] = {}
        for name, correct, count in await self._tables.count(JUDGED_TURNS, (by, "correct"), await self._latest(run)):
            counts.setdefault(name, Counter())[correct] += count
        return {name: Tally(one[True], one[True] + one[False], one.total()) for name, one in counts.items()}

    @operation("read")
    async def causes(self, run: str) -> Mapping[str, int]:
        """Return for how many turns each cause is kept in a run's latest scoring, the most frequent first."""
        where = await self._latest(run) | {"correct": False, "cause": Other(None)}
        counts = dict(await self._tables.count("scored_turns", ("cause",), where))
        return dict(sorted(counts.items(), key=lambda cause: (-cause[1], cause[0])))

    @operation("read")
    async def compare(self, first: str, second: str, wanted: PairFilter, part: ListPart) -> ListPage[TurnPair]:
        """Return turns of two runs side by side, by conversation and index: those that both have."""
        places: list[tuple[str, int]] = []
        total = 0
        async for place, outcome, differ in self._pairs(first, second, wanted.text):
            if wanted.outcome in (None, outcome) and wanted.differ in (None, differ):
                total += 1
                if part.offset < total <= part.offset + part.limit:
                    places.append(place)
        sides = [await self._judged_turns(run, places) for run in (first, second)]
        return ListPage(tuple(TurnPair(sides[0][place], sides[1][place]) for place in places), total, part)

    @operation("read")
    async def count_pairs(self, first: str, second: str) -> PairCounts:
        """Return how two runs compare over the turns that both have."""
        found = [(outcome, differ) async for _, outcome, differ in self._pairs(first, second)]
        outcomes = Counter(outcome for outcome, _ in found)
        return PairCounts(dict(outcomes), sum(differ for _, differ in found), len(found))

    async def _pairs(
        self, first: str, second: str, text: str = ""
    ) -> AsyncIterator[tuple[tuple[str, int], Outcome, bool]]:
        """Yield the places of the turns that two runs have, with the outcome and whether the answers differ."""
        columns = ("conversation", "index", "number", "correct")
        wheres = [await self._latest(first) | turns_where(first, text), await self._latest(second)]
        async for some in self._conversations(first):
            rows = [
                await self._tables.find(JUDGED_TURNS, columns, where | {"conversation": Among(some)})
                for where in wheres
            ]
            others = {_place(row): row for row in rows[1]}
            for one in sorted(rows[0], key=_place):
                if (other := others.get(_place(one))) is not None:
                    outcome = _OUTCOMES.get((one.get("correct"), other.get("correct")), "unjudged")
                    yield _place(one), outcome, not are_same_answer(one.get("number"), other.get("number"))

    async def _judged_turns(self, run: str, places: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], JudgedTurn]:
        among = {"conversation": Among({name for name, _ in places})}
        columns = (*columns_of(TurnListing), *_VERDICT)
        rows = await self._tables.find(JUDGED_TURNS, columns, await self._latest(run) | among) if places else []
        return {_place(row): _judged_turn(run, row) for row in rows}

    async def _conversations(self, run: str) -> AsyncIterator[list[str]]:
        found = await self._tables.find("examples", ("conversation",), {"run": run}, ("conversation",))
        for at in range(0, len(found), _SOME):
            yield [row["conversation"] for row in found[at : at + _SOME]]

    async def _judged_rows(self, score: ScoreRecord) -> list[Row]:
        """Return the verdicts of a scoring with what was answered, by conversation and index."""
        examples = await self._tables.find("examples", ("conversation", "document"), {"run": score.run})
        pages = {row["conversation"]: row["document"] for row in examples}
        found: list[Row] = []
        verdict = ("conversation", "index", "correct", "program_correct", "cause")
        answer = ("conversation", "index", "number", "confidence")
        async for some in self._conversations(score.run):
            of_some = {"run": score.run, "conversation": Among(some)}
            turns = {_place(turn): turn for turn in await self._tables.find(LATEST_TURNS, answer, of_some)}
            order = TURN_ORDERS["conversation"]
            for row in await self._tables.find("scored_turns", verdict, of_some | {"score": score.id}, order):
                found.append({**turns.get(_place(row), {}), **row, "document": pages[row["conversation"]]})
        return found

    async def _latest(self, run: str) -> dict[str, Any]:
        """Return what picks out the rows of the latest scoring of a run."""
        found = await self._scores({"run": run}, ListPart(limit=1))
        return {"run": run, "score": found[0].id if found else ""}


def _place(row: Row) -> tuple[str, int]:
    return row["conversation"], row["index"]


def _judged_turn(run: str, row: Row) -> JudgedTurn:
    verdict = record_of(VerdictRecord, row | {"run": run}) if row.get("score") is not None else None
    return JudgedTurn(listing_of(row), verdict)


def open_scores(uri: str) -> ScoreStore | None:
    """Open the scores in a store that is there: they are tables of it; None if it is in memory."""
    scheme, _, rest = uri.partition("://")
    if scheme == "sqlite" and not rest.strip("/"):
        return None
    return ScoreStore(open_store(uri, create=False)._tables)
