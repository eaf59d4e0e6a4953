"""How many sentences are quoted, and whether a sentence names a person or firm."""

import pytest

from quaestor.documents.assembly import HeadingPart, ParagraphPart, assemble
from quaestor.facts.table import build_facts
from quaestor.questions.understanding import INTENTS
from quaestor.solvers.embedded.filings.composing import intents_by_name
from quaestor.solvers.embedded.filings.evidence import LikelySentence, names_somebody, propose_words


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Jane Roe is our Chief Executive Officer.", True),
        ("/s/ Able & Baker LLP", True),
        ("The Chief Executive Officer of the Company signed.", False),
        ("On September 25, 2019, we announced the appointment of an interim Chief Executive Officer.", False),
    ],
)
def test_office_is_not_a_name(text: str, named: bool) -> None:
    assert names_somebody(text) is named


_PARAGRAPH = ParagraphPart(("Jane Roe has led us since October 2024.", "She joined in 1988."))
TABLE = build_facts(assemble("10-K", [HeadingPart("Officers", 1), _PARAGRAPH]))
RANKED = [LikelySentence(0, 2.0, 1.0)]


def quotes(question: str, **shares: float) -> list[tuple[str | None, ...]]:
    intents = intents_by_name([shares.get(name, 0.0) for name in INTENTS])
    found = propose_words(question, RANKED, TABLE, intents)
    return [tuple(step.text for step in proposal.plan.extracts) for proposal in found]


def test_several_sentences_are_quoted_only_if_an_explanation_is_likeliest() -> None:
    assert len(quotes("the president?", description=0.6, lookup=0.4)[0]) > 1
    assert len(quotes("the president?", description=0.4, text_fact=0.3, lookup=0.3)[0]) == 1
