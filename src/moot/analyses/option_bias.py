"""Whether agents favour the options that stand in one place.

An option's letter follows its place, so the two cannot be told apart. What is measured is free of
how right answers are spread over places: of wrong replies alone, how often they choose each place;
and of all replies, how often they are right where the right option stands there.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from moot.analyses.analysis import analysis, check_found
from moot.analyses.described_tables import TableField, list_tests, tabulate
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.display_text import (
    format_interval,
    format_p_equals,
    format_percent,
    format_things,
)
from moot.core.events import Transcript
from moot.core.questions import Question
from moot.core.results import Mean
from moot.core.table import Report, ResultTable
from moot.statistics.accuracies import correct_groups, mean_with_interval
from moot.statistics.intervals import Cluster, find_bounded_interval, mean

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DRAWS = 9_999
SEED = 20_240_229


class PlacedReply(NamedTuple):
    """A reply to a question with options.

    Attributes:
        chosen: the place of the option that it chose, from 0, as the agent was shown it.
        right: the place of the right option.
        options: how many there were.
    """

    question: str
    chosen: int
    right: int
    options: int


class PlaceEffect(NamedTuple):
    """What standing in one place is worth.

    Attributes:
        place: from 0.
        excess: of wrong replies to questions whose right option stands elsewhere, the share that
            chose this place minus what chance gives.
        p: how likely an excess at least as far from 0 is if places were exchangeable.
        accuracy: of replies to questions whose right option stands here.
        p_holm: corrected by Holm for all places of all arms on the dataset.
    """

    place: int
    excess: Mean
    p: float
    accuracy: Mean
    p_holm: float = 1.0


NO_OPTIONS = "no question of it has options and one right answer"
"""The lack of runs without such questions."""


def _lack_options(runs: RecordedRuns) -> str:
    known = any(_has_options(each.transcript.question) for each in runs.examples)
    return "" if known else NO_OPTIONS


@analysis(source="moot", group="trust", place=80, lacks=_lack_options)
def option_bias(runs: RecordedRuns) -> Report:
    """Tell whether agents favour the options that stand in one place, or their letters.

    Of the replies of debaters to questions with options and one right answer. Options that a
    protocol shuffles count where the agent was shown them.
    """
    replies: dict[str, dict[str, list[PlacedReply]]] = {}
    for row in runs.debates():
        for reply in _read_replies(row.transcript):
            replies.setdefault(row.dataset, {}).setdefault(row.arm, []).append(reply)
    check_found(replies, runs, NO_OPTIONS)
    tables: list[ResultTable] = []
    findings: list[str] = []
    for dataset, arms in replies.items():
        found = correct_groups({arm: [*measure_places(own)] for arm, own in arms.items()})
        tables.append(_tabulate(dataset, found))
        findings += _describe(dataset, found)
    return Report(
        title=f"Option bias: {runs.name}",
        about=f"{runs.key}: replies by the place of the option they chose",
        tables=tables,
        findings=tuple(findings),
        data=replies,
    )


def measure_places(replies: Sequence[PlacedReply]) -> Iterator[PlaceEffect]:
    """Yield what each place is worth.

    Args:
        replies: of one arm to the questions of one dataset.
    """
    wrong: dict[str, list[PlacedReply]] = {}
    for reply in replies:
        if reply.chosen != reply.right:
            wrong.setdefault(reply.question, []).append(reply)
    for place in range(max(reply.options for reply in replies)):
        clusters = []
        for own in wrong.values():
            gaps = [
                float(each.chosen == place) - 1 / (each.options - 1)
                for each in own
                if each.right != place < each.options
            ]
            if gaps:
                clusters.append(Cluster(sum(gaps), len(gaps)))
        fewest = min((own[0].options for own in wrong.values()), default=2)
        bounds = -1 / (fewest - 1), 1.0
        low, high = find_bounded_interval(clusters, bounds=bounds) or (None, None)
        size = sum(each.size for each in clusters)
        excess = Mean(mean=mean(clusters), low=low, high=high, n=size, questions=len(clusters))
        yield PlaceEffect(place, excess, _test(wrong, place), _accuracy_at(replies, place))


def _test(wrong: Mapping[str, Sequence[PlacedReply]], place: int) -> float:
    """Return how likely the choices of a place are if places of wrong options were exchangeable.

    For each question the places of its wrong options are exchanged at random: what agents think of
    one option stays together.
    """
    import numpy as np

    seen, patterns = 0, Counter[tuple[int, ...]]()
    for own in wrong.values():
        counts = [0] * own[0].options
        for each in own:
            counts[each.chosen] += 1
        if own[0].right != place < len(counts):
            seen += counts[place]
            rest = counts[: own[0].right] + counts[own[0].right + 1 :]
            patterns[tuple(sorted(rest))] += 1
    rng = np.random.default_rng(SEED)
    drawn = np.zeros(DRAWS)
    expected = 0.0
    for others, times in patterns.items():
        expected += times * sum(others) / len(others)
        chances = [1 / len(others)] * len(others)
        drawn += rng.multinomial(times, chances, size=DRAWS) @ np.array(others)
    as_far = np.abs(drawn - expected) >= abs(seen - expected) - 1e-9
    return float(1 + as_far.sum()) / (1 + DRAWS)


def _accuracy_at(replies: Sequence[PlacedReply], place: int) -> Mean:
    """Return the accuracy of replies to the questions whose right option stands in this place."""
    known: dict[str, list[float]] = {}
    for each in replies:
        if each.right == place:
            known.setdefault(each.question, []).append(float(each.chosen == each.right))
    return mean_with_interval([Cluster(sum(own), len(own)) for own in known.values()])


def _has_options(question: Question) -> bool:
    answer = question.answer
    return len(question.choices) > 2 and isinstance(answer, str) and answer in LETTERS


def _read_replies(transcript: Transcript) -> Iterator[PlacedReply]:
    """Yield the debaters' replies to a question that has options and one right answer."""
    question = transcript.question
    if not _has_options(question):
        return
    debaters = {seat.number for seat in transcript.seats if seat.debater}
    for turn in transcript.turns:
        if turn.seat not in debaters or turn.answer is None or turn.answer not in LETTERS:
            continue
        order = turn.order or tuple(range(len(question.choices)))
        chosen, right = LETTERS.index(turn.answer), LETTERS.index(str(question.answer))
        if chosen in order and right in order:
            yield PlacedReply(question.id, order.index(chosen), order.index(right), len(order))


