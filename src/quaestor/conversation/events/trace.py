"""What happens in a turn, as it happens."""

from collections.abc import Callable, Iterable, Iterator

from quaestor.conversation.events.kinds import Event


class Trace:
    """The events of a turn so far. They can be added to and read, not changed, reordered or taken back."""

    __slots__ = ("_events", "_on_event")

    def __init__(self, on_event: Callable[[Event], None] | None = None) -> None:
        """Begin without any.

        Args:
            on_event: Is told of each as it is added, in the thread that adds it.
        """
        self._events: list[Event] = []
        self._on_event = on_event

    def append(self, event: Event) -> None:
        """Add what happened last."""
        self._events.append(event)
        if self._on_event is not None:
            self._on_event(event)

    def extend(self, events: Iterable[Event]) -> None:
        """Add several, in their order."""
        for event in events:
            self.append(event)

    @property
    def events(self) -> tuple[Event, ...]:
        """All of them so far, in their order."""
        return tuple(self._events)

    def __iter__(self) -> Iterator[Event]:
        """Yield those that are there now; what is added meanwhile is not among them."""
        return iter(self.events)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._events)
