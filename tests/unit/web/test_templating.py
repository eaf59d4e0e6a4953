from hashlib import sha256
from pathlib import Path

import pytest
from jinja2 import UndefinedError
from many_cases import for_each

from quaestor.web.templating import FILES, TEMPLATES, Pages

PAGES = Pages({"Ask": "/"})


def test_any_text_is_escaped_and_visible() -> None:
    shown = PAGES.text("error_line.html", line="<script>alert(1)</script> \x1b[2J \u202e54")
    assert "&lt;script&gt;alert(1)&lt;/script&gt; ␛[2J \ufffd54" in shown


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        PAGES.text("error_line.html")


def test_addresses_of_files_change_with_the_files() -> None:
    assert PAGES.static("app.css") == f"/static/{PAGES.version}/app.css"


@for_each(sorted(TEMPLATES.rglob("*.html")))
def test_templates_have_no_inline_scripts_or_styles(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "<style" not in text
    assert " style=" not in text
    assert not [part for part in text.split("<script")[1:] if not part.startswith(' src="{{ static(')]
    assert "|safe" not in text.replace(" ", "")
    assert not [word for word in (" onclick", " onload", "hx-on", "javascript:", "js:") if word in text]


def test_vendored_files_are_unchanged_and_have_licences() -> None:
    folder = FILES / "vendor"
    listed = [line.split() for line in (folder / "SOURCES").read_text().splitlines() if not line.startswith("#")]
    digests = {name: digest for digest, name, *_ in listed}
    assert digests == {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.js")}
    assert {f"{package.removesuffix('.org')}.LICENSE" for _, _, package, *_ in listed} <= {
        path.name for path in folder.iterdir()
    }
    assert all("http://" not in path.read_text() for path in FILES.glob("*.css"))
