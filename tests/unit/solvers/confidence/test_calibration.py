"""From what was measured to a probability, and the file that says how."""

import json
from pathlib import Path

import pytest

from quaestor.core import serial
from quaestor.errors import SettingsError
from quaestor.solvers.confidence.calibration import (
    MEASURES,
    AnswerCalibration,
    read_calibration,
)


def a_calibration(**weights: float) -> AnswerCalibration:
    return AnswerCalibration(0.0, dict.fromkeys(MEASURES, 0.0) | weights, {}, {})


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path, written = tmp_path / "c.json", a_calibration(ties=-0.5)
    path.write_text(json.dumps(serial.dump(written)), encoding="utf-8")
    assert read_calibration(path) == written


@pytest.mark.parametrize("text", ["", "[]", "{}", "nonsense", '{"intercept": 1, "weights": {}}'])
def test_another_file_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError):
        read_calibration(tmp_path / "c.json")


def test_one_that_is_missing_or_of_other_measures_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        read_calibration(tmp_path / "none.json")
    other = AnswerCalibration(0.0, {"luck": 1.0}, {}, {})
    (tmp_path / "c.json").write_text(json.dumps(serial.dump(other)), encoding="utf-8")
    with pytest.raises(SettingsError):
        read_calibration(tmp_path / "c.json")
