"""The command line: one file a command. Owns what is printed and the exit codes; computes nothing itself.

Only `typer` and `rich` are imported before a command runs, so that `quaestor --help` is there at once.
"""


def main() -> None:
    """Runs the command line and leaves with its exit code."""
    import sys

    from quaestor.cli.ending import end_in_order
    from quaestor.core.collecting import collect_seldom

    end_in_order()
    collect_seldom()  # before the imports that make the most objects

    from quaestor.cli.app import app
    from quaestor.cli.failures import exit_code_of

    sys.exit(exit_code_of(lambda: app(standalone_mode=False, prog_name="quaestor")))
