"""What a question refers to of the conversation before it: found by rule, scored, with the reason.

How it comes about, one file a step:

    lineage      what each earlier result is, and which results it rests on
    expressions  each referring expression, what it was resolved to, and the same in one line for prompts
    pointing     the thing that the conversation is about, and how well an earlier result answers to an expression
    ranking      which earlier results the question uses together, by the traits of each set of them
    resolving    all of it for one question: the results used, and what each expression means
"""
