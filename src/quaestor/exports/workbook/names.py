"""Names of cells: what a workbook's formulas call the numbers that they rest on.

Owns what a spreadsheet program takes as a name. `tax2012` is a cell to it, and so is `R1C1`.
"""

import re

_CELL = re.compile(r"(?:[a-z]{1,3}\d{1,7}|r\d*c\d*|r|c|true|false)", re.IGNORECASE)
_LONGEST = 60


class CellNames:
    """Gives out names, each once."""

    def __init__(self) -> None:
        """Starts with none taken."""
        self._taken: set[str] = set()

    def take(self, wanted: str) -> str:
        """Returns a name like the one that is wanted, which no other cell has.

        >>> names = CellNames()
        >>> names.take("net sales, 2012"), names.take("net sales 2012"), names.take("tax2012")
        ('net_sales_2012', 'net_sales_2012_2', 'tax2012_')
        """
        plain = re.sub(r"\W+", "_", wanted, flags=re.ASCII).strip("_").lower()[:_LONGEST] or "number"
        plain = f"_{plain}" if plain[0].isdigit() else plain
        plain = f"{plain}_" if _CELL.fullmatch(plain) else plain
        name, again = plain, 1
        while name in self._taken:
            again += 1
            name = f"{plain}_{again}"
        self._taken.add(name)
        return name
