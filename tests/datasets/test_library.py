import gzip
import random
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from moot.core.errors import InputError, MootError, UnknownName
from moot.core.questions import Question
from moot.datasets import library
from moot.datasets.dataset import File, dataset

BODY = b"\n".join(b"word %d" % i for i in range(30))


def words(*paths: Path) -> Iterator[Question]:
    """Words in files, for the tests."""
    for path in paths:
        for line in path.read_text().splitlines():
            yield Question(id=line, kind="text", text=line)


@pytest.fixture
def one(own_names):
    def make(url="", names=("rows.txt",)):
        digest = sha256(BODY).hexdigest()
        files = tuple(File(name=n, url=url, sha256=digest, bytes=len(BODY)) for n in names)
        return dataset(kinds=("text",), rows=30, files=files)(words)

    return make


@given(st.integers(), st.integers(1, 39))
def test_a_sample_is_the_beginning_of_a_larger_one(seed, n):
    larger = library.questions("starters", n=40, seed=seed)
    assert library.questions("starters", n=n, seed=seed) == larger[:n]
    assert {q.id for q in larger} == {f"starters-{i}" for i in range(1, 41)}
    assert larger != library.questions("starters", n=40, seed=seed + 1)


def test_a_sample_does_not_depend_on_the_order_of_the_rows(one, tmp_path):
    one()
    rows = BODY.splitlines()
    (tmp_path / "rows.txt").write_bytes(BODY)
    library.add("words", tmp_path)
    sample = library.questions("words", n=10, seed=3)
    random.Random(0).shuffle(rows)
    (tmp_path / "rows.txt").write_bytes(b"\n".join(rows))
    library.add("words", tmp_path, force=True)
    assert [q.id for q in library.questions("words")] == [row.decode() for row in rows]
    assert library.questions("words", n=10, seed=3) == sample


def test_the_sample_stays_the_same_from_version_to_version():
    sample = [q.id.removeprefix("starters-") for q in library.questions("starters", n=5)]
    assert sample == ["19", "40", "11", "4", "33"]


def test_impossible_numbers_are_named():
    for n in (0, -1, True, 2.0, "5"):
        with pytest.raises(InputError, match=f"starters.*n is {n!r}"):
            library.questions("starters", n=n)
    for seed in (True, "0", None):
        with pytest.raises(InputError, match=f"arithmetic.*seed is {seed!r}"):
            library.questions("arithmetic", seed=seed)
    with pytest.raises(InputError, match="n is 41, but it has only 40"):
        library.questions("starters", n=41)


@pytest.mark.parametrize(("difficulty", "there"), [(1, 100), (3, 729)])
def test_more_than_can_be_drawn_is_an_error_that_says_how_many_there_are(difficulty, there):
    drawn = library.questions("arithmetic", n=there, difficulty=difficulty)
    assert len({q.text for q in drawn}) == there
    says = f"'arithmetic', difficulty {difficulty}: n is {there + 1}, but it has only {there} "
    with pytest.raises(InputError, match=says):
        library.questions("arithmetic", n=there + 1, difficulty=difficulty)
    assert len(library.peek("arithmetic", there + 1, difficulty=difficulty)) == there


def test_unknown_names_are_named_with_the_nearest():
    for ask in (library.questions, library.peek):
        with pytest.raises(UnknownName, match="did you mean 'gsm8k'"):
            ask("gsm8")
        with pytest.raises(UnknownName, match="unknown parameter 'level'"):
            ask("starters", level=3)
    with pytest.raises(UnknownName, match="did you mean 'gsm8k'"):
        library.add("gsm8", Path())


@pytest.mark.parametrize("ask", [library.questions, library.peek])
def test_a_missing_file_says_the_two_commands_that_get_it(ask):
    with pytest.raises(InputError) as caught:
        ask("gsm8k")
    assert "'moot data fetch gsm8k'" in str(caught.value)
    assert "'moot data add gsm8k PATH'" in str(caught.value)


def test_a_copy_is_taken_plain_or_packed_and_from_a_folder(one, tmp_path):
    one(names=("a.txt", "b.txt"))
    (tmp_path / "a.txt").write_bytes(BODY)
    with pytest.raises(InputError, match=r"a file b\.txt or b\.txt\.gz"):
        library.add("words", tmp_path)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(BODY))
    kept = library.add("words", tmp_path)
    assert [(k.path.name, k.published) for k in kept] == [("a.txt", True), ("b.txt", True)]
    assert all(k.path.read_bytes() == BODY for k in kept)
    assert len(library.peek("words", 99)) == 60


def test_another_version_is_refused_unless_forced_and_then_said(one, tmp_path):
    one("http://127.0.0.1:9/rows.txt")
    other = tmp_path / "rows.txt"
    other.write_bytes(b"another word")
    with pytest.raises(
        InputError, match=r"is not the published rows\.txt of dataset 'words'.*--force"
    ):
        library.add("words", other)
    with pytest.raises(InputError, match="missing"):
        library.questions("words")
    [kept] = library.add("words", other, force=True)
    assert not kept.published
    [entry] = [e for e in library.list_entries() if e.name == "words"]
    assert entry.state == "other version"
    assert [q.id for q in library.questions("words")] == ["another word"]


def test_two_questions_with_one_id_are_refused(one, tmp_path):
    one()
    (tmp_path / "rows.txt").write_bytes(b"word\nword")
    library.add("words", tmp_path, force=True)
    with pytest.raises(InputError, match="two of its questions have one id"):
        library.questions("words")


def test_what_is_built_in_takes_no_files(tmp_path):
    with pytest.raises(InputError, match="'starters' is built in"):
        library.add("starters", tmp_path)


@pytest.mark.parametrize("ask", [library.questions, library.peek, library.training])
def test_a_missing_library_says_the_extra_that_installs_it(ask, monkeypatch):
    monkeypatch.setitem(sys.modules, "chess", None)
    with pytest.raises(InputError, match=r"needs chess, .*: pip install 'moot\[chess\]'"):
        ask("chess-moves")
    needed = {entry.name for entry in library.list_entries() if entry.needs}
    assert needed == {"chess-moves", "chess-state-tracking"}


async def test_fetch_downloads_once_and_verifies(one, data, serve):
    asked, told = [], []

    async def answer(request):
        asked.append(request.path)
        return web.Response(body=BODY)

    one(await serve(answer))
    for _ in range(2):
        [kept] = await library.fetch("words", lambda *progress: told.append(progress))
        assert kept == library.StoredFile(path=data / "words" / "rows.txt", published=True)
    assert asked == ["/rows"]
    assert told[-1] == ("rows.txt", len(BODY), len(BODY))
    assert len(library.questions("words")) == 30
    assert await library.fetch("starters") == []


async def test_a_failed_fetch_keeps_nothing_and_says_what_else_to_do(one, data, serve):
    one(await serve(BODY + b"!"))
    with pytest.raises(MootError, match=r"'words': .*not the file.*moot data add words PATH"):
        await library.fetch("words")
    assert not data.exists()
