"""Run the notebooks of examples/ as Jupyter does.

`python tests/support/notebooks.py` runs each notebook and saves it with its outputs.
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
    """Read a notebook of the repository."""
    found: NotebookNode = nbformat.read(path, as_version=4)
    return found


def run(path: Path, folder: Path) -> NotebookNode:
    """Run a notebook in `folder`, with copies of the other files of examples/, and return it with its outputs."""
    for file in EXAMPLES.iterdir():
        if file.is_file():
            shutil.copy(file, folder)
    notebook = read(path)
    own = {"IPYTHONDIR": str(folder / ".ipython"), "JUPYTER_PLATFORM_DIRS": "1", "HOME": str(folder)}
    with mock.patch.dict(os.environ, own):
        # Use Unix sockets, so that no port is opened.
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
    """Return the outputs of each code cell by type: `text/html`, `text/plain`, `stdout`."""
    return [
        [dict(output.data) if "data" in output else {output.name: output.text} for output in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def code(notebook: NotebookNode) -> str:
    """Return the code cells as a module for type checkers, inside a coroutine because cells may await."""
    lines = [line for cell in notebook.cells if cell.cell_type == "code" for line in [*cell.source.splitlines(), ""]]
    heads = [line for line in lines if line.startswith(("import ", "from "))]
    body = "".join(f"    {line}\n" if line else "\n" for line in lines if line not in heads)
    return "\n".join(heads) + f"\n\n\nasync def cells() -> None:\n{body}"


if __name__ == "__main__":
    for notebook_path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(run(notebook_path, Path(folder)), notebook_path)
