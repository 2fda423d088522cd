"""Domains: which datasets a comparison takes together."""

import pytest

from moot.analyses.domains import domain_of, is_medical
from moot.core.errors import InputError, UnknownName


def test_domains_are_told_by_name_or_given():
    names = ["MedQA hard", "mmlu", "ciar", "medley"]
    assert [*domain_of(names, None).values()] == ["medical", "medical", "other", "other"]
    given = {"sums": ["one", "two"]}
    assert [*domain_of(["one", "two", "three"], given).values()] == ["sums", "sums", "other"]
    with pytest.raises(UnknownName, match="domain 'sums': unknown dataset 'two'"):
        domain_of(["one", "tow"], given)
    with pytest.raises(InputError, match="'one' is in two domains: 'a' and 'b'"):
        domain_of(["one"], {"a": ["one"], "b": ["one"]})


@pytest.mark.parametrize(
    ("name", "is_it"),
    [
        *((name, True) for name in ("medqa", "MedQA 4 options", "mmlu-anatomy", "pubmedqa")),
        *((name, False) for name in ("medqaish", "gsm8k", "my medqa", "ciar")),
    ],
)
def test_medical_datasets_are_known_by_their_names(name, is_it):
    assert is_medical(name) is is_it
