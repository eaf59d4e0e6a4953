"""Explanations with citation numbers, in the interfaces that need no server."""

import asyncio

from explaining import ExplainingSolver
from pages import page

from quaestor.application.replies import answers_of
from quaestor.conversation.answer import cite_explanation, sources_of
from quaestor.conversation.display import turn_html
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.runner import answer_conversation

PAGE = page(
    [["( in millions )", "2008", "2007"], ["net revenue", "$ 120", "$ 100"]], before=["it rose as <i>it</i> did ."]
)
LINES = (
    "It changed by 20.0 % [1, 2] to $ 120 million [1], above 5.0 % [assumed] <b>.",
    'The report says "it rose as <i>it</i> did . [3]".',
)


def test_sentences_are_shown_with_the_numbers_of_their_places() -> None:
    conversation = Conversation(PAGE.id, PAGE, ("how much did it change?", "why?"))
    turns = asyncio.run(answer_conversation(conversation, ExplainingSolver()))
    assert [(turn.verified, turn.answer.kind) for turn in turns] == [(True, "number"), (True, "explanation")]
    for turn, answer in zip(turns, answers_of(turns, PAGE), strict=True):
        cited = cite_explanation(turn.answer)
        assert cited is not None
        assert (cited.lines, sources_of(turn.answer)) == (LINES, cited.sources)
        assert answer.explanation is not None
        assert len(answer.explanation.sources) == 3
        assert "&lt;b&gt;" in turn_html(turn, PAGE)
