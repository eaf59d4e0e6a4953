"""What README, CONTRIBUTING and docs/ link to is there, and every page of docs/ can be reached from the README."""

import re
from pathlib import Path

import pytest
from fenced import ROOT, texts

_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


def links(path: Path) -> list[str]:
    return _LINK.findall(_CODE.sub("", _FENCED.sub("", path.read_text(encoding="utf-8"))))


def anchors(path: Path) -> set[str]:
    """What GitHub calls the headings of a page: small letters, hyphens for spaces, no punctuation, repeats numbered."""
    found: set[str] = set()
    for heading in _HEADING.findall(_FENCED.sub("", path.read_text(encoding="utf-8"))):
        plain = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")
        repeats = sum(re.fullmatch(re.escape(plain) + r"(-\d+)?", anchor) is not None for anchor in found)
        found.add(f"{plain}-{repeats}" if repeats else plain)
    return found


@pytest.mark.parametrize("path", texts(), ids=lambda path: path.name)
def test_every_link_leads_somewhere(path: Path) -> None:
    for link in links(path):
        if re.match(r"https?://", link):
            continue
        target, _, anchor = link.partition("#")
        linked = (path.parent / target).resolve() if target else path
        assert linked.exists(), f"{path.name} links to {link}"
        assert linked.is_relative_to(ROOT), f"{path.name} links to {link}, which is not of this repository"
        if anchor:
            assert anchor in anchors(linked), f"{path.name} links to {link}; there are {sorted(anchors(linked))}"


def test_every_page_can_be_reached_from_the_readme() -> None:
    """From the README itself, or by way of the first page of docs/, which the README links to."""
    linked = {
        (path.parent / link.partition("#")[0]).resolve()
        for path in (ROOT / "README.md", ROOT / "docs" / "index.md")
        for link in links(path)
    }
    assert ROOT / "docs" / "index.md" in linked
    assert {path for path in texts() if path.name != "README.md"} <= linked


def test_every_page_has_its_place_on_the_site() -> None:
    """A page that `nav` of mkdocs.yml does not name would stand on the site where nobody comes by."""
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = set(re.findall(r": ([\w/]+\.md)$", nav, re.MULTILINE))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - named == set(), "name it in mkdocs.yml"


@pytest.mark.parametrize("path", texts(), ids=lambda path: path.name)
def test_every_page_that_is_named_is_there(path: Path) -> None:
    """Pages and files are also named in running text: `docs/models.md`, `conversation/meaning.py`."""
    text = _FENCED.sub("", path.read_text(encoding="utf-8"))
    for page in re.findall(r"\bdocs/[\w/]+\.md\b", text):
        assert (ROOT / page).exists(), f"{path.name} names {page}"
    for file in re.findall(r"`((?:[\w.]+/)+[\w.]+\.(?:py|ttl|json|jsonl))`", text):
        places = (ROOT, ROOT / "src", ROOT / "src" / "quaestor", ROOT / "src" / "quaestor" / "solvers" / "embedded")
        assert any((place / file).exists() for place in places), f"{path.name} names {file}"
