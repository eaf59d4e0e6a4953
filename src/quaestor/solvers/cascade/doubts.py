"""What the next stage of a cascade is told of an answer that was not sure enough."""

from quaestor.conversation.answer import Answer
from quaestor.conversation.display import show_number


def doubts_of(answer: Answer) -> tuple[str, ...]:
    """Return in sentences what was answered, how sure that was, and what it was nearly read as."""
    named = f" ({answer.description})" if answer.description else ""
    sure = "its probability is unknown" if answer.confidence is None else f"its probability is {answer.confidence:.2f}"
    found = f"it was {show_number(answer)}{named}; {sure}"
    others = (
        f"the next most likely reading was {other.shown}{f' ({other.description})' if other.description else ''}"
        for other in answer.other_readings[:1]
    )
    return (found, *others)
