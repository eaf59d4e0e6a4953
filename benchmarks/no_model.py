"""Accuracy of the embedded solver and of each of its parts: `python -m benchmarks.no_model FILE.json`.

Answers the tune file with weights that never saw the company in question, with and without each part, and with less
training data. Measurements are saved in FILE.json and not repeated if they exist. The tables are printed as Markdown,
the pictures are written to `docs/images/`. It takes about twenty minutes on two cores; `--quick` measures only speed.
`--turns FILE.jsonl` writes the answer to each turn with its reference.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from time import perf_counter

import numpy as np

from benchmarks import solving
from benchmarks.ablation import PARTS, paths_kept
from benchmarks.figure import Figure, milliseconds
from benchmarks.held_out import FULL, GOLD_HISTORY, GREEDY, Data, Fold, HeldOutTurn, answer_fold, folds_of, read_data
from benchmarks.kinds import Kind, kinds_by_place
from benchmarks.pictures import draw_calibration, draw_coverage
from benchmarks.workload import Workload, benchmark_file, play_workload
from quaestor.core import serial
from quaestor.core.answer_value import value_to_plain
from quaestor.learning.deterministic import deterministic_pool
from quaestor.scoring.statistics import Proportion, calibration_report, proportion, risk_coverage
from quaestor.solvers.embedded.number_features import LEAF_FEATURES
from quaestor.solvers.embedded.plan_features import CANDIDATE_FEATURES

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
IMAGES = ROOT / "docs" / "images"
HELD_OUT, HALF, QUARTER = "held out", "half of the conversations", "a quarter of the conversations"
NO_SINGLE, NO_DIALOGUES = LEFT_OUT = "without single questions", "without dialogues"
SEED = 0
ASKED = (0.3, 0.5, 0.7, 0.9)

Variants = dict[str, tuple[HeldOutTurn, ...]]


def measure(workload: Workload) -> Iterable[Figure]:
    """Yield the time per turn when only one interpretation of the conversation is followed."""
    with paths_kept(1):
        yield milliseconds("embedded solver, a turn, greedy", play_workload(workload.path).seconds, "turns, one core")


def experiments(data: Data) -> dict[str, list[Fold]]:
    """Return the folds to train and answer, by experiment."""
    return {
        HELD_OUT: folds_of(data, SEED, parts=True),
        QUARTER: folds_of(data, SEED, share=0.25),
        HALF: folds_of(data, SEED, share=0.5),
        NO_SINGLE: folds_of(replace(data, single=()), SEED),
        NO_DIALOGUES: folds_of(replace(data, dialogues=()), SEED),
    }


def measure_all(path: Path, workers: int) -> dict[str, Variants]:
    """Return the turns of all experiments; missing ones are measured and added to the file."""
    done = read_figures(path) if path.exists() else {}
    waiting = {name: folds for name, folds in experiments(read_data(DATA)).items() if name not in done}
    with deterministic_pool(workers) as pool:
        futures = {name: [pool.submit(answer_fold, fold) for fold in folds] for name, folds in waiting.items()}
        for name, parts in futures.items():
            started = perf_counter()
            results = [part.result() for part in parts]
            done[name] = {key: tuple(turn for result in results for turn in result[key]) for key in results[0]}
            path.write_text(json.dumps(serial.dump(done, dict[str, Variants])), encoding="utf-8")
            print(f"{name}: {perf_counter() - started:.0f} s", flush=True)
    return done


def read_figures(path: Path) -> dict[str, Variants]:
    """Return the turns stored in a file."""
    return serial.load(dict[str, Variants], json.loads(path.read_text(encoding="utf-8")))


def report(done: Mapping[str, Variants], kinds: Mapping[tuple[str, int], frozenset[Kind]]) -> Iterator[str]:
    """Yield the tables as Markdown.

    Args:
        done: The turns of the experiments.
        kinds: The kinds of each turn, by conversation and turn.
    """
    held_out = done[HELD_OUT]
    full, gold, greedy = held_out[FULL], held_out[GOLD_HISTORY], held_out[GREEDY]
    yield from table(
        ("what answers", "right", "of", "%", "95 % interval by company"),
        (
            ("own history", *share(full)),
            ("own history, one reading at a time", *share(greedy)),
            ("gold history", *share(gold)),
            ("gold number among the candidates", *share([replace(t, right=bool(t.reachable)) for t in full])),
        ),
    )
    for key in (by_turn, by_intent):
        yield from table(("", "turns", "own history %", "interval", "gold history %"), by_group(full, gold, key))
    yield from table(
        ("", "turns", "own history %", "interval", "gold history %", "among the candidates %"),
        by_kind(full, gold, kinds),
    )
    yield from confidences(full)
    yield from table(
        ("left out", "%", "difference", "95 % interval of the difference"),
        [
            *((GREEDY, *against(greedy, full)),),
            *((part, *against(held_out[f"without {part}"], full)) for part in PARTS),
            *((name.removeprefix("without "), *against(done[name][FULL], full)) for name in LEFT_OUT if name in done),
        ],
    )
    curve = ((QUARTER, QUARTER), (HALF, HALF), ("all conversations", HELD_OUT))
    yield from table(
        ("learned from", "own history %", "gold history %"),
        (
            (name, f"{value(done[key][FULL]):.1f}", f"{value(done[key][GOLD_HISTORY]):.1f}")
            for name, key in curve
            if key in done
        ),
    )


def confidences(full: Sequence[HeldOutTurn]) -> Iterator[str]:
    """Yield how reliable confidences are, and the accuracy if the least confident answers are withheld."""
    sure, right = [turn.confidence or 0.0 for turn in full], [turn.right for turn in full]
    found = calibration_report(sure, right, [turn.company for turn in full])
    assert found is not None
    half = found.surest_half
    yield (
        f"Calibration error {found.error:.3f}; of the surest half {100 * half.value:.1f} % are right "
        f"({100 * half.low:.1f} to {100 * half.high:.1f})."
    )
    yield ""
    rows = []
    for least in ASKED:
        given = [turn for turn in full if (turn.confidence or 0.0) >= least]
        rows.append((str(least), f"{100 * len(given) / len(full):.1f}", *share(given)[2:]))
    yield from table(("`--abstain-below`", "answered %", "of these right %", "95 % interval by company"), rows)


def draw(full: Sequence[HeldOutTurn], folder: Path) -> None:
    """Write the two pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    sure, right = [turn.confidence or 0.0 for turn in full], [turn.right for turn in full]
    found = calibration_report(sure, right, [turn.company for turn in full])
    assert found is not None
    draw_calibration(found, folder / "no_model_calibration.png")
    draw_coverage(risk_coverage(sure, right), folder / "no_model_risk_coverage.png")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table; all columns except the first are numbers."""
    yield f"| {' | '.join(head)} |"
    yield f"|---{'|---:' * (len(head) - 1)}|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def value(turns: Sequence[HeldOutTurn]) -> float:
    """Return the share of right turns in percent."""
    return 100 * mean(turn.right for turn in turns)


def share(turns: Sequence[HeldOutTurn]) -> tuple[str, str, str, str]:
    """Return the cells of a proportion."""
    found = proportion([turn.right for turn in turns], [turn.company for turn in turns])
    return str(found.correct), str(found.total), f"{100 * found.value:.1f}", interval(found)


def interval(found: Proportion) -> str:
    """Return the interval in percent."""
    return f"{100 * found.low:.1f} to {100 * found.high:.1f}"


def by_turn(turn: HeldOutTurn) -> str:
    """Return the label of a turn's position in its conversation."""
    return f"turn {turn.turn + 1}" if turn.turn < 6 else "turn 7 and later"


