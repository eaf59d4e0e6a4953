"""How often references are resolved to what the reference programs use: `python -m benchmarks.references`.

With `--fit` the weights are made anew from the dialogues of the train split, and with `--worst` the surest mistakes on
the tune file are listed. The memories are made from the reference programs; `--own` plays the embedded solver on the
tune file instead, and resolves against what it answered.
"""

import argparse
import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

from quaestor.conversation.memory import Memory
from quaestor.conversation.references.lineage import latest_results, results_of_turns
from quaestor.conversation.references.ranking import Weights, rank_sets, read_weights
from quaestor.conversation.references.resolved import AntecedentSet
from quaestor.conversation.references.resolving import resolve
from quaestor.conversation.references.traits import cue_features, traits_of
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.runner import play_conversation
from quaestor.learning.examples import Example, company_folds, read_examples, read_lines
from quaestor.learning.reference_weights import fit_references, reference_samples
from quaestor.learning.references import LabelledReference, labelled_references
from quaestor.questions.question import Question, read_question
from quaestor.solvers.registry import make_solver

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
COMMAND = "python -m benchmarks.references --fit"
Ranker = Callable[[LabelledReference], Sequence[tuple[int, ...]]]


@dataclass
class Tally:
    """Counts over questions.

    Attributes:
        using: Questions that use an earlier result.
        first: Of these, the likeliest set is the right one.
        third: Of these, one of the three likeliest is.
        idle: Questions that use none.
        idle_right: Of these, the likeliest set is empty.
        claimed: Questions for which the likeliest set is not empty.
        claimed_right: Of these, it is the right one.
        found: Earlier results in the likeliest sets of all questions.
        found_right: Of these, those that are used.
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
        """Counts one question."""
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
        """Returns the shares, as the table shows them."""
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
    """Returns the ranking that is measured, with some weights."""

    def rank(item: LabelledReference) -> Sequence[tuple[int, ...]]:
        return [chosen.turns for chosen in sets_for(item, weights)]

    return rank


def sets_for(item: LabelledReference, weights: Weights) -> Sequence[AntecedentSet]:
    return rank_sets(read_question(item.question), latest_results(results_of_turns(item.memory)), weights)


def by_hand(item: LabelledReference) -> Sequence[tuple[int, ...]]:
    """What rules without weights say: a look-up uses nothing, a calculation the values since, or a change and base."""
    latest = latest_results(results_of_turns(item.memory))
    asked = read_question(item.question)
    last, pair = (latest[0].turn,), tuple(sorted(result.turn for result in latest[:2]))
    heard = cue_features(asked, latest)
    if "asks_for_value" in heard and not heard & {"a_conversion", "an_addition"}:
        return [(), last, pair]
    standing = set(traits_of(tuple(reversed(latest[:2])), asked, latest))
    if standing & {"all_values_asked_since", "a_change_and_its_base"}:
        return [pair, last, ()]
    if heard & {"this", "that", "it", "a_conversion", "an_addition"} or not asked.names:
        return [last, pair, ()]
    return [(), last, pair]


def tally(items: Iterable[LabelledReference], rank: Ranker) -> Tally:
    counted = Tally()
    for item in items:
        counted.add(item, rank(item))
    return counted


def held_out(examples: Sequence[Example], folds: int = 5) -> Tally:
    """Counts each dialogue's questions with weights of the other companies' dialogues."""
    fold_of, counted = company_folds(examples, folds, 0), Tally()
    for fold in range(folds):
        kept = [example for example in examples if fold_of[example.company] != fold]
        rank = ranker(fit_references(reference_samples(labelled_references(kept))))
        for item in labelled_references(e for e in examples if fold_of[e.company] == fold):
            counted.add(item, rank(item))
    return counted


def with_own_answers(examples: Sequence[Example]) -> Iterable[LabelledReference]:
    """Yields the questions with the memory that the embedded solver has of the turns before."""
    solver = make_solver("embedded", {})
    for example in examples:
        if example.document is not None:
            conversation = Conversation(example.id, example.document, example.questions)
            turns = asyncio.run(play_conversation(conversation, solver))
            for item in labelled_references([example]):
                yield replace(item, memory=Memory(turns[: item.turn]))


def milliseconds_a_question(items: Sequence[LabelledReference]) -> float:
    """Returns the median, nothing of the question read before."""
    resolve(Question("what was it?"), items[0].memory)
    seconds = []
    for item in items:
        started = perf_counter()
        resolve(Question(item.question), item.memory)
        seconds.append(perf_counter() - started)
    return 1000 * median(seconds)


def show_worst(console: Console, items: Sequence[LabelledReference], count: int) -> None:
    """Prints the mistakes that were surest."""
    weights, wrong = read_weights(), []
    for item in items:
        ranked = sets_for(item, weights)
        if not item.is_right(ranked[0].turns):
            right = next((chosen for chosen in ranked if item.is_right(chosen.turns)), None)
            wrong.append((right.score if right else 0.0, item, ranked[0], right))
    for score, item, said, right in sorted(wrong, key=lambda entry: entry[0])[:count]:
        console.print(f"{item.conversation}, turn {item.turn}: {item.question}", soft_wrap=True)
        console.print(f"  said {said.turns} ({said.score:.0%}): {said.reason}", soft_wrap=True)
        console.print(f"  used {right.turns if right else 'no set that was considered'} ({score:.0%})", soft_wrap=True)
        used = [turn for turn, program in enumerate(item.programs) if program in item.used]
        console.print(f"  programs used stand in turns {used}", soft_wrap=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.references", description=__doc__)
    parser.add_argument("--fit", action="store_true", help="make the weights anew from the dialogues")
    parser.add_argument("--own", action="store_true", help="also with the embedded solver's own answers")
    parser.add_argument("--worst", type=int, metavar="N", default=0, help="list the N surest mistakes on the tune file")
    options = parser.parse_args()
    console = Console(highlight=False, width=120)
    dialogues = read_lines([DATA / "convfinqa_train_dialogues.jsonl"])
    tune = read_examples([DATA / "convfinqa_tune.json"])
    train = read_examples([DATA / "convfinqa_train50.json", DATA / "convfinqa_train100.json"])
    if options.fit:
        weights = fit_references(reference_samples(labelled_references(dialogues)))
        made = {"made by": COMMAND, "weights": {trait: weights[trait] for trait in sorted(weights)}}
        path = Path(str(files("quaestor.conversation.references").joinpath("weights.json")))
        path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
        read_weights.cache_clear()
        console.print(f"{sum(map(len, weights.values()))} weights written to {path.name}")
    table = Table("questions", "using", "at 1", "at 3", "none right", "exact", "all right", "precision", "recall")
    for column in table.columns[1:]:
        column.justify = "right"
    shipped = ranker(read_weights())
    for name, examples in (("dialogues", dialogues), ("tune", tune), ("train50 and train100", train)):
        items = list(labelled_references(examples))
        if examples is dialogues:
            table.add_row(f"{name}, held out", *held_out(examples).cells())
        table.add_row(name, *tally(items, shipped).cells())
        table.add_row(f"{name}, rules alone", *tally(items, by_hand).cells())
    if options.own:
        table.add_row("tune, own answers", *tally(with_own_answers(tune), shipped).cells())
    console.print(table)
    tuned = list(labelled_references(tune))
    console.print(f"{milliseconds_a_question(tuned):.2f} ms a question, median of {len(tuned)}")
    show_worst(console, tuned, options.worst)


if __name__ == "__main__":
    main()
