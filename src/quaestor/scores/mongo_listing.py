"""Lists of judged turns out of MongoDB, part by part: turns joined with their verdicts on the server."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from quaestor.scores.columns import JudgedColumns, pack_columns, unpack_columns
from quaestor.scores.listing import (
    JudgedTurn,
    Outcome,
    PairCounts,
    PairFilter,
    Tally,
    TurnPair,
    VerdictFilter,
    VerdictOnAnswer,
)
from quaestor.scores.mongo_documents import LATEST_FIRST, from_score_document
from quaestor.scores.records import ScoreRecord, VerdictRecord
from quaestor.scoring.sameness import says_the_same
from quaestor.store.listing import ListPage, ListPart, TurnClass, TurnFilter
from quaestor.store.mongo_connection import Database, OnMongo
from quaestor.store.mongo_listing import FIELDS, PLACE, SHOWN, document_listing, turns_query, turns_stages
from quaestor.store.mongo_retrying import retried

Stage = dict[str, Any]

_OUTCOMES: Mapping[tuple[bool | None, bool | None], Outcome] = {
    (True, True): "both",
    (True, False): "first",
    (False, True): "second",
    (False, False): "neither",
}


_NUMBERS = {"number": 1, "secondNumber": "$second.number"}
"""What is told of a pair to whoever asks whether its answers say the same."""


class MongoScoreLists(OnMongo):
    """The operations of a ScoreStore that give a list part by part."""

    @retried
    async def latest_scores(self, runs: Sequence[str]) -> Mapping[str, ScoreRecord]:
        """Return the figures of the latest scoring of some runs, by run."""
        async with self._using("read") as db:
            found = [await db.scores.find_one({"runId": run}, sort=LATEST_FIRST) for run in runs]
        scores = [from_score_document(ScoreRecord, document) for document in found if document is not None]
        return {score.run: score for score in scores}

    @retried
    async def judged_columns(self, run: str) -> JudgedColumns:
        """Return the verdicts of a run's latest scoring with what was answered when it was added."""
        async with self._using("read") as db:
            counting = await latest(db, run)
            packed = {one["name"]: bytes(one["data"]) async for one in db.scored_columns.find(counting)}
            # Of a score of before columns were kept they are made each time.
            return unpack_columns(packed or pack_columns(await verdicts_on_answers(db, counting)))

    @retried
    async def list_turns(
        self, run: str, wanted: TurnFilter, verdicts: VerdictFilter, part: ListPart
    ) -> ListPage[JudgedTurn]:
        """Return turns of a run with the verdicts of its latest scoring."""
        named = {"verdict.correct": verdicts.correct, "verdict.cause": verdicts.cause}
        judged = {name: value for name, value in named.items() if value is not None}
        async with self._using("read") as db:
            stages = turns_stages(turns_query(run, wanted), wanted)
            # What no verdict is asked of is joined for the part alone.
            joined = _beside("scored_turns", "verdict", await latest(db, run))
            filtered = [*joined, {"$match": judged}] if judged else []
            total = await _counted(db, [*stages, *filtered])
            some = [*stages, *filtered, {"$skip": part.offset}, {"$limit": part.limit}, *(() if judged else joined)]
            found = await db.turns.aggregate([*some, {"$project": {**SHOWN, "verdict": 1}}])
            return ListPage(tuple([_judged(document) async for document in found]), total, part)

    @retried
    async def tally(self, run: str, by: TurnClass) -> Mapping[str | int | None, Tally]:
        """Return how many turns of each class are right in a run's latest scoring."""
        async with self._using("read") as db:
            stages = [{"$match": turns_query(run, TurnFilter())}]
            joined = _beside("scored_turns", "verdict", await latest(db, run))
            shown = {"_id": 0, "name": f"${FIELDS[by]}", "correct": "$verdict.correct"}
            found = [turn async for turn in await db.turns.aggregate([*stages, *joined, {"$project": shown}])]
        rows: dict[str | int | None, list[bool | None]] = {}
        for turn in found:
            rows.setdefault(turn.get("name"), []).append(turn.get("correct"))
        return {
            name: Tally(verdicts.count(True), len(verdicts) - verdicts.count(None), len(verdicts))
            for name, verdicts in rows.items()
        }

    @retried
    async def causes(self, run: str) -> Mapping[str, int]:
        """Return for how many turns each cause is kept in a run's latest scoring, the most frequent first."""
        async with self._using("read") as db:
            found = db.scored_turns.find({**await latest(db, run), "cause": {"$ne": None}}, ["cause"])
            counts = Counter([verdict["cause"] async for verdict in found])
        return dict(sorted(counts.items(), key=lambda cause: (-cause[1], cause[0])))

    @retried
    async def compare(self, first: str, second: str, wanted: PairFilter, part: ListPart) -> ListPage[TurnPair]:
        """Return turns of two runs side by side."""
        async with self._using("read") as db:
            stages = [*await _pairs(db, first, second, wanted.text), {"$match": _pairs_where(wanted)}]
            ordered = [*stages, {"$sort": dict(PLACE)}]
            if wanted.differ is None:
                total = await _counted(db, stages)
                some = [*ordered, {"$skip": part.offset}, {"$limit": part.limit}]
            else:
                # The rule is ours, and no server's: it is given the numbers of all, and the turns of the part alone.
                found = await db.turns.aggregate([*ordered, {"$project": _NUMBERS}])
                alike = [pair["_id"] async for pair in found if _differ(pair) is wanted.differ]
                total, of_part = len(alike), alike[part.offset : part.offset + part.limit]
                some = [{"$match": {"_id": {"$in": of_part}}}, *ordered]
            found = await db.turns.aggregate([*some, {"$project": {**SHOWN, "verdict": 1, "second": 1}}])
            return ListPage(
                tuple([TurnPair(_judged(pair), _judged(pair["second"])) async for pair in found]), total, part
            )

    @retried
    async def compared(self, first: str, second: str) -> PairCounts:
        """Return how two runs compare over the turns that both have."""
        async with self._using("read") as db:
            stages = await _pairs(db, first, second, "")
            shown = {**_NUMBERS, "one": "$verdict.correct", "other": "$second.verdict.correct"}
            found = [pair async for pair in await db.turns.aggregate([*stages, {"$project": shown}])]
        outcomes = Counter(_OUTCOMES.get((pair.get("one"), pair.get("other")), "unjudged") for pair in found)
        return PairCounts(dict(outcomes), sum(map(_differ, found)), len(found))


