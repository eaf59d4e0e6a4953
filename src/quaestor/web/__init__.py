"""The pages that a browser is shown: a door like the command line, which parses what comes and shows what is."""
