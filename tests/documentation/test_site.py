"""The documentation site is complete, its links work, and it loads nothing from other hosts."""

import re
import shutil
from pathlib import Path

import pytest
from docs_site import hooks, loading, public_names
from documentation_site import build_site, whole_site
from fenced import ROOT, texts
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

import quaestor


def test_every_public_name_is_documented_once() -> None:
    named = [name for group in public_names.groups() for name in group.names]
    assert sorted([*named, "__version__"]) == sorted([*quaestor.__all__, "open"])


@pytest.mark.parametrize(
    "element",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<script src="//cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="https://fonts.example/css">',
        '<link rel="preconnect" href="https://fonts.example">',
        '<img src="https://img.example/badge.svg">',
        '<img srcset="a.png 1x, https://img.example/b.png 2x">',
        '<iframe src="https://video.example"></iframe>',
        '<form action="https://form.example"></form>',
        '<p style="background: url(https://img.example/a.png)">x</p>',
        "<style>@import 'https://fonts.example/css';</style>",
        '<svg><image href="https://img.example/a.png"></image></svg>',
    ],
)
def test_a_site_that_loads_from_another_host_is_refused(element: str, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(f"<html><body>{element}</body></html>", encoding="utf-8")
    config = MkDocsConfig()
    config.site_dir = str(tmp_path)
    with pytest.raises(PluginError, match=r"page\.html: .*example"):
        hooks.on_post_build(config)


def test_links_and_local_files_are_not_foreign(tmp_path: Path) -> None:
    page = '<a href="https://elsewhere.example">x</a><img src="../a.png"><script src="/b.js"></script>'
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    (tmp_path / "style.css").write_text("p { background: url(a.png) }", encoding="utf-8")
    assert loading.foreign_in(tmp_path) == []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the whole site and expect no warnings."""
    folder, warned = whole_site(tmp_path_factory)
    assert warned == []
    return folder


@pytest.mark.very_slow
def test_every_text_and_every_public_name_is_on_the_site(site: Path) -> None:
    pages = {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    for path in texts():
        source = path.relative_to(ROOT).as_posix()
        page = hooks.TOP.get(source, source.removeprefix("docs/")).removesuffix(".md")
        assert f"{page}/index.html" in pages or page == "index"
    anchors = {anchor for text in pages.values() for anchor in re.findall(r' id="(quaestor\.\w+)"', text)}
    assert {f"quaestor.{name}" for name in public_names.PUBLIC} <= anchors
    assert not [page for page, text in pages.items() if re.search(r"<p>(:::|&gt;&gt;&gt;) ", text)]


@pytest.mark.very_slow
def test_a_broken_link_is_a_warning(tmp_path: Path) -> None:
    """Broken links and headings are warnings, which `strict` turns into errors."""
    docs = tmp_path / "docs"
    shutil.copytree(ROOT / "docs", docs)
    with (docs / "sample.md").open("a", encoding="utf-8") as page:
        page.write("\n[a](no_such.md) [b](web.md#no-such-heading) [c](../Makefile)\n")
    (docs / "alone.md").write_text("# Nobody comes by\n", encoding="utf-8")
    warned = "\n".join(build_site(tmp_path / "site", docs_dir=str(docs), plugins=["search"]))
    for part in ("no_such.md", "#no-such-heading", "Makefile", "alone.md"):
        assert part in warned
    assert len(warned.splitlines()) == 5, warned
    assert "strict: true" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
