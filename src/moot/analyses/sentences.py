"""What comparisons show, in sentences with n, an interval, and what would have shown."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta

from moot.core.display_text import (
    format_interval,
    format_p_equals,
    format_percent,
    format_things,
)
from moot.core.results import Difference
from moot.statistics.accuracies import SURE, is_shown

Family = Annotated[
    Literal["dataset", "model", "all"],
    Meta(
        description="the comparisons that Holm's correction takes together: those of a dataset, "
        "of a dataset and a model, or all"
    ),
]


class NamedDifference(NamedTuple):
    """A difference, and the beginning of a sentence that says what it is the difference of."""

    words: str
    gap: Difference


def describe_family(family: str) -> str:
    """Say in a sentence what p is corrected for."""
    of = {"all": "", "model": " of a dataset and a model"}.get(family, " of a dataset")
    return f"p (Holm): corrected for all tests of one kind{of}."


def family_of(family: str, dataset: str, model: str) -> tuple[str, str]:
    """Return which family a comparison on a dataset and of a model belongs to."""
    return "" if family == "all" else dataset, model if family == "model" else ""


def describe_comparisons(compared: Iterable[NamedDifference]) -> Iterator[str]:
    """Yield what comparisons show: first whether they can show anything, then what is shown.

    Differences that are not shown are counted, with the smallest that would have shown.
    """
    known = [each for each in compared if each.gap.mean is not None]
    if not known:
        return
    sizes = [each.gap.smallest for each in known if each.gap.smallest is not None]
    if not sizes:
        most = max(each.gap.questions for each in known)
        yield (
            f"These runs can show nothing: on {format_things(most, 'question')} or fewer no "
            "difference has a p below 0.05, however large it is."
        )
    shown = [each for each in known if is_shown(each.gap)]
    for each in shown:
        yield describe_difference(each.words, each.gap)
    if rest := len(known) - len(shown):
        would = ""
        if sizes:
            least, most_points = format_percent(min(sizes)), format_percent(max(sizes))
            ends = least if least == most_points else f"{least} to {most_points}"
            would = f" The smallest that would have shown in 80 % of studies: {ends} points."
        why = {text: None for each in known if (text := explain_unshown(each.gap))}
        told = " ".join([f"{rest} of {format_things(len(known), 'difference')} not shown.", *why])
        yield told + would


def describe_difference(words: str, gap: Difference) -> str:
    """Return a difference as a sentence, with its interval, its p, and on how many questions."""
    holm = f", {format_p_equals(gap.p_holm)} after Holm" if gap.p_holm is not None else ""
    return (
        f"{words}: {format_percent(gap.mean, sign=True)} points (95 % interval "
        f"{format_interval(gap.low, gap.high, sign=True)}; p {format_p_equals(gap.p)}{holm}; "
        f"n = {format_things(gap.questions, 'question')})."
    )


def explain_unshown(gap: Difference) -> str:
    """Return why a difference whose interval leaves out 0 is not shown; empty for any other."""
    if is_shown(gap) or gap.p is None or gap.low is None or gap.high is None:
        return ""
    if gap.low <= 0 <= gap.high:
        return ""
    if gap.p <= SURE:
        return (
            "The interval is of this comparison alone and leaves out 0; p is corrected for all "
            "comparisons, and decides."
        )
    return "The interval leaves out 0, but the exact test, which decides, does not."
