"""An audit as a report: one sentence, tables and a chart, for any of moot's renderers."""

from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from moot import Axis, Cell, Chart, Plot, Report, ResultTable
from moot.contrib.audits.audit import Audit, AuditedFigure
from moot.contrib.audits.causes import CAUSES, Difference
from moot.contrib.audits.effects import Effects, Exchanged
from moot.extend.analyses import Difference as Gap
from moot.extend.analyses import TableField, tabulate
from moot.extend.words import (
    format_interval,
    format_p_equals,
    format_percent,
    format_things,
    natural_sort_key,
    on_one_line,
)

_SURE = 0.05
_ROWS = 20_000
"""The most rows to recompute, and the most disputed questions, that a report has."""
_LISTS = ("rows", "differences")
_WRITTEN = 1000
"""The rows that are written together."""
NAMES = {"claimed": "claimed", "by_their_rule": "by their rule", "by_ours": "by ours"}
"""The three numbers in the words of tables and charts."""


def name_round(number: int) -> str:
    """Return a round in words: its number, or that it is a verdict."""
    return str(number) if number else "verdict"


def is_shown(gap: Gap) -> bool:
    """Return whether a difference is one, by its exact test and its interval."""
    p = gap.p if gap.p_holm is None else gap.p_holm
    if p is None or gap.low is None or gap.high is None:
        return False
    return p <= _SURE and (gap.low > 0 or gap.high < 0)


def list_compared(audit: Audit) -> list[Effects]:
    """Return the settings that have more than one round."""
    return [each for each in audit.effects if each.rounds > 1]


def write_sentence(audit: Audit) -> str:
    """Return the result of an audit in one sentence."""
    compared = list_compared(audit)
    told = [_describe_effect(audit, each, named=len(compared) > 1) for each in compared]
    return f"{'; '.join([_describe_figures(audit), *told])}."


def _describe_figures(audit: Audit) -> str:
    claimed, theirs, ours = (
        _list_shares([getattr(each, name) for each in audit.figures]) for name in NAMES
    )
    by_ours = f"by moot's reader and a vote it is {ours} %"
    if claimed and audit.fitting and theirs:
        return f"Claimed is {claimed} %, which the rule {audit.rule} gives; {by_ours}"
    if claimed and theirs:
        return f"Claimed is {claimed} %; by the rule {audit.rule} it is {theirs} %, {by_ours}"
    if claimed:
        return f"Claimed is {claimed} %, which no rule fits; {by_ours}"
    if theirs:
        return f"By the rule {audit.rule} it is {theirs} %, {by_ours}"
    return by_ours[0].upper() + by_ours[1:]


def _list_shares(means: Sequence[Any]) -> str:
    """Return shares in percent; a dash where one is not known; empty where none is."""
    if not any(means):
        return ""
    every = ["–" if each is None else format_percent(each.mean) for each in means]
    return " and ".join(filter(None, [", ".join(every[:-1]), every[-1]]))


def _describe_effect(audit: Audit, effects: Effects, *, named: bool) -> str:
    gap = effects.against_vote
    of = f" ({audit.labels[effects.setting]})" if named else ""
    what = ("better" if (gap.mean or 0) > 0 else "worse") if is_shown(gap) else ""
    than = f"{what} than" if what else "not shown to differ from"
    would = f"; {format_percent(gap.smallest)} would have shown" if gap.smallest else ""
    return (
        f"the debate{of} is {than} the vote of its own first round "
        f"({format_percent(gap.mean, sign=True)} points, "
        f"{format_interval(gap.low, gap.high, sign=True)}; p {format_p_equals(gap.p)}; "
        f"n = {gap.questions}{would})"
    )


def make_report(audit: Audit) -> Report:
    """Return the report of an audit; its ``data`` is what ``--json`` prints."""
    tables = [
        _tabulate_figures(audit),
        *_tabulate_effects(audit),
        *_tabulate_causes(audit),
        *_tabulate_differences(audit),
        *_tabulate_rules(audit),
        *_tabulate_warnings(audit),
        *_tabulate_exchange(audit),
        _tabulate_rows(audit),
    ]
    return Report(
        title=f"Audit: {audit.name}",
        about=f"{audit.run}; claimed in {audit.source}" if audit.source else audit.run,
        tables=tables,
        notes=tuple(_list_notes(audit)),
        charts=_draw(audit),
        findings=(write_sentence(audit), *_list_findings(audit)),
        data=make_data(audit),
    )


