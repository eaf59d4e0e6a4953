"""The documentation site, built into a folder of a test."""

import logging
from pathlib import Path
from typing import Any

import pytest
from fenced import ROOT


def build_site(folder: Path, **settings: Any) -> list[str]:
    """Builds the site as `make docs` does, and returns what it warns of; `settings` stand above those of mkdocs.yml."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        from mkdocs.commands.build import build
        from mkdocs.config import load_config

        warned: list[str] = []
        heard = logging.Handler(logging.WARNING)
        heard.emit = lambda record: warned.append(record.getMessage())  # type: ignore[method-assign]
        logger = logging.getLogger("mkdocs")
        logger.addHandler(heard)
        try:
            config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=False, **settings)
            config.plugins.on_startup(command="build", dirty=False)
            try:
                build(config)
            finally:
                config.plugins.on_shutdown()
        finally:
            logger.removeHandler(heard)
        return warned
