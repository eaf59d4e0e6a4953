"""Asks a page with the agent: a model that says how it understands a question, then looks numbers up with tools.

Run it with `python examples/agent.py anthropic:NAME`, or with any other model (docs/models.md).
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
    """Prints each answer with its arithmetic, its sources, and the tool calls that led to it.

    Args:
        model: Its name, such as `anthropic:NAME`, or `openai:NAME@http://127.0.0.1:8000/v1` for a server of your own.
    """
    for answered in quaestor.open(PAGE).ask(QUESTIONS, solver="agent", model=model):
        print(answered.question)
        print(f"  {answered} = {answered.answer.formula}")
        for source in answered.sources:
            print(f"    {source.place}: {source.span}")
        for call in answered.turn.tool_calls:
            print(f"    called {call.tool} {call.input}")


if __name__ == "__main__":
    main(sys.argv[1])
