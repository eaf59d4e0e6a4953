"""Time to interpret a question, and agreement with manual labels.

`python -m benchmarks.meanings` prints the figures and each labelled turn with a different interpretation.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter

from benchmarks.figure import Figure, milliseconds
from benchmarks.workload import Workload, benchmark_file
from quaestor.ontology.core import question_words
from quaestor.questions.question import Question

SUPPORT = str(Path(__file__).resolve().parents[1] / "tests" / "support")


def measure(workload: Workload) -> Iterable[Figure]:
    questions = [question for c in workload.dataset.conversations for question in c.questions]
    Question(questions[0]).metric_types()
    yield milliseconds("what a question asks for", map(_seconds, questions), "questions")


def _seconds(question: str) -> float:
    question_words.cache_clear()
    started = perf_counter()
    Question(question).metric_types()
    return perf_counter() - started


def main() -> None:
    sys.path.append(SUPPORT)
    from labelled_results import TUNE, read_labelled

    path = benchmark_file()
    if path.name != TUNE:
        raise SystemExit(f"needs {TUNE} in ../shared/data")
    read = read_labelled(path.parent)
    for name, right in (("metric type", [r.metric_right for r in read]), ("entity", [r.entity_right for r in read])):
        print(f"{name}: {sum(right)} of {len(right)}, {100 * sum(right) / len(right):.1f} %")
    for turn in read:
        if not turn.metric_right:
            print(f"  {turn.place}: {turn.labelled} by hand, {turn.classified} by rule")
        if not turn.entity_right:
            print(f"  {turn.place}: {turn.entity!r} by hand, {turn.extracted!r} by rule")


if __name__ == "__main__":
    main()
