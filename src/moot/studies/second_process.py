"""Measuring the debates of a run in a second process, where they are many and end fast.

Where replies take no time, to measure a debate is as much work as to hold it. The second process is
given transcripts as they are stored, and gives back what ``pack_debate`` makes of them. So it
measures what ``moot measure`` would measure.
"""

import asyncio
import gc
import os
from collections.abc import Sequence
from contextlib import suppress
from socket import SHUT_RDWR, socket, socketpair

import msgspec

from moot.core.children import ChildProcess, begin_child, receive, send
from moot.core.events import Transcript
from moot.core.readings import readings
from moot.core.stored import decode_transcript
from moot.ledger.stored_records import PackedDebate, encode, pack_debate
from moot.metrics.metric import measure
from moot.runtime.collector import SELDOM
from moot.studies.debate_origins import digest_metrics

Code = tuple[bytes | None, list[str]]
"""What values depend on besides transcripts: the digest of all metrics, the kinds of readings."""

_LARGE = 1 << 20
"""The bytes of transcripts after which a message is sent."""
_encode = msgspec.msgpack.Encoder().encode
_decode_code = msgspec.msgpack.Decoder(Code).decode
_decode_transcripts = msgspec.msgpack.Decoder(list[bytes]).decode
_decode_packed = msgspec.msgpack.Decoder(list[PackedDebate]).decode


class SecondProcess:
    """A process that measures debates as this one would.

    There is none where this process may use one core alone, where a metric is code without a file,
    or where the user's script brings metrics or readings, since no other process runs that script.

    Attributes:
        ready: whether it can be given debates.
    """

    def __init__(self) -> None:
        self.ready = False
        self._starting: asyncio.Task[None] | None = None
        self._link: socket | None = None

    def start(self) -> None:
        """Start it, if it was not started before; wait for nothing."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())

    async def _start(self) -> None:
        own = describe_code()
        if own[0] is None or count_cores() < 2:
            return
        with suppress(Exception):  # without it this process measures all
            self._link, there = socketpair()
            with there:
                ChildProcess(target=measure_for, args=[there], daemon=True).start()
            self.ready = _decode_code(await asyncio.to_thread(receive, self._link)) == own

    async def pack(self, transcripts: Sequence[Transcript]) -> list[PackedDebate] | None:
        """Return debates as they are stored; None where this process has to do it, now and later.

        Args:
            transcripts: of questions that are not secret.
        """
        try:
            return await asyncio.to_thread(self._pack, transcripts)
        except Exception:  # noqa: BLE001 -- this process can do it, or meets the same error
            self.ready = False
            return None

    def _pack(self, transcripts: Sequence[Transcript]) -> list[PackedDebate]:
        packed: list[PackedDebate] = []
        message, size = list[bytes](), 0
        for transcript in transcripts:
            message.append(encode(transcript))
            size += len(message[-1])
            if size > _LARGE:
                packed += self._ask(message)
                message, size = [], 0
        return packed + (self._ask(message) if message else [])

    def _ask(self, encoded: list[bytes]) -> list[PackedDebate]:
        assert self._link is not None
        send(self._link, _encode(encoded))
        return _decode_packed(receive(self._link))

    def close(self) -> None:
        """End it."""
        self.ready = False
        if self._starting is not None:
            self._starting.cancel()
        if self._link is not None:
            with suppress(OSError):  # it has ended already
                self._link.shutdown(SHUT_RDWR)
            self._link.close()


def measure_for(parent: socket) -> None:
    """Measure debates for another process, until it closes the connection."""
    begin_measuring()
    with parent, suppress(Exception):  # an error of a metric: the other process meets it again
        send(parent, _encode(describe_code()))
        while True:
            transcripts = _decode_transcripts(receive(parent))
            send(parent, _encode([_measure(each) for each in transcripts]))


def begin_measuring() -> None:
    """Make a process ready to measure."""
    begin_child()
    gc.freeze()
    gc.set_threshold(*SELDOM)


def _measure(encoded: bytes) -> PackedDebate:
    transcript = decode_transcript(encoded, "a transcript")
    return pack_debate(transcript, measure(transcript), encoded)


def describe_code() -> Code:
    """Return what values depend on besides transcripts; without a digest where there is none."""
    return digest_metrics(), readings.names()


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
