import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.words import singular
from quaestor.ontology.labels import RUNGS, plain, spellings

RUNG_NAMES = [rung.name for rung in RUNGS]


def first_rung(label: str, other: str) -> str | None:
    for rung in RUNGS:
        if rung.key(label) and rung.key(label) == rung.key(other):
            return rung.name
    own, others = spellings(label), spellings(other)
    near = max(own, key=len, default="") in others or max(others, key=len, default="") in own
    return "spelling" if near else None


@pytest.mark.parametrize(
    ("label", "other", "rung"),
    [
        ("Net Income", "net income", "same words"),
        ("pre-tax gain", "pre tax gain", "same words"),
        ("research & development", "research and development", "same words"),
        ("number ofshares", "number of shares", "spaces"),
        ("pretax gain", "pre-tax gain", "spaces"),
        ("revenues", "revenue", "plural"),
        ("inventories", "inventory", "plural"),
        ("restricted stock units (rsus)", "restricted stock unit", "abbreviation"),
        ("balance as of december 31", "balance december 31", "date"),
        ("net income (loss)", "net income", "sign"),
        ("net (loss) income", "net income", "sign"),
        ("net (loss)", "net loss", "sign"),
        ("cost of sales", "cost sales", "filler"),
        ("net cash provided by (used in) operating activities", "net cash from operating activities", "wording"),
        ("ipr&d", "in-process research and development", "wording"),
        ("net unrealized losses", "unrealized net losses", "order"),
        ("total long-term debt", "long-term debt", "qualifier"),
        ("revenue, net", "total revenues", "qualifier"),
        ("expected volatility", "expected volatilty", "spelling"),
    ],
)
def test_labels_match_on_the_first_rung_that_ignores_their_difference(label: str, other: str, rung: str) -> None:
    assert first_rung(label, other) == rung
    assert first_rung(other, label) == rung


@pytest.mark.parametrize(
    ("label", "other"),
    [
        ("realized gain", "unrealized gain"),
        ("employee contributions", "employer contributions"),
        ("balance january 1", "balance december 31"),
        ("3.50% notes due 2014", "3.50% notes due 2024"),
        ("basic earnings per share", "diluted earnings per share"),
        ("lease financing", "financing leases"),
        ("buildings and improvements", "building improvements"),
        ("income taxes (benefits)", "income tax benefit"),
        ("total liabilities", "liability"),
        ("% of total", "total"),
        ("total volume", "volume"),
        ("net revenue", "revenue"),
        ("net income", "income"),
        ("transfers from level 3", "transfers to level 3"),
        ("class a common stock", "class b common stock"),
        ("net (loss)", "net (gain)"),
        ("total", "totaled"),
    ],
)
def test_labels_of_different_lines_never_match(label: str, other: str) -> None:
    assert first_rung(label, other) is None


def test_later_rungs_match_more_with_less_certainty() -> None:
    scores = [rung.score for rung in RUNGS]
    assert scores == sorted(scores, reverse=True)
    assert len(set(RUNG_NAMES)) == len(RUNG_NAMES)


@pytest.mark.parametrize(
    ("word", "expected"),
    [("taxes", "tax"), ("losses", "loss"), ("loss", "loss"), ("basis", "basis"), ("assets", "asset"), ("gas", "gas"),
     ("bonus", "bonus"), ("securities", "security"), ("purchases", "purchase"), ("2008", "2008")],
)  # fmt: skip
def test_plurals(word: str, expected: str) -> None:
    assert singular(word) == expected


@given(st.text(max_size=8) | st.sampled_from(["", "[", "[]", "[[", "[losses]"]))
def test_every_text_has_a_singular(word: str) -> None:
    assert len(singular(word)) <= len(word)


@given(st.text(max_size=60))
def test_every_text_has_its_keys(label: str) -> None:
    for rung in RUNGS:
        assert rung.key(label) == rung.key(label)
    assert plain(plain(label)) == plain(label) or "[" in plain(label)
    spellings(label)
