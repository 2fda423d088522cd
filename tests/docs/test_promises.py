"""Promises name their tests: each row of docs/reliability.md has some, and they are there."""

import re

import pytest

from support.shown import DOCS, ROOT

PAGE = (DOCS / "reliability.md").read_text().partition("\n## Figures")[0]
ROWS = [
    line.strip("| ").split(" | ")
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| promise")
]


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:40] for row in ROWS])
def test_a_promise_has_tests(row):
    _, _, named = row
    folder, found = "", re.findall(r"`([^`]+)`", named)
    assert found
    for each in found:
        folder = each.rpartition("/")[0] or folder
        places = [ROOT / each, ROOT / folder / each, *(ROOT / "tests").rglob(each)]
        assert sum({place.resolve(): place.exists() for place in places}.values()) == 1, each


def test_the_table_is_whole():
    assert len(ROWS) == PAGE.count("\n| ") - PAGE.count("\n| promise")
    assert len(ROWS) > 30
