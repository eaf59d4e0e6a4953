"""The same for programs: JSON in, JSON out, problems as RFC 9457 has them (docs/http.md)."""
