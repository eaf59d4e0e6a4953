"""What a question refers to of the conversation before it: found by rule, scored, with the reason.

How it comes about, one file a step:

    resolved     the values that solvers, records and prompts are given
    lineage      what each earlier result is, and which results it rests on
    expressions  each referring expression: where it is, what sort of thing it points at
    focus        the thing that the conversation, and each expression, is about
    pointing     how well an earlier result answers to an expression
    traits       what can be said of a set of earlier results, and of a question
    ranking      which earlier results the question uses together
    resolving    all of it for one question: the results used, and what each expression means
    reading      the same in one line, for prompts
"""
