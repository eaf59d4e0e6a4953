"""Advice that the agent is told besides the rules: the text of a file that a person has read.

The agent takes up no advice by itself.
"""

from pathlib import Path

from quaestor.errors import SettingsError

LONGEST = 6_000


def read_advice(path: str | None) -> str:
    """Return what a file of advice tells: all of its lines but those that begin with #; "" without a file.

    Raises:
        SettingsError: It cannot be read, says nothing, or too much.
    """
    if path is None:
        return ""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(f"the advice in {path} is not UTF-8 text") from error
    except OSError as error:
        raise SettingsError(f"cannot read the advice in {path}: {error.strerror}") from error
    told = "\n".join(line.rstrip() for line in text.splitlines() if not line.startswith("#")).strip()
    if not told:
        raise SettingsError(f"the advice in {path} is empty: all of its lines are blank or begin with #")
    if len(told) > LONGEST:
        raise SettingsError(f"the advice in {path} has {len(told):,} characters, more than {LONGEST:,}")
    return told
