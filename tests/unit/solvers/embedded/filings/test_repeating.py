import numpy as np
import pytest

from quaestor.questions.understanding import INTENTS, read_filing_question
from quaestor.solvers.embedded.filings.past import mix_with_repetition


@pytest.mark.parametrize(
    ("text", "before", "expected"),
    [
        ("and in 2022?", "growth", "growth"),
        ("and cloud services?", "growth", "growth"),
        ("how about cloud services?", "ratio", "ratio"),
        ("now for cloud services", "cagr", "cagr"),
        ("cloud services, same calculation", "change", "change"),
        ("now cloud services in dollars", "ratio", "lookup"),
        ("and what about accounts payable?", "change", "lookup"),
        ("and in 2022?", "", "lookup"),
        ("what share of that is cloud services?", "growth", "lookup"),
        ("and in 2022?", "why", "lookup"),
    ],
)
def test_question_without_operation_may_repeat_the_previous_one(text: str, before: str, expected: str) -> None:
    shares = np.full(len(INTENTS), 0.01)
    shares[INTENTS.index("lookup")] = 1 - 0.01 * (len(INTENTS) - 1)
    mixed = mix_with_repetition(shares, read_filing_question(text), before)
    assert mixed.sum() == pytest.approx(1)
    assert INTENTS[int(np.argmax(mixed))] == expected


def test_several_periods_are_listed_and_a_list_is_summed() -> None:
    shares = np.full(len(INTENTS), 0.01)
    shares[INTENTS.index("lookup")] = 1 - 0.01 * (len(INTENTS) - 1)
    mixed = mix_with_repetition(shares, read_filing_question("and in 2022 and 2021?"), "ratio", times=2)
    assert INTENTS[int(np.argmax(mixed))] == "list"
    mixed = mix_with_repetition(shares, read_filing_question("what is the total?"), "list", listed=True)
    assert INTENTS[int(np.argmax(mixed))] == "sum"
    mixed = mix_with_repetition(shares, read_filing_question("as a share of the total?"), "list", listed=True)
    assert INTENTS[int(np.argmax(mixed))] != "sum"


def test_question_for_all_parts_asks_for_a_list() -> None:
    shares = np.full(len(INTENTS), 0.01)
    shares[INTENTS.index("lookup")] = 1 - 0.01 * (len(INTENTS) - 1)
    mixed = mix_with_repetition(shares, read_filing_question("inventories by product line"), "")
    assert INTENTS[int(np.argmax(mixed))] == "list"
