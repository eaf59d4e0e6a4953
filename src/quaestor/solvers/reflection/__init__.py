"""The solver that is judged before it answers: an expert drafts, the draft is recomputed, critics decide.

- `solver`: the turn: draft, evidence, verdicts, again; the best draft
- `experts`: a draft as the rounds see it, and other solvers that make drafts
- `model_expert`: a model that writes drafts
- `drafts`: what it writes, the plan that it means, its arithmetic recomputed
- `evidence`: what speaks against any plan: ungrounded numbers, order, base, part and whole, periods, signs, scales
- `numbers`: the numbers of a page, found by place and by value; what an operand of a plan is
- `critics`: critics that are models: prompts, verdicts
- `candidates`: the page as expert and critics read it, with what the question is likely about
"""
