"""From labelled conversations to weights.

The stages stack: the signature classifier feeds the leaf scorer, both feed the ranker. What a later stage learns
from is what an earlier one says of companies that it has not seen, so that no stage trusts a memory.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from quaestor.learning.calibration import fit_calibration
from quaestor.learning.examples import Example, company_folds
from quaestor.learning.pages import (
    PlayedTurn,
    candidate_rows,
    document_frequencies,
    leaf_rows,
    play_gold,
    read_pages,
)
from quaestor.learning.ranking import Rows, fit_ranker
from quaestor.learning.replay import ReplayedTurn, replay
from quaestor.learning.signature import SignatureSample, fit_signature, signature_samples
from quaestor.learning.threads import one_thread
from quaestor.learning.trees import fit_leaf_scorer
from quaestor.solvers.embedded.signature import SignatureModel
from quaestor.solvers.embedded.trees import Predictor, Trees
from quaestor.solvers.embedded.views import PageView, page_view
from quaestor.solvers.embedded.weights import Weights

INNER_FOLDS = 4
Played = dict[str, list[list[PlayedTurn]]]
"""By company its conversations, as gold plays them."""


def train(examples: Sequence[Example], dialogues: Sequence[Example], seed: int = 0) -> Weights:
    """Returns weights learned from conversations with pages and from dialogues without.

    Args:
        examples: With pages: for all stages.
        dialogues: Without: for the signature alone. One whose conversation is among `examples` counts once.
    """
    with one_thread():
        return _train(examples, dialogues, seed)


def _train(examples: Sequence[Example], dialogues: Sequence[Example], seed: int) -> Weights:
    known = {example.id for example in examples}
    samples = signature_samples([*examples, *(d for d in dialogues if d.id not in known)])
    tables = read_pages(examples)
    idf = document_frequencies(tables.values())
    pages = {digest: page_view(table, idf) for digest, table in tables.items()}
    folds = company_folds(examples, INNER_FOLDS, seed)
    signature_models = [_signature_without(samples, folds, fold) for fold in range(INNER_FOLDS)]

    played = _play(examples, pages, folds, signature_models, [None] * INNER_FOLDS)
    scorers: list[Predictor | None] = [_scorer_without(played, folds, fold, seed) for fold in range(INNER_FOLDS)]
    # Once more: the learned scorer tells better than bare words which of several equal numbers gold meant.
    played = _play(examples, pages, folds, signature_models, scorers)
    final_scorers = [_scorer_without(played, folds, fold, seed) for fold in range(INNER_FOLDS)]

    by_fold: list[list[Rows]] = [[] for _ in range(INNER_FOLDS)]
    for company, conversations in played.items():
        scorer = final_scorers[folds[company]]
        for turn in (turn for conversation in conversations for turn in conversation):
            _, features, right = candidate_rows(turn, scorer.predict(turn.reading.measured))
            if right.any():
                by_fold[folds[company]].append((features, right))
    replayed: list[ReplayedTurn] = []
    for fold in range(INNER_FOLDS):
        seen = [rows for other in range(INNER_FOLDS) if other != fold for rows in by_fold[other]]
        ranker = fit_ranker(seen)
        weights = Weights(idf, signature_models[fold], final_scorers[fold], ranker)
        for company, conversations in played.items():
            if folds[company] == fold:
                replayed += [turn for conversation in conversations for turn in replay(conversation, weights)]
    return Weights(
        idf=idf,
        signature=fit_signature(samples),
        leaves=_fit_scorer(_turns(played), seed),
        ranker=fit_ranker([rows for fold in by_fold for rows in fold]),
        calibration=fit_calibration([turn.evidence for turn in replayed], [turn.right for turn in replayed]),
    )


def _signature_without(samples: Sequence[SignatureSample], folds: dict[str, int], fold: int) -> SignatureModel:
    return fit_signature([sample for sample in samples if folds.get(sample.company) != fold])


def _play(
    examples: Sequence[Example],
    pages: Mapping[str, PageView],
    folds: dict[str, int],
    signatures: Sequence[SignatureModel],
    scorers: Sequence[Predictor | None],
) -> Played:
    played: Played = {}
    for example in examples:
        if example.document is None:
            raise ValueError(f"{example.id} has no page: it belongs to the dialogues")
        fold, page = folds[example.company], pages[example.document.digest]
        played.setdefault(example.company, []).append(play_gold(example, page, signatures[fold], scorers[fold]))
    return played


def _scorer_without(played: Played, folds: dict[str, int], fold: int, seed: int) -> Trees:
    return _fit_scorer(_turns({company: turns for company, turns in played.items() if folds[company] != fold}), seed)


def _turns(played: Played) -> list[PlayedTurn]:
    return [turn for conversations in played.values() for conversation in conversations for turn in conversation]


def _fit_scorer(turns: Sequence[PlayedTurn], seed: int) -> Trees:
    rows, labels = zip(*(leaf_rows(turn) for turn in turns), strict=True)
    return fit_leaf_scorer(np.concatenate(rows), np.concatenate(labels), seed)
