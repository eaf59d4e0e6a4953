"""`quaestor calibrate`: how sure a model's answers may be, learned from a run."""

from pathlib import Path
from typing import Annotated

import typer

from quaestor.cli.compare import LabelledOption
from quaestor.cli.options import ForceOption, JsonOption, RunArgument, StoreOption
from quaestor.cli.stored import output_file, read_store


def calibrate_command(
    run: RunArgument,
    output: Annotated[
        Path, typer.Option("--output", help="File to write the calibration to.", metavar="FILE.json")
    ] = Path("calibration.json"),
    dataset: LabelledOption = None,
    force: ForceOption = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Learn how reliable a model's answers are from a run. Use the result with `--option calibration=FILE`.

    The run must use a solver that asks a model, with `--option measure=true`, on a labelled file. The printed figures
    are for answers whose confidence was learned from other companies.
    """
    from quaestor.application.calibrating import calibrate_run, calibration_text
    from quaestor.application.resolve import dataset_path
    from quaestor.cli.printing import make_console, print_json
    from quaestor.cli.results import show_coverage
    from quaestor.core import serial

    file = dataset_path(dataset) if dataset else None
    target = output_file(output, store, (file,), force=force)
    found = read_store(store, lambda opened: calibrate_run(opened, run, file))
    target.write(calibration_text(found))
    if json:
        print_json({"calibration": serial.dump(found.calibration), "report": serial.dump(found.report)})
        return
    show_coverage(make_console(), found.report)
    print(f"calibration written to {output}")
