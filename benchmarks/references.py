"""How often references are resolved like in the reference programs: `python -m benchmarks.references`.

Three tables, all with weights from other companies' conversations: which earlier results are used, how often the hints
in prompts are right, and how often the most likely sets are right by their probability, from which the limits are
chosen. With `--fit` the weights are trained again on all labelled conversations, and with `--worst` the most confident
mistakes on the tune file are listed. The memories are those of a perfect solver; `--own` runs the embedded solver on
the tune file instead, and resolves against its answers.
"""

import argparse
import asyncio
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files as files_of
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from quaestor.conversation.references.expressions import AntecedentSet, References, meanings_to_show, sets_to_show
from quaestor.conversation.references.lineage import latest_results, results_of_turns, years_of
from quaestor.conversation.references.ranking import (
    Weights,
    cue_features,
    rank_sets,
    read_weights,
    traits_of,
    with_rules,
)
from quaestor.conversation.references.resolving import resolve
from quaestor.conversation.turn import Memory
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.runner import answer_conversation
from quaestor.learning.examples import Example, company_folds, read_examples, read_lines
from quaestor.learning.references import LabelledReference, fit_references, labelled_references, reference_samples
from quaestor.questions.question import Question, read_question
from quaestor.solvers.registry import make_solver

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from gold_memories import gold_conversations

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
COMMAND = "python -m benchmarks.references --fit"
Ranker = Callable[[LabelledReference], Sequence[tuple[int, ...]]]


@dataclass
class Tally:
    """Counts over questions.

    Attributes:
        using: Questions that use an earlier result.
        first: Questions of these whose most likely set is right.
        third: Questions of these with the right set among the three most likely.
        idle_right: Questions that use no earlier result and whose most likely set is empty.
        claimed: Questions whose most likely set is not empty.
        found: Earlier results in the most likely sets of all questions.
        wanted: Earlier results that are used.
    """

    using: int = 0
    first: int = 0
    third: int = 0
    idle: int = 0
    idle_right: int = 0
    claimed: int = 0
    claimed_right: int = 0
    found: int = 0
    found_right: int = 0
    wanted: int = 0

    def add(self, item: LabelledReference, ranked: Sequence[tuple[int, ...]]) -> None:
        """Count a question."""
        right = item.is_right(ranked[0])
        if item.used:
            self.using += 1
            self.first += right
            self.third += any(item.is_right(turns) for turns in ranked[:3])
        else:
            self.idle += 1
            self.idle_right += right
        self.claimed += bool(ranked[0])
        self.claimed_right += bool(ranked[0]) and right
        chosen = {item.programs[turn] for turn in ranked[0]}
        self.found += len(chosen)
        self.found_right += len(chosen & item.used)
        self.wanted += len(item.used)

    def cells(self) -> list[str]:
        """Return the shares for the table."""
        shares = (
            (self.first, self.using),
            (self.third, self.using),
            (self.idle_right, self.idle),
            (self.claimed_right, self.claimed),
            (self.first + self.idle_right, self.using + self.idle),
            (self.found_right, self.found),
            (self.found_right, self.wanted),
        )
        return [str(self.using), *(f"{100 * part / whole:.1f}" for part, whole in shares)]


def ranker(weights: Weights) -> Ranker:
    """Return the ranking to measure, with some weights."""

    def rank(item: LabelledReference) -> Sequence[tuple[int, ...]]:
        return [chosen.turns for chosen in sets_for(item, weights)]

    return rank


def sets_for(item: LabelledReference, weights: Weights) -> Sequence[AntecedentSet]:
    return rank_sets(read_question(item.question), latest_results(results_of_turns(item.memory)), weights)


def by_hand(item: LabelledReference) -> Sequence[tuple[int, ...]]:
    """Rank by rules without weights.

    The first set is empty for a look-up. Otherwise it has the last two results if they are all values asked since a
    calculation, or a change and its base; else the last result if the question refers to one.
    """
    latest = latest_results(results_of_turns(item.memory))
    question = read_question(item.question)
    last, pair = (latest[0].turn,), tuple(sorted(result.turn for result in latest[:2]))
    cues = cue_features(question, latest)
    if "asks_for_value" in cues and not cues & {"a_conversion", "an_addition"}:
        return [(), last, pair]
    traits = set(traits_of(tuple(reversed(latest[:2])), question, latest))
    if traits & {"all_values_asked_since", "a_change_and_its_base"}:
        return [pair, last, ()]
    if cues & {"this", "that", "it", "a_conversion", "an_addition"} or not question.names:
        return [last, pair, ()]
    return [(), last, pair]


