"""Batches as files: the calls that wait, for an offline engine, and the replies that it wrote.

The lines are those of the batches API, which ``vllm run-batch`` reads and writes, too. A line's
``custom_id`` is the identity of its call, in hexadecimal digits.
"""

import logging
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Protocol, Self

import msgspec

from moot.core.calls import Call, Reply
from moot.core.display_text import format_things
from moot.core.encoding import describe_not_json, drop_mark
from moot.core.errors import NOT_JSON, InputError, ModelError, TransientError
from moot.core.ports import BatchModel
from moot.ledger.batches import Batches, RefusedCall
from moot.models.refusals import find_status
from moot.runtime.gathered_calls import Batch

ENDING = ".jsonl"
_FAILED = 500
"""The status of a line that failed and says no status."""

log = logging.getLogger("moot.studies")


class _LineResponse(msgspec.Struct):
    status_code: int = 200
    """0 where the line was never answered, though its batch has ended."""
    body: msgspec.Raw = msgspec.Raw(b"null")


class _ReplyLine(msgspec.Struct):
    custom_id: str
    response: _LineResponse | None = None
    error: msgspec.Raw = msgspec.Raw(b"null")


class _Error(msgspec.Struct):
    """What an error says of its status: vLLM puts it in ``code``, or in an object of its own."""

    code: Any = None
    error: Any = None


class _CallLine(msgspec.Struct):
    custom_id: str
    method: str
    url: str
    body: msgspec.Raw


class _Place(NamedTuple):
    """Where a line stands: the number of its file, its first byte, its length."""

    file: int
    start: int
    length: int


class ReplyFiles:
    """The replies in files that an engine wrote. Only their places are held in memory.

    Args:
        files: the files; of several lines of one call the last with a reply counts.

    Attributes:
        used: the calls whose lines were asked for.

    Raises:
        InputError: a file cannot be read, or a line is no reply.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self._files = tuple(files)
        self._places: dict[bytes, _Place] = {}
        self._open = ExitStack()
        self._streams: list[BinaryIO] = []
        self.used: set[bytes] = set()
        for number, file in enumerate(self._files):
            try:
                self._streams.append(self._open.enter_context(file.open("rb")))
                self._read_places(number, file)
            except OSError as error:
                self.close()
                raise InputError(f"--replies {file}: {error.strerror}") from None
            except InputError:
                self.close()
                raise

    def _read_places(self, number: int, file: Path) -> None:
        start = 0
        good = dict[bytes, bool]()
        for at, text in enumerate(self._streams[number], 1):
            if text.strip():
                line = _read_line(text, f"--replies {file}, line {at}")
                key = _key_of(line.custom_id)
                answered = line.response is not None and 200 <= line.response.status_code < 300
                if key is not None and (answered or not good.get(key)):
                    self._places[key], good[key] = _Place(number, start, len(text)), answered
                elif key is None:
                    self._places.setdefault(line.custom_id.encode(), _Place(number, start, 0))
            start += len(text)

    def find(self, key: bytes) -> tuple[int, bytes] | None:
        """Return the status and the body of a call's response; None where there is none."""
        place = self._places.get(key)
        if place is None:
            return None
        self.used.add(key)
        stream = self._streams[place.file]
        stream.seek(place.start)
        line = _read_line(stream.read(place.length), f"--replies {self._files[place.file]}")
        status = 0 if line.response is None else line.response.status_code
        if line.response is not None and bytes(line.response.body) != b"null":
            return status or _FAILED, bytes(line.response.body)
        return status or _find_status(line.error), bytes(line.error)

    @property
    def unused(self) -> int:
        """The number of calls in the files that were not asked for."""
        return len(self._places) - len(self.used)

    def close(self) -> None:
        """Close the files."""
        self._open.close()


class BatchCarrier(Batch, Protocol):
    """What carries the waiting calls of a run away and brings the replies, pass after pass."""

    async def prepare(self, run: int) -> dict[str, int]:
        """Get ready for a pass over all debates of a run.

        Returns:
            The calls that are still under way, by where they are; then there is no pass yet.
        """

    async def finish(self) -> dict[str, int]:
        """End a pass, and carry away what waits; return how many calls wait, by where they are."""

    async def pause(self) -> bool:
        """Wait for a while; False where this process is not to wait for replies."""


