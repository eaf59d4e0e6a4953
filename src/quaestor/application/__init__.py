"""Use cases shared by the command line, the web app and the MCP server: answer questions; run, find and score runs.

The interfaces translate user input into calls of this package and show what it returns. Nothing in here prints or
knows the name of a command-line option.
"""
