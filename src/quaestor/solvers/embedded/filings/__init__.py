"""Questions about whole filings, answered from the filing's facts.

A *series* has the numbers of a line, one for each time. A question is *bound* to the series that its operands may mean.
A *proposal* is a plan over them with its probability, a *result* the value of one or several proposals, and a
*decision* all results with the probability that each is right.

Modules, in the order in which a question passes through them:

    answering   `FilingAnswerer`: looks up the facts, decides, explains by quotations, and offers other readings
    turns       reads a question in the context of earlier turns, binds it to series and composes plans
    past        what earlier answers measured
    binding     the times that it names, and the query for the series of an operand
    series      candidate series, with features
    words, reasons    candidate sentences, with features
    composing   plans over the bound series
    evidence    lines and sentences that contain what the question names; plans that quote
    results     executes the plans
    ranges      ranges that the filing gives instead of a number
    confidence_features    features of the results
    deciding    estimates which result is right, by rules too, and joins the answers to the parts of a question
    loading     reads the trained weights
"""
