"""Type-level knowledge, built once from a corpus and then frozen: classes, properties, and why labels are one."""
