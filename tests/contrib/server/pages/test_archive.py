"""Results that take longer than a page waits: computed once, and there at the next look."""

import asyncio

import msgspec
import pytest

import moot
from moot.contrib.server.pages.archive import REMEMBERED, RunArchive
from moot.core.errors import InputError
from moot.studies.lab import open_lab


@pytest.fixture
async def archive(tmp_path):
    async with open_lab(tmp_path / "store") as lab:
        yield RunArchive(lab.place, lab.store)


class Work:
    """Work that ends when it may, and counts how often it was begun."""

    def __init__(self, error: Exception | None = None) -> None:
        self.begun, self.may_end, self.error = 0, asyncio.Event(), error

    async def __call__(self) -> str:
        self.begun += 1
        await self.may_end.wait()
        if self.error is not None:
            raise self.error
        return "done"


async def test_what_takes_long_is_computed_once_and_there_at_the_next_look(archive):
    work = Work()
    assert await archive.memo("a", work, patient=0.01) is None
    work.may_end.set()
    await asyncio.sleep(0.01)  # it ends while no request waits for it
    assert await archive.memo("a", work, patient=0) == "done"
    assert work.begun == 1


async def test_an_error_is_told_at_the_next_look_and_then_it_is_tried_again(archive):
    work = Work(InputError("nothing to analyse"))
    assert await archive.memo("a", work, patient=0.01) is None
    work.may_end.set()
    await asyncio.sleep(0.01)
    with pytest.raises(InputError, match="nothing to analyse"):
        await archive.memo("a", work, patient=0)
    work.error = None
    assert (await archive.memo("a", work), work.begun) == ("done", 2)


async def test_the_last_few_results_stay(archive):
    work = Work()
    work.may_end.set()
    for key in [*range(REMEMBERED + 1), 1, 0]:
        assert await archive.memo(key, work) == "done"
    assert work.begun == REMEMBERED + 2  # the first made room for the last


async def test_a_run_that_has_ended_is_not_shown_as_it_was_when_it_went_on(archive, tmp_path):
    study = {"name": "ends", "datasets": [{"name": "arithmetic", "n": 2}]}
    study["arms"] = [{"protocol": "single", "model": "simulated"}]
    key = (await moot.run(study, store=tmp_path / "store")).run
    for status in ("running", "done"):  # the second at once, while the first is still held current
        row = msgspec.structs.replace(archive.store.find_run(key), status=status)
        survey = await archive.get_run(row, patient=60)
        archive._until[row.id] += 1000
        assert survey.stamp.status == status
