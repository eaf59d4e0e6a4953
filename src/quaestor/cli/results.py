"""What a scored run leaves: the table, the JSON document, the file with one object a turn."""

import json
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from pydantic import JsonValue
from rich.console import Console
from rich.table import Table as Grid

from quaestor.cli.judging import Judged
from quaestor.conversation.display import show_source
from quaestor.core import serial
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.datasets.dataset import Dataset
from quaestor.documents.document import Document
from quaestor.errors import InputError
from quaestor.scoring.bootstrap import Proportion
from quaestor.scoring.calibration import Certainty
from quaestor.scoring.report import Score

_TITLES = {
    "turn": "by turn",
    "operation": "by operation",
    "origin": "by origin of the operands",
    "conversation": "by kind of conversation",
}


def deliver(judged: Judged, dataset: Dataset, output: Path | None, as_json: bool) -> None:
    """Writes the file, where one is asked for, and prints the score.

    Raises:
        InputError: The file cannot be written.
    """
    if output is not None:
        write_turns(output, judged, dataset)
    for example in judged.broken:
        # The rest of a long reason, such as all gaps of a page, is shown by `runs failures`.
        reason = (example.error or "").partition("\n")[0]
        print(f"{example.conversation} counts as wrong: {reason}", file=sys.stderr)
    if as_json:
        print(json.dumps(score_json(judged), indent=2, ensure_ascii=False))
    else:
        show_score(Console(highlight=False), judged.report.score)


def show_score(console: Console, score: Score) -> None:
    """Prints the figures, each with its denominator and interval, and the breakdowns."""
    grid = Grid("", "right", "of", "%", "95 % interval", title="Score", title_justify="left")
    figures = {
        "execution accuracy": score.execution,
        "program accuracy": score.program,
        "conversation accuracy": score.conversations,
        "display match": score.display,
        "older rule": score.legacy,
    }
    for name, figure in figures.items():
        grid.add_row(name, *_figure(figure))
    _align(grid)
    console.print(grid)
    if score.unanswered:
        console.print(f"turns without an answer, counted as wrong: {score.unanswered}")
    if score.certainty:
        console.print(certainty_line(score.certainty))
    grid = Grid("execution accuracy", "right", "of", "%", "95 % interval", "program %")
    for breakdown in score.breakdowns:
        grid.add_section()
        grid.add_row(f"[bold]{_TITLES.get(breakdown.by, breakdown.by)}[/]")
        for group in breakdown.groups:
            grid.add_row(group.name, *_figure(group.execution), _percent(group.program.value))
    _align(grid)
    console.print(grid)


def certainty_line(found: Certainty) -> str:
    """Returns how far the confidences of a run's answers can be believed, in one line."""
    given, half = found.given, found.surest_half
    return (
        f"confidence: {_percent(given.value)} % of {given.total} answers are right, {_percent(half.value)} % of the "
        f"surest half; calibration error {found.error:.3f}"
    )


def _figure(figure: Proportion) -> tuple[str, str, str, str]:
    if not figure.total:
        return "", "0", "", ""
    interval = f"{_percent(figure.low)} to {_percent(figure.high)}"
    return str(figure.correct), str(figure.total), _percent(figure.value), interval


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _align(grid: Grid) -> None:
    for column in grid.columns[1:]:
        column.justify = "right"
        column.no_wrap = True


def score_json(judged: Judged) -> dict[str, JsonValue]:
    """Returns the score as JSON, with the share beside each numerator and denominator."""
    run = judged.run
    return {
        "run": run.id,
        "solver": run.spec["solver"],
        "dataset": run.dataset,
        "dataset_digest": run.dataset_digest,
        "score": _with_shares(serial.dump(judged.report.score)),
    }


def _with_shares(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_with_shares(item) for item in value]
    if not isinstance(value, dict):
        return value
    correct, total = value.get("correct"), value.get("total")
    if isinstance(correct, int) and isinstance(total, int):
        return {"value": correct / total if total else None, **value}
    return {name: _with_shares(item) for name, item in value.items()}


def write_turns(path: Path, judged: Judged, dataset: Dataset) -> None:
    """Writes one JSON object a turn, in the order of the dataset.

    Raises:
        InputError: The file cannot be written.
    """
    try:
        with path.open("w", encoding="utf-8") as file:
            for line in turn_objects(judged, dataset):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def turn_objects(judged: Judged, dataset: Dataset) -> Iterator[dict[str, JsonValue]]:
    """Yields each labelled turn: question, answer, program, sources, gold and verdicts.

    Units: `answer` is a number by the benchmark's convention (a computed ratio is a fraction), or yes, no, or null.
    """
    conversations = {conversation.id: conversation for conversation in dataset.conversations}
    for scored in judged.report.turns:
        conversation = conversations[scored.conversation]
        turn = judged.turns.get((scored.conversation, scored.turn))
        yield {
            "conversation": scored.conversation,
            "turn": scored.turn,
            "question": conversation.questions[scored.turn],
            "answer": _answer(scored.predicted),
            "program": scored.program,
            "gold": scored.gold,
            "gold_program": scored.gold_program,
            "correct": scored.correct,
            "program_correct": scored.program_correct,
            "sources": [_source(source, conversation.document) for source in turn.sources] if turn else [],
            "error": scored.error if turn else "not played",
            "confidence": scored.confidence,
        }


def _answer(number: str | None) -> JsonValue:
    if number is None or number in ("yes", "no"):
        return number
    value = Decimal(number)
    return int(value) if value == value.to_integral_value() else float(value)


def _source(stored: JsonValue, document: Document) -> JsonValue:
    assert isinstance(stored, dict)
    kind: type[Source] = SentenceRef if stored["kind"] == "sentence" else CellRef
    source = serial.load(kind, stored)
    shown = show_source(source, document)
    return {**stored, "place": shown.place, "text": shown.span if source.kind == "sentence" else shown.text}
