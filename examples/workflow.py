"""Ask about pages over one connection with the workflow solver: a model writes plans that are looked up and run.

Run it with `python examples/workflow.py anthropic:NAME`, or with any other model (docs/models.md).
"""

import asyncio
import sys

import quaestor

PAGE = "sample#QUIL/2007/page_88.pdf"
QUESTIONS = (
    "what was the exercise price in 2007?",
    "and in 2006?",
    "what is the difference?",
    "what is this difference divided by the 2006 value?",
)


async def main(model: str) -> None:
    """Print each answer with the look-ups of its plan, and the usage of the conversation."""
    # Share one connection and one token count across pages, inside your own event loop.
    async with quaestor.open_session(model) as session:
        solver = quaestor.make_solver("workflow", {"repairs": 2})
        page = await quaestor.open_async(PAGE)
        for answered in await page.ask_async(QUESTIONS, solver=solver, model=session):
            print(answered.question)
            print(f"  {answered} = {answered.answer.formula}")
            for event in answered.turn.events:
                if event.kind == "looked_up":
                    print(f"    looked up {event.words!r}: {event.found}")
        print(session.connection.meter.total.words)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
