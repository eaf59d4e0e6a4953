"""Units printed beside numbers of tables in millions."""

import pytest

from quaestor.core.quantity import Scale
from quaestor.documents.headers import read_table


@pytest.mark.parametrize("text", ["24.84p", "418.5c", "+80bps", "0.8pp", "10.2x", "(30bps)"])
def test_prices_and_ratios_are_not_in_the_scale_of_their_column(text: str) -> None:
    table, _ = read_table("quill", 0, [["", "2025 £m"], ["Revenue", "412"], ["Other", text]])
    assert (table.scale_at(1, 1), table.scale_at(2, 1)) == (Scale.MILLION, Scale.ONE)
