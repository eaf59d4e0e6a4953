"""Links in README, CONTRIBUTING and docs/ are valid, and every page can be reached from the README."""

import re
from pathlib import Path

from fenced import ROOT, blocks, texts
from many_cases import for_each

_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


def links(path: Path) -> list[str]:
    return _LINK.findall(_CODE.sub("", _FENCED.sub("", path.read_text(encoding="utf-8"))))


def anchors(path: Path) -> set[str]:
    """Return the anchors that GitHub gives the headings of a page."""
    found: set[str] = set()
    for heading in _HEADING.findall(_FENCED.sub("", path.read_text(encoding="utf-8"))):
        plain = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")
        repeats = sum(re.fullmatch(re.escape(plain) + r"(-\d+)?", anchor) is not None for anchor in found)
        found.add(f"{plain}-{repeats}" if repeats else plain)
    return found


@for_each(texts())
def test_every_link_has_an_existing_target(path: Path) -> None:
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
    """Pages are linked from the README or from docs/index.md."""
    linked = {
        (path.parent / link.partition("#")[0]).resolve()
        for path in (ROOT / "README.md", ROOT / "docs" / "index.md")
        for link in links(path)
    }
    assert ROOT / "docs" / "index.md" in linked
    assert {path for path in texts() if path.name != "README.md"} <= linked


def test_every_page_is_in_the_navigation() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = set(re.findall(r": ([\w/]+\.md)$", nav, re.MULTILINE))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - named == set(), "name it in mkdocs.yml"


@for_each(texts())
def test_named_pages_and_files_exist(path: Path) -> None:
    text = _FENCED.sub("", path.read_text(encoding="utf-8"))
    written = {block.remarks.get(name) for block in blocks() for name in ("file", "edit")}
    for page in re.findall(r"\bdocs/[\w/]+\.md\b", text):
        assert (ROOT / page).exists(), f"{path.name} names {page}"
    for file in re.findall(r"`((?:[\w.]+/)+[\w.]+\.(?:py|ttl|json|jsonl))`", text):
        places = (ROOT, ROOT / "src", ROOT / "src" / "quaestor", ROOT / "src" / "quaestor" / "solvers" / "embedded")
        assert file in written or any((place / file).exists() for place in places), f"{path.name} names {file}"
