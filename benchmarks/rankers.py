"""Contribution of each kind of feature to finding the right lines and sentences of filings.

`python -m benchmarks.rankers [--cache FOLDER] [--rounds N]` trains the two rankers for questions about filings with a
fifth of the companies left out at a time, and counts the operands and questions of that fifth for which the right
series or sentence comes first, or among the first three; then repeats this without each kind of feature.
"""

import argparse
import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.analysts import FILINGS, QUESTIONS
from benchmarks.held_out_filings import name_company, read_facts, read_questions
from quaestor.facts.table import FactTable
from quaestor.learning import filing_words, filings
from quaestor.learning.filing_training import split_by_company
from quaestor.learning.filing_words import fit_word_ranker
from quaestor.learning.filings import (
    LabelledQuestion,
    TurnReaders,
    fit_answer_kinds,
    fit_filing_intents,
    fit_series_ranker,
    rank_samples,
    read_turns,
    word_samples,
)
from quaestor.solvers.embedded.trees import Trees

Sample = tuple[Any, NDArray[np.float32]]
"""Candidates of an operand or question, with their relevance."""

GROUPS: Mapping[str, tuple[str, ...]] = {
    "thesaurus": ("meant_recall", "meant_label", "label_meant", "column_meant", "meant_nearby", "concept_meant",
                  "meant_own", "meant_before", "meant_near", "meant_under", "meant_whole"),
    "lexicon": ("likeness", "rare_likeness", "concept_", "phrase_", "meant_otherwise", "lines_of_concept", "alias"),
    "tags and roles": ("tagged", "has_concept", "role", "statement", "basis", "has_members", "members_length"),
    "times": ("time", "year_", "quarter_asked"),
    "kinds of answers": ("kind_fits", "words_asked", "percent", "count", "money"),
    "intents": ("intent=",),
    "likely sentences": ("sentence_share", "sentence_rank"),
    "turns before": ("table_before", "line_", "label_before", "column_before", "inherited", "goes_on", "has_before",
                     "numbers_before", "distance", "same_section", "first_turn", "near_source"),
    "names and subjects": ("names_recall", "subject"),
    "explanations and causes": ("explained", "caused"),
    "vectors of words": ("similar",),
}  # fmt: skip
"""Features of both rankers by group, given by prefixes of their names."""


class Fold:
    """The samples of the filings that are left out together."""

    def __init__(self, reader: TurnReaders, sentences: list[Sample]) -> None:
        self.reader, self.sentences, self.series = reader, sentences, list[Sample]()


_SHARED: list[tuple[Mapping[str, FactTable], Sequence[LabelledQuestion], list[Fold]]] = []


def read_sentences(fold: frozenset[str]) -> Fold:
    """Return a fold with its samples of sentences."""
    tables, labelled, _ = _SHARED[0]
    rest = [one for one in labelled if one.filing not in fold]
    reader = TurnReaders(fit_filing_intents(rest, tables), fit_answer_kinds(rest, tables))
    return Fold(reader, list(word_samples(_turns(fold, reader))))


def read_series(job: tuple[frozenset[str], TurnReaders, list[Sample]]) -> list[Sample]:
    """Return the samples of series of a fold.

    Args:
        job: The filings, the readers of their questions, and the samples of sentences of the other folds.
    """
    fold, reader, sentences = job
    return list(rank_samples(_turns(fold, replace(reader, words=fit_word_ranker(sentences)))))


def _turns(fold: frozenset[str], reader: TurnReaders) -> Iterator[Any]:
    tables, labelled, _ = _SHARED[0]
    for name in sorted(fold):
        yield from read_turns([one for one in labelled if one.filing == name], tables[name], reader)


def count_first(job: tuple[str, str, int]) -> tuple[int, int, int]:
    """Return the number of samples of a fold, and how often the right one is first and among the first three.

    Args:
        job: `series` or `sentences`, the group of features to leave out or "", and the fold.
    """
    kind, group, place = job
    folds = _SHARED[0][2]
    fit: Callable[[Sequence[Any]], Trees] = fit_series_ranker if kind == "series" else fit_word_ranker
    parts = [[_without(sample, group) for sample in getattr(fold, kind)] for fold in folds]
    trees = fit([sample for other, part in enumerate(parts) if other != place for sample in part])
    first = three = 0
    for candidates, grades in parts[place]:
        order = np.argsort(-trees.scores_of(candidates.names, candidates.features), kind="stable")
        first += bool(grades[order[0]] > 0)
        three += bool((grades[order[:3]] > 0).any())
    return len(parts[place]), first, three


def _without(sample: Sample, group: str) -> Sample:
    candidates, grades = sample
    left_out = GROUPS.get(group, ())
    kept = [place for place, name in enumerate(candidates.names) if not left_out or not name.startswith(left_out)]
    names = tuple(candidates.names[place] for place in kept)
    return replace(candidates, names=names, features=candidates.features[:, kept]), grades


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--cache", type=Path, help="a folder for read documents")
    parser.add_argument("--rounds", type=int, help="trees of each ranker; as many as the shipped ones have if left out")
    options = parser.parse_args()
    names = sorted(path.stem for path in QUESTIONS.glob("*.jsonl") if FILINGS.is_dir())
    folds = split_by_company(names, options.folds, name_company)
    if options.rounds:
        filings._ROUNDS = filing_words._ROUNDS = options.rounds
    tables = read_facts(names, options.cache)
    _SHARED.append((tables, read_questions(names), []))
    forked = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(os.cpu_count(), forked) as pool:
        read = list(pool.map(read_sentences, folds))
    # XGBoost must not run in this process, because its threads would be missing in forked processes.
    jobs = [
        (fold, one.reader, [sample for other in read if other is not one for sample in other.sentences])
        for fold, one in zip(folds, read, strict=True)
    ]
    with ProcessPoolExecutor(os.cpu_count(), forked) as pool:
        for one, found in zip(read, pool.map(read_series, jobs), strict=True):
            one.series += found
    _SHARED[0][2].extend(read)
    print(f"{'':28}{'asked':>8}{'first':>8}{'%':>7}{'in 3':>8}{'%':>7}")
    with ProcessPoolExecutor(os.cpu_count(), forked) as pool:
        for kind in ("series", "sentences"):
            for group in ("", *GROUPS):
                counts = pool.map(count_first, [(kind, group, place) for place in range(len(folds))])
                questions, first, three = map(sum, zip(*counts, strict=True))
                title = f"{kind} without {group}" if group else kind
                print(
                    f"{title:28}{questions:8}{first:8}{first / questions:7.1%}{three:8}{three / questions:7.1%}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
