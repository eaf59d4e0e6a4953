"""Texts that cause harm if they are executed, interpreted as markup or used as a path."""

import csv
import io

SUM = "133733411"
"""The result of `{{7*19104773}}` if a template evaluates it."""
EVIL = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(2)>'",
    "' onfocus=alert(3) autofocus x='",
    "javascript:alert(4)",
    "{{7*19104773}}{%raw%}${7*19104773}",
    "=HYPERLINK(\"http://evil.example\")",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "rent\x1b[2J\x1b]0;x\x07 \u202efdp.exe\u2066 \x9b31m",
    "</textarea></title><svg onload=alert(5)>",
)  # fmt: skip
CLIMBING = (
    "../../../../../../etc/passwd", "..%2f..%2f..%2f..%2fetc%2fpasswd", "%2e%2e%2f%2e%2e%2fruns.db", "....//....//etc",
    "..%5c..%5cwindows%5cwin.ini", "%2fetc%2fpasswd", "%00", "x%00.json", "%252e%252e%252fetc",
    "file:%2f%2f%2fetc%2fpasswd",
    "sample%23..%2f..%2fruns.db", "%c0%ae%c0%ae/", "~root", "%F0%9F%92%A3", "'%20OR%201=1--", "a" * 5_000, "-1",
    "9" * 400, "1e309", "nan", "%0d%0aSet-Cookie:%20a=b", "latest",
)  # fmt: skip


def evil_csv() -> bytes:
    """Return a table with hostile title, headings, labels and notes, and with numbers that can be asked for."""
    written = io.StringIO()
    lines = csv.writer(written)
    lines.writerow([f"{EVIL[0]} ( in millions )"])
    lines.writerow(["", f"2009 {EVIL[1]}", "2008"])
    lines.writerows([evil, 100 + number, 90 + number] for number, evil in enumerate(EVIL))
    lines.writerow(["net sales", 120, 100])
    return written.getvalue().encode()