def make_data(audit: Audit) -> dict[str, Any]:
    """Return an audit as plain data, its figures as lists in the order of rounds and settings.

    Of rows and differences it has the first 20,000.
    """
    first = {name: getattr(audit, name)[:_ROWS] for name in _LISTS}
    made: dict[str, Any] = {"name": audit.name, "run": audit.run, "sentence": write_sentence(audit)}
    for name in NAMES:
        means = [getattr(each, name) for each in audit.figures]
        made[name] = [None if each is None else each.mean for each in means]
    whole: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(audit, **first))
    made |= {"rule": whole.pop("rule"), "fitting": audit.fitting, "tried": len(audit.tried)}
    made |= {"causes": audit.causes, **whole, "tried_rules": whole["tried"]}
    return made | {"tried": len(audit.tried)}


def write_json(audit: Audit) -> Iterator[str]:
    """Yield the JSON of ``make_data`` with all rows and differences, a piece at a time."""
    none: dict[str, Any] = dict.fromkeys(_LISTS, ())
    data = make_data(msgspec.structs.replace(audit, **none)) | {"causes": audit.causes}
    text = msgspec.json.format(msgspec.json.encode(data)).decode()
    for name in _LISTS:
        before, opening, text = text.partition(f'\n  "{name}": [')
        yield f"{before}{opening}"
        yield from _write_list(getattr(audit, name))
    yield f"{text}\n"


def _write_list(rows: Iterable[object]) -> Iterator[str]:
    """Yield the JSON of a list's members with the indents of a field of an object."""
    left, written = iter(rows), 0
    while some := list(islice(left, _WRITTEN)):
        text = msgspec.json.format(msgspec.json.encode(some)).decode()
        yield "," * bool(written) + text[1:-2].replace("\n", "\n  ")
        written += len(some)
    yield "\n  " * bool(written)


def _list_findings(audit: Audit) -> Iterator[str]:
    """Yield which rule was taken, what differs and why, and what moot's analyses find."""
    if audit.fitting:
        yield f"{audit.rule}: {audit.why}. That a rule fits does not say that it was used."
    elif audit.rule:
        yield f"{audit.rule}: {audit.why}."
    else:
        yield f"No rule was taken for the authors': {audit.why}."
    if audit.differences:
        told = (f"{name} {number}" for name, number in audit.causes.items())
        number = format_things(len(audit.differences), "question")
        yield f"The two rules disagree on {number}, counted by round: {', '.join(told)}."
    for each in list_compared(audit):
        gap = each.against_vote
        of = f"{audit.labels[each.setting]}: " if _is_of_several(audit) else ""
        yield (
            f"{of}{format_things(gap.better, 'question')} right by the debate alone, "
            f"{gap.worse} by the vote of its first round alone."
        )
    yield from (each.words for each in audit.warnings)
    for each in list_compared(audit):
        yield from (
            f"{name.capitalize()}: {finding.replace(each.arm, audit.labels[each.setting])}"
            for name, own in each.findings.items()
            for finding in own
        )


def _list_notes(audit: Audit) -> Iterator[str]:
    yield (
        "By ours: moot's reader, and the most frequent answer; a tie goes to the first. Intervals "
        "are of 95 % over questions; that of a claim is of the stated share of as many questions."
    )
    yield ("p: exact, question by question.")
    yield from audit.notes


def _is_of_several(audit: Audit) -> bool:
    return len({each.setting for each in audit.figures}) > 1


def _name_setting(audit: Audit) -> list[TableField]:
    """Return the column of settings, where there are several."""
    named = TableField("setting", "text", lambda each: audit.labels[each.setting])
    return [named] if _is_of_several(audit) else []


