"""The command line: parses options, calls `application`, prints results. Related commands share a module.

Only `typer` and `rich` are imported before a command runs, so that `quaestor --help` starts fast.
"""


def main() -> None:
    """Run the command line and exit with its code."""
    import sys

    # Ctrl-C while the command is still being imported is reported in one line too.
    try:
        code = _run()
    except KeyboardInterrupt:
        from quaestor.cli.signals import describe_end

        message, code = describe_end()
        print(f"quaestor: {message}", file=sys.stderr)
    sys.exit(code)


def _run() -> int:
    import gc
    import sys

    from quaestor.cli.signals import handle_sigterm, open_closed_streams
    from quaestor.core.caching import collect_seldom

    handle_sigterm()
    open_closed_streams()
    collect_seldom()  # before the imports, which make the most objects

    from quaestor.cli.failures import run_for_exit_code

    def command() -> object:
        from quaestor.cli.app import make_app

        return make_app(sys.argv[1:])(standalone_mode=False, prog_name="quaestor")

    code = run_for_exit_code(command)
    gc.freeze()  # skips a last garbage collection, which would take a tenth of the time of a question
    return code
