"""Generator of unique names."""

from collections.abc import Iterable


class FreeNames:
    """Generator of unique names, which numbers repeated ones.

    It stores the last number of each name, so that repeated names take constant time.
    """

    def __init__(self, used: Iterable[str] = ()) -> None:
        """Reserve the names that are already used."""
        self._used = set(used)
        self._numbers: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """Return the name if it is free, otherwise the name with the next free number.

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
