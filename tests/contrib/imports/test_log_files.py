import gzip
import io
import json
import os
import pickle
import subprocess
import sys
import tarfile
import zipfile

import pytest

from moot import InputError
from moot.contrib.imports import log_files
from moot.contrib.imports.log_files import Log

ROWS = [{"q": 1, "text": "eins"}, {"q": 2, "text": "zwei"}]
HOME = {
    "b/10.json": json.dumps(ROWS),
    "b/9.json": json.dumps({"one": 1, "two": [2]}),
    "a.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS),
    "notes.md": "# Debate\n\nWords — and more\n",
    "SOURCE.json": "{}",
    ".hidden.json": "{}",
    ".git/config.json": "{}",
}
NAMES = ["a.jsonl", "b/9.json", "b/10.json", "notes.md"]


def make_folder(place):
    for name, text in HOME.items():
        file = place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return place


def make_zip(place, members=HOME):
    path = place / "log.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def make_tar(place, name="log.tar.gz", members=HOME):
    path = place / name
    with tarfile.open(path, "w:gz" if name.endswith("gz") else "w") as archive:
        for member, text in members.items():
            info = tarfile.TarInfo(member)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return path


@pytest.mark.parametrize("kind", ["folder", "log.zip", "log.tar", "log.tar.gz", "log.tgz"])
def test_a_folder_and_archives_have_the_same_files(tmp_path, kind):
    if kind == "folder":
        path = make_folder(tmp_path)
    else:
        path = make_zip(tmp_path) if kind.endswith("zip") else make_tar(tmp_path, kind)
    log = Log(path)
    assert [file.name for file in log.files()] == NAMES
    assert [file.name for file in log.files(".json")] == ["b/9.json", "b/10.json"]
    assert [file.name for file in log.files("SOURCE.json", ".hidden.json")] == [
        ".hidden.json",
        "SOURCE.json",
    ]
    lines, nine, ten, words = log.files()
    for _ in range(2):  # in any order, and again
        assert list(ten.iterate_items()) == [(1, ROWS[0]), (2, ROWS[1])]
        assert (
            list(lines.read_lines()) == list(lines.iterate_items()) == [(1, ROWS[0]), (2, ROWS[1])]
        )
        assert dict(nine.iterate_items()) == nine.read_json() == nine.peek()
    assert words.read_text() == HOME["notes.md"]
    assert words.peek() is None
    assert lines.peek() == ten.peek() == ROWS
    assert (nine.path is not None) == (kind == "folder")


def test_places_name_file_and_member(tmp_path):
    lines, nine, ten, _ = Log(make_folder(tmp_path)).files()
    assert lines.place(7) == "a.jsonl, line 7"
    assert ten.place(2) == "b/10.json, item 2"
    assert nine.place("one\x1b[2J") == r"b/9.json, key 'one\x1b[2J'"
    assert nine.place("x" * 100) == f"b/9.json, key '{'x' * 60}…'"


def test_one_file_in_any_dress(tmp_path):
    packed = tmp_path / "rows.jsonl.gz"
    packed.write_bytes(gzip.compress(HOME["a.jsonl"].encode()))
    (tmp_path / "rows").write_text(HOME["b/10.json"])
    (tmp_path / "lines.json").write_text(HOME["a.jsonl"])
    (tmp_path / "one-line.json").write_text(HOME["b/10.json"] + "\n")
    for name, is_lines in [
        ("rows.jsonl.gz", True),
        ("rows", False),
        ("lines.json", True),
        ("one-line.json", False),
    ]:
        [file] = Log(tmp_path / name).files(".json", ".jsonl")
        assert [value for _, value in file.iterate_items()] == ROWS, name
        assert file.is_lines == is_lines, name


def test_lines_of_one_json_file_are_known_behind_a_long_line(tmp_path):
    rows = [{"text": "x" * 3_000_000}, {"text": "y"}]
    path = tmp_path / "long.json"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    [file] = Log(path).files(".json")
    assert [number for number, _ in file.iterate_items()] == [1, 2]


def test_peek_reads_the_beginning_alone(tmp_path):
    path = tmp_path / "long.json"
    path.write_text("[" + ",".join([json.dumps("x" * 1000)] * 9000) + ", broken")
    [file] = Log(path).files(".json")
    assert 2000 < len(file.peek()) < 3000
    with pytest.raises(InputError, match=r"long.json, line 1, column"):
        list(file.iterate_items())


def test_read_json_takes_one_value(tmp_path):
    for text, fault in [("", "no JSON"), ("{}\n{}", "more than one JSON value"), ("{", "column 2")]:
        path = tmp_path / "x.json"
        path.write_text(text)
        [file] = Log(path).files()
        with pytest.raises(InputError, match=fault):
            file.read_json()


