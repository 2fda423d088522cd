"""The files of a log: one file, a folder or an archive, read within bounds.

A log comes from strangers. No file is unpacked to disk, no link is followed out of the folder, no
device is read, no pickle is loaded, and nothing inflates without end.
"""

import gzip
import re
import stat
import tarfile
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property, partial
from itertools import islice
from os import walk
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

from moot import InputError
from moot.contrib.imports.json_items import JsonItems, Readable

MOST_FILES = 200_000
"""The most files of a log."""
MOST_WHOLE = 128 << 20
"""The most bytes of a file that is read as a whole."""
MOST_RATIO = 250
"""The most bytes that one packed byte may become, on average."""
MOST_TOTAL = 16 << 30
"""The most bytes that a packed log may become."""
FREE = 64 << 20
"""Bytes that a file may become whatever its ratio."""
MOST_NOTES = 1000
"""The most notes of a log."""
_PEEK = 1 << 21
_HEAD = 256
_HEADS = 32 << 20
_PIECE = 1 << 20
_PICKLES = (".p", ".pkl", ".pickle")
_PICKLED = re.compile(rb"\x80[\x02-\x05]|\([dl]p\d|[\]}]q|c[\w.]+\n\w+\n[(pq]")
_hidden = re.compile(r"(^|/)(\.[^./][^/]*|__MACOSX)/").search
_PICKLE = (
    "left out: a pickle, never loaded; moot import with this file alone says how to convert it"
)
_LINES = (".jsonl", ".ndjson")
_KNOWN = (".json", *_LINES, ".md", *_PICKLES, ".eval", ".csv", ".html")
_NOTES = {"SOURCE.json", "README.md", "LICENSE.md", "CHANGELOG.md", "package.json"}
_FAULTS = (OSError, EOFError, zlib.error, zipfile.BadZipFile, tarfile.TarError, RuntimeError)
_WHAT = {
    stat.S_ISLNK: "a link",
    stat.S_ISFIFO: "a pipe",
    stat.S_ISSOCK: "a socket",
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
}


class Note(NamedTuple):
    """Something odd in a log that was read, or a file that was left out.

    Attributes:
        place: the file, with the line.
        what: in words.
    """

    place: str
    what: str


