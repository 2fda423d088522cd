"""The pages of a server read an imported run like any run, and say where it was recorded."""

import json

import pytest

from moot.contrib.imports.import_run import import_log
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import find_format
from moot.studies.lab import open_lab
from support.server import page_of

ORIGIN = "recorded elsewhere: sums.jsonl"


@pytest.fixture
async def imported(serving, tmp_path):
    lines = [
        {
            "format": "debate-log/1",
            "id": f"q{number}",
            "dataset": "sums",
            "question": {"text": f"What is {number} + 1?", "answer": str(number + 1)},
            "agents": [{"name": "A", "model": "m-1"}, {"name": "B", "model": "m-2"}],
            "turns": [
                {"agent": name, "round": each, "text": f"The answer is {number + each}."}
                for each in (1, 2)
                for name in "AB"
            ],
        }
        for number in range(1, 6)
    ]
    path = tmp_path / "sums.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    log = Log(path)
    async with open_lab(tmp_path / "store") as lab:
        found = await import_log(lab, log, find_format(log))
    server = await serving(store=tmp_path / "store")
    return server.url, found.run


async def test_every_page_of_an_imported_run_names_its_source(client, read, imported):
    url, run = imported
    assert ORIGIN in await page_of(client, f"{url}/runs")
    page = await read(f"{url}/runs/{run}")
    assert ORIGIN in page
    assert "vote of round 1" in page
    assert "imulated" not in page
    assert "†" in page.partition("<table")[2].partition("</table>")[0]
    below = page.partition("</table>")[2].partition("<details")[0]
    assert "† the vote of its own first round that took fewer tokens." in below
    for arm in ("debate", "vote of round 1", "first reply"):
        place = f"{url}/debates/{run}?arm={arm}&dataset=sums&question=q2&replicate=0"
        debate = await page_of(client, place.replace(" ", "%20"))
        assert ORIGIN in debate
        assert "The answer is 3." in debate
