"""Forms with files as browsers post them, read piece by piece within limits."""

import asyncio
from collections.abc import AsyncIterator
from typing import NamedTuple

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from moot import InputError
from moot.contrib.server.config import UploadLimits
from moot.contrib.server.uploads import format_size
from moot.extend.words import on_one_line

KIND = "multipart/form-data"
FIELDS = 200
"""The most fields of a form."""
LONGEST = 1 << 20
"""The most bytes of a field that is no file."""
AT_ONCE = 4
"""Forms with files that are read at once: their files are in memory meanwhile."""


class PostedFile(NamedTuple):
    """A file of a form: its name as the browser gives it, and its bytes."""

    name: str
    content: bytes


class PostedForm(NamedTuple):
    """A form with files.

    Attributes:
        fields: by name; of a repeated one the last.
        files: those that are within the limits.
        refused: why others are not, a sentence each that begins with the file's name.
    """

    fields: dict[str, str]
    files: list[PostedFile]
    refused: list[str]


def has_files(content_type: str) -> bool:
    """Whether a body of this type is a form with files."""
    return content_type.partition(";")[0].strip().lower() == KIND


async def read_multipart(request: Request, limits: UploadLimits) -> PostedForm:
    """Return the fields and files of a posted form.

    Nothing is kept of a file that is too large from where it is, nor of one too many, so that the
    fields are whole. Raises ``InputError`` for a body that is no form, or has too many fields.
    """
    _, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary", b"")
    if not boundary:
        raise InputError("the body is not a form: it has no boundary")
    parts = _Parts(limits)
    parser = MultipartParser(
        boundary,
        {
            "on_part_begin": parts.begin,
            "on_header_field": parts.add_name,
            "on_header_value": parts.add_value,
            "on_header_end": parts.end_header,
            "on_headers_finished": parts.open,
            "on_part_data": parts.add_data,
            "on_part_end": parts.close,
        },
    )
    async with _reading:
        await _parse(parser, request.stream())
    return PostedForm(parts.fields, parts.files, parts.refused)


_reading = asyncio.Semaphore(AT_ONCE)


async def _parse(parser: MultipartParser, stream: AsyncIterator[bytes]) -> None:
    try:
        async for piece in stream:
            parser.write(piece)
        parser.finalize()
    except FormParserError as error:
        raise InputError(f"the body is not a form: {error}") from None


class _Parts:
    """The parts of a form so far."""

    def __init__(self, limits: UploadLimits) -> None:
        self._limits = limits
        self.fields: dict[str, str] = {}
        self.files: list[PostedFile] = []
        self.refused: list[str] = []
        self._count = 0

    def begin(self) -> None:
        self._headers: dict[bytes, bytes] = {}
        self._name, self._value, self._data = b"", b"", bytearray()
        self._field, self._is_refused = "", False
        self._file: str | None = None
        self._count += 1
        if self._count > FIELDS:
            raise InputError(f"the form has more than {FIELDS} fields")

    def add_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def add_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def end_header(self) -> None:
        self._headers[self._name.lower()] = self._value
        self._name, self._value = b"", b""

    def open(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._field = options.get(b"name", b"").decode("utf-8", "replace")
        if b"filename" in options:
            self._file = options[b"filename"].decode("utf-8", "replace")
            if self._file and len(self.files) >= self._limits.files:
                self._refuse(f"at most {self._limits.files} files can be uploaded")

    def add_data(self, data: bytes, start: int, end: int) -> None:
        if self._is_refused:
            return
        self._data += data[start:end]
        if self._file is None and len(self._data) > LONGEST:
            raise InputError(f"field {self._field[:80]}: it has more than {format_size(LONGEST)}")
        if self._file and len(self._data) > self._limits.file:
            self._refuse(f"it has more than {format_size(self._limits.file)}")

    def close(self) -> None:
        if self._file is None:
            self.fields[self._field] = self._data.decode("utf-8", "replace")
        elif self._file and not self._is_refused:  # it has no name where no file was chosen
            self.files.append(PostedFile(self._file, bytes(self._data)))

    def _refuse(self, why: str) -> None:
        self._is_refused, self._data = True, bytearray()
        self.refused.append(f"{on_one_line(self._file or '')}: {why}")