def _tabulate_figures(audit: Audit) -> ResultTable:
    repeated = any(each.by_ours.n != each.by_ours.questions for each in audit.figures)
    return tabulate(
        "Three numbers",
        audit.figures,
        *_name_setting(audit),
        TableField("round", "text", lambda each: name_round(each.round)),
        TableField("claimed %", "percent", "claimed"),
        TableField("by their rule %", "percent", "by_their_rule"),
        TableField("by ours %", "percent", "by_ours"),
        TableField("questions", "count", "by_ours.questions"),
        *([TableField("debates", "count", "by_ours.n")] if repeated else []),
        TableField("counted otherwise", "count", "differing"),
        leads=True,
    )


class _Compared(NamedTuple):
    """A difference of a setting."""

    setting: str
    words: str
    gap: Gap


def _list_differences(audit: Audit) -> Iterator[_Compared]:
    for each in audit.effects:
        what = "debate" if each.rounds > 1 else "vote"
        if each.rounds > 1:
            yield _Compared(each.setting, "debate − vote of its first round", each.against_vote)
        if each.read_their_way is not None:
            words = "the same, replies read as by their rule"
            yield _Compared(each.setting, words, each.read_their_way)
        if each.rounds > 1 or each.agents > 1:
            yield _Compared(each.setting, f"{what} − one reply", each.against_reply)
        for single in each.against_single:
            label = audit.labels[single.setting]
            yield _Compared(each.setting, f"{what} − {label}", single.gap)


def _tabulate_effects(audit: Audit) -> Iterator[ResultTable]:
    if rows := [*_list_differences(audit)]:
        yield tabulate(
            "What is then so",
            rows,
            *_name_setting(audit),
            TableField("difference", "text", "words"),
            TableField("points", "points", "gap"),
            TableField("p", "p", "gap.p"),
            TableField("questions", "count", "gap.questions"),
            TableField("first alone", "count", "gap.better", group="right by"),
            TableField("second alone", "count", "gap.worse", group="right by"),
            TableField.of_smallest("smallest"),
            leads=True,
        )


class _Changed(NamedTuple):
    """An exchange of a setting."""

    setting: str
    exchanged: Exchanged


def _tabulate_exchange(audit: Audit) -> Iterator[ResultTable]:
    changed = [_Changed(each.setting, own) for each in audit.effects for own in each.exchanged]
    if changed:
        yield tabulate(
            "Who changed whom",
            changed,
            *_name_setting(audit),
            TableField("agent", "text", "exchanged.agent"),
            TableField("came to the answer of", "text", "exchanged.source"),
            TableField("helped", "count", "exchanged.helped"),
            TableField("harmed", "count", "exchanged.harmed"),
            TableField("neither", "count", "exchanged.other"),
            note="An agent's answer changed to one that another had given the round before. Where "
            "several had given it, it counts for each.",
        )


def _tabulate_causes(audit: Audit) -> Iterator[ResultTable]:
    if audit.causes:
        yield tabulate(
            "Why the rules differ",
            audit.causes.items(),
            TableField("cause", "text", lambda pair: pair[0]),
            TableField("questions", "count", lambda pair: pair[1]),
            TableField("what it is", "text", lambda pair: CAUSES[pair[0]]),
            note="A question counts once in each round.",
        )


def _tabulate_warnings(audit: Audit) -> Iterator[ResultTable]:
    if audit.warnings:
        yield tabulate(
            "Warnings",
            audit.warnings,
            TableField("warning", "text", "name"),
            TableField("number", "number", lambda each: round(each.number, 3)),
            TableField("of", "count"),
            TableField("given where", "text", "rule"),
            TableField("for example", "text", lambda each: ", ".join(each.examples)),
        )