def _tabulate(dataset: str, found: Mapping[str, Sequence[PlaceEffect]]) -> ResultTable:
    return tabulate(
        f"{dataset}: options by place",
        found,
        TableField("place", value=lambda each: f"{each.place + 1} ({LETTERS[each.place]})"),
        TableField("excess", "points"),
        *list_tests(corrected="p Holm"),
        TableField("wrong replies", "count", "excess.n"),
        TableField("accuracy here %", "percent", "accuracy"),
        note="Excess: of wrong replies to questions whose right option stands elsewhere, the share "
        "that chose this place minus what chance gives, in points. p: how likely as much is if the "
        "places of wrong options were exchangeable; Holm: for all rows of the table. Accuracy: of "
        "replies to questions whose right option stands here. In brackets: 95 % intervals over "
        "questions. A letter follows its place: the two cannot be told apart.",
    )


def _describe(dataset: str, found: Mapping[str, Sequence[PlaceEffect]]) -> Iterator[str]:
    """Yield for each arm the place that is favoured most, with n, interval and p."""
    for arm, own in found.items():
        known = [each for each in own if each.excess.mean is not None]
        if not known:
            yield f"{arm} on {dataset}: no wrong reply, so nothing can be said of its places."
            continue
        top = min(known, key=lambda each: (each.p, -abs(each.excess.mean or 0.0)))
        gap = top.excess
        yield (
            f"{arm} on {dataset}: place {top.place + 1} is chosen by "
            f"{format_percent(gap.mean, sign=True)} points more wrong replies than by chance "
            f"(95 % interval {format_interval(gap.low, gap.high, sign=True)}, Holm-corrected p "
            f"{format_p_equals(top.p_holm)}, n = {format_things(gap.questions, 'question')})."
        )
