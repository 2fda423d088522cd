"""The one table of a study: each method on each dataset, its accuracy, its worth and its price."""

from collections.abc import Iterator, Sequence

from moot.core.display_text import (
    format_count,
    format_p_equals,
    format_percent,
    format_things,
    on_one_line,
)
from moot.core.results import ArmResult, Difference, Results
from moot.core.table import Cell, Column, ResultTable, TableRow, Value
from moot.core.worth import MethodVerdict, VerdictClass

TITLE = "Methods"
FEWER, MORE = "†", "‡"
CLASSES: dict[VerdictClass, tuple[str, str]] = {
    "better": ("▲", "better"),
    "worse": ("▼", "worse"),
    "equal": ("=", "equal"),
    "open": ("·", "not shown"),
}
"""The sign and the word of each class."""
_OTHERS = {"single": "one reply", "samples": "a vote", "vote": "a vote", "control": "no debate"}
"""Names of methods that are no debate, by their kind."""
_NAMED = 2
"""The most datasets whose numbers of questions are named one by one."""
_Cells = list[Cell | Value]


def build_method_table(results: Results) -> ResultTable:
    """Build the table of all methods: a row for each on each dataset, votes and replies among them.

    What no row has, such as a cost that is known and not zero, has no column. There are no rows
    where no right answer is known.

    Args:
        results: of a run, or of several that are joined.

    Returns:
        The table. Its note says how the figures were made and, once, what the study lacks for a
        comparison with votes at equal tokens.
    """
    arms = results.arms if any(arm.accuracy.mean is not None for arm in results.arms) else ()
    verdicts = {(each.dataset, each.arm): each for each in results.verdicts}
    priced = any(arm.cost.total for arm in arms)
    asked = _count_questions(arms)
    uneven = any(len(numbers) > 1 for numbers in asked.values())
    names, whole_votes = _name_rows(results), _find_whole_votes(results)
    rows = []
    for arm in arms:
        cells: _Cells = [names[arm.arm]]
        cells.append(arm.accuracy)
        if verdicts:
            verdict = verdicts.get((arm.dataset, arm.arm))
            whole = (arm.dataset, arm.arm) in whole_votes
            cells += ["vote, all samples", ""] if whole else _compare(arm, verdict)
        cells.append(arm.tokens)
        cells += [Cell(arm.cost.mean if arm.cost.known else "unknown")] * priced
        cells += [arm.accuracy.questions] * uneven
        band = on_one_line(arm.dataset, 80) if len(asked) > 1 else ""
        rows.append(TableRow(cells, arm.is_baseline, band))
    compared = Column("Against a vote", "points"), Column("Worth it?")
    return ResultTable(
        TITLE,
        (
            Column("Method"),
            Column("Accuracy %", "percent", reach=True),
            *compared * bool(verdicts),
            Column("Tokens", "count"),
            *[Column("Cost", "money")] * priced,
            *[Column("Questions", "count")] * uneven,
        ),
        rows,
        " ".join(_explain(results)) if arms else "",
        leads=True,
        flat=True,
    )


def _name_rows(results: Results) -> dict[str, str]:
    """Return the names of arms in a table: a vote of one of several models has its name."""
    pools = {each.against for each in results.verdicts}
    several = len({arm.models for arm in results.arms if arm.arm in pools}) > 1
    names = {}
    for arm in results.arms:
        model = ", ".join(arm.models)
        added = f" {model}" if several and arm.arm in pools and model not in arm.label else ""
        names[arm.arm] = on_one_line(f"{arm.label}{added}", 160)
    return names


def _find_whole_votes(results: Results) -> set[tuple[str, str]]:
    """Return the rows of votes, by dataset and arm, that are not what some debate is compared with.

    Such a row has all samples and questions; a debate is compared with as many samples as its
    tokens buy, on its own questions.
    """
    shown = {(arm.dataset, arm.arm): arm.accuracy.mean for arm in results.arms}
    other = set()
    for each in results.verdicts:
        pool = each.dataset, each.against or ""
        row = shown.get(pool)
        own = each.vote.accuracy if each.tokens == "equal" else None
        if row is not None and own is not None and format_percent(row) != format_percent(own):
            other.add(pool)
    return other


def _count_questions(arms: Sequence[ArmResult]) -> dict[str, set[int]]:
    """Return how many questions the methods of each dataset have."""
    asked: dict[str, set[int]] = {}
    for arm in arms:
        asked.setdefault(arm.dataset, set()).add(arm.accuracy.questions)
    return asked


def _say_asked(arms: Sequence[ArmResult]) -> str:
    """Return how many questions were asked, as n, where that is one number for each dataset."""
    asked = _count_questions(arms)
    if any(len(numbers) > 1 for numbers in asked.values()):
        return ""
    numbers = {dataset: n for dataset, [n] in asked.items()}
    least, most = min(numbers.values()), max(numbers.values())
    if least == most:
        each = " of each dataset" * (len(numbers) > 1)
        return f", n = {format_things(most, 'question')}{each}"
    if len(numbers) > _NAMED:
        return f", n = {format_count(least)} to {format_things(most, 'question')}"
    told = (f"{format_count(n)} ({on_one_line(dataset, 40)})" for dataset, n in numbers.items())
    return f", n = {' and '.join(told)} questions"


