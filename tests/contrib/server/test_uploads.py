"""Documents that clients upload: their names, their limits, whose they are, and when they go."""

import asyncio
import contextlib
import os
from pathlib import Path
from time import monotonic, time

import pytest

from moot.contrib.documents import document_readers
from moot.contrib.documents.documents import read_folder
from moot.contrib.server import auth, document_reading
from moot.contrib.server.config import UploadLimits
from moot.contrib.server.document_reading import ReadersFull
from moot.contrib.server.uploads import Uploads, make_safe_name
from moot.core.errors import InputError
from support.own_documents import BLOG, make_review, make_slow_pdf, paragraph

DOCS = Path(__file__).parents[3] / "docs" / "serve.md"


def make(tmp_path, **limits) -> Uploads:
    root = tmp_path / "uploads"
    root.mkdir(exist_ok=True)
    return Uploads(root, UploadLimits(**limits))


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("notes.txt", "notes.txt"),
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\Users\\ann\\notes.md", "notes.md"),
        (".hidden.txt", "hidden.txt"),
        ("..txt", "document.txt"),
        ("a\x00b\u202e\n*?[x]<y>.PDF", "a-b-x-y.pdf"),
        ("Überblick (2) 資料.docx", "Überblick (2) 資料.docx"),
        ("x" * 300 + ".html", "x" * 100 + ".html"),
    ],
)
def test_a_name_is_one_on_every_system(given, name):
    assert make_safe_name(given) == name
    for wrong in ("run.exe", "notes", "", "../", "page.html.zip"):
        with pytest.raises(InputError, match="no reader knows what it is"):
            make_safe_name(wrong)


def test_a_session_has_so_many_files_and_bytes_and_a_server_so_much_room(tmp_path):
    uploads = make(tmp_path, files=2, total=10, space=12)
    folder = uploads.folder_of("ann", "s")
    folder.add("a.txt", b"12345")
    folder.add("a.txt", b"1234567")
    with pytest.raises(InputError, match=r"b\.txt: together they would have more than 10 bytes"):
        folder.add("b.txt", b"1234")
    folder.add("b.txt", b"123")
    with pytest.raises(InputError, match=r"c\.txt: there are 2 files already"):
        folder.add("c.txt", b"")
    assert [(each.name, each.size) for each in folder.list_files()] == [("a.txt", 7), ("b.txt", 3)]
    folder.freeze()  # takes no more room
    uploads.check_room(2)
    with pytest.raises(InputError, match="no room for more files"):
        uploads.check_room(3)


def test_a_debate_keeps_the_files_that_it_began_with_until_they_are_removed(tmp_path):
    uploads = make(tmp_path)
    folder = uploads.folder_of("ann", "secret")
    assert folder.freeze() is None
    folder.add("a.txt", b"first")
    begun = folder.freeze()
    folder.add("a.txt", b"second")
    folder.add("b.txt", b"more")
    assert (begun / "a.txt").read_bytes() == b"first"
    # Sessions and clients have nothing in common.
    assert not uploads.folder_of("ann", "guess").list_files()
    assert not uploads.folder_of("bo", "secret").list_files()
    assert "secret" not in str(begun)
    for each in (folder.path, *folder.path.rglob("*")):  # of this user alone
        assert each.stat().st_mode & 0o777 == (0o700 if each.is_dir() else 0o600)
    assert folder.freeze() not in {begun, None}
    folder.remove("b.txt")
    folder.add("a.txt", b"first")
    assert folder.freeze() == begun  # the same files, the same folder
    folder.remove("a.txt")
    assert not folder.path.exists()


def test_files_go_when_their_time_is_over(tmp_path):
    uploads = make(tmp_path, hours=2)
    old, new = uploads.folder_of("ann", "old"), uploads.folder_of("ann", "new")
    for each, hours in ((old, 2.1), (new, 1.9)):
        each.add("a.txt", b"words")
        os.utime(each.path, (time() - hours * 3600,) * 2)
    uploads.sweep()
    assert not old.path.exists()
    assert new.list_files()


def test_only_what_was_uploaded_here_may_be_quoted_from(tmp_path):
    uploads = make(tmp_path)
    folder = uploads.folder_of("ann", "s")
    folder.add("a.txt", b"words")
    frozen = folder.freeze()
    assert uploads.holds(str(frozen))
    above = frozen.parent
    for other in (above, above / "files", frozen / "..", tmp_path, "/etc", "", f"{frozen}\n"):
        assert not uploads.holds(str(other)), other
    assert not uploads.holds(None)


async def test_a_document_is_read_once_and_its_parts_go_with_it(tmp_path, monkeypatch):
    uploads = make(tmp_path)
    folder = uploads.folder_of("ann", "s")
    await uploads.take(folder, "blog.html", BLOG)
    assert [each.name for each in folder.list_files()] == ["blog.html"]
    frozen = folder.freeze()
    apart = read_folder(str(frozen))
    monkeypatch.setattr(
        "moot.contrib.documents.documents.read_document", None
    )  # nothing is read here again
    monkeypatch.setattr("moot.contrib.documents.documents.LONGEST", 1199)
    read_folder.__globals__["_read_passages"].cache_clear()
    assert read_folder(str(frozen)) == apart
    folder.remove("blog.html")
    assert not folder.path.exists()


