"""What somebody proposes for an ontology beyond the rules, with the reason."""

from dataclasses import dataclass
from typing import Literal, get_args

ProposalKind = Literal["class", "property", "merge"]


@dataclass(frozen=True, slots=True, order=True)
class Proposal:
    """One addition to what the rules find.

    Attributes:
        kind: `class`: tables with one of `cues` are a type called `label`. `property`: the phrase `label` of a text
            names a property, however rarely it is seen. `merge`: the labels `label` and `into` are one property.
        label: A label as it is printed, or the name of a class in words.
        into: Of a merge, the label that is joined.
        cues: Of a class, words that are in or around its tables.
        documents: Ids of the documents that bear it out.
        reason: Why, in a sentence.
    """

    kind: ProposalKind
    label: str
    into: str = ""
    cues: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    reason: str = ""

    @property
    def words(self) -> str:
        """The proposal for people: `merge 'net sales' into 'net revenue'`."""
        if self.kind == "merge":
            return f"merge {self.label!r} into {self.into!r}"
        return f"{self.kind} {self.label!r}" + (f" ({', '.join(self.cues)})" if self.cues else "")


def read_kind(text: str) -> ProposalKind:
    """Return the kind of that name; ValueError if there is none."""
    kinds: tuple[ProposalKind, ...] = get_args(ProposalKind)
    return kinds[kinds.index(text)]
