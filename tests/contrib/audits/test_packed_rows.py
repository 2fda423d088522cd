"""Rows of an audit, packed, and its JSON, written a piece at a time."""

import msgspec
import pytest

from contrib.audits.conftest import box, debate
from moot.contrib.audits import audit_report
from moot.contrib.audits.packed_rows import PackedRows


class Row(msgspec.Struct, frozen=True):
    """A row."""

    name: str
    number: int
    read: tuple[str | None, ...] = ()


@pytest.mark.parametrize("size", [0, 1, 1023, 1024, 1025, 3000])
def test_packed_rows_are_the_list_that_was_appended(size):
    rows = [Row(f"row é {number}", number, (None, str(number))) for number in range(size)]
    packed = PackedRows(Row)
    for row in rows:
        packed.append(row)
    assert len(packed) == size
    assert list(packed) == list(packed) == rows
    for some in (slice(3), slice(1020, 1030), slice(None), slice(10, 2, -1), slice(-5, None)):
        assert packed[some] == rows[some], some
    for place in {0, size - 1, -1, -size} if size else ():
        assert packed[place] == rows[place]
    with pytest.raises(IndexError):
        packed[size]


def test_many_rows_are_written_as_one_json(audit):
    """Rows and differences fill more than one piece; each is there once, in order."""
    debates = [
        debate(n, str(n), box(str(n), str(n), str(n + 1)), box(str(n + 1), str(n), str(n + 2)))
        for n in range(700)
    ]
    found = audit(debates, "--rule", "any:moot")
    assert [(each["question"], each["round"]) for each in found["rows"]] == [
        (f"q{n}", at) for n in sorted(range(700), key=str) for at in (1, 2)
    ]
    disputed = [f"q{n}" for n in sorted(range(700), key=str)]
    assert [each["question"] for each in found["differences"]] == disputed
    assert sum(found["causes"].values()) == len(disputed)


def test_report_says_how_many_rows_it_leaves_out(moot, write_log, monkeypatch):
    monkeypatch.setattr(audit_report, "_ROWS", 2)
    debates = [debate(n, str(n), box(str(n + 1), str(n), str(n + 2))) for n in range(5)]
    log = str(write_log(debates))
    code, out, errors = moot("audit", log, "--rule", "any:moot", "--format", "json")
    assert code == 0, errors
    tables = {each["title"]: each for each in msgspec.json.decode(out)["tables"]}
    for title, things in {"Disputed questions": "questions", "Rows to recompute": "rows"}.items():
        assert len(tables[title]["rows"]) == 2
        assert f"The first 2 of 5 {things}." in tables[title]["note"]
    assert len(msgspec.json.decode(out)["data"]["rows"]) == 2
    _, whole, _ = moot("audit", log, "--rule", "any:moot", "--json")
    assert len(msgspec.json.decode(whole)["rows"]) == 5
