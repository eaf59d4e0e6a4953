"""Reader of PDF files, one module per step: pages, words, lines, tables and paragraphs, parts of the document."""
