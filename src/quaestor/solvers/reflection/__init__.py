"""The solver that is judged before it answers: an expert drafts, the house recomputes, critics decide.

How an answer comes about, one file a step:

    findings    what computed evidence says against a draft
    numbers     the numbers of a page, found by place and by value; what an operand stands for
    checks      rules that hold for any plan: grounded numbers, order, base, part and whole, periods, signs, scales
    drafts      what an expert writes, and the plan that it means
    claims      what a draft says its steps come to, recomputed
    candidates  rows, columns and sentences that the question is likely about
    roles       expert and critics: prompts, replies, their own models
    experts     who drafts: the model itself, or any other solver
    loop        draft, evidence, verdicts, again; the best draft
    solver      the turn
"""
