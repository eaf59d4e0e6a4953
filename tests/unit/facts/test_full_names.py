from quaestor.facts.table import find_full_names


def test_an_abbreviation_stands_for_the_words_before_it() -> None:
    texts = [
        "Revenue of Europe, Middle East, and Africa (EMEA) rose.",
        'Contracts of Global Services ("BGS") are long.',
        "The Company (SEC) is not abbreviated so.",
    ]
    assert find_full_names(texts) == {"EMEA": "Europe, Middle East, and Africa (EMEA)", "BGS": "Global Services (BGS)"}
