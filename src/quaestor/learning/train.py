"""Training of the weights from labelled conversations.

Operations of turns and references to earlier results are learned from dialogues and single questions too. Leaves and
plans are learned from conversations with their pages, and from dialogues whose page another record has. Single
questions are phrased differently from the first question of a conversation: they contribute a little to the choice of
leaves, but all of them among the plans would lower the rank of the right plan of first turns.

The stages are stacked: the signature classifier feeds the leaf scorer, and both feed the ranker. Each stage is trained
on the predictions of earlier ones for held-out companies, so that no stage relies on memorised examples.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from quaestor.conversation.references.ranking import Weights as ReferenceWeights
from quaestor.conversation.references.ranking import with_rules
from quaestor.extras import require_extra
from quaestor.learning.answerability import MeasuredQuestion, fit_answerability, fit_stem_weights, measure_questions
from quaestor.learning.calibration import (
    JudgedChoice,
    ReplayedTurn,
    fit_calibration,
    free_rollout,
    judged_choices,
)
from quaestor.learning.examples import (
    Example,
    company_folds,
    rejoin_conversations,
    select_training_examples,
    with_known_pages,
)
from quaestor.learning.pages import (
    PlayedTurn,
    candidate_rows,
    document_frequencies,
    leaf_rows,
    read_pages,
    teacher_forced_rollout,
)
from quaestor.learning.ranking import RankedTurn, fit_ranker
from quaestor.learning.references import ReferenceSample, fit_references, labelled_references, reference_samples
from quaestor.learning.signature import SignatureSample, fit_signature, second_samples, signature_samples
from quaestor.learning.trees import fit_leaf_scorer
from quaestor.learning.unanswerable import balance, put_questions
from quaestor.solvers.embedded.loading import EmbeddedWeights
from quaestor.solvers.embedded.models import UNFITTED, UNFITTED_CHOICES
from quaestor.solvers.embedded.operand_pool import SignatureModel
from quaestor.solvers.embedded.page import PageFeatures, build_page_features
from quaestor.solvers.embedded.trees import Trees

INNER_FOLDS = 4
_ALONE = 0.3
"""Training weight of a single question's numbers, because it is phrased differently from a turn of a conversation."""

ReplayedConversations = dict[str, list[list[PlayedTurn]]]
"""Turns with gold history of each conversation, by company."""


