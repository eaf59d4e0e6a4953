"""Reports about runs in a single file: a page for a browser, or Markdown for a pull request."""
