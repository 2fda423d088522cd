"""Packed golden files: a group of named values, as JSON lines under xz."""

import json
import lzma
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

FOLDER = Path(__file__).parent / "data"
STORES = FOLDER / "stores"
NUMERAL = re.compile(r"-?\d+(?:[.,]\d+)*%?")
SPACE = re.compile(r"\s")
WORDED = {"title", "note", "about", "advice", "findings", "message", "description"}
"""Keys whose texts are words, however short."""
EMPTY: tuple[Any, ...] = (None, {}, "")
Values = dict[str, Any]


def read(name: str) -> Values:
    """Return the values of a group by their names; empty before it is recorded."""
    path = FOLDER / f"{name}.jsonl.xz"
    if not path.exists():
        return {}
    lines = lzma.decompress(path.read_bytes()).decode().splitlines()
    return dict(json.loads(line) for line in lines)


def write(name: str, values: Values) -> int:
    """Write the values of a group; the same values give the same bytes. Return their number."""
    lines = [json.dumps(each, ensure_ascii=False) + "\n" for each in sorted(values.items())]
    packed = lzma.compress("".join(lines).encode(), preset=9 | lzma.PRESET_EXTREME)
    FOLDER.mkdir(exist_ok=True)
    return (FOLDER / f"{name}.jsonl.xz").write_bytes(packed)


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for a while, in memory where that can be: a commit on a disk takes long."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(prefix="golden-", dir=memory if memory.is_dir() else None) as made:
        yield Path(made)


def plain(value: Any) -> Any:
    """Return a value as JSON has it, so that what is made now is compared with what was read."""
    return json.loads(json.dumps(value))


def unpack_store(name: str, folder: Path) -> Path:
    """Unpack a recorded store into a folder of its own; return that."""
    store = folder / name
    store.mkdir()
    (store / "moot.db").write_bytes(lzma.decompress((STORES / f"{name}.db.xz").read_bytes()))
    return store


def split(value: Any, *, worded: bool = False) -> tuple[Any, Any]:
    """Return the figures and the words of a JSON value, both with its structure.

    A text without white space is a figure, since it is a name or an answer. Of a sentence the
    figures are the numerals in it, and the words are the whole.
    """
    if isinstance(value, str):
        if worded or SPACE.search(value):
            return NUMERAL.findall(value), value
        return value, None
    if isinstance(value, dict):
        parts = {key: split(each, worded=key in WORDED) for key, each in value.items()}
        figures = {key: part[0] for key, part in parts.items()}
        return figures, {key: part[1] for key, part in parts.items() if part[1] not in EMPTY}
    if isinstance(value, list):
        pairs = [split(each, worded=worded) for each in value]
        words = {str(k): part[1] for k, part in enumerate(pairs) if part[1] not in EMPTY}
        return [part[0] for part in pairs], words
    return value, None
