"""The solver that needs no model, key or server: candidate plans from the page, ranked by small learned weights.

How an answer comes about, one file a step:

    page_numbers, page    the numbers of tables and text with their words, period, scale and place; the same as arrays
    turn_state       the question, and what earlier turns used and found
    number_features  which numbers the question means
    number_fit, period_fit    whether a number is of the line, the kind and the time that are asked for
    operand_pool     what can be an operand, and which operation on which kinds of operands is asked for
    candidates       every plan that fits
    operand_features, plan_features    what is measured of a plan, one named column each
    prior            what speaks for a number of a person's document, and the few rules that overrule the ranking
    repeated_plans   plans on what was answered before: the same once more, or on the numbers of a list
    plan_rules       what speaks for a plan beside the ranking, and the plans that nobody asks for
    beam             these steps in their order, for several readings of a conversation side by side
    trees, models, loading    the learned models, and their weights, read from JSON
    readings         how a conversation was read so far, and why a plan was chosen
    writing          the chosen plan written out
    page_answers     all of it, for a question about a page
    solver           takes a question to its page or to the facts of its filing, and loads what that needs

What is answered in another way:

    filings          questions about whole filings, from their facts
    direct_answers, counting_parts     follow-ups that can mean one thing only, named measures, parts of answers
    choosing, cell_groups, choice_plans    choices among cells: which is highest, which declined, how many
    several          several numbers, each under its label
    spans            words of the text
    answerability, missing_numbers, abstention    when the page has no answer, and the reason that is given
"""
