"""Mutants of ``bench/mutants.py``: a place in the tree changes no draw, and a probe no value."""

import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parent.parent / "bench"
CODE = '''
def share(right, n, scale=1):
    """Return the 3rd of it."""
    match right:
        case 0:
            return 0
    return right / n + scale if n > 2 and not right == n else f"{n}"
'''


@pytest.fixture
def places(monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    import mutant_places

    yield mutant_places
    for name in ("mutant_places", "mutant_copies"):
        del sys.modules[name]


def write(root, folder):
    file = root / "src" / "moot" / folder / "shares.py"
    file.parent.mkdir(parents=True)
    file.write_text(CODE)


def test_where_a_file_lies_changes_no_draw(places, tmp_path):
    write(tmp_path / "before", "statistics")
    write(tmp_path / "after", "contrib/rates")
    before, after = (places.ranked(tmp_path / each, ["."], 34) for each in ("before", "after"))
    assert [each.key for each in before] == [each.key for each in after]
    assert {each.key.partition(": ")[2] for each in before} >= {
        "n > 2 -> (n >= 2) #1", "not right == n -> (right == n) #1", "0 -> (1) #2", "1 -> (2) #1"
    }  # fmt: skip
    assert not any("3" in each.was for each in before)


def test_a_probe_in_every_place_changes_no_value(places, tmp_path, monkeypatch):
    write(tmp_path, "statistics")
    drawn = places.ranked(tmp_path, ["statistics"], 1)
    [text] = places.with_probes(tmp_path, drawn).values()
    reached = set()
    monkeypatch.setitem(sys.modules, "mutant_probe", type("P", (), {"reach": reached.add}))
    plain, probed = {}, {}
    exec(CODE, plain)
    exec(text, probed)
    for given in ((1, 5), (0, 5), (2, 2), (3, 1)):
        assert probed["share"](*given) == plain["share"](*given)
    assert len(reached) == len(drawn) - 1  # a pattern has no room for a probe
