"""Accuracy on analysts' questions about whole filings.

`python -m benchmarks.analysts [FILING ...] [--answers FILE] [--list]` asks the embedded solver with its shipped weights
the questions of `../shared/data/questions`, one conversation at a time, scores the answers with
`../shared/tools/score_answers.py` and prints the figures. `--answers` saves the answers in the format of that scorer.
`--questions FOLDER --filings FOLDER` asks other questions, such as those of `training/more_companies`.
"""

import argparse
import importlib.util
import json
import os
import time
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from types import ModuleType
from typing import Any

from rich.console import Console
from rich.table import Table

import quaestor
from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import Number, Text, ValueList, YesNo
from quaestor.core.quantity import Scale
from quaestor.errors import QuaestorError

_SHARED = Path(__file__).resolve().parents[2] / "shared"
QUESTIONS, FILINGS = _SHARED / "data" / "questions", _SHARED / "data" / "filings"
_GROUPS = {
    "all": (),
    "look-ups and facts of the text": ("lookup", "text_fact"),
    "change, growth, growth rate": ("change", "growth", "cagr"),
    "ratio, share, sum, average": ("ratio", "share", "sum", "average"),
    "list, ranking, comparison, yes/no": ("list", "ranking", "comparison", "yesno"),
    "reasons and descriptions": ("why", "description"),
    "two questions in one": ("two_part",),
    "unanswerable": ("unanswerable",),
    "ambiguous": ("ambiguous",),
}
_SUFFIXES = (".html.gz", ".txt.gz", ".pdf", ".xlsx", ".csv")

Line = dict[str, Any]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("filings", nargs="*", help="only filings whose names begin so")
    parser.add_argument("--questions", type=Path, default=QUESTIONS, help="folder with FILING.jsonl files")
    parser.add_argument("--filings", dest="folder", type=Path, default=FILINGS, help="folder with the filings")
    parser.add_argument("--answers", type=Path, help="keep the answers in this file")
    parser.add_argument("--list", action="store_true", help="print each question that is not answered right")
    options = parser.parse_args()
    scorer = load_scorer()
    paths = [
        path
        for path in sorted(options.questions.glob("*.jsonl"))
        if not options.filings or path.name.startswith(tuple(options.filings))
    ]
    questions = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        answers = [line for lines in pool.map(ask_filing, paths, repeat(options.folder)) for line in lines]
    if options.answers:
        options.answers.write_text("".join(json.dumps(line) + "\n" for line in answers), encoding="utf-8")
    print_figures(questions, answers, scorer)
    if options.list:
        print_wrong(questions, answers, scorer)


