"""Errors: their tree, and what they say."""

import re
from inspect import getmembers, isclass

import pytest

from moot.core import errors
from moot.core.errors import ModelError, MootError, RefusedError, TransientError, UnknownName

CLASSES = {
    name: each for name, each in getmembers(errors, isclass) if each.__module__ == errors.__name__
}


def test_the_tree_at_the_top_of_the_file_is_the_tree():
    drawn, path = {}, []
    for line in errors.__doc__.splitlines():
        if match := re.match(r"^( *)([A-Z]\w+)(?:  |$)", line):
            depth = len(match[1]) // 2
            path[depth:] = [match[2]]
            drawn[match[2]] = path[depth - 1] if depth else "Exception"
    assert drawn == {name: each.__base__.__name__ for name, each in CLASSES.items()}
    assert all(issubclass(each, MootError) for each in CLASSES.values())
    assert all(each.__doc__ for each in CLASSES.values())


def test_a_model_s_failure_keeps_what_is_known_of_it():
    error = TransientError("slow down", status=429, retries=2, retry_after=1.5)
    found = (str(error), error.status, error.retries, error.retry_after)
    assert found == ("slow down", 429, 2, 1.5)
    assert isinstance(error, ModelError)
    bare = RefusedError("no")
    assert (bare.status, bare.retries) == (None, 0)


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
    assert str(error).endswith("run-029 and 70 more.")
    assert len(error.valid) == 100
