"""The command line as `python -m quaestor`."""

from quaestor.cli import main

if __name__ == "__main__":
    main()
