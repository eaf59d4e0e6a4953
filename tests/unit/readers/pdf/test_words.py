"""Characters are combined to words."""

from quaestor.readers.pdf.lines import Characters, Font, Word, join_characters


def characters(text: str, *, width: float = 5.0, lines: dict[int, float] | None = None) -> Characters:
    """Return adjacent characters of size 10; `lines` maps indexes to y positions other than 100."""
    lefts = [place * width for place in range(len(text))]
    ys = [(lines or {}).get(place, 100.0) for place in range(len(text))]
    return Characters(text, lefts, [left + width for left in lefts], ys, [10.0] * len(text))


def words_of(given: Characters) -> list[str]:
    return [word.text for word in join_characters(given, lambda _: Font())]


def test_white_space_divides_words() -> None:
    found = list(join_characters(characters("net  sales "), lambda _: Font(bold=True)))
    assert found == [Word("net", 0, 15, 100, 10, bold=True), Word("sales", 25, 50, 100, 10, bold=True)]


def test_a_gap_and_another_line_divide_words() -> None:
    assert words_of(characters("ab", width=5.0)._replace(lefts=[0, 8])) == ["a", "b"]
    assert words_of(characters("abcd", lines={2: 112.0, 3: 112.0})) == ["ab", "cd"]
    assert words_of(characters("10", lines={1: 99.0})) == ["10"]


def test_adjacent_cells_are_separate_words() -> None:
    assert words_of(characters("(1,345)(1,900) 202320222021")) == ["(1,345)", "(1,900)", "2023", "2022", "2021"]


def test_letters_of_a_ligature_have_one_place() -> None:
    given = Characters("fit", [0, 0, 6], [6, 2, 9], [100.0] * 3, [10.0] * 3)
    assert words_of(given) == ["fit"]
    assert words_of(characters("\ufb01t")) == ["fit"]


def test_a_word_without_a_font_is_left_out() -> None:
    found = join_characters(characters("up aslant up"), lambda place: None if place == 3 else Font())
    assert [word.text for word in found] == ["up", "up"]
