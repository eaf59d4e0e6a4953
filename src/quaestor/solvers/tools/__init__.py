"""Tools over a page's graph, shared by agents, the MCP server and people."""
