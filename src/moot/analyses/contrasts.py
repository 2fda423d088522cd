"""Contrasts: which pair of arms tells what a debate's gain or loss is due to.

A debate does several things at once: its agents look at their answers again, see what others
answered, see that others have reasons, and read these. Arms that differ in one of these alone tell
what each is worth. The first four contrasts add up to what the debate is worth beyond the vote of
its first round, question by question.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from moot.analyses.analysis import analysis, check_found
from moot.analyses.control_debates import MeasuredSet, Revision, Revisions, measure_sets
from moot.analyses.described_tables import TableField, tabulate
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.sentences import NamedDifference, describe_comparisons
from moot.core.results import Difference
from moot.core.table import Report, ResultTable
from moot.statistics.accuracies import (
    Key,
    compare_paired,
    correct_by_holm,
    mean_over_questions,
)
from moot.studies.controls import EXPOSURE, SAMPLED, VOTE, WAYS, find_control_sets

FIRST = "first round"
"""What stands for the vote of the first round, which no arm of its own needs."""
PARTS = ("nothing", "stances", "vacuous", "reasons")
"""The arms of which each adds one thing to the one before it."""
_SHOWN = {
    "nothing": "nothing",
    "stances": "answers",
    "vacuous": "filler",
    "reasons": "reasons",
    "unrelated": "unrelated",
    "echo": "own reply",
    VOTE: "vote of n",
    SAMPLED: "vote of 2n",
    FIRST: "first vote",
}
"""What agents are shown, in a word or two."""
_EXPLAINED = (
    "What agents are shown before they revise: nothing; the others' answers alone; answers with "
    "filler; answers with reasons, which is the debate; replies to an unrelated question; their "
    "own reply under the others' names. Vote of n: of as many samples as agents; of 2n: as calls. "
    "First vote: of the first round."
)


class Contrast(NamedTuple):
    """Two arms, and what their difference is worth.

    Attributes:
        name: of what it estimates.
        more: the arm that has it.
        less: the arm that does not.
    """

    name: str
    more: str
    less: str


CONTRASTS = (
    Contrast("reflection", "nothing", FIRST),
    Contrast("seeing answers", "stances", "nothing"),
    Contrast("look of a reason", "vacuous", "stances"),
    Contrast("content of reasons", "reasons", "vacuous"),
    Contrast("disturbance", "unrelated", "nothing"),
    Contrast("company without news", "echo", "nothing"),
    Contrast("more samples", SAMPLED, VOTE),
    Contrast("worth of the debate", "reasons", SAMPLED),
)
DECOMPOSED = 4
"""The first so many contrasts add up."""


class MeasuredContrast(msgspec.Struct, frozen=True, kw_only=True):
    """The difference of two arms.

    Attributes:
        name: of what it estimates.
        more: the first arm.
        less: the second.
        gap: the first arm's accuracy minus the second's.
    """

    name: str
    more: str
    less: str
    gap: Difference


class SetContrasts(msgspec.Struct, frozen=True, kw_only=True):
    """The contrasts of a control set on one dataset.

    Attributes:
        total: what the debate is worth beyond the vote of its first round, over the same debates
            as the first four contrasts; None where one of their arms is missing.
        floors: arms against themselves, in other draws: what chance alone makes of a contrast.
        missing: names of contrasts, and the arms they lack.
    """

    name: str
    dataset: str
    contrasts: tuple[MeasuredContrast, ...]
    total: MeasuredContrast | None
    floors: tuple[MeasuredContrast, ...]
    missing: dict[str, tuple[str, ...]]


NO_CONTROLS = (
    "it has no two methods that differ in what agents are shown; write controls = true into its "
    "study"
)
"""The lack of runs without a control set."""


def _lack_controls(runs: RecordedRuns) -> str:
    return "" if find_control_sets(runs.arms) else NO_CONTROLS


@analysis(
    source="arXiv:2606.00820, arXiv:2605.00914, arXiv:2508.17536",
    group="debate",
    needs=("accuracy",),
    place=13,
    lacks=_lack_controls,
)
def contrasts(runs: RecordedRuns) -> Report:
    """Tell what a debate's gain is due to: reflection, answers, the look of reasons, or reasons.

    Of methods that differ in what agents are shown before they revise their answers once.
    Differences of accuracy are paired by question, with bootstrap intervals over questions; p is
    McNemar's exact test where there is one replicate.
    """
    sets = [each for each in measure_sets(runs) if _has_contrasts(each)]
    check_found(sets, runs, NO_CONTROLS)
    tables, findings, data = [], list[str](), []
    for own in sets:
        found = compare_set(own)
        data.append(found)
        tables += [_tabulate(own, found), *_tabulate_floors(own, found), _tabulate_arms(own)]
        findings += _describe(own, found)
    notes = [note for each in sets for note in each.notes]
    notes += [
        f"{_place(each)}{name}: not shown, no method is {', '.join(map(_name_arm, lacks))}."
        for each in data
        for name, lacks in each.missing.items()
    ]
    return Report(
        title=f"Contrasts: {runs.name}",
        about=f"{runs.key}: paired differences of accuracy, in points",
        tables=tables,
        notes=(
            "1 to 4 add up to the debate minus the vote of its first round, which all share.",
            "p (Holm): corrected for the contrasts of one set of methods on one dataset.",
            *dict.fromkeys(notes),
        ),
        findings=tuple(findings),
        data=data,
    )


def compare_set(own: MeasuredSet) -> SetContrasts:
    """Return the contrasts of a control set on a dataset."""
    lacking = _find_missing(own)
    together = own.pair(*PARTS) if all(part in own.debates for part in PARTS) else []
    found = []
    for place, each in enumerate(CONTRASTS):
        if each.name not in lacking:
            found.append(_compare(own, each, together if place < DECOMPOSED else None))
    whole = Contrast("these together", "reasons", FIRST)
    return SetContrasts(
        name=own.name,
        dataset=own.dataset,
        contrasts=tuple(correct_by_holm(found, "gap")),
        total=_compare(own, whole, together) if together else None,
        floors=tuple(_compare_draws(own)),
        missing=lacking,
    )


def _has_contrasts(own: MeasuredSet) -> bool:
    known = any(each.accuracy is not None for way in own.debates.values() for each in way.values())
    return known and len(own.ways) > 1


def _find_missing(own: MeasuredSet) -> dict[str, tuple[str, ...]]:
    """Return the arms that contrasts lack; those that add up are shown together or not at all."""
    parts = tuple(part for part in PARTS if part not in own.debates)
    lacking = {each.name: parts for each in CONTRASTS[:DECOMPOSED] if parts}
    for each in CONTRASTS[DECOMPOSED:]:
        if lacks := tuple(way for way in (each.more, each.less) if way not in own.debates):
            lacking[each.name] = lacks
    return lacking


def _compare(
    own: MeasuredSet, contrast: Contrast, keys: Sequence[Key] | None = None
) -> MeasuredContrast:
    """Return a contrast over these debates, else over all that both arms have."""
    name, more, less = contrast
    if keys is None:
        keys = own.pair(more, less)
    gap = compare_paired(_values(own, more, keys), _values(own, less, keys))
    return MeasuredContrast(name=name, more=more, less=less, gap=gap)


def _values(own: MeasuredSet, way: str, keys: Sequence[Key]) -> dict[Key, float]:
    """Return whether verdicts are right, or votes of the first round."""
    first = way == FIRST
    rows = own.debates[PARTS[0] if first else way]
    values = {key: rows[key].vote if first else rows[key].accuracy for key in keys}
    return {key: value for key, value in values.items() if value is not None}


def _compare_draws(own: MeasuredSet) -> Iterator[MeasuredContrast]:
    """Yield each arm against other draws of itself: second draws, and the second replicate."""
    for way in own.ways:
        rows = own.debates[way]
        twice = {key: each for key, each in rows.items() if each.again_vote is not None}
        if twice:
            gap = compare_paired(_pick(twice, _vote_revised), _pick(twice, _vote_again))
            yield MeasuredContrast(name="revised again", more=way, less=way, gap=gap)
        other = {(question, 0): each for (question, repeat), each in rows.items() if repeat == 1}
        if other:
            gap = compare_paired(_pick(rows, _vote_revised), _pick(other, _vote_revised))
            yield MeasuredContrast(name="other replicate", more=way, less=way, gap=gap)


def _pick(
    rows: Mapping[Key, Revision], value: Callable[[Revision], float | None]
) -> dict[Key, float]:
    found = {key: value(each) for key, each in rows.items()}
    return {key: known for key, known in found.items() if known is not None}


def _vote_revised(each: Revision) -> float | None:
    return each.accuracy


def _vote_again(each: Revision) -> float | None:
    return each.again_vote


def _place(each: MeasuredSet | SetContrasts) -> str:
    return ", ".join(filter(None, (each.name, each.dataset))) + ": "


def _name_arm(way: str) -> str:
    return f"{EXPOSURE} shows={way}" if way in WAYS else _name_way(way)


def _name_way(way: str) -> str:
    return _SHOWN.get(way, way)


def _tabulate(own: MeasuredSet, found: SetContrasts) -> ResultTable:
    rows = [(str(place), each) for place, each in _number(found)]
    if found.total is not None:
        rows.insert(min(DECOMPOSED, len(rows)), ("1–4", found.total))
    return tabulate(
        f"{_place(own)}what the debate's gain is due to",
        rows,
        TableField("what it estimates", value=lambda row: f"{row[0]} {row[1].name}"),
        TableField("points", "points", lambda row: row[1].gap),
        TableField("p", "p", lambda row: row[1].gap.p),
        TableField("p (Holm)", "p", lambda row: row[1].gap.p_holm),
        TableField("of", value=lambda row: _name_way(row[1].more)),
        TableField("less", value=lambda row: _name_way(row[1].less)),
        TableField("better", "count", lambda row: row[1].gap.better),
        TableField("worse", "count", lambda row: row[1].gap.worse),
        TableField("questions", "count", lambda row: row[1].gap.questions),
        marked=lambda row: row[1] is found.total,
    )


def _number(found: SetContrasts) -> Iterator[tuple[int, MeasuredContrast]]:
    places = {each.name: place for place, each in enumerate(CONTRASTS, 1)}
    return ((places[each.name], each) for each in found.contrasts)


def _tabulate_floors(own: MeasuredSet, found: SetContrasts) -> Iterator[ResultTable]:
    if found.floors:
        yield tabulate(
            f"{_place(own)}control against control",
            found.floors,
            TableField("arm", value=lambda each: _name_way(each.more), head="method"),
            TableField("points", "points", "gap"),
            TableField("p", "p", "gap.p"),
            TableField("questions", "count", "gap.questions"),
            TableField("against itself", value="name"),
            note="A contrast no larger than these shows nothing that chance does not.",
        )


def _tabulate_arms(own: MeasuredSet) -> ResultTable:
    """Return accuracy and tokens of each arm, and of the vote of the first round."""
    return tabulate(
        f"{_place(own)}arms",
        list(own.debates),
        TableField("shown", value=_name_way),
        TableField("arm", value=lambda way: own.arms[way].name, head="method"),
        TableField(
            "accuracy %",
            "percent",
            lambda way: mean_over_questions(_pick(own.debates[way], _vote_revised)),
        ),
        TableField("calls", "count", lambda way: _average(own.debates[way], "turns")),
        TableField(
            "prompt tokens", "count", lambda way: _average(own.debates[way], "prompt_tokens")
        ),
        TableField(
            "tokens written", "count", lambda way: _average(own.debates[way], "completion_tokens")
        ),
        marked=lambda way: way == "reasons",
        note=f"{_EXPLAINED} Calls and tokens of one debate; the calls that methods share are "
        "counted in each.",
    )


def _average(debates: Revisions, name: str) -> float | None:
    counts = [getattr(each, name) for each in debates.values()]
    return sum(counts) / len(counts) if counts and None not in counts else None


def _describe(own: MeasuredSet, found: SetContrasts) -> Iterator[str]:
    place = _place(own)
    named = [NamedDifference(f"{place}{each.name}", each.gap) for each in found.contrasts]
    yield from describe_comparisons(named)