async def latest(db: Database, run: str) -> dict[str, Any]:
    """Return what picks out the documents of the latest scoring of a run."""
    found = await db.scores.find_one({"runId": run}, ["scoreId"], sort=LATEST_FIRST)
    return {"runId": run, "scoreId": found["scoreId"] if found else None}


async def verdicts_on_answers(db: Database, scoring: Mapping[str, Any]) -> list[VerdictOnAnswer]:
    """Return the verdicts of a scoring with what was answered, by conversation and index.

    Args:
        scoring: The run's id and that of the scoring, as documents name them.
    """
    run = scoring["runId"]
    shown = ["conversationId", "turnIndex", "number", FIELDS["confidence"]]
    turns = {_place(turn): turn async for turn in db.turns.find(turns_query(run, TurnFilter()), shown)}
    pages = {
        one["conversationId"]: one["documentId"]
        async for one in db.examples.find({"runId": run}, ["conversationId", "documentId"])
    }
    return [
        VerdictOnAnswer(
            *_place(verdict),
            pages[verdict["conversationId"]],
            verdict["correct"],
            verdict.get("programCorrect"),
            verdict.get("cause"),
            turn.get("number"),
            turn.get("classes", {}).get("confidence"),
        )
        async for verdict in db.scored_turns.find(scoring).sort(PLACE)
        if verdict["conversationId"] in pages
        for turn in [turns.get(_place(verdict), {})]
    ]


def _place(document: Mapping[str, Any]) -> tuple[str, int]:
    return document["conversationId"], document["turnIndex"]


def _beside(collection: str, name: str, where: Mapping[str, Any], *more: Stage) -> list[Stage]:
    """Return the stages that put the document of the same place in another collection beside a turn."""
    names = {"conversation": "$conversationId", "index": "$turnIndex"}
    same = [{"$eq": [place, f"$${name}"]} for name, place in names.items()]
    matched = [{"$match": {**where, "$expr": {"$and": same}}}, *more]
    looked_up = {"from": collection, "let": names, "pipeline": matched, "as": name}
    return [{"$lookup": looked_up}, {"$unwind": {"path": f"${name}", "preserveNullAndEmptyArrays": True}}]


async def _pairs(db: Database, first: str, second: str, text: str) -> list[Stage]:
    """Return the stages that give the turns of a run with those of another beside them, each with its verdict."""
    judged = [_beside("scored_turns", "verdict", await latest(db, run)) for run in (first, second)]
    counts = turns_query(second, TurnFilter())
    return [
        {"$match": turns_query(first, TurnFilter(text))},
        *judged[0],
        *_beside("turns", "second", counts, *judged[1]),
        {"$match": {"second": {"$exists": True}}},
    ]


def _pairs_where(wanted: PairFilter) -> dict[str, Any]:
    where: dict[str, Any] = {}
    if wanted.outcome == "unjudged":
        where["$or"] = [{"verdict": {"$exists": False}}, {"second.verdict": {"$exists": False}}]
    elif wanted.outcome is not None:
        right = next(key for key, outcome in _OUTCOMES.items() if outcome == wanted.outcome)
        where |= {"verdict.correct": right[0], "second.verdict.correct": right[1]}
    return where


def _differ(pair: Mapping[str, Any]) -> bool:
    return not says_the_same(pair.get("number"), pair.get("secondNumber"))


async def _counted(db: Database, stages: Sequence[Stage]) -> int:
    found = [document async for document in await db.turns.aggregate([*stages, {"$count": "total"}])]
    return int(found[0]["total"]) if found else 0


def _judged(document: Mapping[str, Any]) -> JudgedTurn:
    verdict = document.get("verdict")
    return JudgedTurn(document_listing(document), from_score_document(VerdictRecord, verdict) if verdict else None)
