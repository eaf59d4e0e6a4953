"""Questions about whole filings, answered from the table of their facts.

The files, in the order of a question:

    answering   the answer: facts of the document, the decision, other readings offered
    turns       a question after the turns before: read, bound to series, composed to plans
    past        what earlier answers measured
    binding     the series that the words of an operand may mean, with features
    words, reasons    the sentences that may answer, with features
    composing   plans over the bound series
    evidence    which lines and sentences have what the question names; plans that quote
    deciding    executes the plans, and estimates which result is right
    whole_sentences   quotations for questions that ask to explain
"""
