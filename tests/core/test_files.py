"""Files are whole or as they were, whenever a process ends."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pytest

from moot.core.errors import InputError, OutputError
from moot.core.files import check_place, output_error, read_small, write_file, write_files

ENDLESS = """
import sys, time
from pathlib import Path
from moot.core.files import write_file

def pieces():
    for number in range(10_000):
        yield f"new {number}\\n" * 1000
        print("piece", flush=True)
        time.sleep(0.01)

write_file(Path(sys.argv[1]), pieces())
"""


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def test_a_file_is_made_with_its_folders_and_replaced(tmp_path):
    file = tmp_path / "new" / "folder" / "page.html"
    write_file(file, ["a", b"b", "ö"])
    assert file.read_text("utf-8") == "abö"
    write_file(file, "c")
    assert file.read_text() == "c"
    assert names(file.parent) == ["page.html"]


@pytest.mark.soak
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("old", ["old", None])
def test_whoever_is_killed_leaves_the_old_file(tmp_path, sent, old):
    file = tmp_path / "page.html"
    if old is not None:
        file.write_text(old)
    command = [sys.executable, "-c", ENDLESS, file]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **pipes) as process:
        for _ in range(5):
            process.stdout.readline()
        process.send_signal(sent)
        process.stdout.read()
    assert (file.read_text() if file.exists() else None) == old


def test_a_text_that_fails_on_the_way_leaves_nothing(tmp_path):
    file = tmp_path / "page.html"
    file.write_text("old")

    def pieces():
        yield "new"
        raise InputError("no more")

    with pytest.raises(InputError, match="no more"):
        write_file(file, pieces())
    assert file.read_text() == "old"
    assert names(tmp_path) == ["page.html"]


def test_files_that_belong_together_are_moved_together(tmp_path):
    first, second = tmp_path / "a", tmp_path / "folder"
    first.write_text("old")
    second.mkdir()
    with pytest.raises(OSError, match="directory"):
        write_files({first: "new", second: "new"})
    assert first.read_text() == "old"
    write_files({first: "new", second / "b": "new"})
    assert (first.read_text(), (second / "b").read_text()) == ("new", "new")


def test_modes_and_links_stay(tmp_path):
    file, link, far = tmp_path / "a", tmp_path / "link", tmp_path / "far"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to("a")
    far.symlink_to(link)
    write_file(far, "new")
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o640
    assert str(link.readlink()) == "a"
    assert far.is_symlink()
    dangling = tmp_path / "dangling"
    dangling.symlink_to("b")
    write_file(dangling, "new")
    assert (tmp_path / "b").read_text() == "new"
    usual = tmp_path / "usual"
    usual.write_text("")
    assert (tmp_path / "b").stat().st_mode == usual.stat().st_mode


def test_links_in_a_circle_are_an_error(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match=r"[Ss]ymbolic links"):
        write_file(tmp_path / "a", "x")


def test_a_pipe_is_written_to_as_it_is(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reading = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reading.start()
    write_file(pipe, ["one", "two"])
    reading.join(timeout=10)
    assert read == ["onetwo"]
    assert pipe.is_fifo()


def test_standard_output_is_written_to_as_it_is(tmp_path):
    code = "from pathlib import Path; from moot.core.files import *; write_file(Path('{}'), 'new')"
    for name in ("/dev/stdout", "/dev/fd/1", tmp_path / "link"):
        (tmp_path / "link").unlink(missing_ok=True)
        (tmp_path / "link").symlink_to("/dev/stdout")
        with (tmp_path / "out").open("w+b") as out:
            before = os.fstat(out.fileno()).st_ino
            command = [sys.executable, "-c", code.format(name)]
            assert subprocess.run(command, stdout=out, check=False).returncode == 0
        assert (tmp_path / "out").read_text() == "new"
        assert (tmp_path / "out").stat().st_ino == before
        piped = subprocess.run(command, capture_output=True, check=False)
        assert piped.stdout == b"new"


def test_a_name_may_be_as_long_as_the_system_lets_it(tmp_path):
    write_file(tmp_path / ("ö" * 127), "x")
    assert (tmp_path / ("ö" * 127)).read_text() == "x"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become nobody")
def test_what_may_not_be_written_is_not(request):
    folder = Path(mkdtemp(dir="/tmp"))
    request.addfinalizer(lambda: rmtree(folder))
    folder.chmod(0o755)
    for name, mode in (("theirs", 0o644), ("everybodys", 0o666)):
        (folder / name).write_text("old")
        (folder / name).chmod(mode)
    code = (
        "import os, sys; from pathlib import Path; from moot.core.files import *\n"
        "os.setuid(65534)\n"
        "try: {}(Path(sys.argv[1]){})\n"
        "except PermissionError: sys.exit(9)"
    )
    for call, more in (("check_place", ""), ("write_file", ", 'new'")):
        for name, ends in (("theirs", 9), ("everybodys", 0), ("another", 9)):
            command = [sys.executable, "-c", code.format(call, more), folder / name]
            assert subprocess.run(command, check=False).returncode == ends
    assert (folder / "theirs").read_text() == "old"
    assert (folder / "everybodys").read_text() == "new"  # in place: nothing can be made beside it
    assert names(folder) == ["everybodys", "theirs"]


def test_a_place_is_checked_without_a_trace(tmp_path):
    check_place(tmp_path / "new" / "folder" / "file")
    assert names(tmp_path) == []
    (tmp_path / "file").write_text("old")
    check_place(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "old"
    with pytest.raises(IsADirectoryError):
        check_place(tmp_path)
    with pytest.raises(OSError, match=r"directory|exists"):
        check_place(tmp_path / "file" / "below")


def test_a_full_disk_is_no_bad_input():
    assert isinstance(output_error("x", OSError(28, "No space left on device")), OutputError)
    assert isinstance(output_error("x", PermissionError(13, "Permission denied")), InputError)
    assert isinstance(output_error("x", BrokenPipeError(32, "Broken pipe")), BrokenPipeError)


def test_what_never_ends_is_not_read():
    with pytest.raises(OSError, match="more than 1 MB"):
        read_small(Path("/dev/zero"), most=1 << 20)
    assert read_small(Path("/dev/null")) == b""
