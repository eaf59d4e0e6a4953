"""Solver that asks the model of the turn and answers with its number."""

from values import a_value

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import Note
from quaestor.llm.transcript import phase
from quaestor.solvers.base import TurnContext


class AskingSolver:
    """Asks twice: once how the question is to be read, once for the number."""

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
