"""Ask about a page with the reflection solver: drafts are judged by computed evidence and two critics.

Run it with `python examples/reflection.py anthropic:NAME`, or with any other model (docs/models.md).
"""

import sys

import quaestor

PAGE = "sample#QUIL/2007/page_88.pdf"
QUESTIONS = (
    "what was the exercise price in 2007?",
    "and in 2006?",
    "what is the difference?",
    "what is this difference divided by the 2006 value?",
)


def main(model: str) -> None:
    """Print each answer with its remaining doubts and the critics' verdicts."""
    for answered in quaestor.open(PAGE).ask(QUESTIONS, solver="reflection", model=model, options={"max_iterations": 3}):
        print(answered.question)
        print(f"  {answered} = {answered.answer.formula}")
        print(f"    {answered.answer.reason or 'nothing was found against it'}")
        for event in answered.turn.events:
            if event.kind == "verdict_given":
                print(
                    f"    the {event.critic} critic {'approves' if event.approves else 'objects'} (draft {event.draft})"
                )

    # Without a model, another solver drafts and only the evidence judges.
    checked = quaestor.open(PAGE).ask(QUESTIONS[0], solver="reflection", options={"expert": "embedded"})
    print(f"{checked} without a model")


if __name__ == "__main__":
    main(sys.argv[1])
