"""The notebook of the documentation, run again."""

import json
import tempfile
import warnings
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "docs" / "notebook.ipynb"
LARGEST = 120_000
"""Bytes of the notebook with its outputs."""


def texts(notebook):
    """The plain outputs of each cell, and whether it has HTML."""
    found = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            plain = "".join(data.get("text/plain", output.get("text", "")))
            found.append((plain, "text/html" in data))
    return found


@pytest.mark.slow
def test_the_notebook_runs_and_shows_what_is_committed():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    committed = json.loads(FILE.read_text("utf-8"))
    notebook = nbformat.reads(FILE.read_text("utf-8"), as_version=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries of Jupyter
        nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    assert texts(notebook) == texts(committed)
    assert sum(html for _, html in texts(committed)) >= 5


def test_what_is_committed_is_small_and_names_no_folder():
    text = FILE.read_text("utf-8")
    assert len(text.encode()) < LARGEST
    assert "simulated" in text
    folders = (str(Path.home()), tempfile.gettempdir(), str(FILE.parent.parent), "site-packages")
    assert [each for each in folders if each in text] == []
