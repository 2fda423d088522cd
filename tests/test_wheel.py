"""The wheel carries every file of the sources: data, templates and statics among them."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.soak
def test_it_has_every_file_of_the_sources(tmp_path):
    build = ["wheel", ".", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path]
    subprocess.run([sys.executable, "-m", "pip", *build], cwd=ROOT, check=True)
    [wheel] = tmp_path.glob("*.whl")
    carried = {name for name in ZipFile(wheel).namelist() if name.startswith("moot/")}
    source = ROOT / "src"
    files = {
        file.relative_to(source).as_posix()
        for file in (source / "moot").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert carried == files
    assert "moot/contrib/review/protocols/council.toml" in carried