def test_text_of_another_encoding_is_refused_with_its_byte(tmp_path):
    path = tmp_path / "x.md"
    path.write_bytes(b"caf\xe9")
    [file] = Log(path).files(".md")
    with pytest.raises(InputError, match=r"x.md, byte 3: no UTF-8 text"):
        file.read_text()


def test_a_log_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="nothing: cannot be read: No such file"):
        Log(tmp_path / "nothing")


# What a stranger's log may do


class Runs:
    """A program in a pickle."""

    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return os.mkdir, (str(self.target),)


@pytest.mark.parametrize("name", ["log.p", "log.pkl", "log.pickle", "log.json", "log.jsonl"])
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_never_loaded(tmp_path, name, protocol):
    target = tmp_path / "made by the pickle"
    data = pickle.dumps(Runs(target), protocol)
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match="pickle: it is never loaded"):
        Log(tmp_path / name)
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
    with pytest.raises(InputError, match="pickle: it is never loaded"):
        Log(tmp_path / f"{name}.gz")
    assert not target.exists()
    pickle.loads(data)
    assert target.exists(), "it would have run"


@pytest.mark.parametrize("log", [{(1, 2): (["a"], 3)}, [1, "two"]])
def test_the_error_says_how_to_convert_a_pickle(tmp_path, log):
    (tmp_path / "it's.p").write_bytes(pickle.dumps(log))
    with pytest.raises(InputError) as raised:
        Log(tmp_path / "it's.p")
    program = "\n".join(str(raised.value).splitlines()[1:])
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)
    assert Log(tmp_path / "it's.json").all_files[0].read_json() == (
        {"(1, 2)": [["a"], 3]} if isinstance(log, dict) else log
    )


def test_pickles_beside_a_log_are_left_out_and_said(tmp_path):
    (tmp_path / "a.json").write_text("[]")
    (tmp_path / "b.pkl").write_bytes(pickle.dumps(1))
    log = Log(tmp_path)
    assert [file.name for file in log.files()] == ["a.json"]
    assert [note.place for note in log.notes] == ["b.pkl"]
    log = Log(make_zip(tmp_path, {"a.json": "[]", "c.p": "x"}))
    assert [note.place for note in log.notes] == ["c.p"]


@pytest.mark.parametrize("name", ["../out.json", "/etc/out.json", "a/../../out.json", "C:\\x.json"])
def test_members_that_lead_out_of_an_archive_are_refused(tmp_path, name):
    for path in (make_zip(tmp_path, {name: "[]"}), make_tar(tmp_path, members={name: "[]"})):
        with pytest.raises(InputError, match="a member leads out of the archive"):
            Log(path)
    assert {file.name for file in tmp_path.iterdir()} == {"log.zip", "log.tar.gz"}


def test_links_out_of_a_folder_are_not_followed(tmp_path):
    (tmp_path / "secret.json").write_text('["secret"]')
    log_folder = tmp_path / "log"
    log_folder.mkdir()
    (log_folder / "a.json").write_text("[]")
    (log_folder / "in.json").symlink_to("a.json")
    (log_folder / "out.json").symlink_to("../secret.json")
    (log_folder / "all").symlink_to("..")
    (log_folder / "round").symlink_to("round")
    (log_folder / "gone.json").symlink_to("nothing.json")
    log = Log(log_folder)
    assert [file.name for file in log.files()] == ["a.json", "in.json"]
    assert {note.place for note in log.notes} >= {"out.json", "all"}


def test_links_and_devices_in_archives_are_left_out(tmp_path):
    path = tmp_path / "log.tar"
    with tarfile.open(path, "w") as archive:
        for name, kind in [
            ("link.json", tarfile.SYMTYPE),
            ("hard.json", tarfile.LNKTYPE),
            ("pipe.json", tarfile.FIFOTYPE),
            ("zero.json", tarfile.CHRTYPE),
        ]:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    log = Log(path)
    assert list(log.files()) == []
    assert len(log.notes) == 4
    with zipfile.ZipFile(tmp_path / "log.zip", "w") as archive:
        info = zipfile.ZipInfo("link.json")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    assert list(Log(tmp_path / "log.zip").files()) == []


def test_devices_and_pipes_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(InputError, match="is a pipe; a log is a file"):
        Log(tmp_path / "pipe.json")
    with pytest.raises(InputError, match="is a device"):
        Log("/dev/zero")
    log = Log(tmp_path)
    assert list(log.files()) == []
    assert log.notes == [("pipe.json", "left out: no ordinary file")]


