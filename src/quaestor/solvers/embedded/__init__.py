"""Solver without a language model, key or server, which ranks candidate plans by small trained models.

A *leaf* is a number of the page that a plan can start from (`page_numbers.CandidateNumber`). A `NumberMatrix` has all
leaves of a page as arrays, and plans refer to their indexes. A *reading* is one interpretation of the conversation so
far (`beam.BeamState`); a beam search keeps the likeliest ones. `Candidates` are operations on operands, as arrays. An
*outcome* is one of them with its result (`turn_state.TurnAction`), a *hypothesis* an outcome after one reading. Only an
outcome that is answered becomes a `Plan`.

The steps to an answer:

    page_numbers, page    the numbers of tables and text with their words, period, scale and place; the same as arrays
    turn_state       the question, and what earlier turns used and computed
    number_features  features of each number, for how likely the question means it
    operand_pool     the possible operands, and how likely each operation on each kind of operands is
    candidates       every plan that fits
    operand_features, plan_features    features of a plan, a named column for each
    repeated_plans   plans on what was answered before: the same once more, or on the numbers of a list
    plan_rules       what overrules the ranking of plans, and what counts besides
    beam             runs these steps in order, for several readings of a conversation
    trees, models, loading    the learned models, and how their weights are read from JSON
    readings         the readings of a conversation so far, and the answerers that are asked in turn
    grounds          why a plan was chosen, and the runner-up
    writing          conversion of the chosen outcome to a plan
    page_answers     answers to questions about a page
    solver           asks the answerer of benchmark pages, or that of all other documents, and loads the weights

Other kinds of answers:

    filings          questions about all documents that are not benchmark pages, from their facts
    direct_answers, counting_parts     unambiguous follow-up questions, parts of answers
    choosing, cell_groups, choice_plans    choices among cells: which is highest, which declined, how many
    several          several numbers, each with its label
    spans            words of the text
    answerability, missing_numbers, period_fit, abstention    whether the document has an answer, and what is missing
"""
