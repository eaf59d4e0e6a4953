"""Accessibility violations of a page, as axe-core finds them in a real browser."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SERIOUS = frozenset({"serious", "critical"})


OF_THEMES = ("color-contrast", "link-in-text-block")
"""Rules about colours; all other rules give the same result in light and dark mode."""


def serious_faults(page: Page, *rules: str) -> list[str]:
    """Return the serious and critical violations of a page, each with its rule and elements.

    Args:
        page: The page in its current state.
        rules: The rules to check; all if empty.
    """
    found = Axe().run(page, options={"runOnly": [*rules]} if rules else None).response["violations"]
    return [
        f"{fault['id']} ({fault['impact']}): {fault['help']}: "
        + "; ".join(" ".join(map(str, node["target"])) for node in fault["nodes"])
        for fault in found
        if fault["impact"] in SERIOUS
    ]
