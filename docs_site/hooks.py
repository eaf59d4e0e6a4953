"""MkDocs hooks of the documentation site.

Besides docs/, the site has README, CONTRIBUTING, CHANGELOG, SECURITY and LICENSE as pages, references of the public
names and of the commands, and the files of examples/. A site that would load anything from another host is not built.
"""

import posixpath
import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs_site import command_line, loading, public_names

_ROOT = Path(__file__).resolve().parents[1]
TOP = {
    "README.md": "overview.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "LICENSE": "license.md",
}
"""Pages made from files at the root of the repository."""

_STATIC = Path(__file__).parent / "static"
_FENCE = re.compile(r"^```.*?^```[ ]*$", re.MULTILINE | re.DOTALL)
_OPENING = re.compile(r"\A```(?P<language>\w*)(?P<remarks>[^\n]*)")
_LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(?=\))")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Replace `PYTHON` in the navigation with the pages of the public names."""
    groups = {group.title: group.page for group in public_names.groups()}
    pages = [{"All names": public_names.INDEX}, *({title: page} for title, page in groups.items())]
    for section in config.nav or []:
        for entries in section.values():
            if isinstance(entries, list) and {"Python": "PYTHON"} in entries:
                entries[entries.index({"Python": "PYTHON"})] = {"Python": pages}
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    for source, page in TOP.items():
        text = (_ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text if source.endswith(".md") else f"# Licence\n\n{text}"))
    for page, text in public_names.pages():
        files.append(File.generated(config, page, content=text))
    for path in sorted(_STATIC.iterdir()):
        files.append(File.generated(config, path.name, abs_src_path=str(path)))
    for path in sorted((_ROOT / "examples").glob("*.*")):
        files.append(File.generated(config, f"examples/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Adapt links and fences of a repository text to the site."""
    if page.file.src_uri == "help.md":
        markdown += "\n" + command_line.command_reference()
    made_from = {site: source for source, site in TOP.items()}
    source = made_from.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    parts: list[str] = []
    end = 0
    for fence in _FENCE.finditer(markdown):
        parts += [_linked(markdown[end : fence.start()], source, page.file.src_uri), _fenced(fence.group())]
        end = fence.end()
    return "".join([*parts, _linked(markdown[end:], source, page.file.src_uri)])


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Label the theme's search dialog for screen readers."""
    return output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )


def on_post_build(config: MkDocsConfig) -> None:
    """Fail if the site loads anything from another host."""
    if found := loading.foreign_in(Path(config.site_dir)):
        raise PluginError("the site would load from other hosts:\n" + "\n".join(found))


def _linked(text: str, source: str, page: str) -> str:
    """Return the text with links between repository texts as links between pages."""

    def moved(link: re.Match[str]) -> str:
        if "://" in link[2] or link[2].startswith("mailto:"):
            return link.group()
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[2]))
        target = TOP.get(target, target.removeprefix("docs/"))
        return f"{link[1]}{posixpath.relpath(target, posixpath.dirname(page) or '.')}{link[3] or ''}"

    return _LINK.sub(moved, text)


def _fenced(block: str) -> str:
    """Return the block with its remarks in the site's syntax: a file name becomes its title.

    Console output is not highlighted, because highlighters take `$ 25,587` for a command.
    """
    opening = _OPENING.match(block)
    assert opening is not None
    remarks = dict(word.partition("=")[::2] for word in opening["remarks"].split())
    name = remarks.get("file") or remarks.get("edit")
    title = f' title="{name}"' if name else ""
    language = opening["language"].replace("console", "text") or "text"
    return f"```{language}{title}{block[opening.end() :]}"
