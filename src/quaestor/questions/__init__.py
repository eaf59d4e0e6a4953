"""Reading a question: its parts, parsed once per turn and shared by all solvers.

Modules for the parts:

    stems       words that carry meaning as stems, and the shapes of all words
    amounts     numbers, in digits and in words
    cues        words that refer to earlier turns
    intent      metric type, scale and sign
    conditions  conditions on numbers: the highest, more than 5, fallen
    selection   what to choose from: years, the lines of a group
    answer_kind the kind of answer
    comparison  the two things that a question compares
    entity      the topic, in the question's own words
    question    `Question`, whose parts are read on first use
"""
