"""What happens in a turn, as it happens."""

from collections.abc import Iterable, Iterator

from quaestor.conversation.events.kinds import Event


class Trace:
    """The events of a turn so far. They can be added to and read, not changed, reordered or taken back."""

    __slots__ = ("_events",)

    def __init__(self) -> None:
        """Begins without any."""
        self._events: list[Event] = []

    def append(self, event: Event) -> None:
        """Adds what happened last."""
        self._events.append(event)

    def extend(self, events: Iterable[Event]) -> None:
        """Adds several, in their order."""
        self._events.extend(events)

    @property
    def events(self) -> tuple[Event, ...]:
        """All of them so far, in their order."""
        return tuple(self._events)

    def __iter__(self) -> Iterator[Event]:
        """Yields those that are there now; what is added meanwhile is not among them."""
        return iter(self.events)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._events)