def _compare(arm: ArmResult, verdict: MethodVerdict | None) -> _Cells:
    """Return the difference of a debate to its vote and its class; else what the method is."""
    if verdict is None:
        return [_OTHERS.get(arm.kind, "–"), ""]
    got = verdict.difference
    if got.estimate is None:
        return ["–", "not compared"]
    gap = Difference(
        mean=got.estimate,
        low=got.low,
        high=got.high,
        pairs=verdict.questions,
        questions=verdict.questions,
    )
    mark = {"fewer": FEWER, "more": MORE}.get(verdict.tokens or "", "")
    sign, word = CLASSES[verdict.class_]
    at = verdict.settled_at
    when = (f"after {format_things(at, 'question')}",) if at is not None else ()
    return [Cell(gap, mark=mark, more=tuple(_detail(verdict))), Cell(word, sign=sign, more=when)]


def _detail(verdict: MethodVerdict) -> Iterator[str]:
    """Yield the lines beside a difference for which only a page has room."""
    told = []
    if verdict.vote.accuracy is not None:
        told.append(f"vote {format_percent(verdict.vote.accuracy)} %")
    if verdict.p is not None:
        told.append(f"p {format_p_equals(verdict.p)}")
    if told:
        yield ", ".join(told)
    if verdict.opponent not in {"", "a vote"}:
        yield f"beside {verdict.opponent}"


def fold_datasets(results: Results) -> ResultTable:
    """Build a shorter table: a row for each method, a column of accuracies for each dataset.

    The sign of its class stands behind the accuracy of a debate.
    """
    verdicts = {(each.dataset, each.arm): each for each in results.verdicts}
    found = {(arm.dataset, arm.arm): arm for arm in results.arms}
    names, rows = _name_rows(results), []
    for name in dict.fromkeys(arm.arm for arm in results.arms):
        own = [found.get((dataset, name)) for dataset in results.datasets]
        cells: _Cells = [names[name]]
        for arm in own:
            verdict = arm and verdicts.get((arm.dataset, arm.arm))
            sign = f" {CLASSES[verdict.class_][0]}" if verdict else "\u00a0\u00a0"
            mean = arm.accuracy.mean if arm else None
            cells.append(Cell(mean, mark=sign))
        is_baseline = any(arm.is_baseline for arm in own if arm)
        rows.append(TableRow(cells, is_baseline))
    columns = (Column(f"{on_one_line(name, 24)} %", "percent") for name in results.datasets)
    signs = {each.class_ for each in results.verdicts}
    words = ", ".join(f"{sign} {word}" for kind, (sign, word) in CLASSES.items() if kind in signs)
    note = [f"Accuracy; a debate against a vote: {words}."] if words else ["Accuracy."]
    note += [f"{_say_asked(results.arms).removeprefix(', ')}.", *_say_parts(results)]
    return ResultTable(
        TITLE,
        (Column("Method"), *columns),
        rows,
        " ".join(note),
        leads=True,
        flat=True,
    )


def _explain(results: Results) -> Iterator[str]:
    """Yield the sentences of the note; only those that some row needs."""
    arms = results.arms
    yield f"±: the farther end of the 95 % interval{_say_asked(arms)}."
    yield from _say_parts(results)
    compared = [each for each in results.verdicts if each.difference.estimate is not None]
    if compared:
        yield _explain_comparison(compared)
    for sign, had in ((FEWER, "fewer"), (MORE, "more")):
        if own := [each for each in compared if each.tokens == had]:
            opponents = sorted({each.opponent for each in own})
            yield f"{sign} {' or '.join(opponents)} that took {had} tokens."
    yield from _say_lacks(results)
    lost = sum(arm.failed + arm.unparsed for arm in arms)
    if lost:
        yield f"{format_things(lost, 'debate')} failed or gave no readable answer: wrong."
    yield "Tokens: of a question, prompt and completion."


def _say_parts(results: Results) -> Iterator[str]:
    """Say which datasets are a part of what they are called."""
    for dataset, part in (results.parts or {}).items():
        if dataset in results.datasets:
            yield f"{on_one_line(dataset, 40)}: {part}."


def _say_lacks(results: Results) -> Iterator[str]:
    """Say once what a study lacks for votes at equal tokens, if it lacks something."""
    lacks = dict.fromkeys(
        each.advice for each in results.verdicts if each.advice and not each.advice.startswith("n")
    )
    if lacks and results.is_complete:
        yield f"For a vote at equal tokens: {'; '.join(lacks)}."


def _explain_comparison(compared: Sequence[MethodVerdict]) -> str:
    """Say what the differences are to, and how they were settled."""
    levels = sorted({each.difference.level for each in compared if each.difference.low is not None})
    level = f", {' or '.join(f'{100 * each:.3g} %' for each in levels)} interval" if levels else ""
    fair = " over as many tokens" * any(each.tokens == "equal" for each in compared)
    margins = {each.margin for each in compared if each.class_ == "equal" and each.margin}
    equal = f"; equal: within {' or '.join(f'{100 * m:g}' for m in sorted(margins))} points"
    tests = sum(each.p is not None for each in compared)
    how = "an interval that is valid at every look"
    if tests:
        how = f"the exact paired test, corrected for {format_things(tests, 'comparison')}"
    return f"Against a vote{fair}: points{level}; settled by {how}{equal * bool(margins)}."
