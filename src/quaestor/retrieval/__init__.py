"""Where in a document an answer would stand: an index built once, and the tables and passages that fit a question.

What there is, one file a thing:

    lexical     the words of a document in SQLite's full-text search
    blocks      the words by which places are found, and a block as such terms with the weight of where each is
    index       PlaceIndex: all of it for one document, and as bytes
    keeping     the index of a document, built once and kept
    everyday    everyday words of questions in the words of reports
    retrieval_query  what a question looks for, with what earlier turns were about
    matching    how well a line of a place fits, and why
    place       Place, Reason: what is found
    document_parts   sections, sentences by their words, and how many tokens a part has
    finding     the best places of one document or several
    statements  the primary statements that a question needs
    excerpt     a document of the places found, within a budget, its blocks cut down to what is asked for
"""
