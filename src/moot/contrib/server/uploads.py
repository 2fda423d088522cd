"""Documents that clients upload: each session's apart from all others', until they are removed."""

import asyncio
import re
import shutil
import unicodedata
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from hashlib import blake2b
from os import link, utime
from pathlib import Path
from secrets import token_urlsafe
from time import time
from typing import NamedTuple

from moot import InputError, StoreError
from moot.contrib.documents.document_parts import DocumentFile
from moot.contrib.server.config import UploadLimits
from moot.contrib.server.document_reading import DocumentReading
from moot.extend.stores import StorePlace, files_folder
from moot.extend.words import format_things

FOLDER = "uploads"
"""The folder in that of the store where the files are."""
FILES = "files"
"""The folder of a session with its files as they are now; the others are copies for debates."""
LONGEST = 100
"""Characters of a file's name."""
SWEEP = 300
"""Seconds between two looks for files that are past their time."""
_ODD = re.compile(r"[^\w .,()+-]+")


class UploadedFile(NamedTuple):
    """A file that was uploaded: its name, and its bytes in number."""

    name: str
    size: int


class UploadFolder:
    """The files of one session.

    Nothing is on the disk before the first file. The name of the folder is a digest, so that
    a reader of a transcript cannot enter the session with it.

    Args:
        path: where they are.
        limits: how much there may be.
    """

    def __init__(self, path: Path, limits: UploadLimits) -> None:
        self.path, self._limits = path, limits

    def list_files(self) -> list[UploadedFile]:
        """Return the files, by name."""
        there = sorted((self.path / FILES).glob("[!.]*"))
        return [UploadedFile(each.name, each.stat().st_size) for each in there]

    def check_room(self, name: str, size: int) -> None:
        """Check that a session may have one file more. Raises ``InputError``."""
        others = [each for each in self.list_files() if each.name != name]
        if len(others) >= self._limits.files:
            raise InputError(
                f"{name}: there are {format_things(self._limits.files, 'file')} already, which is "
                "the most"
            )
        if sum(each.size for each in others) + size > self._limits.total:
            raise InputError(
                f"{name}: together they would have more than {format_size(self._limits.total)}"
            )

    def add(self, name: str, content: bytes, parts: Path | None = None) -> None:
        """Keep a file; one of the same name is replaced. Raises ``InputError``.

        Args:
            name: of the file.
            content: its bytes.
            parts: a file with what was read of it, which becomes its own; None where it is read
                when it is needed.
        """
        self.check_room(name, len(content))
        file = self._make_folder() / name
        new = self.path / token_urlsafe(8)
        new.write_bytes(content)
        new.chmod(0o600)
        DocumentFile.find_parts(file).unlink(missing_ok=True)
        new.replace(file)
        if parts is not None:
            parts.replace(DocumentFile.find_parts(file))
        self.touch()

    def new_path(self) -> Path:
        """Return a path beside the files at which nothing is yet."""
        self._make_folder()
        return self.path / token_urlsafe(8)

    def _make_folder(self) -> Path:
        folder = self.path / FILES
        self.path.mkdir(exist_ok=True, mode=0o700)
        folder.mkdir(exist_ok=True, mode=0o700)
        return folder

    def remove(self, name: str) -> None:
        """Remove a file, and the copies of it that debates quote from."""
        if name not in {each.name for each in self.list_files()}:
            return
        for copy in [*self.path.glob(f"*/{name}")]:
            if copy.parent.name == FILES:
                copy.unlink(missing_ok=True)
                DocumentFile.find_parts(copy).unlink(missing_ok=True)
            else:
                shutil.rmtree(copy.parent, ignore_errors=True)
        if not self.list_files():
            self.clear()

    def clear(self) -> None:
        """Remove all files."""
        shutil.rmtree(self.path, ignore_errors=True)

    def touch(self) -> None:
        """Begin the time again after which the files are removed."""
        with suppress(FileNotFoundError):
            utime(self.path)

    def freeze(self) -> Path | None:
        """Return a folder with the files as they are now, which never changes; None without files.

        So a debate that goes on has the documents that it began with. The same files are the same
        folder, so that asking the same again costs nothing.
        """
        files = sorted((self.path / FILES).glob("[!.]*"))
        if not files:
            return None
        made = blake2b(digest_size=12)
        for each in files:
            made.update(f"{each.name}\n".encode() + blake2b(each.read_bytes()).digest())
        frozen = self.path / made.hexdigest()
        if not frozen.is_dir():
            new = self.path / token_urlsafe(8)
            new.mkdir(mode=0o700)
            for each in files:
                _copy(each, new / each.name)
                if DocumentFile.find_parts(each).exists():
                    _copy(DocumentFile.find_parts(each), DocumentFile.find_parts(new / each.name))
            with suppress(OSError):  # made meanwhile by another request
                new.rename(frozen)
        self.touch()
        return frozen


