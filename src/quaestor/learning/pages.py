"""Labelled conversations with gold history, as rows of features for the leaf scorer and the ranker."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.conversation.references.ranking import Weights as ReferenceWeights
from quaestor.graph.builder import build_graph
from quaestor.learning.examples import Example
from quaestor.learning.labels import Chooser, LabelledTurn, label_turn
from quaestor.ontology.builder import build_ontology
from quaestor.plan.steps import Tree
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.beam import MeasuredTurn, build_candidates, measure_turns
from quaestor.solvers.embedded.candidates import GROUPED, OPERATIONS, Candidates
from quaestor.solvers.embedded.number_features import LEAF_FEATURES
from quaestor.solvers.embedded.operand_pool import SignatureModel
from quaestor.solvers.embedded.page import Floats, NumberMatrix, PageFeatures, StemWeights, build_number_matrix
from quaestor.solvers.embedded.trees import Trees
from quaestor.solvers.embedded.turn_state import DialogueState, make_turn_view

_COLUMN = {name: n for n, name in enumerate(LEAF_FEATURES)}
_WORDS = (("question_in_leaf", 2.0), ("row_in_context", 1.0), ("row_in_question", 1.0), ("year_named", 0.7),
          ("year_context", 0.2), ("in_table", 0.3), ("row_taken", 0.3))  # fmt: skip


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """Turn after the gold history.

    Attributes:
        reading: Features of each leaf.
        state: The conversation before it.
        weight: Training weight of the leaves that it takes, relative to those of a conversation.
        alone: Whether the question is independent, not a step of a conversation.
    """

    page: PageFeatures
    reading: MeasuredTurn
    state: DialogueState
    label: LabelledTurn
    weight: float = 1.0
    alone: bool = False

    @property
    def aggregates(self) -> bool:
        """Whether the turn is a sum or an average over several numbers."""
        return self.label.outcome.operation in GROUPED


def read_pages(examples: Sequence[Example]) -> dict[str, NumberMatrix]:
    """Return the leaves of every page of the examples, by the page's digest.

    Uses the hand-written core ontology alone: it does not affect the leaves, and types are not features.
    """
    ontology = build_ontology(())
    pages: dict[str, NumberMatrix] = {}
    for example in examples:
        document = example.document
        if document is not None and document.digest not in pages:
            pages[document.digest] = build_number_matrix(build_graph(document, ontology, "extend"))
    return pages


def document_frequencies(pages: Iterable[NumberMatrix]) -> StemWeights:
    """Return the weight of each stem by its document frequency over pages."""
    counts: dict[str, int] = {}
    total = 1
    for page in pages:
        total += 1
        for stem in page.vocabulary:
            counts[stem] = counts.get(stem, 0) + 1
    weight = {stem: round(float(np.log(total / count)) + 0.3, 3) for stem, count in sorted(counts.items()) if count > 1}
    return StemWeights(weight, round(float(np.log(total)) + 0.3, 3))


def teacher_forced_rollout(
    example: Example,
    page: PageFeatures,
    signature: SignatureModel,
    references: ReferenceWeights,
    leaf_scorer: Trees | None,
) -> list[PlayedTurn]:
    """Return the turns of a conversation, each after the gold history.

    Args:
        signature: Predicts the signature of each turn.
        references: The weights for the resolution of references.
        leaf_scorer: Chooses the leaf of a literal that is in several places; None to use its words alone.
    """
    state, trees, turns = DialogueState(), list[Tree](), list[PlayedTurn]()
    for question, gold in zip(map(read_question, example.questions), example.gold, strict=True):
        (reading,) = measure_turns([make_turn_view(question, state, page, references)], signature)
        plausible = leaf_scorer.predict([reading.measured])[0] if leaf_scorer else _by_words(reading.measured)
        label, tree = label_turn(question, gold, trees, state, page.leaves, _most(plausible))
        turns.append(PlayedTurn(page, reading, state, label, example.weight, example.alone))
        state = state.after(question, label.outcome)
        trees.append(tree)
    return turns


def _most(plausible: NDArray[np.float64]) -> Chooser:
    return lambda options: max(options, key=lambda leaf: float(plausible[leaf]))


def _by_words(measured: Floats) -> NDArray[np.float64]:
    score = np.zeros(len(measured))
    for name, weight in _WORDS:
        score += weight * measured[:, _COLUMN[name]]
    return score


def leaf_rows(turn: PlayedTurn) -> tuple[Floats, NDArray[np.float64]]:
    """Return features and labels of the leaves: the weight of the turn for a leaf that it used, else 0.

    Other leaves that print the same number are left out, because gold does not say which one is meant. Turns that used
    no leaf give no rows.

    Shape: The features are rows x `len(LEAF_FEATURES)`, the labels have one entry per row; there is a row for each leaf
        that is not left out.
    """
    direct = _direct_leaves(turn)
    if not direct:
        return np.zeros((0, len(LEAF_FEATURES)), np.float32), np.zeros(0)
    labels = np.zeros(len(turn.page.leaves))
    labels[direct] = turn.weight
    unclear = {leaf for options in turn.label.acceptable for leaf in options} - set(direct)
    clear = np.array([n for n in range(len(labels)) if n not in unclear], np.intp)
    return turn.reading.measured[clear], labels[clear]


def _direct_leaves(turn: PlayedTurn) -> list[int]:
    return [leaf for operand in turn.label.outcome.operands if (leaf := turn.state.find_leaf(operand)) >= 0]


def candidate_rows(
    turn: PlayedTurn, probability: NDArray[np.float64]
) -> tuple[Candidates, Floats, NDArray[np.float64]]:
    """Return the candidates of a turn, their features, and their labels as in `candidate_labels`.

    Shape: The features are candidates x `len(CANDIDATE_FEATURES)`, the labels have one entry per candidate.
        `probability` has one entry per leaf of the page.
    """
    candidates, features = build_candidates([turn.reading], [probability])
    return candidates, features, candidate_labels(candidates, turn.label)


def candidate_labels(candidates: Candidates, label: LabelledTurn) -> NDArray[np.float64]:
    """Return the label of each plan: 1 if it is gold's operation on the same numbers, else 0.

    If no plan is, those with the gold result get 0.5, because a page can state one thing in two ways.

    Shape: One entry per candidate.
    """
    percent = candidates.pool.percent[candidates.first] & (candidates.operation == 0)
    reaches = match_answer(candidates.value, percent, label.answer)
    code = OPERATIONS.index(label.outcome.operation) if label.outcome.operation in OPERATIONS else -1
    values = [abs(operand.value) for operand in label.outcome.operands]
    same = reaches & (candidates.operation == code)
    first = np.abs(candidates.pool.value[candidates.first])
    second = np.abs(candidates.pool.value[candidates.second])
    if len(values) == 2 and label.outcome.operation not in GROUPED:
        straight = np.isclose(first, values[0]) & np.isclose(second, values[1])
        swapped = np.isclose(first, values[1]) & np.isclose(second, values[0])
        same &= straight | swapped
    labels: NDArray[np.float64] = same.astype(np.float64)
    if not same.any():
        labels[reaches] = 0.5
    return labels


def match_answer(values: NDArray[np.float64], percent: NDArray[np.bool_], answer: float) -> NDArray[np.bool_]:
    """Return which values equal the gold answer; looked-up percentages may be in points or fractions.

    Args:
        percent: Which values are looked-up percentages.

    Shape: All arrays have one entry per plan.
    """
    found: NDArray[np.bool_] = np.isclose(values, answer, rtol=1e-9, atol=0.6e-5)
    return found | (percent & np.isclose(values, answer * 100, rtol=1e-9, atol=1e-6))
