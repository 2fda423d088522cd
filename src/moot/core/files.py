"""Files that are whole or as they were: written beside their place and moved there at the end."""

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from errno import EACCES, EDQUOT, EFBIG, EIO, EISDIR, ENOSPC
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE

from moot.core.errors import InputError, OutputError

Content = bytes | str | Iterable[bytes | str]
"""What a file holds, or its pieces; texts are written in UTF-8."""

_LINKS = 40
"""Symbolic links that lead to a file, at most, as Linux has it."""
_NAME = 40
"""Characters of a file's name that its unfinished form has, too: the whole may be too long."""


def at_home(path: str | Path, what: str) -> Path:
    """A path with the home of a user in place of ``~`` or ``~NAME``.

    Raises ``InputError`` naming ``what`` it is for, where there is no such user.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise InputError(
            f"{what} {path}: there is no user {Path(path).parts[0][1:]!r}, or its home is not "
            "known; write the folder out"
        ) from None


def read_small(path: Path, *, most: int = 16 << 20) -> bytes:
    """Read a file of at most so many bytes, or a pipe to its end.

    Raises:
        OSError: it cannot be read, or has more: a device may never end.
    """
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(EFBIG, f"it has more than {most >> 20} MB", str(path))
    return data


def write_file(target: Path, content: Content) -> None:
    """Write a file, in place of one that is there; see ``write_files``."""
    write_files({target: content})


def write_files(contents: Mapping[Path, Content]) -> None:
    """Write files that belong together: none is moved to its place before all are written.

    Whenever this process ends, a file is the old one or the new one. The new one has the mode of
    the old one and, where that can be, its owner; a link stays and leads to it. Missing folders are
    made. What is no regular file, such as a pipe or a terminal, is written to as it is, and so is a
    file in a folder in which nothing can be made.

    Raises:
        OSError: one of them cannot be written. Those that are there stay as they were, unless it is
            the last step, moving them, that fails.
    """
    moves: list[tuple[Path, Path]] = []
    with ExitStack() as undo:
        for target, content in contents.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            place = _place(target)
            unfinished = None if place is None else _unfinished(place)
            if place is None or unfinished is None:
                with target.open("wb") as file:
                    file.writelines(_pieces(content))
                continue
            undo.callback(_remove, unfinished)
            with unfinished.open("r+b") as file:
                file.writelines(_pieces(content))
                file.flush()
                os.fsync(file.fileno())
            moves.append((unfinished, place))
        for unfinished, place in moves:
            unfinished.replace(place)


def check_place(target: Path) -> None:
    """Check that a file can be written there, before something is paid for that goes into it.

    Nothing is left of the check, no folder either. Raises ``OSError`` where it cannot.
    """
    if not target.parent.exists():
        there = next(each for each in target.parents if each.exists() or each.is_symlink())
        _remove(_unfinished(there / target.name))
        return
    place = _place(target)
    unfinished = None if place is None else _unfinished(place)
    _remove(unfinished)
    if unfinished is not None:
        return
    if target.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(target))
    if not os.access(target, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES), str(target))


def unwritten(what: str, error: OSError) -> Exception:
    """The error to raise where a file cannot be written.

    Args:
        what: the file, with what it is to hold.
        error: the system's.

    Returns:
        ``OutputError`` for a full or broken disk, the error itself for a pipe that nobody reads any
        more, else ``InputError``: it is the place that is wrong.
    """
    if isinstance(error, BrokenPipeError):
        return error
    kind = OutputError if error.errno in {EDQUOT, EFBIG, EIO, ENOSPC} else InputError
    return kind(f"{what}: cannot be written: {error.strerror or error}")


def _place(target: Path) -> Path | None:
    """Where a file lies, links followed; None for what can only be written to as it is."""
    path = target
    for _ in range(_LINKS):
        if path.parent.resolve().match("/proc/*/fd"):  # as /dev/stdout: an open file
            return None
        if not path.is_symlink():
            return path if path.is_file() or not path.exists() else None
        path = path.parent / path.readlink()
    return None  # links that lead round in a circle; the system says so


def _unfinished(place: Path) -> Path | None:
    """Make an empty file beside that place, of the mode it will have.

    Gives None where no file can be made there, but the one that is there can be written.
    """
    there = place.exists()
    if there and not os.access(place, os.W_OK):
        place.open("r+b").close()  # raises what the system says of it
    made = place.with_name(f".{place.name[:_NAME]}.{token_hex(8)}.part")
    try:
        made.open("xb").close()
    except PermissionError:
        if there:
            return None
        raise
    if there:
        before = place.stat()
        with suppress(OSError, AttributeError):  # another's file; Windows
            os.chown(made, before.st_uid, before.st_gid)
        made.chmod(S_IMODE(before.st_mode))
    return made


def _remove(unfinished: Path | None) -> None:
    if unfinished is None:
        return
    with suppress(OSError):  # it was moved
        unfinished.unlink()


def _pieces(content: Content) -> Iterable[bytes]:
    pieces = [content] if isinstance(content, bytes | str) else content
    return (piece.encode(errors="replace") if isinstance(piece, str) else piece for piece in pieces)
