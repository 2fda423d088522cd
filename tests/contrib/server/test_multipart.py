"""Forms with files: read within limits, whatever their pieces are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from moot.contrib.server.config import UploadLimits
from moot.contrib.server.multipart import FIELDS, read_multipart
from moot.core.errors import InputError

TYPE = "multipart/form-data; boundary=x"


def part(content: bytes, name: str = "files", filename: str | None = None) -> bytes:
    named = "" if filename is None else f'; filename="{filename}"'
    said = f'form-data; name="{name}"{named}'
    head = f"--x\r\nContent-Disposition: {said}\r\n\r\n"
    return head.encode() + content + b"\r\n"


async def read(body: bytes, *, step: int = 7, kind: str = TYPE, **limits):
    pieces = [body[at : at + step] for at in range(0, len(body), step)] or [b""]

    async def receive():
        piece = pieces.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

    scope = {"type": "http", "headers": [(b"content-type", kind.encode())]}
    return await read_multipart(Request(scope, receive), UploadLimits(**limits))


@given(st.binary(max_size=60), st.text(max_size=20), st.integers(1, 50))
async def test_fields_and_files_are_whole_whatever_the_pieces(content, text, step):
    body = part(content, filename="a é.txt") + part(text.encode(), "proposition")
    found = await read(body + part(b"", filename="") + b"--x--\r\n", step=step)
    assert found.fields == {"proposition": text}
    assert [tuple(each) for each in found.files] == [("a é.txt", content)]


async def test_a_file_too_large_or_too_many_is_told_and_the_fields_stay():
    body = part(b"12345", filename="a.txt") + part(b"1234", filename="b.txt")
    body += part(b"1", filename="c.txt") + part(b"yes", "proposition") + b"--x--\r\n"
    found = await read(body, file=4, files=1)
    assert found.fields == {"proposition": "yes"}
    assert [each.name for each in found.files] == ["b.txt"]
    assert found.refused == [
        "a.txt: it has more than 4 bytes",
        "c.txt: at most 1 files can be uploaded",
    ]


@pytest.mark.parametrize(
    ("body", "kind", "told"),
    [
        (b"junk", TYPE, "the body is not a form"),
        (b"", "multipart/form-data", "it has no boundary"),
        (part(b"y", "a") * (FIELDS + 1) + b"--x--\r\n", TYPE, "more than 200 fields"),
        (part(b"y" * 2_000_000, "a") + b"--x--\r\n", TYPE, "field a: it has more than 1 MB"),
        (b"--x\r\nX: " + b"y" * 2_000_000, TYPE, "Maximum header size exceeded"),
    ],
)
async def test_what_is_no_form_within_limits_is_refused(body, kind, told):
    with pytest.raises(InputError, match=told):
        await read(body, kind=kind, step=100_000)
