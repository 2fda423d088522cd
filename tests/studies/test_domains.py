"""Domains: which datasets a comparison takes together."""

import pytest

from moot.core.errors import InputError, UnknownName
from moot.studies.domains import domain_of


def test_domains_are_told_by_name_or_given():
    assert domain_of(["MedQA hard", "mmlu", "ciar", "medley"], None) == {
        "MedQA hard": "medical",
        "mmlu": "medical",
        "ciar": "other",
        "medley": "other",
    }
    given = {"sums": ["one", "two"]}
    assert domain_of(["one", "two", "three"], given) == {
        "one": "sums",
        "two": "sums",
        "three": "other",
    }
    with pytest.raises(UnknownName, match="domain 'sums': unknown dataset 'two'"):
        domain_of(["one", "tow"], given)
    with pytest.raises(InputError, match="'one' is in two domains: 'a' and 'b'"):
        domain_of(["one"], {"a": ["one"], "b": ["one"]})
