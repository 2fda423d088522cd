"""Errors: their tree, and what they say."""

import pytest

from moot.core.errors import UnknownName


@pytest.mark.parametrize(
    ("name", "valid", "nearest"),
    [
        ("socity-of-minds", ["single", "society-of-minds"], "society-of-minds"),
        ("SINGLE", ["single", "other"], "single"),
        ("gsm8k", ["GSM8K", "ciar"], "GSM8K"),
        ("x", ["single"], None),
        ("x", [], None),
    ],
)
def test_the_nearest_name_is_found_whatever_the_case(name, valid, nearest):
    error = UnknownName("thing", name, valid)
    assert error.nearest == nearest
    assert ("did you mean" in str(error)) == (nearest is not None)
    assert str(error).endswith(f"Valid: {', '.join(sorted(valid)) or 'none'}.")


def test_of_very_many_names_an_error_lists_some_and_says_how_many_more():
    error = UnknownName("run", "x", [f"run-{k:03}" for k in range(100)])
    assert str(error).endswith("run-009 and 90 more.")
    assert len(error.valid) == 100


def test_a_near_name_stands_alone_where_the_list_is_long():
    names = [f"protocol-{k:03}" for k in range(40)]
    error = UnknownName("protocol", "protocol-0a1", names)
    assert str(error) == f"unknown protocol 'protocol-0a1'; did you mean {error.nearest!r}?"
    far = str(UnknownName("protocol", "xyz", names))
    assert far.endswith("protocol-009 and 30 more; 'moot protocols' lists all.")
