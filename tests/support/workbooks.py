"""Workbooks for tests, built part by part."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from quaestor.readers.workbook.sheets import column_letters

_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

Written = str | int | float | tuple[str | int | float, str] | None
"""A cell: text, a number, a number (as in its XML) with its format, or None; "=B1" is a formula without a value."""


def write_workbook(
    path: Path,
    sheets: Mapping[str, Sequence[Sequence[Written]]],
    *,
    extra: Mapping[str, str] | None = None,
    hidden: Sequence[str] = (),
    before: str = "",
    parts: Mapping[str, bytes] | None = None,
) -> Path:
    """Write a workbook.

    Args:
        sheets: The rows of each sheet, by its name.
        extra: XML after the rows of a sheet, by its name.
        hidden: The sheets that are not shown.
        before: XML before the root of each part.
        parts: Additional or replacement parts.
    """
    formats = dict.fromkeys(
        cell[1] for rows in sheets.values() for row in rows for cell in row if isinstance(cell, tuple)
    )
    codes = ["General", *formats]
    names = list(sheets)
    listed = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{n}" r:id="rId{n}"' + (' state="hidden"/>' if name in hidden else "/>")
        for n, name in enumerate(names, 1)
    )
    related = "".join(
        f'<Relationship Id="rId{n}" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(names) + 1)
    )
    related += f'<Relationship Id="rIdS" Type="{_RELATIONS}/styles" Target="/xl/styles.xml"/>'
    written: dict[str, bytes] = {
        "[Content_Types].xml": b"<Types/>",
        "xl/workbook.xml": f'<workbook {_MAIN} xmlns:r="{_RELATIONS}"><sheets>{listed}</sheets></workbook>'.encode(),
        "xl/_rels/workbook.xml.rels": f"<Relationships>{related}</Relationships>".encode(),
        "xl/styles.xml": _styles(codes).encode(),
    }
    for n, name in enumerate(names, 1):
        rows = "".join(_row(number, row, codes) for number, row in enumerate(sheets[name], 1))
        body = f"<sheetData>{rows}</sheetData>{(extra or {}).get(name, '')}"
        written[f"xl/worksheets/sheet{n}.xml"] = f"{before}<worksheet {_MAIN}>{body}</worksheet>".encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in {**written, **(parts or {})}.items():
            archive.writestr(name, data)
    return path


def _styles(codes: Sequence[str]) -> str:
    own = "".join(f'<numFmt numFmtId="{163 + n}" formatCode={quoteattr(code)}/>' for n, code in enumerate(codes) if n)
    used = "".join(f'<xf numFmtId="{163 + n if n else 0}"/>' for n in range(len(codes)))
    return f"<styleSheet {_MAIN}><numFmts>{own}</numFmts><cellXfs>{used}</cellXfs></styleSheet>"


def _row(number: int, row: Sequence[Written], codes: Sequence[str]) -> str:
    cells = "".join(_cell(f"{column_letters(column)}{number}", cell, codes) for column, cell in enumerate(row))
    return f'<row r="{number}">{cells}</row>'


def _cell(place: str, cell: Written, codes: Sequence[str]) -> str:
    match cell:
        case None:
            return ""
        case str() if cell.startswith("="):
            return f'<c r="{place}"><f>{escape(cell[1:])}</f><v></v></c>'
        case str():
            return f'<c r="{place}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
        case (value, code):
            return f'<c r="{place}" s="{codes.index(str(code))}"><v>{value}</v></c>'
        case _:
            return f'<c r="{place}"><v>{cell}</v></c>'
