"""What keeps people from using a page, as axe-core finds it in a real browser."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SERIOUS = frozenset({"serious", "critical"})


def serious_faults(page: Page) -> list[str]:
    """Returns the faults of a page that keep some people from using it: the rule, and the elements."""
    found = Axe().run(page).response["violations"]
    return [
        f"{fault['id']} ({fault['impact']}): {fault['help']}: "
        + "; ".join(" ".join(map(str, node["target"])) for node in fault["nodes"])
        for fault in found
        if fault["impact"] in SERIOUS
    ]
