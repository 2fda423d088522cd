"""What a run found, in a few plain sentences."""

from typing import NamedTuple

from moot.core.results import ArmResult, Results
from moot.reports.plain import count, dollars, equals, percent, span


class Finding(NamedTuple):
    """One arm against the baseline: ``kind`` is ``higher``, ``lower``, ``even`` or ``unknown``."""

    kind: str
    arm: str
    text: str


class Summary(NamedTuple):
    """The first sentence, and one finding for each arm that is compared with the baseline."""

    lead: str
    findings: list[Finding]


def caution(results: Results) -> tuple[str, str] | None:
    """What must be said first where all or some arms are simulated: a heading and a sentence."""
    if not results.simulated:
        return None
    if all(arm.simulated for arm in results.arms):
        return "Simulated.", "No language model was asked: these figures say nothing about any."
    return "Partly simulated.", "Simulated arms say nothing about any language model."


def summary(arms: list[ArmResult], baseline: str | None) -> Summary:
    """Sum up the arms of one dataset."""
    known = [arm for arm in arms if arm.accuracy.mean is not None]
    if not known:
        return Summary("No right answers are known here, so there is no accuracy.", [])
    best = max(known, key=lambda arm: arm.accuracy.mean or 0.0)
    got = best.accuracy
    ends = "" if got.low is None else f" (95\u00a0% interval {span(got.low, got.high)})"
    among = f", the highest of {len(known)} arms" if len(known) > 1 else ""
    lead = f"{best.label} is right on {percent(got.mean)}\u00a0%{ends}{among}."
    base = next((arm for arm in arms if arm.arm == baseline), None)
    findings = [_finding(arm, base) for arm in arms if base is not None and arm is not base]
    return Summary(lead, findings)


def _finding(arm: ArmResult, base: ArmResult) -> Finding:
    gap = arm.difference
    if gap is None or gap.mean is None:
        return Finding("unknown", arm.label, "no debate in common with the baseline")
    points = f"{percent(gap.mean, sign=True)} points"
    if gap.low is None or gap.high is None:
        return Finding("unknown", arm.label, f"{points}: too few questions for an interval")
    kind = "higher" if gap.low > 0 else "lower" if gap.high < 0 else "even"
    proof = f"{points} ({span(gap.low, gap.high, sign=True)}; p {equals(gap.p)})"
    return Finding(kind, arm.label, f"{proof}, {_price(arm, base)}")


def _price(arm: ArmResult, base: ArmResult) -> str:
    """What an arm takes in multiples of the baseline: money where it is known, else tokens."""
    if arm.cost.known == arm.n and base.cost.known == base.n and base.cost.mean:
        times = (arm.cost.mean or 0.0) / base.cost.mean
        return f"at {count(times)} times the cost ({dollars(arm.cost.mean)} per debate)"
    if arm.tokens is not None and base.tokens:
        return f"at {count(arm.tokens / base.tokens)} times the tokens"
    calls = base.calls / base.n
    return f"at {count(arm.calls / arm.n / calls)} times the calls" if calls else "calls unknown"
