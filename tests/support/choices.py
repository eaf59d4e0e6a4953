"""Questions that choose among values, asked about a made-up table with the weights of the package."""

import asyncio
from collections.abc import Sequence
from functools import lru_cache

from pages import page

from quaestor.conversation.turn import Turn
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import answer_conversation
from quaestor.solvers.embedded.loading import load_weights
from quaestor.solvers.embedded.page import PageFeatures, build_number_matrix, build_page_features
from quaestor.solvers.registry import make_solver

REGIONS = page(
    [
        ["( in thousands )", "2012", "2011", "2010"],
        ["net sales :", "", "", ""],
        ["north region", "$ 500", "$ 450", "$ 470"],
        ["south region", "300", "320", "310"],
        ["overseas", "120", "110", "60"],
        ["total net sales", "$ 920", "$ 880", "$ 840"],
        ["operating expenses :", "", "", ""],
        ["freight", "-210 ( 210 )", "-190 ( 190 )", "-220 ( 220 )"],
        ["wages", "-330 ( 330 )", "-340 ( 340 )", "-300 ( 300 )"],
        ["total operating expenses", "$ -540 ( 540 )", "$ -530 ( 530 )", "$ -520 ( 520 )"],
        ["tax rate", "31.0% ( 31.0 % )", "29.5% ( 29.5 % )", "33.2% ( 33.2 % )"],
        ["net income ( loss )", "$ 25", "$ -4 ( 4 )", "$ 12"],
    ],
    ["net sales and expenses by region were as follows ."],
)
"""A table with two sums, a rate, a loss and expenses printed as negative numbers."""

QUARTERS = page(
    [
        ["2012", "high", "low"],
        ["first quarter", "$ 31.20", "$ 27.10"],
        ["second quarter", "33.40", "28.90"],
        ["third quarter", "30.75", "25.60"],
        ["fourth quarter", "35.10", "29.95"],
    ],
    ["the high and low prices of our common stock were as follows ."],
)
"""A table with quarters as its rows."""


def features(document: Document) -> PageFeatures:
    """Return the page features of a document."""
    return build_page_features(build_number_matrix(_knowledge(document).graph(document)), load_weights().idf)


@lru_cache(maxsize=8)
def _knowledge(document: Document) -> GraphProvider:
    return GraphProvider.of([document])


def run_questions(document: Document, questions: Sequence[str], answers: str = "all") -> tuple[Turn, ...]:
    """Return the turns of a conversation about a document."""
    conversation = Conversation("chosen", document, tuple(questions))
    return asyncio.run(
        answer_conversation(conversation, make_solver("embedded", {"answers": answers}), _knowledge(document))
    )


def answer_texts(document: Document, *questions: str) -> list[str]:
    """Return the answer to each question as text."""
    return ["" if turn.answer.value is None else str(turn.answer.value) for turn in run_questions(document, questions)]
