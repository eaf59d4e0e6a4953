"""The notebooks of examples/, run as Jupyter runs them.

`python tests/support/notebooks.py` runs each and writes it anew with what comes out, which is what a forge shows.
"""

import os
import shutil
import tempfile
from pathlib import Path
from unittest import mock

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from traitlets.config import Config

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOKS = tuple(sorted(EXAMPLES.glob("*.ipynb")))
_KEPT = ("data", "name", "text", "output_type")


def read(path: Path) -> NotebookNode:
    """A notebook as it is in the repository."""
    found: NotebookNode = nbformat.read(path, as_version=4)
    return found


def run(path: Path, folder: Path) -> NotebookNode:
    """A notebook with what comes out where it is run in a folder of its own, beside the other files of examples/."""
    for file in EXAMPLES.iterdir():
        if file.is_file():
            shutil.copy(file, folder)
    notebook = read(path)
    own = {"IPYTHONDIR": str(folder / ".ipython"), "JUPYTER_PLATFORM_DIRS": "1", "HOME": str(folder)}
    with mock.patch.dict(os.environ, own):
        # By sockets of the file system: no port is opened.
        files = Config({"KernelManager": {"transport": "ipc", "ip": str(folder / "kernel")}})
        where = {"metadata": {"path": str(folder)}}
        NotebookClient(notebook, timeout=120, record_timing=False, resources=where, config=files).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            for name in set(output) - {*_KEPT}:
                output[name] = None if name == "execution_count" else {}
        if cell.cell_type == "code":
            cell.execution_count, cell.metadata = None, {}
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return notebook


def outputs(notebook: NotebookNode) -> list[list[dict[str, str]]]:
    """What came out of each cell of code, by kind: `text/html`, `text/plain`, `stdout`."""
    return [
        [dict(output.data) if "data" in output else {output.name: output.text} for output in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def code(notebook: NotebookNode) -> str:
    """The cells of code as a module that checkers of types read: in a coroutine, for cells may await."""
    lines = [line for cell in notebook.cells if cell.cell_type == "code" for line in [*cell.source.splitlines(), ""]]
    heads = [line for line in lines if line.startswith(("import ", "from "))]
    body = "".join(f"    {line}\n" if line else "\n" for line in lines if line not in heads)
    return "\n".join(heads) + f"\n\n\nasync def cells() -> None:\n{body}"


if __name__ == "__main__":
    for notebook_path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(run(notebook_path, Path(folder)), notebook_path)
