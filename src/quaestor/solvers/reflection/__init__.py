"""Solver whose answers are judged first: an expert drafts, the draft is recomputed, critics decide.

- `solver`: the rounds of a turn: draft, evidence, verdicts; other solvers as experts
- `model_roles`: models as expert and critics: the page, their prompts and verdicts
- `drafts`: the format of drafts, their plans, and the check of their arithmetic
- `evidence`: checks of any plan: ungrounded numbers, order, base, part and whole, periods, signs, scales
- `numbers`: the numbers of a page by place and by value, and the meaning of operands
"""
