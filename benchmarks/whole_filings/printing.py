"""Prints HTML filings to PDF with Chromium, so that the same questions test two readers. Development only."""

import gzip
import shutil
import subprocess
import tempfile
from pathlib import Path

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_SECONDS = 300


def browser() -> str | None:
    """Return the path of Chromium, or None."""
    return next((found for name in _BROWSERS if (found := shutil.which(name))), None)


def print_to_pdf(filing: Path, folder: Path) -> Path:
    """Print a filing (`.html` or `.html.gz`) and return the PDF, reusing an existing one in the folder.

    Raises:
        FileNotFoundError: Chromium is not installed.
        subprocess.CalledProcessError: Chromium failed.
    """
    printed = folder / f"{filing.name.split('.')[0]}.pdf"
    if printed.exists():
        return printed
    program = browser()
    if program is None:
        raise FileNotFoundError("no Chromium here: install one (Debian: chromium) to print filings to PDF")
    data = filing.read_bytes()
    with tempfile.TemporaryDirectory() as scratch:
        page = Path(scratch) / "filing.html"
        page.write_bytes(gzip.decompress(data) if filing.suffix == ".gz" else data)
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={scratch}/profile"]
        command += ["--no-pdf-header-footer", f"--print-to-pdf={printed}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS)
    return printed
