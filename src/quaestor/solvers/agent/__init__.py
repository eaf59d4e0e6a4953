"""The agent: a model says what is asked, then answers with the tools; the plan of its tool calls is the answer."""
