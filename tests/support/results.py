"""Results of arms and debates, made by hand."""

from moot.core.results import ArmResult, Mean, Measure
from moot.core.stored import DebateValues
from moot.studies.run_results import summarise


def arm_result(**given):
    """One debate with one call, of which nothing else is known, but for what is given."""
    unknown = ("prompt_tokens", "completion_tokens", "cached_tokens", "cost", "seconds")
    none = dict.fromkeys(("first_accuracy", "difference", "flips", "oracle_gap"))
    values = {"dataset": "sums", "arm": "single", "simulated": False, "accuracy": Mean()}
    values |= {"n": 1, "calls": 1, "failed": 0, "unparsed": 0, "replayed": 0, "retries": 0}
    values |= none | {"others": {}} | dict.fromkeys(unknown, Measure())
    return ArmResult(**values | given)


def row(arm, question, right, *, replicate=0, dataset="sums", **values):
    """A debate: ``right`` is 1, 0, or None where no right answer is known."""
    failed = values.pop("failed", False)
    accuracy = None if right is None else float(right)
    measured = {"accuracy": accuracy, "calls": 2.0, "failed": float(failed), "unparsed": 0.0}
    return DebateValues(arm, dataset, question, replicate, failed, measured | values)


def results(rows, **options):
    made = summarise(rows, run="r1", name="trial", **{"baseline": "base", **options})
    return {(arm.dataset, arm.arm): arm for arm in made.arms}
