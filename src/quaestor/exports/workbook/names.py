"""Names of cells, which a workbook's formulas call the numbers by that they rest on, and names of sheets."""

import re

from quaestor.core.free_names import FreeNames

_CELL = re.compile(r"(?:[a-z]{1,3}\d{1,7}|r\d*c\d*|r|c|true|false)", re.IGNORECASE)
_LONGEST = 60
_NOT_IN_SHEETS = re.compile(r"[\[\]:*?/\\'\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")
_LONGEST_SHEET = 31


class CellNames:
    """Gives out names, each once."""

    def __init__(self) -> None:
        """Start with none taken."""
        self._names = FreeNames()

    def take(self, wanted: str) -> str:
        """Return a name like the one that is wanted, which no other cell has.

        >>> names = CellNames()
        >>> names.take("net sales, 2012"), names.take("net sales 2012"), names.take("tax2012")
        ('net_sales_2012', 'net_sales_2012_2', 'tax2012_')
        """
        plain = re.sub(r"\W+", "_", wanted, flags=re.ASCII).strip("_").lower()[:_LONGEST] or "number"
        plain = f"_{plain}" if plain[0].isdigit() else plain
        plain = f"{plain}_" if _CELL.fullmatch(plain) else plain
        return self._names.take(plain)


class SheetNames:
    """Gives out names of sheets, each once, whatever the case of its letters."""

    def __init__(self, *used: str) -> None:
        """Take the names that are given already."""
        # No program lets a sheet be called so.
        self._used = {name.casefold() for name in (*used, "History")}

    def take(self, wanted: str, ending: str = "") -> str:
        """Return a name like the one that is wanted, which no other sheet has.

        Args:
            wanted: What it is to be called, cut where it is too long.

        >>> names = SheetNames("Text")
        >>> names.take("JKHY/2009/page_28", " T1"), names.take("jkhy 2009 page_28", " T1"), names.take("text")
        ('JKHY 2009 page_28 T1', 'jkhy 2009 page_28 T1 (2)', 'text (2)')
        """
        plain, end = (" ".join(_NOT_IN_SHEETS.sub(" ", part).split()) for part in (wanted, ending))
        end = f" {end}" if end else ""
        again = 1
        while True:
            last = end if again == 1 else f"{end} ({again})"
            name = f"{plain[: _LONGEST_SHEET - len(last)].strip()}{last}".strip() or "Sheet"
            if name.casefold() not in self._used:
                self._used.add(name.casefold())
                return name
            again += 1
