"""The solver that needs no model, key or server: candidate plans from the page, ranked by small learned weights.

How an answer comes about, one file a step:

    leaf, table_leaves, text_leaves, leaves   the numbers of the page, each with its words, period, scale and place
    views       a page made ready for questions
    question, sides, asked                    what the question says: words, years, numbers, what it compares
    state, references                         what earlier turns took and found, and which of it is meant
    signature   which operation, on which kinds of operands
    scoring, trees                            which leaves the question means
    candidates  every plan that fits
    features    what is measured of a plan, one named column each (operands, pairing, dialogue, agreement, scale_asked)
    ranker      how likely each plan is
    turn        these steps in their order
    beam        several readings of a conversation side by side
    results, confidence                       what each result's share is, and how often such shares are right
    reasons                                   why a plan was chosen, what was nearly chosen, what is withheld
    rules       the few rules that overrule the ranking
    weights     the learned numbers, read from JSON
    writing     the chosen plan written out
    solver      all of it, for a conversation
"""
