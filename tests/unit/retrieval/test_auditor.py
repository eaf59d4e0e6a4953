"""The auditor of a company, from the signature of the report or from a sentence."""

import pytest

from quaestor.documents.assembly import HeadingPart, ParagraphPart, assemble
from quaestor.documents.document import Document
from quaestor.retrieval.auditor import asks_for_auditor, auditor_of


def report(*sentences: str) -> Document:
    return assemble("report", [HeadingPart("Report"), *(ParagraphPart((sentence,)) for sentence in sentences)])


@pytest.mark.parametrize(
    ("sentences", "firm"),
    [
        (("In our opinion, the statements present fairly.", "/s/ Oak & Elm LLP", "Springfield"), "Oak & Elm LLP"),
        (("Oak & Elm LLP, an independent registered public accounting firm, has audited them.",), "Oak & Elm LLP"),
        (("We have audited the balance sheets.", "OAK & ELM, P.C."), "OAK & ELM, P.C."),
        (
            ("In our opinion, this is fair.", "/s/ Old Ash LLP", "In our opinion, all is.", "/s/ Oak & Elm LLP", "x",
             "In our opinion, it is.", "/s/ Oak & Elm LLP"),
            "Oak & Elm LLP",
        ),
        (("The opinion of counsel was given.", "/s/ Birch Law LLP"), None),
    ],
)  # fmt: skip
def test_the_firm_that_signed_the_report(sentences: tuple[str, ...], firm: str | None) -> None:
    found = auditor_of(report(*sentences))
    assert (found and found.sentence.text[found.start : found.end]) == firm


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("who audits the company?", True),
        ("which firm audited the statements?", True),
        ("what were the fees of the auditor?", False),
        ("who is the treasurer?", False),
    ],
)
def test_questions_about_the_auditor_are_recognised(question: str, asks: bool) -> None:
    assert asks_for_auditor(question) is asks
