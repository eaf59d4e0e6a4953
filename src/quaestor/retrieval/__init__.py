"""Finds where in a document an answer may be: an index, and the tables and passages that fit a question.

The files, in the order of a search:

    lexical     the words of a document in SQLite's full-text search
    blocks      the words by which places are found, and a block as such terms with the weight of where each is
    index       PlaceIndex: the index of a document, built once and cached
    question_texts   a question in the words of its document, and where its answer may be
    everyday    everyday words of questions in the words of reports
    retrieval_query  what a question looks for, and what earlier turns were about
    matching    how well a line of a place fits, and why
    place       Place, Reason: what is found
    document_parts   sections, sentences by their words, and how many tokens a part has
    finding     the best places of one document or several
    statements  the primary statements that a question needs
    excerpt     a document of the places found, within a budget, its blocks cut down to what is asked for
"""
