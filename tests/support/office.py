"""Compute the formulas of a workbook with LibreOffice, ignoring stored values."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from lxml import etree

OFFICE = shutil.which("soffice")

_ALWAYS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_VALUES = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"

Cells = Mapping[tuple[int, int], float | str]
"""Values by row and column, from 0."""


def recalculated(files: Sequence[Path], scratch: Path) -> dict[Path, dict[str, Cells]]:
    """Return the values that LibreOffice computes, by file, sheet and cell."""
    assert OFFICE is not None
    profile, output = scratch / "profile" / "user", scratch / "made"
    profile.mkdir(parents=True)
    (profile / "registrymodifications.xcu").write_text(_ALWAYS, encoding="utf-8")
    command = [OFFICE, f"-env:UserInstallation=file://{profile.parent}", "--headless", "--convert-to", "fods"]
    subprocess.run([*command, "--outdir", output, *files], check=True, capture_output=True, timeout=300)
    return {file: _sheets(output / f"{file.stem}.fods") for file in files}


def _sheets(file: Path) -> dict[str, Cells]:
    found: dict[str, Cells] = {}
    for sheet in etree.parse(file).iter(f"{_TABLE}table"):
        cells: dict[tuple[int, int], float | str] = {}
        row = 0
        for line in sheet.iter(f"{_TABLE}table-row"):
            column = 0
            for cell in line.iterchildren(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
                if (value := cell.get(f"{_VALUES}value")) is not None:
                    cells[row, column] = float(value)
                elif cell.get(f"{_VALUES}value-type") is not None:
                    cells[row, column] = "\n".join("".join(map(str, part.itertext())) for part in cell)
                column += int(cell.get(f"{_TABLE}number-columns-repeated", 1))
            row += int(line.get(f"{_TABLE}number-rows-repeated", 1))
        found[str(sheet.get(f"{_TABLE}name"))] = cells
    return found
