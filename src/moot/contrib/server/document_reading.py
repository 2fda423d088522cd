"""Document reading: each document of a client in a process of its own, with a clock and a limit."""

import asyncio
import os
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from weakref import WeakValueDictionary

from moot import InputError, MootError
from moot.contrib.documents.document_parts import DocumentFile
from moot.extend.calls import ChildProcess

READING = 60.0
"""Seconds that a document may take to be read, from when its process begins."""
MEMORY = 2**30
"""Bytes that a process may take beside what it has when it begins."""
PROCESSES = 3
"""Documents that are read at once; of one client's session it is one."""
WAIT = 20.0
"""Seconds that a document waits for others before the client is asked to come back."""


class ReadersFull(MootError):
    """A document is refused, since the documents of others are being read.

    Attributes:
        retry_after: seconds after which the client may try again.
    """

    retry_after = WAIT


class DocumentReading:
    """Reads documents of clients, so that a slow or a huge one costs its owner alone."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(PROCESSES, thread_name_prefix="moot-reading")
        self._free = asyncio.Semaphore(PROCESSES)
        self._owners: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._clients: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._processes: set[SpawnProcess] = set()
        self._closed = False

    async def read(
        self, owner: str, name: str, content: bytes, parts: Path, *, client: str = ""
    ) -> None:
        """Read a document, and keep what was read of it.

        Args:
            owner: of whom one document is read at a time.
            name: of the document, which says what it is.
            content: its bytes.
            parts: where to keep what was read.
            client: whose it is; one client never has all processes.

        Raises:
            InputError: it cannot be read, or not within its time or memory; names the document.
            ReadersFull: the documents of others are being read.
        """
        lock = self._owners.setdefault(owner, asyncio.Lock())
        async with lock, self._slot(name, client):
            made: list[SpawnProcess] = []
            loop = asyncio.get_running_loop()
            job = loop.run_in_executor(self._threads, self._run, made, name, content, parts)
            try:
                told = await asyncio.shield(job)
            except asyncio.CancelledError:  # the client is gone
                await _end(made, job)
                raise
        if told:
            raise InputError(told)

    @asynccontextmanager
    async def _slot(self, name: str, client: str) -> AsyncIterator[None]:
        own = self._clients.setdefault(client, asyncio.Semaphore(max(1, PROCESSES - 1)))
        async with AsyncExitStack() as places:
            try:
                async with asyncio.timeout(WAIT):
                    await places.enter_async_context(own)
                    await places.enter_async_context(self._free)
            except TimeoutError:
                raise ReadersFull(
                    f"{name}: this server reads other documents now; try again in {WAIT:g} s"
                ) from None
            yield

    def _run(self, made: list[SpawnProcess], name: str, content: bytes, parts: Path) -> str:
        """Read a document in a process; return why it cannot be read, empty where it can."""
        if self._closed:
            return f"{name}: the server stops"
        here, there = get_context("spawn").Pipe(duplex=False)
        process = ChildProcess(
            target=_read, args=(there, name, content, str(parts), MEMORY), name="moot-document"
        )
        with here:
            process.start()
            there.close()
            made.append(process)
            self._processes.add(process)
            try:
                return _await_result(here, name)
            finally:
                process.kill()
                process.join()
                self._processes.discard(process)

    def close(self) -> None:
        """End all reading."""
        self._closed = True
        for process in [*self._processes]:
            process.kill()
        self._threads.shutdown(wait=False, cancel_futures=True)


async def _end(made: list[SpawnProcess], job: "asyncio.Future[str]") -> None:
    """End a process whose result nobody waits for, and wait until it is gone."""
    while not job.done():
        for process in made:
            process.kill()
        with suppress(asyncio.CancelledError, TimeoutError):
            await asyncio.wait_for(asyncio.shield(job), 0.1)


def _await_result(pipe: Connection, name: str) -> str:
    """Return what a process tells, by its clock; why it told nothing where it did not."""
    try:
        for _ in ("begun", "read"):
            if not pipe.poll(READING):
                return f"{name}: it could not be read within {READING:g} s"
            told: str = pipe.recv()
    except (EOFError, OSError):
        return f"{name}: reading it ended"
    return told


def _read(pipe: Connection, name: str, content: bytes, parts: str, memory: int) -> None:
    """Read a document, keep it and tell why it cannot be read: the work of a process."""
    ChildProcess.begin()
    _limit_memory(memory)
    pipe.send("begun")
    told = ""
    try:
        Path(parts).parent.mkdir(exist_ok=True, mode=0o700)
        DocumentFile.keep(Path(parts), content, DocumentFile.read(name, content))
    except InputError as error:
        told = str(error)
    except OSError as error:
        told = f"{name}: it could not be kept: {error.strerror}"
    except MemoryError:
        told = f"{name}: it could not be read with {memory // 2**20:,} MB of memory"
    except Exception as error:  # noqa: BLE001 -- libraries raise anything over a damaged file
        told = f"{name}: it could not be read ({type(error).__name__})"
    pipe.send(told)


def _limit_memory(memory: int) -> None:
    """Have the system refuse this process more memory than it may have, where systems can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        limit = pages * os.sysconf("SC_PAGE_SIZE") + memory
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
