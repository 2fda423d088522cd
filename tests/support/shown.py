"""What the README and the pages of the documentation show: code by language, and commands."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def find_blocks(page: str, language: str) -> list[str]:
    return [code for name, code in FENCE.findall(page) if name == language]


def find_commands(page: str) -> list[str]:
    """Return the commands that the text of a page shows, each whole and without its remark."""
    text = "\n".join(find_blocks(page, "sh")).replace("\\\n", " ")
    lines = [re.split(r"\s# ", line)[0].strip() for line in text.splitlines()]
    return [line for line in lines if line.startswith("moot ")]


def find_tabled(page: str) -> list[str]:
    """Return the commands at the end of the rows of a page's tables."""
    return re.findall(r"`(moot [^`]+)` \|$", page, re.MULTILINE)
