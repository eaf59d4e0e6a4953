"""Documents: sections, paragraphs and tables, with the periods, scales, units and roles read from them."""
