"""The solver that needs no model, key or server: candidate plans from the page, ranked by small learned weights.

How an answer comes about, one file a step:

    leaves      the numbers of the page, each with its words, period and place
    question    what the question says: words, years, numbers, hints
    state       what earlier turns took and found
    signature   which operation, on which kinds of operands
    scoring     which leaves the question means
    candidates  every plan that fits
    features    what is measured of a plan, one named column each
    weights     the learned numbers, read from JSON
    solver      picks the best plan and writes it out
"""