class BatchFiles:
    """A batch as files (``moot.runtime.gathered_calls.Batch``).

    Args:
        to: the file for the calls that wait; None to count them only. Where several models wait,
            each has a file of its own beside it.
        replies: files with replies.
        store: keeps which calls have failed, and how often; None to forget them.
        attempts: a call that may pass has failed for good after so many failures.

    Attributes:
        models: the models whose calls wait, by name.

    Raises:
        InputError: a file cannot be read or written.
    """

    tested: set[str] | None = None

    def __init__(
        self,
        to: Path | None,
        replies: Iterable[Path] = (),
        *,
        store: Batches | None = None,
        attempts: int = 6,
    ) -> None:
        replies = tuple(replies)
        if to is not None and to.suffix != ENDING:
            raise InputError(f"--batch {to}: write a file that ends in {ENDING}")
        if to is not None and to.resolve() in {each.resolve() for each in replies}:
            raise InputError(f"--batch {to}: it is the file of replies; give another")
        self._to = to
        self._replies = ReplyFiles(replies)
        self._store, self._run = store, 0
        self._attempts = attempts
        self._known: dict[bytes, RefusedCall] = {}
        self._refused: dict[bytes, RefusedCall] = {}
        self.models: dict[str, BatchModel] = {}
        self._gathered: set[bytes] = set()
        self._streams: dict[str, BinaryIO] = {}
        self._counts: Counter[str] = Counter()
        self._secret = 0
        self._failed: Counter[str] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._replies.close()
        for stream in self._streams.values():
            stream.close()
        if error is not None:  # an unfinished file must not be taken for a whole one
            for number in range(len(self._streams)):
                self._part(number).unlink(missing_ok=True)

    def find(self, model: BatchModel, call: Call, key: bytes) -> Reply | None:
        """Return the reply that came in for a call; None where there is none, or may be again.

        Raises ``ModelError`` where the call has failed for good.
        """
        if key in self._gathered:
            return None
        known = self._known.get(key)
        found = self._replies.find(key)
        if found is None:
            if known is None or known.tries is not None:
                return None
            found = known[:2]
        try:
            return model.read_batch(call, *found)
        except ModelError as error:
            if isinstance(error, TransientError) and (known is None or known.tries is not None):
                tries = 1 + ((known and known.tries) or 0)
                if tries < self._attempts:
                    self._refused[key] = RefusedCall(found[0], b"", tries)
                    self._failed[str(error)] += 1
                    return None
            self._refused[key] = RefusedCall(*found)
            raise

    def waits(self, key: bytes) -> bool:
        """Return whether a call was gathered already."""
        return key in self._gathered

    def share(self, model: BatchModel) -> float:  # noqa: ARG002 -- as of ``Batch``
        """Return 1: an engine has no price for batches."""
        return 1.0

    def add(self, model: BatchModel, call: Call, key: bytes) -> None:
        """Gather a call."""
        self._gathered.add(key)
        self.models[model.name] = model
        self._counts[model.name] += 1
        self._secret += bool(call.scene is not None and call.scene.question.secret)
        if self._to is None:
            return
        stream = self._streams.get(model.name)
        if stream is None:
            try:
                stream = self._part(len(self._streams)).open("wb")
            except OSError as error:
                raise InputError(f"--batch {self._to}: {error.strerror}") from None
            self._streams[model.name] = stream
        body = msgspec.Raw(model.batch_body(call))
        line = _CallLine(key.hex(), "POST", model.batch_url, body)
        stream.write(msgspec.json.encode(line) + b"\n")

    def _part(self, number: int) -> Path:
        """Return the name that a file has until it is whole."""
        assert self._to is not None
        return self._to.with_name(f"{self._to.name}.{number}.part")

    async def prepare(self, run: int) -> dict[str, int]:
        """Look up the calls of a run that have failed; return an empty mapping."""
        self._run = run
        if self._store is not None:
            self._known = self._store.list_refused(run)
        return {}

    async def pause(self) -> bool:
        """Return False: an engine writes its replies when this process has ended."""
        return False

    async def finish(self) -> dict[str, int]:
        """Give the files of waiting calls their names, and log which replies were of no use.

        Returns:
            The number of calls that wait, by the file they are in; by the model's name where they
            are only counted.
        """
        await self.end()
        if self._to is None:
            return dict(self._counts)
        if self._secret:
            lines = format_things(self._secret, "line")
            log.warning("%s: %s with a question that must not be published", self._to, lines)
        waiting = {}
        for model, part in self.close_parts().items():
            file = self._to if len(self._streams) == 1 else _name_for(self._to, model)
            part.replace(file)
            waiting[str(file)] = self._counts[model]
        return waiting

    def close_parts(self) -> dict[str, Path]:
        """Close the files of waiting calls; return them by the model's name."""
        for stream in self._streams.values():
            stream.close()
        return {model: self._part(number) for number, model in enumerate(self._streams)}

    async def end(self) -> None:
        """Keep which calls have failed; log which wait again, and which replies had no use.

        Where no call waits, the run is done: failed calls may go out when it is run again.
        """
        if self._store is not None and self._counts:
            await self._store.refuse(self._run, self._refused)
        elif self._store is not None:
            await self._store.forget(self._run)
        for reason, number in self._failed.most_common():
            calls, verb = format_things(number, "call"), "waits" if number == 1 else "wait"
            log.warning("%s failed and %s again: %s", calls, verb, reason)
        if unused := self._replies.unused:
            told = "is not of a call" if unused == 1 else "are not of calls"
            log.warning("%s %s that this run makes now", format_things(unused, "reply"), told)


def _name_for(to: Path, model: str) -> Path:
    """Return the name of a model's own file."""
    own = re.sub(r"[^\w.-]+", "-", model).strip("-.")
    return to.with_name(f"{to.stem}.{own}{ENDING}")


def _read_line(text: bytes, where: str) -> _ReplyLine:
    try:
        return msgspec.json.decode(drop_mark(text), type=_ReplyLine)
    except NOT_JSON as error:
        raise InputError(
            f"{where}: {describe_not_json(error, text)}; expected a line of an output "
            'file of a batch: {"custom_id": …, "response": {"status_code": 200, "body": {…}}, '
            '"error": null}'
        ) from None


def _key_of(name: str) -> bytes | None:
    """Return the identity of a call that a ``custom_id`` is; None for one that is none."""
    try:
        key = bytes.fromhex(name)
    except ValueError:
        return None
    return key if len(key) == 16 else None


def _find_status(error: msgspec.Raw) -> int:
    """Return the HTTP status that an error object names; 500 where it names none."""
    try:
        found = msgspec.json.decode(error, type=_Error)
    except NOT_JSON:
        return _FAILED
    return find_status({"code": found.code}) or find_status(found.error) or _FAILED
