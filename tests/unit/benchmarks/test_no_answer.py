from io import StringIO

import numpy as np
import pytest
from benchmarks.no_answer import Estimate, area_under_curve, calibration_error, show
from rich.console import Console

from quaestor.learning.unanswerable import KINDS, OWN


def test_area_under_curve_counts_ordered_pairs() -> None:
    assert area_under_curve(np.array([0.9, 0.4]), np.array([0.4, 0.1])) == 0.875
    assert area_under_curve(np.array([0.2]), np.array([0.7])) == 0


def test_calibrated_probabilities_have_no_error() -> None:
    outcomes = [Estimate(OWN if n % 4 else KINDS[1], True, 0.75) for n in range(40)]
    assert calibration_error(outcomes) == pytest.approx(0)
    assert calibration_error([Estimate(OWN, True, 0.25)] * 4) == pytest.approx(0.75)


def test_table_has_a_row_for_each_kind() -> None:
    outcomes = [Estimate(kind, n % 2 == 0, 0.9 if kind == OWN else 0.1) for kind in KINDS for n in range(4)]
    console = Console(width=120, record=True, file=StringIO())
    console.print(show(outcomes))
    shown = console.export_text()
    assert all(kind in shown for kind in KINDS[1:])
    assert "1.000" in shown
    assert "100%" in shown
