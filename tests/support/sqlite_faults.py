"""A file system for SQLite that fails once: at the N-th write, read, sync or opening.

It lies over the usual one, in this process, as SQLite's own tests do it: ``sqlite3_vfs_register``
gets a copy whose files have our functions for reading, writing and syncing. No file is faked.
"""

import ctypes
import ctypes.util
import sqlite3
from collections import Counter
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_void_p, cast

CODES = {"write": 10 | 3 << 8, "read": 10 | 1 << 8, "sync": 10 | 4 << 8, "open": 14}
"""By operation, SQLite's code for its failure: SQLITE_IOERR_WRITE, …_READ, …_FSYNC, CANTOPEN."""
FULL = 13
"""SQLITE_FULL: what a write fails with where the disk is full."""

READ = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
SYNC = CFUNCTYPE(c_int, c_void_p, c_int)
OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))
"""The name is passed on as it is: SQLite keeps it as long as the file is open."""


class _Methods(Structure):
    """The first fields of ``sqlite3_io_methods``; the others are copied with them."""

    _fields_ = (
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", c_void_p),
        ("truncate", c_void_p),
        ("sync", c_void_p),
        ("others", c_void_p * 13),
    )


class _File(Structure):
    _fields_ = (("methods", POINTER(_Methods)),)


class _Vfs(Structure):
    """``sqlite3_vfs``."""

    _fields_ = (
        ("version", c_int),
        ("size_of_file", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", c_void_p),
        ("others", c_void_p * 14),
    )


class Faults:
    """The file system, once installed.

    Attributes:
        seen: how often each operation was asked for.
        failed: the operations that failed.
    """

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.failed: list[str] = []
        self._at: tuple[str, int, int] | None = None
        self._kept: list[object] = []  # what SQLite points to
        self._methods: dict[int, tuple[_Methods, object]] = {}

    def fail(self, operation: str, number: int, code: int | None = None) -> None:
        """Fail the operation of this number, from 1, and no other; count from here on."""
        self.seen.clear()
        self._at = (operation, number, code or CODES[operation])

    def _meets(self, operation: str) -> int:
        """Count an operation; return the code that it fails with, or 0."""
        self.seen[operation] += 1
        if self._at is None or self._at[:2] != (operation, self.seen[operation]):
            return 0
        self.failed.append(operation)
        return self._at[2]

    def install(self) -> "Faults":
        """Make it the file system of this process's connections from now on."""
        library = ctypes.CDLL(ctypes.util.find_library("sqlite3"))
        version = library.sqlite3_libversion
        version.restype = c_char_p
        assert version().decode() == sqlite3.sqlite_version, "Python has another SQLite"
        library.sqlite3_vfs_find.restype = POINTER(_Vfs)
        usual = library.sqlite3_vfs_find(None)
        own = _Vfs.from_buffer_copy(usual.contents)
        usual_open = cast(own.open, OPEN)

        @OPEN
        def open_file(vfs: int, name: int, file: int, flags: int, out: object) -> int:
            if code := self._meets("open"):
                # The file must say that it is not open: it has no methods.
                cast(file, POINTER(_File)).contents.methods = POINTER(_Methods)()
                return code
            code = usual_open(vfs, name, file, flags, out)
            if code == 0:
                opened = cast(file, POINTER(_File)).contents
                opened.methods = ctypes.pointer(self._wrap(opened.methods))
            return code

        own.open, own.name, own.next = cast(open_file, c_void_p), b"failing", None
        self._kept += [library, usual, own, open_file]
        assert library.sqlite3_vfs_register(byref(own), 1) == 0
        return self

    def _wrap(self, methods: "ctypes._Pointer[_Methods]") -> _Methods:
        """Return methods of a file that may fail; the same for the same methods."""
        address = ctypes.addressof(methods.contents)
        if address in self._methods:
            return self._methods[address][0]
        made = _Methods.from_buffer_copy(methods.contents)
        usual_read, usual_write = cast(made.read, READ), cast(made.write, READ)
        usual_sync = cast(made.sync, SYNC)

        @READ
        def read(file: int, to: int, size: int, at: int) -> int:
            return self._meets("read") or usual_read(file, to, size, at)

        @READ
        def write(file: int, of: int, size: int, at: int) -> int:
            return self._meets("write") or usual_write(file, of, size, at)

        @SYNC
        def sync(file: int, flags: int) -> int:
            return self._meets("sync") or usual_sync(file, flags)

        made.read, made.write = cast(read, c_void_p), cast(write, c_void_p)
        made.sync = cast(sync, c_void_p)
        self._methods[address] = made, (read, write, sync)
        return made
