"""Packed golden files: a group of named values, as JSON lines under xz."""

import json
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

FOLDER = Path(__file__).parent / "data"
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
