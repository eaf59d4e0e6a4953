"""Time to score a turn by all metrics."""

from collections.abc import Iterable
from time import perf_counter

from benchmarks.figure import Figure, milliseconds
from benchmarks.workload import Workload
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.scoring.figures import score_predictions
from quaestor.scoring.gold import read_gold
from quaestor.scoring.scorers import prediction_of


def measure(workload: Workload) -> Iterable[Figure]:
    gold = read_gold(workload.path)
    seconds = []
    for conversation in workload.dataset.conversations:
        records = turn_records(TurnPlace("benchmark", conversation.id), workload.turns[conversation.id])
        predictions = [prediction_of(record) for record in records]
        started = perf_counter()
        score_predictions(predictions, gold, [conversation])
        seconds.append((perf_counter() - started) / len(records))
    yield milliseconds("scoring, a turn", seconds, "conversations, each with its intervals")
