"""Formats of foreign logs: how each is recognised and read, one file each."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from moot import InputError
from moot.contrib.imports.debate_log import LoggedDebate
from moot.contrib.imports.log_files import Log
from moot.extend.calls import Registry


class Unread(NamedTuple):
    """A part of a log that could not be read.

    Attributes:
        place: the file with the line or the key.
        why: what is wrong there, and what would be right.
    """

    place: str
    why: str


Look = Callable[[Log], str]
"""From a log to what it misses of a format, in a few words; empty where it fits."""
Read = Callable[[Log], Iterator[LoggedDebate | Unread]]
"""From a log that fits to its debates in order; raises ``InputError`` for a damaged file."""


class LogFormat(NamedTuple):
    """A format of logs.

    Attributes:
        name: as ``--as`` takes it.
        look: cheap: it reads the beginning of a few files at most.
        read: yields the debates one by one.
        about: the format in a few words.
    """

    name: str
    look: Look
    read: Read
    about: str


registry: Registry[LogFormat] = Registry(
    "log format", "moot.contrib.imports.formats", group="moot.logs", table="FORMATS"
)


def log_format(name: str, *, look: Look) -> Callable[[Read], LogFormat]:
    """Register a function ``Log -> Iterator[LoggedDebate | Unread]`` as the reader of a format.

    Args:
        name: as ``--as`` takes it.
        look: returns what a log misses of the format; empty where it fits.
    """

    def register(read: Read) -> LogFormat:
        made = LogFormat(name, look, read, (read.__doc__ or "").partition("\n")[0])
        registry.add(name, made)
        return made

    return register


def find_format(log: Log, named: str | None = None) -> LogFormat:
    """Return the format of a log.

    Args:
        log: the log.
        named: the name of the format, where the user gave one.

    Raises:
        InputError: none fits, or several do; the text says what each misses.
    """
    if named is not None:
        return registry.get(named, where="--as")
    missed = {each.name: _look(each, log) for each in registry}
    fits = [name for name, why in missed.items() if not why]
    if len(fits) > 1:
        raise InputError(f"{log.path}: fits several formats; choose with --as: {', '.join(fits)}")
    if not fits:
        lines = [f"  {name}: {why}" for name, why in missed.items()]
        lines += [f"  {name}: cannot be loaded: {why}" for name, why in registry.broken.items()]
        lines += [f"  {note.place}: {note.what}" for note in log.notes[:10]]
        raise InputError(
            f"{log.path}: fits no format; --mapping-draft writes a first mapping for it, "
            "--as names a format:\n" + "\n".join(lines)
        )
    return registry.get(fits[0])


def _look(form: LogFormat, log: Log) -> str:
    try:
        return form.look(log)
    except InputError as error:
        return str(error)
