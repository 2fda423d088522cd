"""Pages of a list of debates, and search in their texts."""

from contextlib import ExitStack

import pytest

from moot.contrib.server.pages.index import DebateFilter, DebateIndex
from moot.contrib.server.pages.listing import search_page
from moot.ledger.sqlite import open_reader
from support.stored_runs import debates, fill, reworded

ALL = DebateFilter()


@pytest.fixture
async def made(tmp_path):
    """Keep a run of these debates by arm and give a reader and an index of it."""
    with ExitStack() as readers:

        async def make(held, n=20):
            await fill(tmp_path / "store", held, key="made-1", n=n)
            reader = readers.enter_context(open_reader(tmp_path / "store" / "moot.db"))
            return reader, DebateIndex(reader.list_debates(1), list(held))

        yield make


async def test_a_search_finds_the_text_and_says_where(made, tmp_path):
    held = await debates(tmp_path / "few", n=4)
    needle = reworded(held["minds"][1], "Before it\n\tthe ÜBER-needle, and after")
    held["minds"][1] = needle
    reader, index = await made(held, n=4)
    page = search_page(reader, index, ALL, "", "it the über-NEEDLE")
    assert [entry.line.key[0] for entry in page.entries] == ["minds"]
    assert page.entries[0].passage == ("question", "Before ", "it the ÜBER-needle", ", and after")
    assert (page.last, page.total, page.after) == (8, 8, "")
    assert search_page(reader, index, DebateFilter(arm="single"), "", "needle").entries == []
    # It looks at texts, and not at how they are stored.
    for name in ("prompt_tokens", '"event"', "majority", "\\n"):
        assert search_page(reader, index, ALL, "", name).entries == []
    for sign in ("%", "_", "!", '"', "'; DROP TABLE runs; --"):
        search_page(reader, index, ALL, "", sign)
    assert search_page(reader, index, ALL, "", "result of").entries
    assert search_page(reader, index, ALL, "", "q3").entries[0].passage.where == "id"


async def test_a_search_ends_in_time_and_goes_on_from_there(made, tmp_path):
    reader, index = await made(await debates(tmp_path / "few", n=4), n=200)
    cursor, last = "", 0
    for _ in range(5):
        page = search_page(reader, index, ALL, cursor, "no such words", seconds=0.0)
        assert (page.entries, page.first, page.total) == ([], last + 1, 400)
        assert page.last > last
        cursor, last = page.after, page.last
    whole = search_page(reader, index, ALL, cursor, "no such words", seconds=60)
    assert (whole.first, whole.last, whole.after) == (last + 1, 400, "")
    many = search_page(reader, index, ALL, "", "result of", seconds=60)
    assert len(many.entries) == 50
    rest = search_page(reader, index, ALL, many.after, "result of", seconds=60)
    assert rest.first == many.last + 1
    assert not {e.line.number for e in many.entries} & {e.line.number for e in rest.entries}
