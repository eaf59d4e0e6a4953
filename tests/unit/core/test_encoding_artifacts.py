import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.encoding_artifacts import find_artifacts, mask_artifacts, normalize_text


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("the company 2019s plan", "the company's plan"),
        ("in a 2018 2018soft market , 2019 2019 he said", "in a''soft market ,'' he said"),
        ("growth 221219.1%", "growth -19.1%"),
        ("4.98% 20145.05%", "4.98% - 5.05%"),
        ("20ac500 and a340", "€500 and £40"),
        ("a0 a0in august", "in august"),
        ("held 2014 ( continued )", "held - ( continued )"),
        ("2022 lower costs", "* lower costs"),
        ("goldman sachs 2013 annual report", "goldman sachs 2013 annual report"),
        ("in 2022 and 2019", "in 2022 and 2019"),
        ("December 31, 2019 and 2018", "December 31, 2019 and 2018"),
        ("in 2019, 2018 and 2017", "in 2019, 2018 and 2017"),
        ("from the period 2018 to 2019", "from the period 2018 to 2019"),
        ("in Q4 2019 and 2018", "in Q4 2019 and 2018"),
        ("the company's 2019 sales", "the company's 2019 sales"),
        ("the company\u2019s 2019 sales", "the company's 2019 sales"),
        ("pages 43 201348", "pages 43 201348"),
    ],
)
def test_debris_is_mended_and_years_stay(text: str, mended: str) -> None:
    assert normalize_text(text) == mended


@given(st.text(st.sampled_from("2013489ac fd%$.,s "), max_size=60))
def test_the_mask_keeps_every_position(text: str) -> None:
    masked = mask_artifacts(text)
    assert len(masked) == len(text)
    covered = {place for debris in find_artifacts(text) for place in range(debris.start, debris.end)}
    assert all(masked[place] == text[place] for place in range(len(text)) if place not in covered)
