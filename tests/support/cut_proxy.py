"""A proxy before a server that cuts one connection: at the N-th message of its clients."""

import asyncio
from contextlib import suppress
from threading import Thread
from typing import Self


class CutProxy:
    """Passes on what clients and the server say, until the message at which it cuts.

    It has a thread of its own, as what opens a store waits for its database in the event loop's.

    Attributes:
        port: where it listens, on this machine.
        seen: messages of clients by now, as they arrive together.
        met: whether it has cut a connection.
    """

    def __init__(self, port: int) -> None:
        self._to, self.port = port, 0
        self.seen, self.met = 0, False
        self._at, self._forwarded = 0, False
        self._tasks: set[asyncio.Task[None]] = set()

    def cut(self, number: int, *, forwarded: bool) -> None:
        """Cut the connection at the message of this number, from 1; count from here on.

        Args:
            number: of the message.
            forwarded: whether the server still gets it: then its answer is lost, no message.
        """
        self.seen, self.met, self._at, self._forwarded = 0, False, number, forwarded

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        start = asyncio.start_server(self._connected, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(start, self._loop).result(10)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _end(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        behind, before = await asyncio.open_connection("127.0.0.1", self._to)
        back = asyncio.create_task(_pass_on(behind, writer))
        try:
            while message := await reader.read(1 << 20):
                self.seen += 1
                if self.seen == self._at:
                    self.met = True
                    if self._forwarded:
                        back.cancel()
                        await asyncio.gather(back, return_exceptions=True)
                        before.write(message)
                        await before.drain()
                        with suppress(TimeoutError):  # to a part of a message there is none
                            await asyncio.wait_for(behind.read(1 << 20), 2)
                    return
                before.write(message)
                await before.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            back.cancel()
            for each in (writer, before):
                each.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while message := await reader.read(1 << 20):
            writer.write(message)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
