"""What keeps people from using a page, as axe-core finds it in a real browser."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SERIOUS = frozenset({"serious", "critical"})


OF_THEMES = ("color-contrast", "link-in-text-block")
"""The rules about colours: what else a page does is the same in light and in dark."""


def serious_faults(page: Page, *rules: str) -> list[str]:
    """Return the faults of a page that keep some people from using it: the rule, and the elements.

    Args:
        page: As it is shown now.
        rules: The only rules to look for; all if none is named.
    """
    found = Axe().run(page, options={"runOnly": [*rules]} if rules else None).response["violations"]
    return [
        f"{fault['id']} ({fault['impact']}): {fault['help']}: "
        + "; ".join(" ".join(map(str, node["target"])) for node in fault["nodes"])
        for fault in found
        if fault["impact"] in SERIOUS
    ]
