"""Weights from a hub: they get a name, once."""

import hashlib
from pathlib import Path

import pytest

from moot.core.errors import InputError
from moot.hub.hub_file import HubFile
from moot.models import weights
from support.hub_server import TOKEN, hub_of

BODY = b"GGUF" + bytes(range(256)) * 64
SHA = hashlib.sha256(BODY).hexdigest()
SOURCE = "hf:someone/some-repo/Tiny.gguf"


@pytest.fixture
async def server(tmp_path, monkeypatch):
    monkeypatch.setenv("MOOT_CACHE", str(tmp_path / "cache"))
    async with hub_of(monkeypatch) as here:
        here.bodies["someone/some-repo/Tiny.gguf"] = BODY
        yield here


async def test_a_fetched_file_is_whole_named_and_not_fetched_again(server, tmp_path):
    told = []
    entry = await weights.fetch(SOURCE, lambda *news: told.append(news))
    assert Path(entry.path).read_bytes() == BODY
    assert (entry.name, entry.sha256, entry.origin) == ("tiny", SHA, SOURCE)
    assert told[-1] == (SOURCE, len(BODY), len(BODY))
    assert weights.find_weights("tiny") == entry
    before = len(server.seen)
    assert await weights.fetch(SOURCE) == entry
    assert len(server.seen) == before
    assert list(tmp_path.rglob("*.part")) == []


async def test_a_name_that_is_taken_is_refused_before_any_request(server, tmp_path):
    other = tmp_path / "other.gguf"
    other.write_bytes(b"GGUF")
    weights.add("tiny", other)
    with pytest.raises(InputError, match="is taken by"):
        await weights.fetch(SOURCE)
    assert server.seen == []
    entry = await weights.fetch(SOURCE, name="second")
    assert weights.find_weights("second") == entry


async def test_a_model_that_fetches_tells_the_listener(server):
    told = []
    with weights.report_progress(lambda *news: told.append(news)):
        await weights.fetch(SOURCE)
    assert told[-1] == (SOURCE, len(BODY), len(BODY))


async def test_what_fails_leaves_no_name(server):
    server.stated = "0" * 64
    with pytest.raises(InputError, match="SHA-256") as caught:
        await weights.fetch(SOURCE)
    assert TOKEN not in str(caught.value)
    assert [entry.name for entry in weights.entries()] == ["smollm2"]


@pytest.mark.parametrize(
    "source",
    [
        "hf:a/b",
        "hf:a/b/c.bin",
        "hf:a/../c.gguf",
        "hf:a/b/../../c.gguf",
        "hf:a/b/c.gguf@",
        "x:a/b/c.gguf",
    ],
)
async def test_what_is_no_source_is_refused_before_any_request(server, source):
    with pytest.raises(InputError, match=r"hf:OWNER/REPO/FILE\.gguf"):
        await weights.fetch(source)
    assert server.seen == []


def test_a_source_has_a_revision_and_folders():
    assert weights.parse_source("hf:o/r/sub/F.gguf@refs/pr/1") == HubFile(
        "o", "r", "sub/F.gguf", "refs/pr/1"
    )
    assert weights.parse_source("hf:o/r/F.gguf").revision == "main"
