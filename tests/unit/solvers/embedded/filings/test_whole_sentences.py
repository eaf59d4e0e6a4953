"""Quotations as explanations: one to six whole sentences of a paragraph, without unrelated ones."""

from quaestor.documents.assembly import HeadingPart, ParagraphPart, assemble
from quaestor.facts.table import build_facts
from quaestor.plan.validate import validate
from quaestor.solvers.embedded.filings.answering import explain_by_quoting, quotes_prose
from quaestor.solvers.embedded.filings.evidence import quote

PARAGRAPHS = (
    (
        "Net Sales Net sales rose 7% because of cable.",
        "See Note 5 for details of the segments.",
        "In addition, prices were higher.",
        "These effects were partly offset by copper.",
        "We own two plants in the north.",
    ),
    ("1 The decline was due to the sale of a", "plant in the south of the country.", "Our segments are the following:"),
    ("Sales rose.", *[f"This is reason {'abcdefgh'[place]} of all." for place in range(8)]),
)
TABLE = build_facts(assemble("10-K", [HeadingPart("Results", 1), *map(ParagraphPart, PARAGRAPHS)]))


def explained(*places: int) -> list[str]:
    plan = explain_by_quoting(quote(places, TABLE, ""), TABLE, "why did sales rise")
    assert validate(plan, 0) == ()
    texts = {f"{{#{step.id}}}": step.text or "" for step in plan.extracts}
    return [" ".join(texts[part] for part in template.split()) for template in plan.explanation]


def test_quotation_includes_further_reasons_and_omits_other_topics() -> None:
    wanted = ["Net sales rose 7% because of cable.", *PARAGRAPHS[0][2:4]]
    assert explained(0) == explained(0, 1) == explained(0, 1, 2) == wanted
    assert explained(0, 4) == [wanted[0], PARAGRAPHS[0][4]]


def test_sentence_cut_by_a_page_break_is_joined_without_its_footnote_mark() -> None:
    whole = "The decline was due to the sale of a plant in the south of the country."
    assert explained(5)[0] == explained(6)[0] == whole


def test_at_most_six_sentences_are_quoted() -> None:
    assert len(explained(8)) == 6


def test_list_is_not_prose() -> None:
    assert quotes_prose(quote((0, 1), TABLE, ""))
    assert not quotes_prose(quote((5, 7), TABLE, ""))
    assert not quotes_prose(quote((0,), TABLE, ""))
