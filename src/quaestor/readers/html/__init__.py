"""Reader of HTML and inline XBRL."""