class Uploads:
    """The uploaded files of one server.

    Args:
        root: the folder that they are in.
        limits: how much the server keeps, and how long.
    """

    def __init__(self, root: Path, limits: UploadLimits) -> None:
        self._root, self.limits = root.absolute(), limits
        self._folders = re.compile(rf"{re.escape(str(self._root))}/[0-9a-f]{{32}}/[0-9a-f]{{24}}")
        self._reading = DocumentReading()

    def folder_of(self, client: str, session: str) -> UploadFolder:
        """Return the folder of a client's session; another client's is another folder."""
        name = blake2b(f"{client}\n{session}".encode(), digest_size=16).hexdigest()
        return UploadFolder(self._root / name, self.limits)

    def check_room(self, size: int) -> None:
        """Raise ``InputError`` where so many bytes more would be too many on this server."""
        self.sweep()
        about = (each.stat() for each in self._root.rglob("*") if each.is_file())
        there = {each.st_ino: each.st_size for each in about}  # copies are links
        if sum(there.values()) + size > self.limits.space:
            raise InputError(
                "this server has no room for more files now; remove some, or come back when those "
                f"of others are past their {self.limits.hours:g} hours"
            )

    async def take(
        self, folder: UploadFolder, name: str, content: bytes, *, client: str = ""
    ) -> None:
        """Read a document and keep it: in a process of its own, and not for long.

        Args:
            folder: of a session, of which one document is read at a time.
            name: of the document.
            content: its bytes.
            client: whose session it is.

        Raises:
            InputError: there is no room for it, it cannot be read, or it takes too long.
            ReadersFull: the documents of others are being read.
        """
        self.check_room(len(content))
        folder.check_room(name, len(content))
        if DocumentFile.is_plain(name):
            read = DocumentFile.read(name, content)
            if not any(part.text.strip() for part in read.parts):
                raise InputError(f"{name}: it has no words")
            folder.add(name, content)
            return
        parts = folder.new_path()
        try:
            await self._reading.read(str(folder.path), name, content, parts, client=client)
            folder.add(name, content, parts)
        finally:
            parts.unlink(missing_ok=True)
            if not folder.list_files():
                folder.clear()

    def holds(self, folder: object) -> bool:
        """Whether a debate's setting names documents that were uploaded here."""
        return isinstance(folder, str) and bool(self._folders.fullmatch(folder))

    def sweep(self) -> None:
        """Remove the files of all sessions that are past their time."""
        oldest = time() - self.limits.hours * 3600
        for each in self._root.glob("*"):
            with suppress(FileNotFoundError):
                if each.stat().st_mtime < oldest:
                    shutil.rmtree(each, ignore_errors=True)

    @asynccontextmanager
    async def sweep_at_times(self) -> AsyncIterator[None]:
        """Remove what is past its time, now and every few minutes while the block lasts."""

        async def sweep() -> None:
            while True:
                await asyncio.to_thread(self.sweep)
                await asyncio.sleep(SWEEP)

        task = asyncio.create_task(sweep())
        try:
            yield
        finally:
            task.cancel()
            self._reading.close()


def open_uploads(place: StorePlace, limits: UploadLimits) -> Uploads:
    """Return the uploads beside a store. Raises ``StoreError`` where there can be none."""
    root = files_folder(place) / FOLDER
    try:
        for each in (root.parent, root):
            each.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreError(f"{root} cannot be made: {error.strerror or error}") from None
    return Uploads(root, limits)


def make_safe_name(given: str) -> str:
    """Return a name that is one on every system, by which a client calls a file.

    Its path goes, and so do signs that could mean something to a system or cannot be seen.

    Raises:
        InputError: no reader knows the ending.
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", given))[-1]
    ending = DocumentFile.find_ending(last)
    stem = _ODD.sub("-", last[: len(last) - len(ending)]).strip(" .-")
    if not ending:
        raise InputError(
            f"{stem or 'a file'}: no reader knows what it is; names end in "
            f"{', '.join(DocumentFile.ENDINGS)}"
        )
    return f"{stem[:LONGEST] or 'document'}{ending}"


def format_size(size: int) -> str:
    """Return a number of bytes in words: ``10 MB``, a million bytes each."""
    for unit, one in (("MB", 10**6), ("kB", 10**3)):
        if size >= one:
            return f"{size / one:.1f}".removesuffix(".0") + f" {unit}"
    return format_things(size, "byte")


def list_sizes(files: Iterable[UploadedFile]) -> list[tuple[str, str]]:
    """Return the name and the size of each file, in words."""
    return [(each.name, format_size(each.size)) for each in files]


def _copy(file: Path, to: Path) -> None:
    try:
        link(file, to)
    except OSError:  # the disk has no hard links
        shutil.copyfile(file, to)
