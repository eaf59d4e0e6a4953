"""PDF files for tests: words at given positions in standard fonts; also broken, encrypted and scanned files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

WIDTH, HEIGHT = 612.0, 792.0
FONTS = ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique")
_TO_UNICODE = """/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /Characters def /CMapType 2 def 1 begincodespacerange <0000> <FFFF> endcodespacerange
1 beginbfrange <0000> <FFFF> <0000> endbfrange endcmap end end"""
_OF_ALL_CHARACTERS = (
    f"<< /Type /Font /Subtype /Type0 /BaseFont /Helvetica /Encoding /Identity-H /DescendantFonts [{4 + len(FONTS)} 0 R]"
    f" /ToUnicode {6 + len(FONTS)} 0 R >>",
    "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Helvetica /DW 556 /W [160 160 278 8194 8202 200 8239 8239 200]"
    f" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
    f" /FontDescriptor {5 + len(FONTS)} 0 R >>",
    "<< /Type /FontDescriptor /FontName /Helvetica /Flags 32 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800"
    " /Descent -200 /CapHeight 700 /StemV 80 >>",
    f"<< /Length {len(_TO_UNICODE)} >>\nstream\n{_TO_UNICODE}\nendstream",
)
"""The font for texts outside Windows-1252, in four objects after the others."""


@dataclass
class PdfPage:
    """A page; coordinates are points right and down from its top left corner."""

    width: float = WIDTH
    height: float = HEIGHT
    rotation: int = 0
    operations: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, text: str, size: float = 9, *, bold: bool = False, italic: bool = False) -> None:
        """Print a text that starts at a position."""
        font = 1 if bold else 2 if italic else 0
        escaped = "(" + text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") + ")"
        if not _is_plain(text):
            font, escaped = len(FONTS), f"<{text.encode('utf-16-be').hex()}>"
        self.operations.append(f"BT /F{font} {size} Tf {x} {self.height - y} Td {escaped} Tj ET")

    def right(self, x: float, y: float, text: str, size: float = 9, *, bold: bool = False) -> None:
        """Print a text that ends at a position."""
        self.text(x - width_of(text, size), y, text, size, bold=bold)

    def center(self, x: float, y: float, text: str, size: float = 9, *, bold: bool = False) -> None:
        """Print a text centred on a position."""
        self.text(x - width_of(text, size) / 2, y, text, size, bold=bold)

    def rule(self, left: float, right: float, y: float) -> None:
        """Draw a line."""
        self.operations.append(f"{left} {self.height - y} {right - left} 0.5 re f")

    def row(self, y: float, label: str, cells: Sequence[str], columns: Sequence[float], indent: float = 0) -> None:
        """Print a row of a table: numbers are right-aligned, with brackets and percent signs behind them.

        A currency sign is printed separately at the left of its column.
        """
        if label:
            self.text(40 + indent, y, label)
        for cell, column in zip(cells, columns, strict=True):
            amount = cell.removeprefix("$").strip()
            if cell.startswith("$"):
                self.text(column - 60, y, "$")
            plain = amount.rstrip("%) ")
            self.right(column, y, plain)
            if tail := amount[len(plain) :].strip():
                self.text(column + 0.5, y, tail)


def width_of(text: str, size: float) -> float:
    """Return the approximate width of a text in Helvetica, in points."""
    widths = _WIDTHS if _is_plain(text) else _SPACES
    return sum(widths.get(character, 0.556) for character in text) * size


def _is_plain(text: str) -> bool:
    return text.encode("cp1252", "ignore").decode("cp1252") == text


_SPACES = {"\u00a0": 0.278, **dict.fromkeys("\u2007\u2008\u2009\u202f", 0.2)}
_WIDTHS = {
    "\u00a0": 0.278,
    **dict.fromkeys(" ,.!/:;ft[]I", 0.278),
    **dict.fromkeys("()-r", 0.333),
    **dict.fromkeys("ijl'", 0.222),
    **dict.fromkeys("ckJsvxyz", 0.5),
    **dict.fromkeys("ABEKPSVXY&", 0.667),
    **dict.fromkeys("CDHNRUw", 0.722),
    **dict.fromkeys("GOQ", 0.778),
    **dict.fromkeys("mM", 0.833),
    **dict.fromkeys("FTZ", 0.611),
    "W": 0.944,
    "%": 0.889,
    "\u2014": 1.0,
}


def pdf_of(pages: Iterable[PdfPage], *, encrypted: bool = False) -> bytes:
    """Return a file of some pages.

    Args:
        pages: At least one page.
        encrypted: Whether the file claims to be encrypted, so that a viewer asks for a password.
    """
    pages = list(pages)
    first = 3 + len(FONTS) + len(_OF_ALL_CHARACTERS)
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{first + 2 * i} 0 R' for i in range(len(pages)))}] >>",
        *(f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>" for name in FONTS),
        *_OF_ALL_CHARACTERS,
    ]
    fonts = " ".join(f"/F{place} {3 + place} 0 R" for place in range(len(FONTS) + 1))
    for place, page in enumerate(pages):
        stream = "\n".join(page.operations)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {page.width} {page.height}] /Rotate {page.rotation}"
            f" /Resources << /Font << {fonts} >> >> /Contents {first + 2 * place + 1} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream.encode('cp1252'))} >>\nstream\n{stream}\nendstream")
    trailer = f"/Size {len(objects) + 1} /Root 1 0 R"
    if encrypted:
        zeros = "00" * 32
        objects.append(f"<< /Filter /Standard /V 1 /R 2 /O <{zeros}> /U <{zeros}> /P -4 >>")
        trailer = f"/Size {len(objects) + 1} /Root 1 0 R /Encrypt {len(objects)} 0 R /ID [<{'00' * 16}> <{'00' * 16}>]"
    return _file(objects, trailer)


def _file(objects: Sequence[str], trailer: str) -> bytes:
    parts = [b"%PDF-1.4\n"]
    places: list[int] = []
    start = len(parts[0])
    for number, text in enumerate(objects, start=1):
        places.append(start)
        parts.append(f"{number} 0 obj\n{text}\nendobj\n".encode("cp1252"))
        start += len(parts[-1])
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    parts.append(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< {trailer} >>\n".encode())
    return b"".join((*parts, f"startxref\n{start}\n%%EOF\n".encode()))
