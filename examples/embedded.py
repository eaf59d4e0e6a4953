"""Asks a page without any model: plans that a question could mean, ranked by what was learned from conversations.

Run it with `python examples/embedded.py`. It needs no key, no server and no network.
"""

import quaestor

PAGE = "sample#QUIL/2007/page_88.pdf"
QUESTIONS = (
    "what was the exercise price in 2007?",
    "and in 2006?",
    "what is the difference?",
    "what is this difference divided by the 2006 value?",
)


def main() -> None:
    """Prints each answer with its arithmetic, how sure the solver is, and where the numbers stand."""
    for answered in quaestor.open(PAGE).ask(QUESTIONS):
        answer = answered.answer
        print(answered.question)
        print(f"  {answered} = {answer.formula}, {answer.confidence:.0%} sure")
        for source in answered.sources:
            print(f"    {source.place}: {source.span}")

    # Whoever has money on the number lets it answer only where it is sure, and the rest go to a person.
    careful = quaestor.open(PAGE).ask("what was the change in that?", options={"abstain_below": 0.9})
    print(careful.question)
    print(f"  {careful}: {careful.answer.reason}")


if __name__ == "__main__":
    main()
