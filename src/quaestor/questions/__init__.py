"""Reading a question, with two parsers: one for pages and all solvers, one for whole filings.

`question.Question` is parsed once per turn; its parts are read on first use:

    stems         words that carry meaning as stems, and the shapes of all words
    amounts       numbers, in digits and in words
    cues          words that refer to earlier turns
    metric_types  metric type, scale and sign, by the patterns of the ontology's core
    conditions    conditions on numbers: the highest, more than 5, fallen
    selection     what to choose from: years, the lines of a group; the kind of answer
    comparison    the two operands that a question compares
    entity        the topic, in the question's own words
    question_times  the times that a question certainly asks for; years relative to those of earlier questions
    splitting     several questions in one text, by their words alone

`understanding.ParsedQuestion` is a question about a filing: operands, their relation, and times. `read_filing_question`
parses it from the text alone; `solvers.embedded.filings.turns.read_question_for_filing` first replaces the company's
name, corrects the spelling and marks names of lines, all by the facts of the filing:

    wordings      plainer wordings, which the parser reads instead
    moments       the named times
    intents       what is asked for (`INTENTS`), by a trained classifier
    answer_units  the kind of the number: money, a price, a count
    question_parts              several questions in one text, by their operands
    quoted_names  names of lines that are not parsed
    word_patterns  persons, times, reasons, offices, owners and kinds of numbers that its words ask for

Both use:

    instructions  unit, scale, rounding and statement that a question asks for
    listing       one value at several times; orders and parts
    developments  how something changed, how far it moved, what became of an investment
    answer_arithmetic  questions that convert, or compute with, earlier answers
    words_asked     questions without a number, for words, and for the thing to explain
"""
