"""Debates by hand, and the results they come to."""

from moot.core.stored import DebateValues
from moot.studies.results import summarise


def row(arm, question, right, *, replicate=0, dataset="sums", **values):
    """A debate: ``right`` is 1, 0, or None where no right answer is known."""
    failed = values.pop("failed", False)
    accuracy = None if right is None else float(right)
    measured = {"accuracy": accuracy, "calls": 2.0, "failed": float(failed), "unparsed": 0.0}
    return DebateValues(arm, dataset, question, replicate, failed, measured | values)


def results(rows, **options):
    made = summarise(rows, run="r1", name="trial", **{"baseline": "base", **options})
    return {(arm.dataset, arm.arm): arm for arm in made.arms}