class LogFile:
    """A file of a log.

    Args:
        name: relative to the log, with forward slashes.
        size: in bytes, as it is packed in its place.
        unpack: opens it.
        log: whose file it is.
        path: where it lies; None within an archive.
    """

    def __init__(
        self,
        name: str,
        size: int,
        unpack: Callable[[], IO[bytes]],
        log: "Log",
        path: Path | None = None,
    ) -> None:
        self.name, self.size, self.path = name, size, path
        self._unpack, self._log = unpack, log

    @cached_property
    def ending(self) -> str:
        """Its ending in small letters, without ``.gz``; of JSON without a known one ``.json``."""
        name = self.name.lower().removesuffix(".gz")
        ending = PurePosixPath(name).suffix
        if ending in _KNOWN or len(self._log.all_files) > 1:
            return ending
        with self.open() as file:
            return ".json" if file.read(_PEEK).lstrip()[:1] in {b"{", b"["} else ending

    @contextmanager
    def open(self) -> Iterator["_Counted"]:
        """Open it for reading; ``.gz`` is inflated.

        Raises:
            InputError: it cannot be read, is damaged, is a pickle, or inflates without end.
        """
        try:
            with self._unpack() as packed:
                if not self.name.lower().endswith(".gz"):
                    yield _Counted(packed, self, 0)
                    return
                with gzip.GzipFile(fileobj=packed) as inflated:
                    yield _Counted(inflated, self, self.size)
        except _FAULTS as error:
            raise InputError(f"{self.name}: cannot be read: {_describe(error)}") from error

    def read_text(self) -> str:
        """Return its text, in UTF-8.

        Raises:
            InputError: it has another encoding or too many bytes.
        """
        with self.open() as file:
            pieces = bytearray()
            while piece := file.read(_PIECE):
                pieces += piece
                if len(pieces) > MOST_WHOLE:
                    raise InputError(f"{self.name}: has more than {MOST_WHOLE >> 20} MB")
        try:
            return pieces.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(
                f"{self.name}, byte {error.start}: no UTF-8 text: {error.reason}"
            ) from None

    def read_json(self) -> Any:  # noqa: ANN401 -- any JSON
        """Return the only JSON value in it.

        Raises:
            InputError: it is damaged, too large, or has several values.
        """
        if (head := self._take_head()) and not self.is_lines:
            return head.value
        values = [value for _, value in islice(self.read_lines(), 2)]
        if len(values) != 1:
            many = "more than one JSON value" if values else "no JSON"
            raise InputError(f"{self.name}: has {many}; one is expected")
        return values[0]

    def read_lines(self) -> Iterator[tuple[int, Any]]:
        """Yield the values of JSON lines, each with its line.

        Raises:
            InputError: a line is damaged or too long.
        """
        with self.open() as file:
            yield from JsonItems(file, self.name, self._log.note).read_values()

    def iterate_items(self) -> Iterator[tuple[str | int, Any]]:
        """Yield the members of the JSON object or list in it, in bounded memory.

        The values of JSON lines are members, too. Members are numbered from 1, lines by their line,
        those of an object have their keys.

        Raises:
            InputError: it is damaged, or a member is too large.
        """
        if head := self._take_head():
            yield from head.members
        elif self.is_lines:
            yield from self.read_lines()
        else:
            with self.open() as file:
                yield from JsonItems(file, self.name, self._log.note).read_members()

    def _take_head(self) -> "_Head | None":
        """Return the beginning that was looked at where it is the whole; it is kept no longer."""
        head = self._log.heads.pop(self.name, None)
        return head if head and head.is_whole else None

    def place(self, key: str | int) -> str:
        """Return the place of a member of ``iterate_items``, for errors and for people."""
        if isinstance(key, str):
            short = key if len(key) <= 60 else f"{key[:60]}…"
            return f"{self.name}, key {short!r}"
        return f"{self.name}, {'line' if self.is_lines else 'item'} {key}"

    @cached_property
    def is_lines(self) -> bool:
        """Whether it has JSON lines: by its ending, or by two values in it."""
        if self.ending in _LINES:
            return True
        head = b""
        with self.open() as file:
            while b"\n" not in head and len(head) < FREE and (piece := file.read(_PIECE)):
                head = (head + piece).lstrip()
            first, _, rest = head.partition(b"\n")
            rest = rest.strip() or file.read(_PIECE).strip()
        first = first.strip()
        return bool(rest) and first[:1] + first[-1:] in {b"{}", b"[]"} and len(first) > 2

    def peek(self) -> Any:  # noqa: ANN401 -- any JSON
        """Return the beginning of its JSON: the first members of the object or list.

        JSON lines are as a list. It is None for a file that is no JSON.

        Raises:
            InputError: the beginning is damaged.
        """
        if self.ending not in {".json", *_LINES}:
            return None
        heads = self._log.heads
        if self.name not in heads:
            with self.open() as file:
                items = JsonItems(file, self.name, self._log.note)
                heads[self.name] = _read_head(items, is_lines=self.is_lines)
            while sum(head.size for head in heads.values()) > _HEADS and len(heads) > 1:
                del heads[next(iter(heads))]
        return heads[self.name].value


class _Head(NamedTuple):
    """The beginning of a file.

    Attributes:
        value: the object or the list of its first members.
        members: as ``LogFile.iterate_items`` yields them.
        size: in characters.
        is_whole: whether nothing follows.
    """

    value: Any
    members: list[tuple[str | int, Any]]
    size: int
    is_whole: bool


