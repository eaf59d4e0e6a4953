"""Runs as a report that is one file: a page for a browser, or Markdown for a pull request."""