def tally(items: Iterable[LabelledReference], rank: Ranker) -> Tally:
    counted = Tally()
    for item in items:
        counted.add(item, rank(item))
    return counted


@dataclass(frozen=True)
class JudgedQuestion:
    """A labelled question, with the years of its answer; empty if its page is unknown."""

    label: LabelledReference
    years: frozenset[int] = frozenset()


def labelled_files() -> Mapping[str, Sequence[JudgedQuestion]]:
    """Return all labelled questions: of dialogues without pages, and of conversations as their page answers them."""
    dialogues = read_lines([DATA / "convfinqa_train_dialogues.jsonl"])
    tune = read_examples([DATA / "convfinqa_tune.json"])
    train = read_examples([DATA / "convfinqa_train50.json", DATA / "convfinqa_train100.json"])
    files = {"dialogues": list(map(JudgedQuestion, labelled_references(dialogues)))}
    for name, examples in (("tune", tune), ("train50 and train100", train)):
        files[name] = [
            JudgedQuestion(item, years_of(one.memory.turns[item.turn].answer.period))
            for one in gold_conversations(examples)
            for item in one.references()
        ]
    return files


def labels_of(files: Mapping[str, Sequence[JudgedQuestion]]) -> list[LabelledReference]:
    return [item.label for items in files.values() for item in items]


def held_out_weights(items: Sequence[LabelledReference], folds: int = 5) -> Callable[[LabelledReference], Weights]:
    """Return a function from a question to weights that were fitted to other companies' questions."""
    fold_of = company_folds([Example(i.conversation, (i.question,), (), None, i.company) for i in items], folds, 0)
    samples = reference_samples(items)
    fitted = [
        with_rules(fit_references([sample for sample in samples if fold_of[sample.company] != fold]))
        for fold in range(folds)
    ]
    return lambda item: fitted[fold_of[item.company]]


SHOWN = ("one set", "one of two", "asked again", "period")
"""Parts of a hint: the results used, two sets with one right, a repeated question, the years meant."""


def judge_hint(item: JudgedQuestion, found: References) -> Iterator[tuple[str, bool]]:
    """Yield each part of a question's hint, and whether it is right.

    A repetition is right if the earlier question's program is the same with other numbers, and a period is right if the
    answer has it, or a span that begins or ends with it.
    """
    sets = sets_to_show(found)
    if found.used and sets:
        yield SHOWN[len(sets) - 1], any(item.label.is_right(chosen.turns) for chosen in sets)
    for expression in found.expressions if sets and not found.used else ():
        if expression.candidates and expression.kind in ("ellipsis", "result", "cell"):
            earlier = item.label.programs[expression.candidates[0].turn]
            yield "asked again", not item.label.used and _form(earlier) == _form(item.label.program)
    for expression in meanings_to_show(found) if item.years else ():
        if meant := frozenset(map(int, _YEAR.findall(expression.means))):
            yield "period", meant == item.years or (len(meant) == 1 and meant < item.years)


def _form(tree: object) -> object:
    """Return a program without its numbers."""
    if not isinstance(tree, tuple):
        return None
    return (tree[0],) if tree[0] in ("number", "constant", "row") else (tree[0], *map(_form, tree[1:]))


def hint_tables(
    files: Mapping[str, Sequence[JudgedQuestion]], weights_for: Callable[[LabelledReference], Weights]
) -> list[Table]:
    """Return how often parts of hints are right by file, and the most likely sets by probability."""
    by_file = table_of("questions", "all", *SHOWN, "no hint")
    single, pair = Counter[tuple[int, bool]](), Counter[tuple[int, bool]]()
    for name, items in files.items():
        shown, silent = Counter[tuple[str, bool]](), 0
        for item in items:
            found = resolve(read_question(item.label.question), item.label.memory, weights_for(item.label))
            judged = list(judge_hint(item, found))
            shown.update(judged)
            silent += not judged
            if found.used:
                likeliest = found.sets[:2]
                right = [item.label.is_right(chosen.turns) for chosen in likeliest]
                single[_step(likeliest[0].score), right[0]] += 1
                pair[_step(sum(chosen.score for chosen in likeliest)), any(right)] += 1
        by_file.add_row(
            name, str(len(items)), *(_share(shown, what) for what in SHOWN), f"{100 * silent / len(items):.0f} %"
        )
    by_share = table_of("share from", "likeliest set", "one of the two likeliest")
    for step in range(20, 9, -1):
        by_share.add_row(f"{5 * step} %", _share(single, step), _share(pair, step))
    return [by_file, by_share]


