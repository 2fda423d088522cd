"""Domains: the groups of datasets that a comparison keeps apart (arXiv:2311.17371, figure 3)."""

import re
from collections.abc import Mapping, Sequence

from moot.core.errors import InputError, check_known

MEDICAL = ("medqa", "usmle", "pubmedqa", "mmlu", "medical")
"""What the names of medical datasets begin with; of MMLU, moot has the clinical subjects."""

_MEDICAL = re.compile(rf"(?:{'|'.join(MEDICAL)})(?![a-z])", re.IGNORECASE)


def is_medical(dataset: str) -> bool:
    """Whether a dataset's name, or its label in a study, begins with one of ``MEDICAL``."""
    return _MEDICAL.match(dataset) is not None


def domain_of(
    datasets: Sequence[str], domains: Mapping[str, Sequence[str]] | None
) -> dict[str, str]:
    """Return the domain of each dataset.

    Args:
        datasets: those there are, by the names that results call them.
        domains: the datasets of each domain; those in none are ``other``. Without any, the medical
            ones are told by how their names begin.

    Raises:
        UnknownName: a dataset that is not there.
        InputError: a dataset in two domains.
    """
    if not domains:
        return {each: "medical" if is_medical(each) else "other" for each in datasets}
    found: dict[str, str] = {}
    for domain, members in domains.items():
        for dataset in members:
            check_known("dataset", [dataset], datasets, where=f"domain {domain!r}")
            if found.setdefault(dataset, domain) != domain:
                raise InputError(
                    f"dataset {dataset!r} is in two domains: {found[dataset]!r} and {domain!r}"
                )
    return {each: found.get(each, "other") for each in datasets}
