"""Second questions that no annotator joined: which parts are behind which, and what is learned of them."""

from values import a_value

from quaestor.datasets.convfinqa import read_convfinqa_page
from quaestor.learning.examples import Example
from quaestor.learning.joining import rejoin_conversations
from quaestor.learning.signature import second_samples, signature_samples
from quaestor.scoring.gold import GoldTurn


def example(identity: str, *turns: tuple[str, str], second: int = 0, page: str = "") -> Example:
    document = read_convfinqa_page({"id": page, "table": [["", "2008"], ["rent", "5"]]}, "here") if page else None
    gold = tuple(GoldTurn(program, a_value(1), None, 0) for _, program in turns)
    return Example(identity, tuple(question for question, _ in turns), gold, document, "ACME", second=second)


JOINED = example("Double_ACME/1/p.pdf", ("rent?", "5"), ("and lease?", "7"), ("the gap?", "subtract(7, 9)"), second=2)


def test_the_parts_of_a_joined_conversation_are_turned_round() -> None:
    (turned,) = rejoin_conversations([JOINED])
    assert turned.questions == ("the gap?", "rent?", "and lease?")
    assert [gold.program for gold in turned.gold] == ["subtract(7, 9)", "5", "7"]
    assert (turned.second, turned.joined, turned.company) == (1, True, "ACME")


def test_single_questions_of_one_page_follow_each_other() -> None:
    one, other, again = (
        example(f"ACME/1/p.pdf-{n}", turn, page="ACME/1/p.pdf")
        for n, turn in enumerate((("rent?", "5"), ("the gap?", "subtract(7, 9)"), ("rent?", "5")))
    )
    elsewhere = example("ACME/1/q.pdf-1", ("lease?", "7"), page="ACME/1/q.pdf")
    found = {joined.questions for joined in rejoin_conversations([one, other, again, elsewhere])}
    assert found == {("rent?", "the gap?"), ("the gap?", "rent?")}


def test_conversations_of_unknown_parts_stay_as_they_are() -> None:
    assert not list(rejoin_conversations([example("Double_ACME/1/p.pdf", ("rent?", "5"), ("and lease?", "7"))]))


def test_of_a_joined_conversation_its_second_beginning_is_learned() -> None:
    (sample,) = second_samples(rejoin_conversations([JOINED]))
    assert sample.signature == "lookup(new)"
    assert sample.features["turn:1"] == 1.0
    assert sample != signature_samples([JOINED])[0]
