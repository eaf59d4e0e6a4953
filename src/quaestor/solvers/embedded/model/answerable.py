"""How likely a page holds the answer to a question: a logistic regression over what is measured of both.

Learned from questions that are put to their own pages, and to pages that do not answer them (`learning.silence`).
Half of those have an answer, so half is what it says where nothing speaks for either.
"""

import math
from dataclasses import dataclass

import numpy as np

from quaestor.solvers.embedded.page.stem_weights import StemWeights
from quaestor.solvers.embedded.page.word_matrix import Floats

ANSWERABLE_MEASURES: dict[str, str] = {
    "words": "how many words of meaning the question has, up to twelve",
    "unknown": "the weight of those that describe no number of the page",
    "unknown_most": "the largest weight among them",
    "unknown_share": "their share of the weight of all",
    "lacking": "the weight of the words that do not describe the number that most describe",
    "lacking_then": "the same among the numbers of the years that the question names",
    "said_then": "the share of the weight that describes the best number of those years",
    "no_number_then": "no number is of a year that the question names",
    "lacking_label": "the weight of the words that are not in the labels that have most of them",
    "lacking_likeliest": "the weight of the words that do not describe the likeliest number",
    "lacking_taken": "the weight of the words that describe none of the numbers that the best plan takes",
    "lacking_taken_labels": "the same by their labels alone",
    "taken_then": "the best plan takes numbers of the years named alone; 0.5 it takes none of the page",
    "earlier": "how many earlier results the best plan takes",
    "years": "how many years the question names",
    "years_lacking": "how many of them no number of the page is of",
    "label_told": "the largest share of a number's label that the question says, rare words counting more",
    "label_told_taken": "the same, on average of the numbers that the best plan takes; -1 none",
    "row_told": "the largest share of a row's label that the question says",
    "first": "it is the first question",
    "cues": "how many words of it lean on earlier questions",
    "fresh": "how many new numbers it is expected to take",
    "again": "the probability that it takes an earlier result",
    "numbers": "log of how many numbers the page has",
    "share": "log-odds of the best result's share",
    "likeliest": "the probability of the likeliest number",
    "spread": "the entropy of the numbers' probabilities",
}
"""What is measured, by name."""

_FURTHEST = 30.0


@dataclass(frozen=True, slots=True)
class Answerability:
    """What was learned of questions and pages.

    Attributes:
        stems: The weights of the words of questions.
        mean: What is measured, on average.
        weights: Of what is measured, in deviations.
        intercept: The log-odds of an average question.

    Shape: `mean`, `scale` and `weights` have one entry a measure.
    """

    stems: StemWeights
    mean: Floats
    scale: Floats
    weights: Floats
    intercept: float

    def probability(self, measured: Floats) -> float:
        """Return the probability that the page holds the answer.

        Shape: One entry a measure.
        """
        odds = self.intercept + float(np.dot((measured - self.mean) / self.scale, self.weights))
        return 1 / (1 + math.exp(-max(-_FURTHEST, min(_FURTHEST, odds))))
