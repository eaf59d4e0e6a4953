"""The solver that needs no model, key or server: candidate plans from the page, ranked by small learned weights.

A *leaf* is a number of the page that a plan can start from (`page_numbers.CandidateNumber`); a `NumberMatrix` has all
leaves of a page as arrays, and a plan is built on indexes into it. A *reading* is one way to understand the
conversation so far; a few of them are carried on side by side.

The steps to an answer, a file for each:

    page_numbers, page    the numbers of tables and text with their words, period, scale and place; the same as arrays
    turn_state       the question, and what earlier turns used and computed
    number_features  features of each number, for how likely the question means it
    number_fit, period_fit    whether a number has the line and the period that are asked for
    operand_pool     the possible operands, and how likely each operation on each kind of operands is
    candidates       every plan that fits
    operand_features, plan_features    features of a plan, a named column for each
    prior            what speaks for the numbers of a document of several tables
    repeated_plans   plans on what was answered before: the same once more, or on the numbers of a list
    plan_rules       what overrules the ranking of plans, and what counts besides
    beam             runs these steps in order, for several readings of a conversation
    trees, models, loading    the learned models, and how their weights are read from JSON
    readings         the readings of a conversation so far, and why a plan was chosen
    writing          writes the chosen plan as steps
    page_answers     all of it for a question about a page
    solver           takes a question to its page or to the facts of its filing, and loads what that needs

Questions that are answered in another way:

    filings          questions about whole filings, from their facts
    direct_answers, counting_parts     follow-ups that can mean one thing only, named measures, parts of answers
    choosing, cell_groups, choice_plans    choices among cells: which is highest, which declined, how many
    several          several numbers, each under its label
    spans            words of the text
    answerability, missing_numbers, abstention    whether the page has an answer, and why not
"""
