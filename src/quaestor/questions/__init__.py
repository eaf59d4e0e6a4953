"""One reading of a question, made once a turn and shared by all that look at it.

What there is to read, one file a thing:

    stems       words of meaning as stems, and the shapes of all words
    amounts     the numbers in a question, in digits and in words
    cues        the words that point at earlier turns
    intent      what is asked for: metric type, scale, sign
    conditions  what is asked of numbers that are chosen among: the highest, more than 5, fallen
    selection   what is chosen among: years, the lines of a group
    answer_kind the kind of answer that is asked for
    comparison  which of two things is set against which
    entity      what it is about, in its own words
    question    all of it for one question, each part read when first asked for
"""
