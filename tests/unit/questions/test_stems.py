"""Stems of content words."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from quaestor.core.words import STOP_WORDS
from quaestor.questions.stems import shapes, stem, stems


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("what were the net sales in 2008?", ("net", "sale")),
        ("the company's changes, changed and changing", ("compani", "chang", "chang", "chang")),
        ("the highest and the largest price", ("high", "larg", "price")),
        ("tier 2 capital of class b-3", ("tier", "capit", "class", "b", "tier2", "classb3")),
        ("1,000 % of $ 5", ()),
        ("the price on 2/11/11", ("price", "februari")),
        ("12/18, 13/31/10, 1/2/2010/3 and 31.12/31/10", ()),
        ("", ()),
    ],
)  # fmt: skip
def test_stems_are_of_content_words(text: str, found: tuple[str, ...]) -> None:
    assert stems(text) == found


def test_shapes_keep_every_word_and_mark_years_apart_from_numbers() -> None:
    assert shapes("In 2008, times 100%") == ("in", "YEAR", "time", "NUM", "%")


@pytest.mark.parametrize(
    ("digits", "spelled"),
    [("12/31/10", "december 31, 2010"), ("1/5/1999", "january 5, 1999"), ("09/28/98", "september 28, 1998")],
)
def test_a_date_in_digits_is_that_date_in_words(digits: str, spelled: str) -> None:
    assert stems(f"quarter ended {digits}") == stems(f"quarter ended {spelled}")
    assert shapes(f"quarter ended {digits}?") == shapes(f"quarter ended {spelled}?")


def test_no_stop_word_has_a_stem_of_its_own() -> None:
    assert stems(" ".join(sorted(STOP_WORDS))) == ()
    assert stem("sales") == stem("sale")


def test_stemming_is_thread_safe() -> None:
    given = ["changes", "obligations", "running", "receivables", "financially", "generalizations"]
    alone = [stem.__wrapped__(word) for word in given]

    def all_of_them(_: int) -> list[list[str]]:
        return [[stem.__wrapped__(word) for word in given] for _ in range(300)]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            found = [stems for many in threads.map(all_of_them, range(4)) for stems in many]
    finally:
        sys.setswitchinterval(interval)
    assert [stems for stems in found if stems != alone] == []
