"""What is asked about: documents of sections, paragraphs and tables, with periods, scales, units and roles."""