@pytest.fixture
def small_bombs(monkeypatch):
    monkeypatch.setattr(log_files, "FREE", 1 << 20)


def test_zip_bombs_are_refused(tmp_path, small_bombs):
    zeros = "0" * (20 << 20)
    for path in (
        make_zip(tmp_path, {"a.json": zeros}),
        make_tar(tmp_path, members={"a.json": zeros}),
    ):
        with pytest.raises(InputError, match="a zip bomb"):
            Log(path)
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(b'["' + zeros.encode() + b'"]'))
    [file] = Log(tmp_path / "b.json.gz").files(".json")
    for read in (lambda: list(file.iterate_items()), file.read_text, file.read_json, file.peek):
        with pytest.raises(InputError, match=r"b.json.gz: a zip bomb: its [\d,]+ bytes become"):
            read()


def test_a_zip_that_lies_about_its_sizes_is_refused(tmp_path, small_bombs):
    path = make_zip(tmp_path, {"a.json": "0" * (20 << 20)})
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = data.index(mark) + at
        data[place : place + 4] = (1000).to_bytes(4, "little")
    path.write_bytes(data)
    [file] = Log(path).files(".json")
    with pytest.raises(InputError, match=r"a.json"):
        file.read_json()


def test_a_packed_file_in_an_archive_is_no_way_around(tmp_path, small_bombs):
    bomb = gzip.compress(b'["' + b"0" * (20 << 20) + b'"]')
    with zipfile.ZipFile(tmp_path / "log.zip", "w") as archive:
        archive.writestr("a.json.gz", bomb)
    [file] = Log(tmp_path / "log.zip").files(".json")
    with pytest.raises(InputError, match="a zip bomb"):
        file.read_json()


def test_a_total_of_bytes_is_the_most(tmp_path, monkeypatch):
    monkeypatch.setattr(log_files, "MOST_TOTAL", 1000)
    with pytest.raises(InputError, match="a zip bomb"):
        Log(make_zip(tmp_path, {f"{n}.json": "[1, 2, 3]" * 30 for n in range(9)}))


def test_too_many_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(log_files, "MOST_FILES", 3)
    for path in (make_zip(tmp_path), make_tar(tmp_path), make_folder(tmp_path)):
        with pytest.raises(InputError, match="more than 3 files"):
            Log(path)


def test_whole_reads_have_an_end(tmp_path, monkeypatch):
    monkeypatch.setattr(log_files, "MOST_WHOLE", 1000)
    (tmp_path / "a.md").write_text("x" * 1001)
    with pytest.raises(InputError, match=r"a.md: has more than"):
        next(Log(tmp_path).files(".md")).read_text()


@pytest.mark.parametrize("name", ["log.zip", "log.tar", "log.tgz", "rows.json.gz"])
def test_damaged_archives_are_refused_with_their_name(tmp_path, name):
    path = tmp_path / name
    for data in (b"", b"no archive", gzip.compress(b"[1, 2, 3]")[:-9]):
        path.write_bytes(data)
        if name.endswith(".json.gz") and not data:
            continue
        with pytest.raises(InputError, match=name):
            [file.read_json() for file in Log(path).files()] or (_ for _ in ()).throw(
                InputError(f"{name} is empty")
            )


def test_a_damaged_member_is_named(tmp_path):
    path = make_zip(tmp_path, {"a.json": json.dumps([f"{n}" for n in range(999)])})
    data = bytearray(path.read_bytes())
    data[60:80] = bytes(20)
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"a.json: cannot be read"):
        list(next(Log(path).files(".json")).iterate_items())


def test_names_cannot_write_to_the_terminal(tmp_path):
    path = make_tar(tmp_path, members={"a\x1b[31m\n\u202ejson.json": "[1,"})
    [file] = Log(path).files(".json")
    assert file.name == "a\ufffd[31m\ufffd\ufffdjson.json"
    with pytest.raises(InputError) as raised:
        file.read_json()
    assert str(raised.value).isprintable()


def test_long_numbers_in_names_sort(tmp_path):
    names = [f"{'9' * 6000}.json", "10.json", "9.json"]
    found = [file.name for file in Log(make_zip(tmp_path, dict.fromkeys(names, "1"))).files()]
    assert found == names[::-1]


def test_markup_stays_text(tmp_path):
    text = "<script>alert(1)</script> [x](javascript:alert(1)) {{ 7*7 }} ${HOME} %s"
    (tmp_path / "a.json").write_text(json.dumps([text]))
    [file] = Log(tmp_path / "a.json").files()
    assert list(file.iterate_items()) == [(1, text)]
