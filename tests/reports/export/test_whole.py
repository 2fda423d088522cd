import pytest

from moot.core.errors import InputError, OutputError
from moot.reports.export.whole import write_whole


def test_a_file_appears_when_it_is_complete(tmp_path):
    target = tmp_path / "new" / "folder" / "a.txt"
    with write_whole(target) as path:
        path.write_text("all of it")
        assert not target.exists()
    assert target.read_text() == "all of it"
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("kind", ["file", "folder"])
@pytest.mark.parametrize(
    ("error", "told"),
    [
        (KeyboardInterrupt(), KeyboardInterrupt),
        (InputError("no"), InputError),
        (OSError(28, "No space left on device"), OutputError),
    ],
)
def test_nothing_is_left_of_what_went_wrong(tmp_path, kind, error, told):
    def half():
        with write_whole(tmp_path / "a") as path:
            if kind == "folder":
                path.mkdir()
            (path / "inner" if kind == "folder" else path).write_text("half")
            raise error

    with pytest.raises(told) as caught:
        half()
    assert list(tmp_path.iterdir()) == []
    if isinstance(error, OSError):
        said = "a: cannot be written: No space left on device; nothing is left of it"
        assert str(caught.value).endswith(said)


def test_what_exists_is_never_touched(tmp_path):
    (tmp_path / "a").write_text("mine")
    (tmp_path / "lost").symlink_to(tmp_path / "nowhere")
    for name in ("a", "lost", "."):
        with pytest.raises(InputError, match="exists already; name another place"):
            write_whole(tmp_path / name).__enter__()
    with pytest.raises(InputError, match=r"a/b: cannot be written: .*/a is no folder"):
        write_whole(tmp_path / "a" / "b").__enter__()
    with pytest.raises(InputError, match=r"b/c: cannot be written: Not a directory"):
        write_whole(tmp_path / "a" / "b" / "c").__enter__()
    with (
        pytest.raises(InputError, match="cannot be written: File name too long"),
        write_whole(tmp_path / ("a" * 300)) as path,
    ):
        path.write_text("")
    assert (tmp_path / "a").read_text() == "mine"
