"""Scoring conventions with expected verdicts computed by hand, and the number of turns that they change."""

import pytest
from pages import page
from values import a_value

from quaestor.datasets.dataset import Conversation
from quaestor.scoring.conventions import CONVENTIONS, convention_figures
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.scorers import Prediction

PAGE = page([["", "2009"], ["net sales", "447"]])
REFERENCE = GoldTurn("divide(391, 447)", a_value(0.87472), "87.5%", 0)
NAMES = tuple(convention.name for convention in CONVENTIONS["execution"])


def right(answer: str | None, gold: GoldTurn = REFERENCE) -> set[str]:
    """Return the conventions by which an answer is right."""
    found = [] if answer is None else [Prediction("c", 0, answer)]
    figures = convention_figures(found, {"c": [gold]}, [Conversation("c", PAGE, ("what?",))])
    return {figure.name for figure in figures if figure.right.correct}


@pytest.mark.parametrize(
    ("answer", "by"),
    [
        ("0.8747203", set(NAMES) - {"legacy"}),
        ("0.8747", {"digits", "relative", "shown", "display", "loosest"}),
        ("0.88", {"relative", "display", "loosest"}),
        ("0.87", {"digits", "relative", "display", "loosest"}),
        ("87.472", {"percent", "display", "legacy", "loosest"}),
        ("-0.87472", {"sign_free", "loosest"}),
        ("-87.5", {"legacy", "loosest"}),
        ("0.95", set()), ("yes", set()), ('{"text": "0.87472"}', set()), ("1e400", set()), (None, set()),
    ],
)  # fmt: skip
def test_each_convention(answer: str | None, by: set[str]) -> None:
    assert right(answer) == by


def test_a_percentage_that_is_printed_is_shown_as_it_is() -> None:
    printed = GoldTurn("13.7", a_value(13.7), "13.7%", 0)
    assert right("13.7", printed) == set(NAMES)
    assert "shown" not in right("0.137", printed)


def test_yes_no_answers_have_the_same_verdict_by_every_convention() -> None:
    gold = GoldTurn("greater(2, 1)", a_value("yes"), "yes", 0)
    assert right("yes", gold) == set(NAMES)
    assert right("no", gold) == set()


def test_changed_verdicts_are_counted_without_unjudged_turns() -> None:
    gold = {"c": [REFERENCE, REFERENCE, GoldTurn("447", a_value(447), None, 0)]}
    found = [Prediction("c", turn, value) for turn, value in enumerate(["0.87472", "0.875", "447"])]
    figures = convention_figures(found, gold, [Conversation("c", PAGE, ("what?",) * 3)])
    counts = {one.name: (one.right.correct, one.right.total, one.gained, one.lost) for one in figures}
    assert figures[0].name == "execution"
    assert counts["execution"] == (2, 3, 0, 0)
    assert counts["digits"] == (3, 3, 1, 0)
    assert counts["shown"] == (2, 2, 1, 0)
    assert counts["legacy"] == (0, 2, 0, 1)
    assert convention_figures([], {}, []) == ()
