"""A solver that asks the model of the turn and answers with the number it replies."""

from values import a_value

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import Note
from quaestor.llm.transcript import phase
from quaestor.solvers.base import TurnContext


class AskingSolver:
    """Ask the model twice: how the question is read, and for the number."""

    name = "asking"

    async def solve(self, question: str, context: TurnContext) -> Answer:
        from pydantic_ai import Agent

        assert context.model is not None
        agent = Agent(context.model.model, instructions=f"You read {context.document.id}.")
        with phase("UNDERSTAND"):
            read = await agent.run(f"How do you read: {question}")
        context.trace.append(Note(read.output))
        with phase("ANSWER_iteration_1"):
            result = await agent.run(question)
        return Answer(a_value(result.output))
