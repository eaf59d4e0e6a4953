"""Write a document as a plain HTML file, like old filings."""

from html import escape

from quaestor.documents.document import Document, Paragraph, SectionHeading
from quaestor.documents.table import Table


def as_html(document: Document) -> bytes:
    """Return a document as the bytes of an HTML file."""
    parts = []
    for block in document.blocks:
        match block.content:
            case SectionHeading(text=text, level=level):
                parts.append(f"<h{level + 1}>{escape(text)}</h{level + 1}>")
            case Paragraph(sentences=sentences):
                parts.append(f"<p>{escape(' '.join(sentence.text for sentence in sentences))}</p>")
            case Table() as table:
                rows = ("".join(f"<td>{escape(cell.text)}</td>" for cell in row) for row in table.cells)
                parts.append(f"<table border=1>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>")
    return f"<html><body>{chr(10).join(parts)}</body></html>".encode()