def by_intent(turn: HeldOutTurn) -> str:
    """Return the label of a question's metric type."""
    return turn.intent.replace("_", " ")


def by_group(
    full: Sequence[HeldOutTurn], gold: Sequence[HeldOutTurn], key: Callable[[HeldOutTurn], str]
) -> Iterator[tuple[str, ...]]:
    """Yield a row for each group of turns, the largest first."""
    names = Counter(map(key, full))
    for name in sorted(names, key=lambda name: (-names[name], name)):
        own, with_gold = ([turn for turn in turns if key(turn) == name] for turns in (full, gold))
        _, total, percent, between = share(own)
        yield name, total, percent, between, f"{value(with_gold):.1f}"


def by_kind(
    full: Sequence[HeldOutTurn], gold: Sequence[HeldOutTurn], kinds: Mapping[tuple[str, int], frozenset[Kind]]
) -> Iterator[tuple[str, ...]]:
    """Yield a row for each kind of turn; a turn can be in several. A kind without turns has no shares."""
    for kind in Kind:
        own, with_gold = ([t for t in turns if kind in kinds[t.conversation, t.turn]] for turns in (full, gold))
        if not own:
            yield kind, "0", "", "", "", ""
            continue
        _, total, percent, between = share(own)
        reachable = value([replace(turn, right=bool(turn.reachable)) for turn in own])
        yield kind, total, percent, between, f"{value(with_gold):.1f}", f"{reachable:.1f}"


