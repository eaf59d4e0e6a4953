"""Calibration files of confidence."""

import json
from pathlib import Path

import pytest

from quaestor.core import serial
from quaestor.errors import SettingsError
from quaestor.solvers.confidence.calibration import (
    AnswerCalibration,
    read_calibration,
)


@pytest.mark.parametrize("text", ["", "[]", "{}", "nonsense", '{"intercept": 1, "weights": {}}'])
def test_invalid_file_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError):
        read_calibration(tmp_path / "c.json")


def test_missing_file_and_other_measures_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        read_calibration(tmp_path / "none.json")
    other = AnswerCalibration(0.0, {"luck": 1.0}, {}, {})
    (tmp_path / "c.json").write_text(json.dumps(serial.dump(other)), encoding="utf-8")
    with pytest.raises(SettingsError):
        read_calibration(tmp_path / "c.json")
