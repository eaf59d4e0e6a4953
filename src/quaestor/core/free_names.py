"""Names that are given out once each."""

from collections.abc import Iterable


class FreeNames:
    """Gives out names, and numbers those that are used already.

    Each name remembers its last number, so that many equal ones cost no more than as many different ones.
    """

    def __init__(self, used: Iterable[str] = ()) -> None:
        """Take the names that nobody else may have."""
        self._used = set(used)
        self._numbers: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """Return the name, or else the name with the first free number.

        >>> names = FreeNames(["tax"])
        >>> names.take("sales"), names.take("sales"), names.take("tax"), names.take("sales")
        ('sales', 'sales_2', 'tax_2', 'sales_3')
        """
        name, number = wanted, self._numbers.get(wanted, 1)
        while name in self._used:
            number += 1
            name = f"{wanted}_{number}"
        self._numbers[wanted] = number
        self._used.add(name)
        return name