def _step(share: float) -> int:
    return int(20 * share + 1e-6)


def _share(counted: Counter[tuple[Any, bool]], key: object) -> str:
    right, wrong = counted[key, True], counted[key, False]
    return f"{100 * right / (right + wrong):.1f} % of {right + wrong}" if right + wrong else "-"


def with_own_answers(examples: Sequence[Example]) -> Iterable[LabelledReference]:
    """Yield the questions with the memory of the embedded solver."""
    solver = make_solver("embedded", {})
    for example in examples:
        if example.document is not None:
            conversation = Conversation(example.id, example.document, example.questions)
            turns = asyncio.run(answer_conversation(conversation, solver))
            for item in labelled_references([example]):
                yield replace(item, memory=Memory(turns[: item.turn]))


def milliseconds_a_question(items: Sequence[LabelledReference]) -> float:
    """Return the median time per question without caches."""
    resolve(Question("what was it?"), items[0].memory)
    seconds = []
    for item in items:
        started = perf_counter()
        resolve(Question(item.question), item.memory)
        seconds.append(perf_counter() - started)
    return 1000 * median(seconds)


def show_worst(console: Console, items: Sequence[LabelledReference], count: int) -> None:
    """Print the most confident mistakes."""
    weights, wrong = read_weights(), []
    for item in items:
        ranked = sets_for(item, weights)
        if not item.is_right(ranked[0].turns):
            right = next((chosen for chosen in ranked if item.is_right(chosen.turns)), None)
            wrong.append((right.score if right else 0.0, item, ranked[0], right))
    for score, item, chosen, right in sorted(wrong, key=lambda entry: entry[0])[:count]:
        console.print(f"{item.conversation}, turn {item.turn}: {item.question}", soft_wrap=True)
        console.print(f"  chose {chosen.turns} ({chosen.score:.0%}): {chosen.reason}", soft_wrap=True)
        console.print(f"  used {right.turns if right else 'no set that was considered'} ({score:.0%})", soft_wrap=True)
        used = [turn for turn, program in enumerate(item.programs) if program in item.used]
        console.print(f"  programs used stand in turns {used}", soft_wrap=True)


def fit_all(items: Sequence[LabelledReference]) -> int:
    """Train the shipped weights again, and return their number."""
    weights = fit_references(reference_samples(items))
    made = {"made by": COMMAND, "weights": {trait: weights[trait] for trait in sorted(weights)}}
    path = Path(str(files_of("quaestor.conversation.references").joinpath("weights.json")))
    path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    read_weights.cache_clear()
    return sum(map(len, weights.values()))


def table_of(*columns: str) -> Table:
    table = Table(*columns)
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.references", description=__doc__)
    parser.add_argument("--fit", action="store_true", help="make the weights anew from the labelled conversations")
    parser.add_argument("--own", action="store_true", help="also with the embedded solver's own answers")
    parser.add_argument("--worst", type=int, metavar="N", default=0, help="list the N surest mistakes on the tune file")
    options = parser.parse_args()
    console, files = Console(highlight=False, width=120), labelled_files()
    every = labels_of(files)
    if options.fit:
        console.print(f"{fit_all(every)} weights written")
    weights_for, shipped = held_out_weights(every), ranker(read_weights())
    sets = table_of("questions", "using", "at 1", "at 3", "none right", "exact", "all right", "precision", "recall")
    for name, judged in files.items():
        items = [one.label for one in judged]
        sets.add_row(name, *tally(items, lambda item: ranker(weights_for(item))(item)).cells())
        sets.add_row(f"{name}, fitted on", *tally(items, shipped).cells())
        sets.add_row(f"{name}, rules alone", *tally(items, by_hand).cells())
    if options.own:
        own = with_own_answers(read_examples([DATA / "convfinqa_tune.json"]))
        sets.add_row("tune, own answers", *tally(own, shipped).cells())
    hints, shares = hint_tables(files, weights_for)
    console.print("Which earlier results are used", sets, "What hints show that is right", hints, sep="\n")
    console.print("Questions that most likely use a result", shares, sep="\n")
    tuned = [one.label for one in files["tune"]]
    console.print(f"{milliseconds_a_question(tuned):.2f} ms a question, median of {len(tuned)}")
    show_worst(console, tuned, options.worst)


if __name__ == "__main__":
    main()
