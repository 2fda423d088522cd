"""Files that are never half written: each is written beside its place and moved there."""

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from errno import EACCES, EDQUOT, EFBIG, EIO, EISDIR, ENOSPC
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE

from moot.core.errors import InputError, OutputError

Content = bytes | str | Iterable[bytes | str]
"""The content of a file, or its pieces; texts are written in UTF-8."""

_LINKS = 40
"""The most symbolic links on the way to a file, as in Linux."""
_NAME = 40
"""Characters of a file's name in the name of its unfinished form: all may be too many."""


def expand_home(path: str | Path, what: str) -> Path:
    """Return a path with the home of a user in place of ``~`` or ``~NAME``.

    Args:
        path: the path.
        what: its purpose, for the error's text.

    Raises:
        InputError: the user does not exist.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise InputError(
            f"{what} {path}: there is no user {Path(path).parts[0][1:]!r}, or its home is not "
            "known; write the folder out"
        ) from None


def read_small(path: Path, *, most: int = 16 << 20) -> bytes:
    """Return the content of a file or a pipe of at most so many bytes.

    Raises:
        OSError: it cannot be read, or has more bytes; a device may have no end.
    """
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(EFBIG, f"it has more than {most >> 20} MB", str(path))
    return data


def write_file(target: Path, content: Content) -> None:
    """Write a file, in place of an existing one; see ``write_files``."""
    write_files({target: content})


def write_files(contents: Mapping[Path, Content]) -> None:
    """Write files that belong together: no file is moved to its place before all are written.

    Whenever this process ends, each file is the old one or the new one. The new one has the mode
    and, if possible, the owner of the old one. A link stays a link. Missing folders are made. Pipes
    and terminals are written to directly, and so are files in a folder that cannot be written.

    Raises:
        OSError: one of them cannot be written. Existing files then stay as they were, unless moving
            the new ones fails.
    """
    moves: list[tuple[Path, Path]] = []
    with ExitStack() as undo:
        for target, content in contents.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            place = _place(target)
            unfinished = None if place is None else _make_unfinished(place)
            if place is None or unfinished is None:
                with target.open("wb") as file:
                    file.writelines(split_content(content))
                continue
            undo.callback(_remove, unfinished)
            with unfinished.open("r+b") as file:
                file.writelines(split_content(content))
                file.flush()
                os.fsync(file.fileno())
            moves.append((unfinished, place))
        for unfinished, place in moves:
            unfinished.replace(place)


def check_place(target: Path) -> None:
    """Check that a file can be written, before its content is paid for.

    The check leaves no file and no folder.

    Raises:
        OSError: the file cannot be written.
    """
    if not target.parent.exists():
        there = next(each for each in target.parents if each.exists() or each.is_symlink())
        _remove(_make_unfinished(there / target.name))
        return
    place = _place(target)
    unfinished = None if place is None else _make_unfinished(place)
    _remove(unfinished)
    if unfinished is not None:
        return
    if target.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(target))
    if not os.access(target, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES), str(target))


def output_error(what: str, error: OSError) -> Exception:
    """Return the error to raise where a file cannot be written.

    Args:
        what: the file and its purpose.
        error: the system's error.

    Returns:
        ``OutputError`` for a full or broken disk, the error itself for a pipe without a reader,
        else ``InputError``, since the path is wrong.
    """
    if isinstance(error, BrokenPipeError):
        return error
    kind = OutputError if error.errno in {EDQUOT, EFBIG, EIO, ENOSPC} else InputError
    return kind(f"{what}: cannot be written: {error.strerror or error}")


def _place(target: Path) -> Path | None:
    """Return the path of a file behind links; None where it must be written to directly."""
    path = target
    for _ in range(_LINKS):
        if path.parent.resolve().match("/proc/*/fd"):  # as /dev/stdout: an open file
            return None
        if not path.is_symlink():
            return path if path.is_file() or not path.exists() else None
        path = path.parent / path.readlink()
    return None  # a circle of links; the system raises the error


def _make_unfinished(place: Path) -> Path | None:
    """Make an empty file beside a place, with the mode of the file, and return its path.

    It is None where no file can be made, but the existing one can be written.
    """
    there = place.exists()
    if there and not os.access(place, os.W_OK):
        place.open("r+b").close()  # raises the system's error
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


def split_content(content: Content) -> Iterable[bytes]:
    """Return a file's content as bytes, in one piece or in several."""
    pieces = [content] if isinstance(content, bytes | str) else content
    return (piece.encode(errors="replace") if isinstance(piece, str) else piece for piece in pieces)
