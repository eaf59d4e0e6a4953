"""Files that are far more expensive to read than their size suggests; each function takes a size."""

import zlib
from collections.abc import Callable


def attributes(count: int) -> bytes:
    """Return an element with `count` attributes, which are quadratic in the HTML parser."""
    listed = b" ".join(b'a%d="%d"' % (number, number) for number in range(count))
    return b"<html><body><p " + listed + b">rent was 5</p></body></html>"


def columns(count: int) -> bytes:
    """Return a table with `count` columns."""
    years = b"".join(b"<td>%d</td>" % (1990 + number % 30) for number in range(count))
    values = b"".join(b"<td>%d</td>" % number for number in range(count))
    return b"<html><body><table><tr><td></td>" + years + b"</tr><tr><td>rent</td>" + values + b"</tr></table>"


def tables(count: int) -> bytes:
    """Return a page with `count` tables."""
    table = b"<p>Note %d</p><table><tr><td></td><td>2009</td></tr><tr><td>rent</td><td>%d</td></tr></table>"
    return b"<html><body>" + b"".join(table % (number, number) for number in range(count))


def headings(count: int) -> bytes:
    """Return a page with `count` headings, each of which starts a section."""
    return b"<html><body>" + b"".join(b"<h2>Item %d. Costs</h2><p>rent was 5</p>" % number for number in range(count))


def delimited_rows(count: int) -> bytes:
    """Return a CSV file with `count` rows."""
    return b"in millions,2009,2008\n" + b"".join(b"rent %d,%d,5\n" % (number, number) for number in range(count))


def markdown_headings(count: int) -> bytes:
    """Return a Markdown file with `count` headings."""
    return b"".join(b"# Item %d\n\nrent was 5\n\n" % number for number in range(count))


def packed_pdf(size: int) -> bytes:
    """Return a PDF page whose content is about `size` bytes when unpacked."""
    return _pdf(b"BT (5) Tj ET " + b"0 0 m\n" * (size // 6))


def pdf_of_strings(count: int) -> bytes:
    """Return a PDF page that prints `count` strings."""
    return _pdf(b"BT /F 9 Tf " + b"(5)Tj " * count + b"ET")


def forms_in_forms(depth: int) -> bytes:
    """Return a PDF page of nested forms, `depth` levels deep, each of which draws twelve forms."""
    forms = [b"BT /F 9 Tf (5) Tj ET"]
    forms += [b"/X%d Do " % (level - 1) * 12 for level in range(1, depth)]
    return _pdf(b"/X%d Do" % (depth - 1), forms)


def form_in_itself() -> bytes:
    """Return a PDF page of a form that draws itself twelve times."""
    return _pdf(b"/X0 Do", [b"/X0 Do " * 12 + b"BT /F 9 Tf (5) Tj ET"])


def _pdf(content: bytes, forms: list[bytes] | None = None) -> bytes:
    named = b" ".join(b"/X%d %d 0 R" % (number, 6 + number) for number in range(len(forms or [])))
    resources = b"/Resources << /Font << /F 5 0 R >> /XObject << " + named + b" >> >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R " + resources + b" >>",
        _stream(content, b""),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *(
            _stream(form, b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] " + resources + b" ")
            for form in forms or []
        ),
    ]
    written, places = b"%PDF-1.5\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    end = len(written)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return written + (
        b"xref\n0 %d\n0000000000 65535 f \n" % size
        + table
        + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, end)
    )


def _stream(data: bytes, entries: bytes) -> bytes:
    packed = zlib.compress(data)
    return b"<< " + entries + b"/Filter /FlateDecode /Length %d >>\nstream\n" % len(packed) + packed + b"\nendstream"


LINEAR: dict[str, tuple[Callable[[int], bytes], int]] = {
    "columns.html": (columns, 2_000),
    "tables.html": (tables, 250),
    "headings.html": (headings, 1_000),
    "rows.csv": (delimited_rows, 1_000),
    "headings.md": (markdown_headings, 2_000),
}
"""Files whose cost arises in this package, by name, with a size at which the cost can be measured."""
