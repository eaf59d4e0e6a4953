"""A server for assistants that speak the Model Context Protocol, nothing else (docs/mcp.md)."""
