import gzip
from contextlib import suppress
from hashlib import sha256

import pytest
from aiohttp import web
from msgspec.structs import replace

from moot.core.errors import InputError, MootError, StoreError
from moot.datasets import data_files
from moot.datasets.dataset import File

BODY = b"all rows\n" * 20_000


def made(url="", body=BODY):
    return File(name="rows.jsonl", url=url, sha256=sha256(body).hexdigest(), bytes=len(body))


async def missing(_):
    return web.Response(status=404, text="no such file")


async def longer(request):
    """Far more than there should be, so that only a reader that stops is done in time."""
    response = web.StreamResponse()
    await response.prepare(request)
    with suppress(ConnectionError):
        for _ in range(100_000):
            await response.write(BODY)
    return response


async def cut(request):
    response = web.StreamResponse(headers={"Content-Length": str(len(BODY))})
    await response.prepare(request)
    await response.write(BODY[:1000])
    request.transport.close()
    return response


async def test_a_file_of_unstated_size_is_known_by_its_checksum(serve, monkeypatch):
    told = []
    file = replace(made(await serve(BODY)), bytes=0)
    assert await data_files.download(file, lambda *progress: told.append(progress)) == BODY
    assert told[-1] == ("rows.jsonl", len(BODY), None)
    monkeypatch.setattr(data_files, "LARGEST", len(BODY) // 2)
    with pytest.raises(MootError, match=f"not SHA-256 {file.sha256}"):
        await data_files.download(replace(file, url=await serve(longer)), lambda *_: None)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (missing, "answered 404"),
        (BODY.replace(b"all", b"ALL"), "not the file that was published"),
        (BODY[:-1], "not the file that was published"),
        (longer, "not the file that was published"),
        (cut, "could not be downloaded"),
    ],
    ids=["missing", "other", "shorter", "longer", "cut"],
)
async def test_a_download_that_fails_says_what_and_why(serve, answer, why):
    url = await serve(answer)
    with pytest.raises(MootError, match=why) as caught:
        await data_files.download(made(url), lambda *_: None)
    assert url in str(caught.value)


def test_the_state_of_a_file_follows_from_its_bytes(tmp_path):
    path, file = tmp_path / "d" / "rows.jsonl", made()
    assert data_files.check_state(path, file) == "missing"
    assert data_files.store_file(path, file, BODY)
    assert data_files.check_state(path, file) == "ready"
    path.write_bytes(BODY[:-1])
    assert data_files.check_state(path, file) == "damaged"
    assert not data_files.store_file(path, file, b"another version")
    assert data_files.check_state(path, file) == "other version"
    path.write_bytes(b"another versio")
    assert data_files.check_state(path, file) == "damaged"
    assert data_files.store_file(path, file, BODY)
    assert data_files.check_state(path, file) == "ready"
    assert {p.name for p in path.parent.iterdir()} == {"rows.jsonl", "rows.jsonl.accepted"}


def test_what_cannot_be_written_leaves_the_old_file(tmp_path):
    path, file = tmp_path / "rows.jsonl", made()
    (tmp_path / "plain").write_text("a file")
    with pytest.raises(StoreError, match=r"plain/rows\.jsonl cannot be written: "):
        data_files.store_file(tmp_path / "plain" / "rows.jsonl", file, BODY)
    path.mkdir()
    with pytest.raises(StoreError, match="cannot be written"):
        data_files.store_file(path, file, BODY)
    with pytest.raises(StoreError, match="cannot be read"):
        data_files.check_state(path, file)
    assert {p.name for p in tmp_path.iterdir()} == {"plain", "rows.jsonl"}


@pytest.mark.parametrize(
    "body",
    [b"not packed", gzip.compress(BODY)[:-20], b"\x1f\x8b\x08" * 9],
    ids=["not packed", "cut off", "begun"],  # the bytes have the time in them
)
def test_a_damaged_package_is_an_error_that_names_it(tmp_path, body):
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(body)
    with pytest.raises(InputError, match=r"rows\.jsonl\.gz cannot be read"):
        data_files.read_unpacked(path)


async def test_a_bomb_is_not_unpacked(serve):
    packed = gzip.compress(bytes(50 << 20))
    told = []

    async def bomb(_request):
        return web.Response(body=packed, headers={"Content-Encoding": "gzip"})

    with pytest.raises(MootError, match="is not the file that was published"):
        await data_files.download(made(await serve(bomb)), lambda *progress: told.append(progress))
    assert max(done for _, done, _ in told) <= len(packed)
