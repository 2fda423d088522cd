"""Questions on which one arm fails and another succeeds, with what each answered."""

from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

from msgspec import Meta

from moot.analyses.analysis import analysis, check_found
from moot.analyses.anchoring import group_by_opening, model_names, name_groups
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.display_text import format_p_equals, format_things, on_one_line
from moot.core.recorded_settings import OpeningSettings, read_settings
from moot.core.stored import Arm, DebateRow
from moot.core.table import Column, Report, ResultTable, TableRow, make_columns
from moot.debate.opening_values import OPENINGS
from moot.statistics.accuracies import Key, compare_paired

Debates = dict[Key, DebateRow]


class CasePair(NamedTuple):
    """Two arms whose debates of the same questions are looked at.

    Attributes:
        group: as it is called; its model is named where there are several.
    """

    group: str
    fails: Arm
    succeeds: Arm


@analysis(
    source="Prejudice and Fidelity, appendix G", group="accuracy", place=85, varies=("opening",)
)
def cases(
    runs: RecordedRuns,
    *,
    fails: Annotated[str, Meta(description="an opening, or a method, that is not right")] = (
        "control-right"
    ),
    succeeds: Annotated[str, Meta(description="an opening, or a method, that is right")] = (
        "control-wrong"
    ),
    limit: Annotated[int, Meta(ge=1, description="the most questions shown of each pair")] = 20,
) -> Report:
    """Find the questions on which one opening, or one method, fails and another succeeds.

    By default: opened with the right value, the debate fails; opened with a wrong one, it succeeds.
    Each stands with the value that was put forward and what was answered.
    """
    pairs = list(_find_pairs(runs.arms, fails, succeeds))
    check_found(pairs, runs, f"no two methods of it differ in being {fails} and {succeeds}")
    tables, findings = [], []
    for pair in pairs:
        ones, twos = _read(runs, pair.fails), _read(runs, pair.succeeds)
        for dataset in dict.fromkeys(dataset for dataset, _ in ones):
            left = {key: row for (on, key), row in ones.items() if on == dataset}
            right = {key: row for (on, key), row in twos.items() if on == dataset}
            both = [key for key in left if key in right]
            found = [key for key in both if not _is_right(left[key]) and _is_right(right[key])]
            turned = [key for key in both if _is_right(left[key]) and not _is_right(right[key])]
            gap = compare_paired(
                {key: float(_is_right(right[key])) for key in both},
                {key: float(_is_right(left[key])) for key in both},
            )
            findings.append(
                f"{pair.group} on {dataset}: {fails} fails and {succeeds} succeeds in "
                f"{len(found)} of {format_things(len(both), 'pair')} of debates, the other way "
                f"round in {len(turned)} (p {format_p_equals(gap.p)})."
            )
            if found:
                tables.append(_tabulate(pair, dataset, found[:limit], left, right, len(found)))
    return Report(
        title=f"Cases: {runs.name}",
        about=f"{runs.key}: {fails} fails, {succeeds} succeeds",
        tables=tables,
        notes=(
            "moot show RUN QUESTION shows the debates of a question.",
            "p: exact, not corrected for how many pairs and datasets there are.",
        ),
        findings=tuple(findings),
    )


def _find_pairs(arms: Sequence[Arm], fails: str, succeeds: str) -> Iterator[CasePair]:
    """Yield the arms that are meant: of two openings all that differ in these alone."""
    by_name = {arm.name: arm for arm in arms}
    if fails in by_name and succeeds in by_name:
        yield CasePair(f"{fails} and {succeeds}", by_name[fails], by_name[succeeds])
    if fails not in OPENINGS or succeeds not in OPENINGS:
        return
    groups = group_by_opening(arms)
    several = len({model_names(group[0]) for group in groups}) > 1
    for called, group in zip(name_groups(groups), groups, strict=True):
        name = f"{called}, {model_names(group[0])}" if several else called
        by_opening = {read_settings(arm.settings, OpeningSettings).opening: arm for arm in group}
        if fails in by_opening and succeeds in by_opening:
            yield CasePair(name, by_opening[fails], by_opening[succeeds])


def _read(runs: RecordedRuns, arm: Arm) -> dict[tuple[str, Key], DebateRow]:
    """Return the debates of an arm whose right answer is known, by dataset, then by key."""
    return {
        (row.dataset, (row.question, row.replicate)): row
        for row in runs.debates(arm.name)
        if row.values.get("accuracy") is not None
    }


def _is_right(row: DebateRow) -> bool:
    return row.values.get("accuracy") == 1


def _tabulate(
    pair: CasePair,
    dataset: str,
    shown: Sequence[Key],
    left: Debates,
    right: Debates,
    every: int,
) -> ResultTable:
    rows = []
    for key in shown:
        answer = left[key].transcript.question.answer
        answers = (answer,) if isinstance(answer, str) else answer or ()
        rows.append(
            TableRow(
                [
                    f"{key[0]} #{key[1]}" if key[1] else key[0],
                    _say(answers),
                    *_describe(left[key]),
                    *_describe(right[key]),
                ]
            )
        )
    rest = f" {every - len(shown)} more are not shown." if every > len(shown) else ""
    note = (
        f"Planted: the value put forward. Failed: {pair.fails.name}. Right: {pair.succeeds.name}."
    )
    columns = (
        *make_columns("text", "question", "right answer"),
        Column("put", group="failed", head="planted"),
        Column("answered", group="failed"),
        Column("put", group="right", head="planted"),
        Column("answered", group="right"),
    )
    return ResultTable(f"{dataset}: {pair.group}", columns, rows, note=note + rest)


def _describe(row: DebateRow) -> tuple[str, str]:
    """Return the values put forward in a debate, and what was answered."""
    verdict = row.transcript.verdict
    answer = None if verdict is None else verdict.answer
    return _say(row.transcript.opened.opening), "–" if answer is None else on_one_line(answer, 40)


def _say(values: Sequence[str]) -> str:
    return on_one_line(", ".join(values), 40) or "–"
