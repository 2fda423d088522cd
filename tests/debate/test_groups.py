"""What is divided into parts is all there, in its order, and as even as it can be."""

from hypothesis import given
from hypothesis import strategies as st

from moot.debate.groups import split_evenly


@given(st.lists(st.integers(), max_size=40), st.integers(1, 12))
def test_parts_are_even_and_all_there(items, parts):
    found = split_evenly(items, parts)
    sizes = [len(part) for part in found]
    assert [each for part in found for each in part] == items
    assert len(sizes) == parts
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) - min(sizes) <= 1
