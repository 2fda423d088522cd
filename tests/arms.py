"""Results of an arm, made by hand."""

from moot.core.results import ArmResult, Mean, Measure


def arm_result(**given):
    """One debate with one call, of which nothing else is known, but for what is given."""
    unknown = ("prompt_tokens", "completion_tokens", "cached_tokens", "cost", "seconds")
    values = {
        "dataset": "sums",
        "arm": "single",
        "simulated": False,
        "n": 1,
        "failed": 0,
        "unparsed": 0,
        "accuracy": Mean(),
        "first_accuracy": None,
        "difference": None,
        "flips": None,
        "oracle_gap": None,
        "calls": 1,
        "replayed": 0,
        "retries": 0,
        "others": {},
    } | dict.fromkeys(unknown, Measure())
    return ArmResult(**values | given)
