"""The HTTP API: JSON requests and replies, errors as RFC 9457 problem details (docs/http.md)."""
