"""The web interface: pages for browsers and the HTTP API."""
