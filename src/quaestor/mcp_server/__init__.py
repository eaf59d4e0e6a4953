"""An MCP server for assistants (docs/mcp.md)."""
