"""The pictures of docs/papers.md, made again: python bench/pictures.py, where pillow is installed.

Runs the studies of the page on simulated agents, in a store of its own, and gives the command of
each row that draws charts. A picture that the page shows is made smaller and kept; its name has the
number of the paper, the row, and the chart.
"""

import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

from click.testing import CliRunner
from PIL import Image

from moot.cli.main import moot
from moot.reports.chart_style import COLOURS

PAGE = Path(__file__).parents[1] / "docs" / "papers.md"
WIDTH = 920
STEPS = 8  # from a colour to white; antialiasing needs a few


def give(line: str) -> None:
    """Run a command of the page."""
    done = CliRunner().invoke(moot, shlex.split(line)[1:])
    if done.exit_code:
        sys.exit(f"{line}\n{done.output}{done.exception!r}")


def make_palette() -> Image.Image:
    """Return the colours of charts with their tints: a few marks of one are not to turn grey."""
    every = [[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in COLOURS]
    tints = [
        255 - (255 - part) * step // STEPS for c in every for step in range(STEPS + 1) for part in c
    ]
    palette = Image.new("P", (1, 1))
    palette.putpalette(tints)
    return palette


def draw_row(command: str, name: str, page: str) -> None:
    """Keep the pictures of a row's charts that the page shows."""
    with tempfile.TemporaryDirectory() as folder:
        give(f"{command.replace('--format pdf', '--format png')} --width page --out {folder}")
        for kept, ends in re.findall(rf"\((images/papers/{name}-([^)]+))\)", page):
            drawn_files = list(Path(folder).glob(f"*-{ends}"))  # a study's name comes first
            if not drawn_files:
                continue
            [file] = drawn_files
            with Image.open(file) as drawn:
                size = WIDTH, round(drawn.height * WIDTH / drawn.width)
                small = drawn.convert("RGB").resize(size, Image.Resampling.LANCZOS)
            path = PAGE.parent / kept
            path.parent.mkdir(exist_ok=True)
            few = small.quantize(palette=make_palette(), dither=Image.Dither.NONE)
            few.save(path, optimize=True)
            print(kept, path.stat().st_size)


def main() -> None:
    """Run all studies of the page and draw its pictures."""
    page = PAGE.read_text()
    with tempfile.TemporaryDirectory() as store:
        os.environ["MOOT_STORE"] = store
        drawn = (part for part in page.split("\n## ") if "images/papers/" in part)
        for number, part in enumerate(drawn, 1):
            for block in re.findall(r"^```sh\n(moot run.*?)^```", part, re.DOTALL | re.MULTILINE):
                for line in block.replace("\\\n", " ").splitlines():
                    give(line)
            rows = re.findall(r"^\| ([^|]+) \|.*`(moot [^`]* pdf)` \|$", part, re.MULTILINE)
            for row, command in rows:
                draw_row(command, f"{number}-{re.sub('[^a-z0-9]+', '-', row)}", page)


if __name__ == "__main__":
    main()