def fit_weights(examples: Sequence[Example], dialogues: Sequence[Example], seed: int = 0) -> EmbeddedWeights:
    """Return weights trained on conversations with pages, and on dialogues and single questions.

    Args:
        dialogues: For signatures and references, with or without pages. A conversation that is also among `examples`
            counts once.
        seed: The same seed gives the same weights.

    Raises:
        SettingsError: The extra `train` is not installed.
    """
    require_extra("train", "training")
    originals, examples = examples, select_training_examples((*examples, *with_known_pages(dialogues, examples)))
    known = {example.id for example in examples}
    labelled = [*examples, *(dialogue for dialogue in dialogues if dialogue.id not in known)]
    samples = [*signature_samples(labelled), *second_samples(rejoin_conversations(e for e in labelled if not e.alone))]
    references = reference_samples(labelled_references(labelled))
    alone = [replace(line, weight=_ALONE) for line in dialogues if line.document is not None and line.id not in known]
    tables = read_pages([*examples, *alone])
    idf = document_frequencies(tables.values())
    pages = {digest: build_page_features(table, idf) for digest, table in tables.items()}
    folds = company_folds([*examples, *alone], INNER_FOLDS, seed)
    signature_models = [_signature_without(samples, folds, fold) for fold in range(INNER_FOLDS)]

    reference_weights = [_references_without(references, folds, fold) for fold in range(INNER_FOLDS)]

    def replay(conversations: Sequence[Example], scorers: Sequence[Trees | None]) -> ReplayedConversations:
        return _replay(conversations, pages, folds, signature_models, reference_weights, scorers)

    unscored: list[Trees | None] = [None] * INNER_FOLDS
    replays, single = replay(examples, unscored), replay(alone, unscored)
    scorers = [_scorer_without(fold, folds, seed, replays, single) for fold in range(INNER_FOLDS)]
    # A second round: the learned scorer finds the intended one of several equal numbers better than words alone.
    replays, single = replay(examples, scorers), replay(alone, scorers)
    final_scorers = [_scorer_without(fold, folds, seed, replays, single) for fold in range(INNER_FOLDS)]

    by_fold: list[list[RankedTurn]] = [[] for _ in range(INNER_FOLDS)]
    for turns_of in (replays, _with_aggregation(single)):
        for company, conversations in turns_of.items():
            scorer = final_scorers[folds[company]]
            for turn in (turn for conversation in conversations for turn in conversation):
                _, features, right = candidate_rows(turn, scorer.predict([turn.reading.measured])[0])
                if right.any():
                    by_fold[folds[company]].append(RankedTurn(features, right, turn.alone))
    put = [put_questions([e for e in originals if folds.get(e.company) == fold], seed) for fold in range(INNER_FOLDS)]
    replayed: list[ReplayedTurn] = []
    judged: list[JudgedChoice] = []
    measured: list[MeasuredQuestion] = []
    for fold in range(INNER_FOLDS):
        seen = [rows for other in range(INNER_FOLDS) if other != fold for rows in by_fold[other]]
        ranker = fit_ranker(seen)
        weights = EmbeddedWeights(idf, signature_models[fold], reference_weights[fold], final_scorers[fold], ranker)
        for company, conversations in replays.items():
            if folds[company] == fold:
                replayed += [turn for conversation in conversations for turn in free_rollout(conversation, weights)]
        judged += judged_choices((one for one in originals if folds.get(one.company) == fold), pages, weights)
        words = fit_stem_weights(question for other in range(INNER_FOLDS) if other != fold for question in put[other])
        measured += measure_questions(balance(put[fold], seed), weights, words)
    return EmbeddedWeights(
        idf=idf,
        signature=fit_signature(samples),
        references=with_rules(fit_references(references)),
        leaves=_fit_scorer([*_turns(replays), *_turns(single)], seed),
        ranker=fit_ranker([rows for fold in by_fold for rows in fold]),
        calibration=fit_calibration([(turn.evidence, turn.right) for turn in replayed], 10.0, UNFITTED),
        choices=fit_calibration(judged, 1.0, UNFITTED_CHOICES),
        answerable=fit_answerability(measured, fit_stem_weights(question for part in put for question in part)),
    )


def _signature_without(samples: Sequence[SignatureSample], folds: dict[str, int], fold: int) -> SignatureModel:
    return fit_signature([sample for sample in samples if folds.get(sample.company) != fold])


def _references_without(samples: Sequence[ReferenceSample], folds: dict[str, int], fold: int) -> ReferenceWeights:
    return with_rules(fit_references([sample for sample in samples if folds.get(sample.company) != fold]))


def _replay(
    examples: Sequence[Example],
    pages: Mapping[str, PageFeatures],
    folds: dict[str, int],
    signatures: Sequence[SignatureModel],
    references: Sequence[ReferenceWeights],
    scorers: Sequence[Trees | None],
) -> ReplayedConversations:
    played: ReplayedConversations = {}
    for example in examples:
        if example.document is None:
            raise ValueError(f"{example.id} has no page: give it as a dialogue")
        fold, page = folds[example.company], pages[example.document.digest]
        turns = teacher_forced_rollout(example, page, signatures[fold], references[fold], scorers[fold])
        played.setdefault(example.company, []).append(turns)
    return played


def _with_aggregation(single: ReplayedConversations) -> ReplayedConversations:
    """Single questions with sums or averages, which are rare in conversations."""
    return {
        company: [turns for turns in conversations if any(turn.aggregates for turn in turns)]
        for company, conversations in single.items()
    }


def _scorer_without(fold: int, folds: dict[str, int], seed: int, *played: ReplayedConversations) -> Trees:
    rest = ({company: turns for company, turns in turns_of.items() if folds[company] != fold} for turns_of in played)
    return _fit_scorer([turn for turns_of in rest for turn in _turns(turns_of)], seed)


def _turns(played: ReplayedConversations) -> list[PlayedTurn]:
    return [turn for conversations in played.values() for conversation in conversations for turn in conversation]


def _fit_scorer(turns: Sequence[PlayedTurn], seed: int) -> Trees:
    return fit_leaf_scorer([rows for turn in turns if len((rows := leaf_rows(turn))[1])], seed)