def _tabulate_rules(audit: Audit) -> Iterator[ResultTable]:
    """Tabulate the rules that fit, and beside them those of published programs."""
    shown = [each for each in audit.tried if each.fits or ":" not in each.name]
    if shown:
        yield tabulate(
            f"Rules: {len(audit.fitting)} of {len(audit.tried)} fit the claim"
            if audit.source
            else f"Rules: {len(audit.tried)} tried",
            shown,
            TableField("rule", "text", "name"),
            TableField("fits", "text", lambda each: "fits" if each.fits else "–"),
            TableField(
                "shares %",
                "text",
                lambda each: ", ".join(format_percent(share) for share in each.shares),
            ),
            TableField("what it does", "text", "about"),
            note="A rule fits where all that is claimed is what it gives, within rounding of the "
            "stated digits. Some fit by chance: that a rule fits does not say that it was used.",
            wide=True,
        )


def _tabulate_differences(audit: Audit) -> Iterator[ResultTable]:
    if number := len(audit.differences):
        yield tabulate(
            "Disputed questions",
            nsmallest(_ROWS, audit.differences, lambda each: natural_sort_key(each.question)),
            *_name_setting(audit),
            TableField("question", "text", lambda each: _link(audit, each)),
            TableField("round", "text", lambda each: name_round(each.round)),
            TableField("cause", "text"),
            TableField("words that decide", "text", "words"),
            TableField("right", "text"),
            TableField("read as", "text", lambda each: each.read_as or "–"),
            TableField("moot reads", "text", lambda each: each.answer or "–"),
            TableField("by their rule", "text", "by_their_rule"),
            TableField("by ours", "text", "by_ours"),
            TableField("agent", "text"),
            TableField("signs", "text", lambda each: f"{each.start}–{each.end}"),
            note=f"moot show {audit.run.split(', ')[0]} QUESTION has the whole debate. Signs: the "
            "place of the words in the agent's reply."
            + f" The first {_ROWS} of {number} questions."
            * (number > _ROWS),
            wide=True,
        )


def _link(audit: Audit, each: Difference) -> Cell:
    run = audit.run.split(", ")[0]
    debate = run, each.arm, each.dataset, each.question, each.replicate
    return Cell(on_one_line(each.question, 40), debate=debate)


def _tabulate_rows(audit: Audit) -> ResultTable:
    return tabulate(
        "Rows to recompute",
        audit.rows[:_ROWS],
        *_name_setting(audit),
        TableField("question", "text", lambda each: on_one_line(each.question, 40)),
        TableField("round", "text", lambda each: name_round(each.round)),
        TableField("right", "text", lambda each: on_one_line(each.right, 40)),
        TableField("by their rule", "text", lambda each: each.by_their_rule or "–"),
        TableField("by ours", "text", "by_ours"),
        TableField("read as", "text", lambda each: _join(each.read)),
        TableField("moot reads", "text", lambda each: _join(each.answers)),
        note=f"The first {_ROWS} of {len(audit.rows)} rows." if len(audit.rows) > _ROWS else "",
        wide=True,
    )


def _join(answers: Sequence[str | None]) -> str:
    return ", ".join("–" if each is None else on_one_line(each, 24) for each in answers)


def _draw(audit: Audit) -> tuple[Chart, ...]:
    several = _is_of_several(audit)
    rows = [
        _point(audit, each, name, several=several)
        for each in audit.figures
        for name in NAMES
        if getattr(each, name) is not None
    ]
    if not rows:
        return ()
    sizes = {each.by_ours.questions for each in audit.figures}
    of = format_things(max(sizes), "question") if len(sizes) == 1 else "the questions of each"
    return (
        Chart(
            "audit",
            f"Right answers: {', '.join(NAMES.values())}",
            f"Dots are shares of right questions, whiskers 95 % intervals over {of}. By their "
            f"rule: {audit.rule or 'none'}. By ours: moot's reader and a majority vote.",
            rows,
            Plot(
                "dots",
                Axis("at", "", "text") if several else Axis("at", "round", "text"),
                Axis("share", "right %", "share", (0, 1)),
                colour="number",
            ),
        ),
    )


def _point(
    audit: Audit, figure: AuditedFigure, name: str, *, several: bool
) -> dict[str, str | float | None]:
    mean = getattr(figure, name)
    at = name_round(figure.round)
    return {
        "at": f"{audit.labels[figure.setting]}, {at}" if several else at,
        "number": NAMES[name],
        "share": mean.mean,
        "low": mean.low,
        "high": mean.high,
    }
