"""Ids that come twice are found, among few and among many."""

import pytest

from moot.datasets.ids import FEW, IdHashes


@pytest.mark.parametrize("many", [10, FEW])
def test_an_id_that_comes_twice_is_found(many):
    ids = IdHashes()
    for number in range(many):
        ids.add(f"own-{number}")
    assert ids.find_repeats() == set()
    assert len(ids) == many
    for name in ("own-3", "own-3", "own-7"):
        ids.add(name)
    assert ids.find_repeats() == {hash("own-3"), hash("own-7")}
