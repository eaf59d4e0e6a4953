"""Ask about a page with the agent solver: a model states its understanding, then looks numbers up with tools.

Run it with `python examples/agent.py anthropic:NAME`, or with another model (docs/models.md).
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
    """Print each answer with its arithmetic, sources and tool calls."""
    for answered in quaestor.open(PAGE).ask(QUESTIONS, solver="agent", model=model):
        print(answered.question)
        print(f"  {answered} = {answered.answer.formula}")
        for source in answered.sources:
            print(f"    {source.place}: {source.span}")
        for call in answered.turn.tool_calls:
            print(f"    called {call.tool} {call.input}")


if __name__ == "__main__":
    main(sys.argv[1])
