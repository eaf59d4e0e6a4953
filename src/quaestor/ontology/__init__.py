"""Type-level knowledge, built once from a corpus and then frozen: classes, properties, reasons for merged labels."""
