"""The studies that come with essays, in the files beside this one."""

from pathlib import Path

FOLDER = Path(__file__).parent
