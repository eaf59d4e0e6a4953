"""A conversation for export: its questions, its answers with their steps, and the facts of its page."""

from dataclasses import dataclass

from quaestor.conversation.turn import Correction, NumberCorrection, Turn
from quaestor.core.provenance import Source
from quaestor.graph.knowledge_graph import KnowledgeGraph


@dataclass(frozen=True, slots=True)
class ExportedConversation:
    """A conversation; `graph` and `turns` have the corrections applied."""

    id: str
    graph: KnowledgeGraph
    turns: tuple[Turn, ...]
    corrections: tuple[Correction, ...] = ()

    def note(self, source: Source) -> str | None:
        """Describe the correction of the number at a place, or return None if it was not corrected."""
        corrections = [
            one for one in self.corrections if isinstance(one.act, NumberCorrection) and one.act.source == source
        ]
        return correction_words(corrections[-1]) if corrections else None


def correction_words(correction: Correction) -> str:
    """Describe who corrected a number, when and why, and how it was read before."""
    act = correction.act
    was = act.was.text if isinstance(act, NumberCorrection) and act.was is not None else "nothing"
    why = f" ({correction.reason})" if correction.reason else ""
    return f"corrected by {correction.author} on {correction.time:%Y-%m-%d %H:%M} UTC{why}, originally read as: {was}"
