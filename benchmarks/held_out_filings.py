"""Accuracy on analysts' questions about whole filings, with weights that never saw the company.

`python -m benchmarks.held_out_filings [FILING ...] [--kinds KIND,...] [--folds N] [--cache FOLDER] [--list]` leaves a
fifth of the companies out of training, asks their questions, and repeats this for each fifth. It runs the part of the
embedded solver that answers from the facts of a filing, each conversation with the solver's own history. The questions
of `../shared/data/questions` are scored first, then those of the folders of `training`. All are used for training, but
those of `training/made_up` only for the confidence of answers.
`--more FOLDER` adds the filings of `training/more_companies`, whose README explains how to get them.
`--cache` stores read documents and weights in a folder: delete its `weights.pickle` to train again.
`--save FOLDER` then trains on all companies and writes the weights in the format of the shipped ones.
"""

import argparse
import json
import multiprocessing
import os
import pickle
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import quaestor
from benchmarks.analysts import (
    FILINGS,
    QUESTIONS,
    Line,
    find_filing,
    load_scorer,
    print_figures,
    print_wrong,
    write_answer,
)
from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import print_value
from quaestor.documents.document import Document
from quaestor.facts.table import FactTable, build_facts
from quaestor.learning.filing_confidence import (
    MatcherFits,
    PlayedQuestion,
    fit_confidence,
    play_folds,
    play_questions,
    with_fold_confidences,
    with_parts,
)
from quaestor.learning.filing_training import company_of, save_filing_weights, split_by_company
from quaestor.learning.filings import LabelledQuestion, fit_filing_weights, label_questions, read_labelled
from quaestor.solvers.embedded.filings.results import PlanResult
from quaestor.solvers.embedded.filings.turns import FilingWeights

TRAINING = Path(__file__).resolve().parents[1] / "training" / "questions"
MORE = TRAINING.parent / "more_companies"
SECOND_ROUND = TRAINING.parent / "more_questions"
ANSWERABILITY = TRAINING.parent / "answerability"
NEAR_MISSES = TRAINING.parent / "near_misses"
EVERYDAY = TRAINING.parent / "everyday_lookups"
FOLLOW_UPS = TRAINING.parent / "follow_ups"
MADE_UP = TRAINING.parent / "made_up"
_TRAINED_ON = (QUESTIONS, TRAINING, MORE, SECOND_ROUND, ANSWERABILITY, NEAR_MISSES, EVERYDAY, FOLLOW_UPS)
_SAME_COMPANY = {"apple": "aapl"}


def name_company(filing: str) -> str:
    """Return the company of a filing: `aapl-10-k-2024-11-01` and `apple-2021-10k` have the same one."""
    return filing if filing.startswith("old-") else _SAME_COMPANY.get(company_of(filing), company_of(filing))


def read_questions(filings: Iterable[str]) -> list[LabelledQuestion]:
    """Return all labelled questions about filings, those for scoring before those for training."""
    paths = (folder / f"{filing}.jsonl" for filing in filings for folder in (*_TRAINED_ON, MADE_UP))
    return read_labelled(path for path in paths if path.is_file())


def _is_made_up(filing: str) -> bool:
    return (MADE_UP / f"{filing}.jsonl").is_file()


def read_filings(
    filings: Iterable[str], cache: Path | None, more: Path | None = None
) -> Iterator[tuple[str, Document]]:
    """Yield filings by name, those of `training/more_companies` from a folder; cached documents are not read again."""
    for filing in filings:
        kept = cache / f"{filing}.pkl" if cache else None
        if kept is not None and kept.is_file():
            document = pickle.loads(kept.read_bytes())  # noqa: S301 - written by this program
        else:
            folder = (
                MADE_UP if _is_made_up(filing) else more if more and (MORE / f"{filing}.jsonl").is_file() else FILINGS
            )
            document = quaestor.open(
                str(find_filing(filing, folder)), settings=quaestor.Settings(keep_asked=False)
            ).document
            if kept is not None:
                kept.write_bytes(pickle.dumps(document, 5))
        yield filing, document


def read_facts(filings: Sequence[str], cache: Path | None, more: Path | None = None) -> dict[str, FactTable]:
    """Return the facts of filings; cached documents are not read again."""
    return {filing: build_facts(document) for filing, document in read_filings(filings, cache, more)}


def learn_folds(
    tables: Mapping[str, FactTable], folds: Sequence[frozenset[str]], cache: Path | None
) -> list[FilingWeights]:
    """Return the weights for each fold, trained on the others."""
    kept = cache / "weights.pickle" if cache else None
    if kept is not None and kept.is_file():
        found: list[FilingWeights] = pickle.loads(kept.read_bytes())  # noqa: S301 - written by this program
        return found
    with _start_pool(tables) as pool:
        weights = list(pool.map(_learn_without, folds, [[o for o in folds if o is not fold] for fold in folds]))
    if kept is not None:
        kept.write_bytes(pickle.dumps(weights, 5))
    return weights


_SHARED: list[tuple[Mapping[str, FactTable], Sequence[LabelledQuestion]]] = []


def _start_pool(tables: Mapping[str, FactTable]) -> ProcessPoolExecutor:
    # Forked processes inherit the facts.
    fork = multiprocessing.get_context("fork")
    return ProcessPoolExecutor(os.cpu_count(), fork, _share, (tables, read_questions(tables)))


def _share(tables: Mapping[str, FactTable], labelled: Sequence[LabelledQuestion]) -> None:
    _SHARED.append((tables, labelled))


