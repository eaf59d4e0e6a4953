"""Build the documentation site for tests."""

import fcntl
import json
import logging
import os
from pathlib import Path
from typing import Any

import pytest
from fenced import ROOT


def build_site(folder: Path, **settings: Any) -> list[str]:
    """Build the site as `make docs` does, with `settings` overriding mkdocs.yml, and return the warnings."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        from mkdocs.commands.build import build
        from mkdocs.config import load_config

        warned: list[str] = []
        handler = logging.Handler(logging.WARNING)
        handler.emit = lambda record: warned.append(record.getMessage())  # type: ignore[method-assign]
        logger = logging.getLogger("mkdocs")
        logger.addHandler(handler)
        try:
            config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=False, **settings)
            config.plugins.on_startup(command="build", dirty=False)
            try:
                build(config)
            finally:
                config.plugins.on_shutdown()
        finally:
            logger.removeHandler(handler)
        return warned


def whole_site(factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return the folder of the site and its warnings; the first test process that needs the site builds it."""
    shared = factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    folder, warned = shared / "site", shared / "site-warned.json"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not warned.exists():
            warned.write_text(json.dumps(build_site(folder)), encoding="utf-8")
    return folder, json.loads(warned.read_text(encoding="utf-8"))
