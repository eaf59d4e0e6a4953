"""Agent solver: a model answers with tools, and the plan of its tool calls is the answer."""