async def test_a_slow_document_costs_its_owner_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(document_reading, "READING", 4.0)
    uploads = make(tmp_path)
    slow, good = uploads.folder_of("ann", "s"), uploads.folder_of("bo", "s")
    under_way = asyncio.create_task(uploads.take(slow, "slow.pdf", make_slow_pdf()))
    await asyncio.sleep(0.1)
    await uploads.take(good, "blog.html", BLOG)
    assert not under_way.done()
    with pytest.raises(InputError, match=r"slow.pdf: it could not be read within 4 s"):
        await under_way
    assert [each.name for each in good.list_files()] == ["blog.html"]
    assert not slow.list_files()


async def test_each_document_has_its_own_time_and_waiting_takes_none_of_it(tmp_path, monkeypatch):
    """Two slow ones before it, in its own session and in another one, leave it its time."""
    monkeypatch.setattr(document_reading, "PROCESSES", 1)
    monkeypatch.setattr(document_reading, "READING", 3.0)
    uploads = make(tmp_path)
    own, other = uploads.folder_of("ann", "s"), uploads.folder_of("bo", "s")
    slow = [
        asyncio.create_task(uploads.take(folder, name, make_slow_pdf(), client=client))
        for folder, name, client in ((own, "one.pdf", "ann"), (other, "two.pdf", "bo"))
    ]
    await asyncio.sleep(0.1)
    began = monotonic()
    await uploads.take(own, "blog.html", BLOG, client="ann")
    assert monotonic() - began > 2 * 3 - 0.5
    for each, name in zip(slow, ("one", "two"), strict=True):
        with pytest.raises(InputError, match=rf"{name}.pdf: it could not be read within 3 s"):
            await each
    assert [each.name for each in own.list_files()] == ["blog.html"]


async def test_a_full_server_says_to_try_again_and_who_left_holds_nobody_up(tmp_path, monkeypatch):
    monkeypatch.setattr(document_reading, "PROCESSES", 1)
    monkeypatch.setattr(document_reading, "WAIT", 0.2)
    uploads = make(tmp_path)
    slow, good = uploads.folder_of("ann", "s"), uploads.folder_of("bo", "s")
    under_way = asyncio.create_task(uploads.take(slow, "slow.pdf", make_slow_pdf()))
    await asyncio.sleep(0.5)
    with pytest.raises(ReadersFull, match=r"blog.html: this server reads .* try again in 0.2 s"):
        await uploads.take(good, "blog.html", BLOG)
    under_way.cancel()
    with pytest.raises(asyncio.CancelledError):
        await under_way
    monkeypatch.setattr(document_reading, "WAIT", 20)
    await uploads.take(good, "blog.html", BLOG)


async def test_one_client_with_many_sessions_leaves_a_place_for_others(tmp_path, monkeypatch):
    monkeypatch.setattr(document_reading, "WAIT", 0.2)
    reading = make(tmp_path)._reading
    async with contextlib.AsyncExitStack() as held:
        for _ in range(document_reading.PROCESSES - 1):
            await held.enter_async_context(reading._slot("a.pdf", "ann"))
        with pytest.raises(ReadersFull):
            await held.enter_async_context(reading._slot("b.pdf", "ann"))
        await held.enter_async_context(reading._slot("c.pdf", "bo"))


async def test_a_small_document_with_many_elements_has_no_more_memory(tmp_path, monkeypatch):
    page = b"<p>Some words of it." * 20_000
    uploads = make(tmp_path)
    folder = uploads.folder_of("ann", "s")
    monkeypatch.setattr(document_reading, "MEMORY", 8 * 2**20)
    with pytest.raises(InputError, match=r"a.html: it (takes more memory|could not be read with)"):
        await uploads.take(folder, "a.html", page)
    assert not folder.path.exists()
    monkeypatch.setattr(document_reading, "MEMORY", 2**30)
    await uploads.take(folder, "a.html", page)


def test_the_page_of_the_server_says_the_limits_as_they_are():
    page = " ".join(DOCS.read_text("utf-8").split())
    for said in (
        f"for {document_reading.READING:g} seconds from when it begins",
        f"with {document_reading.MEMORY >> 30} GB of memory",
        f"with {document_readers.MOST_CHARACTERS // 10**6} million characters",
        f"a file that waits {document_reading.WAIT:g} seconds for those of others",
        f"Each second has to bring {auth.PACE // 1000} kB",
    ):
        assert said in page
    assert document_reading.PROCESSES == 3
    assert "Three are read at once" in page


@pytest.mark.soak
async def test_a_document_has_so_much_memory_at_most(tmp_path, monkeypatch):
    monkeypatch.setattr(document_reading, "MEMORY", 40 * 2**20)
    uploads = make(tmp_path)
    huge = make_review("".join(paragraph(f"Words of number {n}.") for n in range(200_000)))
    with pytest.raises(InputError, match=r"a.docx: it (takes more memory|could not be read with)"):
        await uploads.take(uploads.folder_of("ann", "s"), "a.docx", huge)


async def test_a_process_that_dies_is_told_as_that_and_no_memory_is_blamed(tmp_path):
    uploads = make(tmp_path)
    folder = uploads.folder_of("ann", "s")
    under_way = asyncio.create_task(uploads.take(folder, "slow.pdf", make_slow_pdf()))
    while not (started := [*uploads._reading._processes]):
        await asyncio.sleep(0.05)
    started[0].kill()
    with pytest.raises(InputError, match=r"slow.pdf: reading it ended"):
        await under_way
