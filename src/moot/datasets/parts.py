"""Datasets that are a part of what their name stands for, so that results say which."""

import re
from collections.abc import Iterable

_MMLU = re.compile(r"mmlu-([a-z_]+)-\d+")
_NAMED = 2
"""The most subjects that are named one by one."""


def describe_part(ids: Iterable[str]) -> str:
    """Return in words which part of a published set questions are; empty for whole ones.

    The ids say it, so that recorded runs say it, too, whatever a study calls the dataset.

    Args:
        ids: of the questions of one dataset, all of one form.
    """
    subjects = set[str]()
    for each in ids:
        if (found := _MMLU.fullmatch(each)) is None:
            return ""
        subjects.add(found[1].replace("_", " "))
    if not subjects:
        return ""
    which = ", ".join(sorted(subjects)) if len(subjects) <= _NAMED else "clinical ones"
    return f"{len(subjects)} of the 57 subjects of MMLU ({which})"