def against(turns: Sequence[HeldOutTurn], full: Sequence[HeldOutTurn]) -> tuple[str, str, str]:
    """Return the share of right turns, and the difference to the full solver on the same turns."""
    mine, theirs = ({(t.conversation, t.turn): t for t in found} for found in (turns, full))
    companies: dict[str, list[int]] = {}
    for key, turn in theirs.items():
        companies.setdefault(turn.company, []).append(mine[key].right - turn.right)
    gains, sizes = (np.array([f(d) for d in companies.values()]) for f in (sum, len))
    drawn = np.random.default_rng(SEED).integers(len(gains), size=(2000, len(gains)))
    low, high = np.quantile(100 * gains[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), [0.025, 0.975])
    return f"{value(turns):.1f}", f"{100 * gains.sum() / sizes.sum():+.1f}", f"{low:+.1f} to {high:+.1f}"


def write_turns(full: Sequence[HeldOutTurn], path: Path) -> None:
    """Write the answer to each turn with its reference, one JSON object per line."""
    examples = {example.id: example for example in read_data(DATA).tune}
    with path.open("w", encoding="utf-8") as file:
        for turn in full:
            example = examples[turn.conversation]
            gold, question = example.gold[turn.turn], example.questions[turn.turn]
            reference = {"question": question, "gold": value_to_plain(gold.executed), "gold_program": gold.program}
            line = serial.dump(turn) | reference
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def show_features() -> Iterator[str]:
    """Yield the tables of features as Markdown."""
    for title, columns in (("leaf scorer", LEAF_FEATURES), ("ranker", CANDIDATE_FEATURES)):
        yield f"## What the {title} sees"
        yield ""
        yield "| column | what it measures |"
        yield "|---|---|"
        yield from (
            f"| `{name}` | {description.replace('|', chr(92) + '|')} |" for name, description in columns.items()
        )
        yield ""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.no_model", description=__doc__)
    parser.add_argument("figures", type=Path, nargs="?", metavar="FILE.json", help="what is measured goes here")
    parser.add_argument("--quick", action="store_true", help="only how long a turn takes")
    parser.add_argument("--turns", type=Path, metavar="FILE.jsonl", help="write each turn's answer to this file")
    parser.add_argument("--features", action="store_true", help="print what is measured of leaves and plans")
    parser.add_argument("--show", action="store_true", help="measure nothing, show what the file has")
    parser.add_argument("--workers", type=int, default=2, help="folds trained at once")
    options = parser.parse_args()
    if options.features:
        print("\n".join(show_features()))
    elif options.quick:
        workload = play_workload(benchmark_file())
        for figure in (*solving.measure(workload), *measure(workload)):
            print(f"{figure.name}: {figure.value} ({figure.how})")
    elif options.figures is None:
        parser.error("name a file for the figures, or ask for --quick")
    else:
        done = read_figures(options.figures) if options.show else measure_all(options.figures, options.workers)
        full = done[HELD_OUT][FULL]
        draw(full, IMAGES)
        print("\n".join(report(done, kinds_by_place(read_data(DATA).tune))))
        if options.turns:
            write_turns(full, options.turns)


if __name__ == "__main__":
    main()