def _learn_without(fold: frozenset[str], rest: Sequence[frozenset[str]]) -> FilingWeights:
    tables, labelled = _SHARED[0]
    others = {name: table for name, table in tables.items() if name not in fold and not _is_made_up(name)}
    return fit_filing_weights([one for one in labelled if one.filing in others], others, folds=rest)


def _learn_all(folds: Sequence[frozenset[str]]) -> FilingWeights:
    return _learn_without(frozenset(), folds)


@dataclass(frozen=True, slots=True)
class _AnsweredQuestion(PlayedQuestion):
    """Question with its answer in the scorer's format; None for the parts of a compound question."""

    line: Line | None = None


def _play(names: Sequence[str], weights: FilingWeights) -> list[PlayedQuestion]:
    """Answer the questions about the filings of a fold; what the confidence does not need is left out."""
    tables, labelled = _SHARED[0]
    played: list[PlayedQuestion] = []
    for name in names:
        asked = [one for one in labelled if one.filing == name]
        begin = time.perf_counter()
        answered = play_questions(asked + label_questions(name, tables[name]), tables[name], weights)
        seconds = (time.perf_counter() - begin) / max(1, len(answered))
        decline = weights.confidence is not None
        lines = {id(one): answer_line(one, decline=decline) | {"seconds": seconds} for one in answered[: len(asked)]}
        for one in with_parts(answered):
            known = replace(one.decision, results=(), parts=())
            played.append(_AnsweredQuestion(one.question, one.rights, known, lines.get(id(one))))
    return played


def _list_lines(played: Iterable[PlayedQuestion], folder: Path) -> list[tuple[Line, Line]]:
    """Return the questions of a folder with their answers."""
    lines = {
        (one.question.filing, one.question.conversation, one.question.turn, one.question.text): one.line
        for one in played
        if isinstance(one, _AnsweredQuestion) and one.line is not None
    }
    asked = (
        json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()
    )
    keys = ((one, (one["file"], one["conversation"], one["turn"], one["question"])) for one in asked)
    return [(one, lines[key]) for one, key in keys if key in lines]


def answer_line(question: PlayedQuestion, *, decline: bool) -> Line:
    """Convert the answer to a question to the scorer's format."""
    decision = question.decision
    if not decision.results or (decline and decision.declines):
        shown = "-" if not decision.results else f"declined; nearest: {_show(decision.results[0])}"
        return {"said": "none", "confidence": None, "scale": "one", "shown": shown}
    first = decision.results[0]
    return write_answer(Answer(first.value, first.scale, confidence=decision.right)) | {"shown": _show(first)}


def _show(result: PlanResult) -> str:
    number = re.sub(r"([.][0-9]{4})[0-9]+", r"\1", print_value(result.value))
    lines = "; ".join(dict.fromkeys(series.line.label[:30] for series in result.proposal.series))
    return f"[{result.proposal.form}] {number} {result.scale.name.lower()} ({lines:.60})"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("filings", nargs="*", help="only questions about filings whose names begin so")
    parser.add_argument("--kinds", default="", help="print figures and wrong answers of these kinds only")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--more", type=Path, help="folder with the filings of training/more_companies")
    parser.add_argument("--save", type=Path, help="folder for weights that are trained on all companies")
    parser.add_argument("--plain", action="store_true", help="learn no confidence, and decline nothing that has a plan")
    parser.add_argument("--list", action="store_true", help="print each question that is not answered right")
    options = parser.parse_args()
    if options.save and (options.filings or options.plain):
        parser.error("--save trains on all companies, with a confidence: leave out the filings and --plain")
    folders = [folder for folder in (*_TRAINED_ON, MADE_UP) if folder != MORE or options.more]
    with_filings = [QUESTIONS, *([MORE] if options.more else [])]
    filings = sorted({path.stem for folder in with_filings for path in folder.glob("*.jsonl") if FILINGS.is_dir()})
    folds = split_by_company(filings, options.folds, name_company)
    made_up = sorted(path.stem for path in MADE_UP.glob("*.jsonl"))
    with_made_up = zip(folds, split_by_company(made_up, options.folds, str), strict=True)
    asked = {one for one in (*filings, *made_up) if not options.filings or one.startswith(tuple(options.filings))}
    cached = options.cache is not None and (options.cache / "weights.pickle").is_file()
    tables = read_facts(sorted(asked if cached else {*filings, *made_up}), options.cache, options.more)
    weights = learn_folds(tables, folds, options.cache)
    names = [sorted((fold | made) & asked) for fold, made in with_made_up]
    if not options.plain and sum(map(bool, names)) < 2:
        parser.error("the confidence of a fold is learned on the others: name filings of several folds, or add --plain")
    with _start_pool(tables) as pool:
        learned = pool.submit(_learn_all, folds) if options.save else None

        def play(known: Sequence[FilingWeights]) -> list[list[PlayedQuestion]]:
            return list(pool.map(_play, names, known))

        played = play(weights) if options.plain else play_folds(weights, play)
        fits = MatcherFits(played)
        if learned is not None:
            confidence = fit_confidence(played, fits)
            save_filing_weights(replace(learned.result(), confidence=confidence), options.save)
        if not options.plain:
            played = play(with_fold_confidences(weights, played, fits))
    answered = [one for several in played for one in several]
    kinds = set(filter(None, options.kinds.split(",")))
    scorer = load_scorer()
    for folder in folders:
        lines = _list_lines(answered, folder)
        print(f"{folder.parent.name}/{folder.name}")
        if options.list:
            print_wrong([q for q, _ in lines], [a for _, a in lines], scorer, kinds)
        kept = [(q, a) for q, a in lines if not kinds or q["kind"] in kinds]
        print_figures([q for q, _ in kept], [a for _, a in kept], scorer)


if __name__ == "__main__":
    main()
