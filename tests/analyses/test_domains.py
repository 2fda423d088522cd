"""Domains: which datasets a comparison takes together."""

import pytest

from moot.analyses.domains import domain_of
from moot.core.errors import InputError, UnknownName


def test_domains_are_told_by_name_or_given():
    names = ["MedQA hard", "mmlu", "ciar", "medqaish", "my medqa"]
    assert [*domain_of(names, None).values()] == ["medical"] * 2 + ["other"] * 3
    given = {"sums": ["one", "two"]}
    assert [*domain_of(["one", "two", "three"], given).values()] == ["sums", "sums", "other"]
    with pytest.raises(UnknownName, match="domain 'sums': unknown dataset 'two'"):
        domain_of(["one", "tow"], given)
    with pytest.raises(InputError, match="'one' is in two domains: 'a' and 'b'"):
        domain_of(["one"], {"a": ["one"], "b": ["one"]})
