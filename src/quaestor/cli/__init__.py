"""The command line: one file a command. Owns what is printed and the exit codes; computes nothing itself.

Only `typer` and `rich` are imported before a command runs, so that `quaestor --help` is there at once.
"""


def main() -> None:
    """Run the command line and exit with its code."""
    import sys

    # Nothing is imported before: who presses Ctrl-C while a command is being loaded is told so in one line, as later.
    try:
        code = _run()
    except KeyboardInterrupt:
        from quaestor.cli.ending import describe_end

        message, code = describe_end()
        print(f"quaestor: {message}", file=sys.stderr)
    sys.exit(code)


def _run() -> int:
    import gc
    import sys

    from quaestor.cli.ending import end_in_order, open_closed_streams
    from quaestor.core.caching import collect_seldom

    end_in_order()
    open_closed_streams()
    collect_seldom()  # before the imports that make the most objects

    from quaestor.cli.failures import exit_code_of

    def command() -> object:
        from quaestor.cli.app import make_app

        return make_app(sys.argv[1:])(standalone_mode=False, prog_name="quaestor")

    code = exit_code_of(command)
    gc.freeze()  # a last look for cycles takes a tenth of what a question takes, and the memory goes anyway
    return code
