"""Ask about a page without a model: the solver ranks possible plans with learned weights.

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
    """Print each answer with its arithmetic, confidence and sources."""
    for answered in quaestor.open(PAGE).ask(QUESTIONS):
        answer = answered.answer
        print(answered.question)
        print(f"  {answered} = {answer.formula}, {answer.confidence:.0%} sure")
        for source in answered.sources:
            print(f"    {source.place}: {source.span}")

    # Withhold answers that are not sure enough, so that a person can check them.
    careful = quaestor.open(PAGE).ask("what was the change in that?", options={"abstain_below": 0.9})
    print(careful.question)
    print(f"  {careful}: {careful.answer.reason}")


if __name__ == "__main__":
    main()
