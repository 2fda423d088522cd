"""What a run found, in a few plain sentences."""

from collections.abc import Iterator, Sequence

from moot.analyses.worth import describe_worth
from moot.core.display_text import (
    format_count,
    format_dollars,
    format_percent,
    format_things,
    on_one_line,
)
from moot.core.events import ELSEWHERE
from moot.core.results import ArmResult, Difference, Results
from moot.statistics.accuracies import is_shown


def describe_run(results: Results) -> str:
    """Say in a sentence what was run."""
    arms = len({arm.arm for arm in results.arms})
    debates = sum(arm.n for arm in results.arms)
    on = ", ".join(on_one_line(name, 40) for name in results.datasets) or "no dataset yet"
    origin = f", {ELSEWHERE}: {found}" if (found := results.source) else ""
    return f"{format_things(arms, 'method')} on {on}: {format_things(debates, 'debate')}{origin}."


def describe_savings(results: Results) -> str:
    """Say in a sentence how many calls were cached, and what that saved; empty for none."""
    saved = results.saved
    if saved is None or not saved.calls:
        return ""
    reused = max(0, saved.calls - saved.paid)
    if not reused:
        return ""
    told = f"{format_count(reused)} of {format_things(saved.calls, 'call')} were cached"
    money = "" if saved.cost == 0 else f"{format_dollars(saved.cost)} not paid again"
    if saved.cost is None:
        money = "what that saved is unknown, as a price is"
    tokens = (
        ""
        if saved.tokens is None
        else f"{format_things(saved.tokens, 'token')} not asked for again"
    )
    return f"{told}: {', '.join(filter(None, (money, tokens)))}."


def summarise_results(found: Results) -> Iterator[str]:
    """Yield whether debates are worth their tokens, then for each dataset what is right most often.

    One sentence each, with one figure; the rest is in the tables. Arms of other models, which have
    a baseline of their own, have a sentence of their own.
    """
    if not found.arms:
        yield "No debate has ended yet."
        return
    if all(arm.accuracy.mean is None for arm in found.arms):
        yield "No right answers are known here, so there is no accuracy."
        return
    yield from describe_worth(found)
    yield from describe_best(found)


def describe_best(found: Results) -> Iterator[str]:
    """Yield for each dataset, and each baseline, which arm is right most often."""
    several = len(found.datasets) > 1
    for dataset, arms in found.datasets.items():
        baselines = dict.fromkeys(arm.baseline for arm in arms)
        for baseline in baselines:
            own = [arm for arm in arms if arm.baseline == baseline]
            parts = [dataset] * several + [_name_model(own)] * (len(baselines) > 1)
            place = "".join(f"{on_one_line(part, 60)}: " for part in parts if part)
            known = [arm for arm in own if arm.accuracy.mean is not None]
            if not known:
                yield f"{place}no right answers are known, so there is no accuracy."
            elif len(known) > 1 and len({arm.accuracy.questions for arm in known}) == 1:
                yield place + _say_best(known)  # of unlike questions none is said to be the best


def _name_model(arms: Sequence[ArmResult]) -> str:
    """Return the models of arms that have the same ones; else nothing."""
    models = {arm.models for arm in arms}
    return ", ".join(models.pop()) if len(models) == 1 else ""


def _say_best(arms: Sequence[ArmResult]) -> str:
    """Say which of several arms is right most often, and how often."""
    top = max(arm.accuracy.mean or 0.0 for arm in arms)
    best = [arm for arm in arms if arm.accuracy.mean == top]
    others = f" and {format_things(len(best) - 1, 'other')} are" if best[1:] else " is"
    of = format_things(best[0].accuracy.questions, "question")
    return (
        f"{on_one_line(best[0].label, 160)}{others} right most often: "
        f"on {format_percent(top)}\u00a0% of {of}."
    )


def difference_kind(gap: Difference) -> str:
    """Whether a difference is one: its interval leaves out zero and its corrected p is small."""
    if gap.low is None:
        return "unknown"
    if not is_shown(gap):
        return "even"
    return "higher" if gap.low > 0 else "lower"


def format_ratio(ratio: float) -> str:
    """Return how many times as much, short also where it is far below one."""
    return format_count(ratio) if ratio >= 0.1 else f"{ratio:.1g}"
