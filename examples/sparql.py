"""Ask about a page in two phases: a model names values by SPARQL queries, then writes a formula over the names.

Run it with `python examples/sparql.py anthropic:NAME`, or with any other model (docs/models.md).
"""

import json
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
    """Print each answer with its arithmetic, the queries of its values, and the formula."""
    answers = quaestor.open(PAGE).ask(QUESTIONS, solver="sparql", model=model, options={"attempts": 3})
    for answered in answers:
        print(answered.question)
        print(f"  {answered} = {answered.answer.formula}")
        for event in answered.turn.events:
            if event.kind == "values_named":
                print(f"    values: {json.dumps(event.wanted['values'])}")
            if event.kind == "formula_written":
                print(f"    formula: {event.formula}")
    used = sum(answered.turn.usage.requests for answered in answers)
    print(f"{used} requests to the model")


if __name__ == "__main__":
    main(sys.argv[1])
