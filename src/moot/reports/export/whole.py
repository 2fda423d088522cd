"""Files and folders that are there in whole or not at all."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os.path import lexists
from pathlib import Path
from secrets import token_hex

from moot.core.errors import InputError
from moot.core.files import output_error


@contextmanager
def write_whole(target: Path) -> Iterator[Path]:
    """Yield a path beside ``target`` to write a file or folder to; then rename it to ``target``.

    On any error the unfinished file is removed, and there is no ``target``.

    Raises:
        InputError: ``target`` exists, or it cannot be written; nothing was changed.
        OutputError: the disk is full.
    """
    if lexists(target):
        raise InputError(f"{target}: exists already; name another place with --out, or remove it")
    if target.parent.exists() and not target.parent.is_dir():
        raise InputError(f"{target}: cannot be written: {target.parent} is no folder")
    unfinished = target.with_name(f".{target.name}.{token_hex(4)}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield unfinished
        unfinished.rename(target)
    except OSError as error:
        trouble = output_error(str(target), error)
        raise type(trouble)(f"{trouble}; nothing is left of it") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
        with suppress(OSError):  # it was a folder, it was renamed, or it was never begun
            unfinished.unlink()
