from quaestor.conversation.references.expressions import (
    Antecedent,
    AntecedentSet,
    Coreference,
    References,
    reading_line,
)


def meaning(text: str, kind: str, *turns: int, means: str = "") -> Coreference:
    candidates = tuple(Antecedent(turn, 1 / len(turns), "why") for turn in turns)
    return Coreference(text, 0, len(text), kind, candidates, means)  # type: ignore[arg-type]


def line(*expressions: Coreference, sets: dict[tuple[int, ...], float]) -> str:
    chosen = tuple(AntecedentSet(turns, share, "why") for turns, share in sets.items())
    return reading_line(References(expressions, chosen), lambda turn: f"#{turn}")


def test_used_results_are_named_once() -> None:
    assert '#0 and #2 ("this change")' in line(meaning("this change", "result", 2, 0), sets={(0, 2): 0.9, (2,): 0.1})


def test_words_for_several_results_follow_all_of_them() -> None:
    features = line(meaning("these two values", "results", 0, 1), sets={(0, 1): 1.0})
    assert '#0 and #1 ("these two values")' in features


def test_a_certain_reading_is_shown_alone_and_a_likely_one_with_the_next() -> None:
    assert line(sets={(1,): 0.95, (): 0.05}).endswith("from #1")
    assert line(sets={(1,): 0.7, (0, 1): 0.28}).endswith("from #1 or from #0 and #1")
    assert line(sets={(1,): 0.7, (): 0.28}).endswith("from #1 or from only the page")
    assert line(sets={(1,): 0.7, (0, 1): 0.2}) == ""
    assert line(sets={(): 0.7, (1,): 0.3}) == ""


def test_the_meaning_of_a_period_is_shown_beside_certain_results() -> None:
    year = meaning("that year", "period", 1, means="2008")
    assert '"that year" is 2008' in line(year, sets={(1,): 0.9})
    assert line(year, sets={(): 1.0}) == ""
    assert "2008" not in line(year, sets={(1,): 0.7, (): 0.3})


def test_years_of_another_topic_are_not_shown() -> None:
    found = (meaning("the same year", "period", 1, means="2008"),), (AntecedentSet((1,), 1.0, "why"),)
    assert "2008" in reading_line(References(*found), str)
    assert "2008" not in reading_line(References(*found, focus="rent", switched=True), str)


def test_ambiguous_words_are_shown_with_both_turns() -> None:
    assert "#1 or #2" in line(meaning("it", "result", 1, 2), sets={(): 1.0})


def test_nothing_is_shown_if_nothing_is_certain() -> None:
    assert line(sets={(): 1.0}) == ""
    assert line(meaning("it", "result"), sets={(): 0.6, (1,): 0.4}) == ""
    assert line(meaning("its", "entity", 1, means="rent"), sets={(): 1.0}) == ""
    assert reading_line(References(), str) == ""


def test_description_of_a_repeated_question_omits_its_year() -> None:
    features = line(meaning("that in 2016", "cell", 1), sets={(): 1.0})
    assert '"that"' in features
    assert "#1" in features
    assert "2016" not in features
