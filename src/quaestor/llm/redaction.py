"""Keys that a server repeats, taken out of what it says before anybody reads it."""

from collections.abc import Sequence

BLANKED = "[key]"

_SHORTEST = 8  # a shorter key is a placeholder such as "none", and blanking it would spoil the text


class Redactor:
    """Takes secrets out of one body that comes in pieces, however the pieces cut them."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = [secret.encode() for secret in secrets if len(secret) >= _SHORTEST]
        self._held = b""

    def feed(self, piece: bytes) -> bytes:
        """Return what can be read so far; an end that may be the beginning of a secret is held back."""
        text = self._held + piece
        for secret in self._secrets:
            text = text.replace(secret, BLANKED.encode())
        held = max((_overlap(text, secret) for secret in self._secrets), default=0)
        cut = len(text) - held
        self._held = text[cut:]
        return text[:cut]

    def rest(self) -> bytes:
        """Return what was held back."""
        held, self._held = self._held, b""
        return held


def redact(text: str, secrets: Sequence[str]) -> str:
    """Return a text without the secrets."""
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, BLANKED)
    return text


def _overlap(text: bytes, secret: bytes) -> int:
    """How many of the last bytes of a text begin a secret."""
    longest = min(len(text), len(secret) - 1)
    return next((size for size in range(longest, 0, -1) if secret.startswith(text[-size:])), 0)
