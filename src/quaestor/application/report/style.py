"""How a report looks: light and dark, on a phone and on paper."""

from importlib.resources import files

COLOURS = 6
"""Runs with a colour of their own in `style.css`; further ones begin again."""


def style_sheet() -> str:
    """Returns the style sheet that a report carries in itself."""
    return files(__package__).joinpath("style.css").read_text(encoding="utf-8")
