"""The tools over a page's graph: defined once, for agents, for the MCP server and for people."""
