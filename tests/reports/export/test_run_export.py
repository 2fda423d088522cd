import asyncio
import csv
import re
import subprocess
import sys
from io import StringIO
from zipfile import ZipFile

import pytest

from moot.core.errors import InputError
from moot.reports.export.run_export import export_runs
from moot.studies.lab import Lab

FORMS = ("csv", "jsonl", "inspect", "parquet")
LIMITED = """
import asyncio, resource, sys
from pathlib import Path
from moot.core.errors import OutputError
from moot.ledger.store import Store
from moot.reports.export.run_export import export_runs
from moot.studies.lab import Lab

store, *forms = sys.argv[1:]
store = Store.open(Path(store), readonly=True)
store.find_run("trial-1")
resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))  # no file has more room
for form in forms:
    try:
        asyncio.run(export_runs(Lab(Path(), store), ["trial-1"], form=form, out=Path("out")))
    except OutputError as error:
        print(error)
"""


@pytest.fixture(params=FORMS)
def form(request):
    if request.param == "parquet":
        pytest.importorskip("pyarrow")
    return request.param


def content(path):
    if path.is_dir():
        archives = [ZipFile(each) for each in sorted(path.iterdir())]
        return b"".join(each.read(name) for each in archives for name in each.namelist())
    if path.suffix == ".parquet":
        from pyarrow import parquet

        return str(parquet.read_table(path).to_pylist()).encode()
    return path.read_bytes()


def rows(path):
    return list(csv.DictReader(StringIO(path.read_text())))


async def test_what_is_secret_stands_in_no_file(store, run, tmp_path, form, secret):
    out = tmp_path / f"out.{form}"
    assert await export_runs(Lab(tmp_path, store), [run.key], form=form, out=out) == 7
    held = content(out)
    assert b"quiet" in held
    assert b"(withheld)" in held
    assert [text for text in secret if text.encode() in held] == []


async def test_several_runs_go_in_one_file(store, keep, held, tmp_path):
    first, second = await keep(), await keep(held[:2], key="other-2")
    names = [second.key, first.key, "other"]
    out = tmp_path / "out.csv"
    assert await export_runs(Lab(tmp_path, store), names, form="csv", out=out) == 9
    assert [row["run"] for row in rows(out)] == ["other-2"] * 2 + ["trial-1"] * 7
    assert (
        await export_runs(Lab(tmp_path, store), names, form="inspect", out=tmp_path / "logs") == 9
    )
    assert len(list((tmp_path / "logs").iterdir())) == 5


async def test_turns_are_rows_where_they_are_asked_for(store, run, tmp_path):
    out = tmp_path / "out.csv"
    assert (
        await export_runs(Lab(tmp_path, store), [run.key], form="csv", what="turns", out=out) == 7
    )
    assert len(rows(out)) == 12
    for form in ("jsonl", "inspect"):
        with pytest.raises(InputError, match=f"--what turns: {form} holds whole debates; leave"):
            await export_runs(
                Lab(tmp_path, store), [run.key], form=form, what="turns", out=tmp_path / "other"
            )


async def test_the_same_run_is_written_the_same_way(store, run, tmp_path, form):
    for name in ("a", "b"):
        await export_runs(
            Lab(tmp_path, store), [run.key], form=form, out=tmp_path / f"{name}.{form}"
        )
    assert content(tmp_path / f"a.{form}") == content(tmp_path / f"b.{form}")


async def test_what_cannot_be_exported_is_said_before_anything_is_written(store, keep, tmp_path):
    run = await keep([])
    out = tmp_path / "new" / "out.csv"
    with pytest.raises(InputError, match="run trial-1: no debate was held yet"):
        await export_runs(Lab(tmp_path, store), [run.key], form="csv", out=out)
    assert not out.exists()
    assert not list(tmp_path.glob("**/*.part"))


def test_a_full_disk_leaves_no_half_file(run, store, tmp_path):
    pytest.importorskip("pyarrow")
    place = tmp_path / "empty"
    place.mkdir()
    done = subprocess.run(
        # -B: bytecode that is cut off at the limit would break every later process.
        [sys.executable, "-B", "-c", LIMITED, store.file.parent, *FORMS],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert len(lines) == len(FORMS)
    said = r"out: cannot be written: .*File too large.*; nothing is left of it"
    assert all(re.fullmatch(said, line) for line in lines)
    assert list(place.iterdir()) == []


class GoingOn:
    """A store in which a debate is kept between the two times an export reads it."""

    def __init__(self, store, more):
        self.store, self.more = store, more
        self.find_run, self.values = store.find_run, store.values
        self.debate_values = store.debate_values

    def debates(self, run):
        yield from self.store.debates(run)
        yield from self.more


@pytest.mark.parametrize("values", [{"accuracy": 1.0}, {"unheard-of": 1.0}])
async def test_a_run_that_goes_on_meanwhile_is_refused(store, run, debates, tmp_path, form, values):
    from msgspec.structs import replace

    more = replace(debates[-1].row, question="new", values=values)
    with pytest.raises(InputError, match="run trial-1 went on while it was exported: export it"):
        await export_runs(
            Lab(tmp_path, GoingOn(store, [more])), [run.key], form=form, out=tmp_path / "out"
        )
    assert not [each for each in tmp_path.iterdir() if each.name != "store"]


async def test_an_interrupt_leaves_nothing(store, run, tmp_path, form):
    task = asyncio.create_task(
        export_runs(Lab(tmp_path, store), [run.key], form=form, out=tmp_path / "out")
    )
    for _ in range(2):  # within the second reading
        await asyncio.sleep(0)
    assert [each for each in tmp_path.iterdir() if each.name.endswith(".part")]
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not [each for each in tmp_path.iterdir() if each.name != "store"]