def load_scorer() -> ModuleType:
    """Load the scorer of analysts' questions, which is not part of this project."""
    spec = importlib.util.spec_from_file_location("score_answers", _SHARED / "tools" / "score_answers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def find_filing(name: str, folder: Path = FILINGS) -> Path:
    """Return the file of a filing by its name."""
    (found,) = (path for end in _SUFFIXES if (path := folder / f"{name}{end}").is_file())
    return found


def ask_filing(path: Path, folder: Path = FILINGS) -> list[Line]:
    """Ask the questions about one filing, and return a line for each answer."""
    page = quaestor.open(str(find_filing(path.stem, folder)), settings=quaestor.Settings(keep_asked=False))
    conversations: dict[str, Any] = {}
    lines = []
    for question in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        conversation = conversations.setdefault(question["conversation"], page.conversation())
        begin = time.perf_counter()
        try:
            answered = conversation.ask(question["question"])
        except QuaestorError as error:
            line = {"said": "none", "confidence": None, "shown": f"{type(error).__name__}: {error}"}
        else:
            line = write_answer(answered.answer) | {"shown": str(answered.display)}
        seconds = time.perf_counter() - begin
        lines.append({key: question[key] for key in ("file", "conversation", "turn")} | line | {"seconds": seconds})
    return lines


def write_answer(answer: Answer) -> Line:
    """Convert an answer to the scorer's format."""
    line: Line = {"confidence": answer.confidence, "scale": _write_amount(0.0, answer.scale)["scale"]}
    if answer.value is None:
        return line | {"said": "none", "reason": answer.reason}
    match answer.value:
        case Number(value=number):
            line |= {"said": "number"} | _write_amount(float(number), answer.scale)
        case YesNo(value=yes):
            line |= {"said": "yes_no", "yes": yes}
        case Text(value=text):
            line |= {"said": "text", "text": text}
        case ValueList(items=items):
            line["said"] = "list"
            line["items"] = [
                {"label": item.label}
                | _write_amount(None if item.number is None else float(item.number), item.scale or answer.scale)
                for item in items
            ]
    return line


def _write_amount(value: float | None, scale: Scale) -> Line:
    """Return a number and its scale, in ones if the scorer does not know the scale."""
    if scale in (Scale.ONE, Scale.THOUSAND, Scale.MILLION, Scale.BILLION, Scale.PERCENT):
        return {"value": value, "scale": scale.name.lower()}
    return {"value": None if value is None else value * float(scale.factor), "scale": "one"}


def print_wrong(
    questions: Sequence[Line], answers: Sequence[Line], scorer: ModuleType, kinds: Collection[str] = ()
) -> None:
    """Print each wrong answer with the previous one; only those of `kinds` if any are given."""
    before = ""
    for question, answer in zip(questions, answers, strict=True):
        verdict = scorer.verdict(question["answer"], answer)
        shown = f"{answer['shown']:.100} ({answer['confidence'] or 0:.0%})".replace("\n", " ")
        if verdict != "right" and (not kinds or question["kind"] in kinds):
            print(f"{verdict:9}{question['kind']:9.9} {question['file']:8.8} {question['turn']} {question['question']}")
            print(f"          {json.dumps(question['answer']):.110} | {question['where']:.110}")
            print(f"          {shown}{f' <- {before}' if question['turn'] else ''}")
        before = f"{question['question']} = {shown} ({verdict})"


def print_figures(questions: Sequence[Line], answers: Sequence[Line], scorer: ModuleType) -> None:
    """Print the number of right answers by groups of kinds and by confidence."""
    verdicts = [scorer.verdict(question["answer"], line) for question, line in zip(questions, answers, strict=True)]
    table = Table("questions", "asked", "right", "%", "declined", "unsure", "sure")

    def add(name: str, those: Iterable[str]) -> None:
        counts = Counter(those)
        questions, right = counts.total(), counts["right"]
        if questions:
            rest = (str(counts[kind]) for kind in ("declined", "unsure", "sure"))
            table.add_row(name, str(questions), str(right), f"{100 * right / questions:.1f}", *rest)

    rows = list(zip(questions, answers, verdicts, strict=True))
    for name, kinds in _GROUPS.items():
        add(name, (verdict for question, _, verdict in rows if not kinds or question["kind"] in kinds))
    add("first turns", (verdict for question, _, verdict in rows if question["turn"] == 0))
    add("follow-ups", (verdict for question, _, verdict in rows if question["turn"] > 0))
    for kind in sorted({question["kind"] for question in questions}):
        add(f"  {kind}", (verdict for question, _, verdict in rows if question["kind"] == kind))
    console = Console(highlight=False)
    console.print(table)
    for least in (0.95, 0.9, 0.7):
        sure = [v == "right" for _, line, v in rows if line["said"] != "none" and (line["confidence"] or 0) >= least]
        if sure:
            console.print(
                f"confidence of {least} or more: {sum(sure)} of {len(sure)} right, {sum(sure) / len(sure):.1%}"
            )
    there = [v for question, _, v in rows if "none" not in question["answer"]]
    console.print(f"declined although the filing answers: {there.count('declined') / max(1, len(there)):.1%}")
    seconds = sorted(line["seconds"] for line in answers)
    console.print(
        f"a turn: {1000 * seconds[len(seconds) // 2]:.0f} ms, 19 of 20 in {1000 * seconds[-len(seconds) // 20]:.0f} ms"
    )


if __name__ == "__main__":
    main()
