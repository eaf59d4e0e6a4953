"""Resolution of a question's references to the conversation before it: by rules, with scores and reasons.

The modules, in order of processing:

    lineage      what each earlier result is, and which results it depends on
    expressions  the referring expressions of a question, their resolved form, and its one-line summary for prompts
    pointing     the thing that the conversation is about, and how well an earlier result matches an expression
    ranking      which earlier results the question uses together, by the traits of each set of them
    resolving    the complete resolution of one question: the results used, and the meaning of each expression
"""