class Log:
    """A log: a file, a folder or an archive (``.zip``, ``.tar``, ``.tar.gz``, ``.tgz``).

    Args:
        path: where it lies.

    Attributes:
        path: where it lies.
        name: the last part of the path.
        notes: what was odd in it, so far.
        heads: the beginnings of files that were looked at last.

    Raises:
        InputError: it does not exist, cannot be read, or is one that is never read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        self.name = _clean(self.path.resolve().name)
        self.notes: list[Note] = []
        self._noted = set[Note]()
        self.heads: dict[str, _Head] = {}
        try:
            self.all_files = sorted(self._list(), key=lambda each: _natural(each.name))
        except _FAULTS as error:
            raise InputError(f"{self.path}: cannot be read: {_describe(error)}") from error

    def files(self, *endings: str) -> Iterator[LogFile]:
        """Yield the files with one of the endings, all without one, in natural order.

        ``.gz`` may follow an ending. Hidden files, and notes such as ``SOURCE.json``, are yielded
        when their whole name is among the endings.
        """
        for each in self.all_files:
            name = PurePosixPath(each.name).name
            shown = name not in _NOTES and not name.startswith(".")
            if name in endings or (shown and (not endings or each.ending in endings)):
                yield each

    def note(self, place: str, what: str) -> None:
        """Note something odd, once."""
        made = Note(place, what)
        if len(self.notes) < MOST_NOTES and made not in self._noted:
            self._noted.add(made)
            self.notes.append(made)

    def _list(self) -> Iterator[LogFile]:
        mode = self.path.stat().st_mode
        if stat.S_ISDIR(mode):
            yield from self._list_folder()
            return
        if not stat.S_ISREG(mode):
            what = next((what for test, what in _WHAT.items() if test(mode)), "no file")
            raise InputError(f"{self.path}: is {what}; a log is a file, a folder or an archive")
        lower = self.path.name.lower()
        if lower.endswith(".zip"):
            yield from self._list_zip()
        elif lower.endswith((".tar", ".tar.gz", ".tgz")):
            yield from self._list_tar(packed=not lower.endswith(".tar"))
        else:
            file = self._make_file(self.path, self.name)
            with file.open() as content:
                content.read(_HEAD)  # a pickle is refused before anything else
            yield file

    def _make_file(self, path: Path, name: str) -> LogFile:
        return LogFile(name, path.stat().st_size, lambda: path.open("rb"), self, path)

    def _list_folder(self) -> Iterator[LogFile]:
        root = self.path.resolve()
        count = 0
        for folder, inner, names in walk(root):
            inner[:] = [name for name in inner if not name.startswith(".")]
            links = [name for name in inner if Path(folder, name).is_symlink()]
            for name in [*links, *names]:
                path = Path(folder, name)
                shown = _clean(path.relative_to(root).as_posix())
                if (count := count + 1) > MOST_FILES:
                    raise InputError(f"{self.path}: has more than {MOST_FILES:,} files")
                if why := _leave_out(path, root):
                    self.note(shown, why)
                else:
                    yield self._make_file(path, shown)

    def _list_zip(self) -> Iterator[LogFile]:
        archive = zipfile.ZipFile(self.path)
        weakref.finalize(self, archive.close)
        infos = archive.infolist()
        total = sum(each.file_size for each in infos)
        self._check_size(len(infos), total, self.path.stat().st_size)
        for each in infos:
            if each.is_dir() or _hidden(each.filename):
                continue
            name = self._check_name(each.filename)
            if stat.S_ISLNK(each.external_attr >> 16):
                self.note(name, "left out: a link")
            elif PurePosixPath(name).suffix.lower() in _PICKLES:
                self.note(name, _PICKLE)
            else:
                yield LogFile(name, each.file_size, partial(archive.open, each), self)

    def _list_tar(self, *, packed: bool) -> Iterator[LogFile]:
        file: IO[bytes] = self.path.open("rb")
        if packed:
            file = self._inflate(file)
        weakref.finalize(self, file.close)
        archive = tarfile.open(fileobj=file, mode="r:")  # noqa: SIM115 -- closed with the log
        count = 0
        for each in archive:
            if (count := count + 1) > MOST_FILES:
                raise InputError(f"{self.path}: has more than {MOST_FILES:,} files")
            if each.isdir() or _hidden(each.name):
                continue
            name = self._check_name(each.name)
            if not each.isfile() or each.issparse():
                self.note(name, "left out: no ordinary file")
            elif PurePosixPath(name).suffix.lower() in _PICKLES:
                self.note(name, _PICKLE)
            else:
                yield LogFile(name, each.size, _tar_opener(archive, each), self)

    def _inflate(self, file: IO[bytes]) -> IO[bytes]:
        """Return an unnamed copy of a packed archive: its members are read in any order."""
        packed = self.path.stat().st_size
        total = 0
        with ExitStack() as undo:
            made = undo.enter_context(TemporaryFile())
            with file, gzip.GzipFile(fileobj=file) as inflated:
                while piece := inflated.read(_PIECE):
                    total += len(piece)
                    self._check_size(0, total, packed)
                    made.write(piece)
            made.seek(0)
            undo.pop_all()
        return made

    def _check_size(self, count: int, total: int, packed: int) -> None:
        if count > MOST_FILES:
            raise InputError(f"{self.path}: has more than {MOST_FILES:,} files")
        if total > min(FREE + MOST_RATIO * packed, MOST_TOTAL):
            raise InputError(
                f"{self.path}: a zip bomb: its {packed:,} bytes become {total:,} or more; "
                "unpack it yourself if you trust it"
            )

    def _check_name(self, name: str) -> str:
        """Return the name of a member of an archive; refuse one that leads out of it."""
        name = name.replace("\\", "/")
        if name.startswith("/") or ".." in name.split("/") or re.match(r"[A-Za-z]:", name):
            raise InputError(f"{self.path}: a member leads out of the archive: {name[:200]!r}")
        return _clean(name.removeprefix("./"))


class _Counted:
    """An open file that is no pickle, and becomes so many times its size at most."""

    def __init__(self, file: Readable, log_file: LogFile, packed: int) -> None:
        self._file, self._name, self._packed, self._total = file, log_file.name, packed, 0

    def read(self, most: int, /) -> bytes:
        data = self._file.read(most)
        if not self._total and _is_pickle(data, self._name):
            raise InputError(f"{self._name}: {_explain_pickle(self._name)}")
        self._total += len(data)
        if self._packed and self._total > min(FREE + MOST_RATIO * self._packed, MOST_TOTAL):
            grown = f"its {self._packed:,} bytes become {self._total:,} or more"
            raise InputError(f"{self._name}: a zip bomb: {grown}")
        return data


def _leave_out(path: Path, root: Path) -> str:
    """Return why a file of a folder is left out; empty for one that is read."""
    try:
        outside = path.is_symlink() and not path.resolve().is_relative_to(root)
        ordinary = stat.S_ISREG(path.stat().st_mode)
    except (OSError, RuntimeError) as error:
        return f"left out: cannot be read: {_describe(error)}"
    if outside or not ordinary:
        return "left out: a link out of the log" if outside else "left out: no ordinary file"
    return _PICKLE if path.suffix.lower() in _PICKLES else ""


def _read_head(items: JsonItems, *, is_lines: bool) -> _Head:
    """Return the first members of a file."""
    opening = "[" if is_lines else items.sign
    if opening not in {"{", "["}:
        return _Head(next(items.read_values(), (0, None))[1], [], items.passed, is_whole=False)
    members: list[tuple[str | int, Any]] = []
    is_whole = False
    for each in items.read_values() if is_lines else items.read_members():
        members.append(each)
        if items.passed > _PEEK:
            break
    else:
        is_whole = True
    value = dict(members) if opening == "{" else [value for _, value in members]
    return _Head(value, members, items.passed, is_whole)


def _is_pickle(data: bytes, name: str) -> bool:
    return name.lower().endswith(_PICKLES) or bool(_PICKLED.match(data))


def _explain_pickle(name: str) -> str:
    target = f"{PurePosixPath(name).with_suffix('')}.json"
    return (
        "a pickle: it is never loaded, since it can run any program. Where you trust it, convert "
        "it with two lines of Python:\n"
        f"import json, pickle; log = pickle.load(open({name!r}, 'rb'))\n"
        f"json.dump({{str(key): log[key] for key in log}} if isinstance(log, dict) else log, "
        f"open({target!r}, 'w'), default=str)"
    )


def _tar_opener(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    def unpack() -> IO[bytes]:
        file = archive.extractfile(member)
        assert file is not None, "an ordinary member"
        return file

    return unpack


def _clean(name: str) -> str:
    """Return a name without signs that a terminal would obey."""
    name = name.encode("utf-8", "replace").decode()
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "\ufffd", name)


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts ``10.json`` behind ``9.json``."""
    parts = re.split(r"([0-9]+)", name)
    digits = [part.lstrip("0") if number % 2 else part for number, part in enumerate(parts)]
    return [(len(part) if number % 2 else -1, part) for number, part in enumerate(digits)]


def _describe(error: BaseException) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
