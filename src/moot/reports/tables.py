"""The tables of a report: what each column is, whatever it is written in."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from moot.core.plain import (
    count,
    dollars,
    duration,
    line,
    many,
    p_value,
    percent,
    span,
)
from moot.core.results import ArmResult, Difference, EqualBudget, Flips, Mean, Measure, Results
from moot.reports.grid import Cell, Column, Grid, Row

MATCHED = {"tokens": "tokens", "cost": "money"}
"""What a budget can be made equal in, in words."""
OPENINGS = {
    "open": "open",
    "control-right": "right",
    "control-wrong": "wrong",
    "control-random": "random",
    "control-tempting": "tempting",
    "put": "put",
}
"""How the first agent is asked, as headings of columns say it."""

ACCURACY = (
    "Accuracy: % of debates with a right verdict, with its 95 % interval over questions. "
    "Difference: percentage points above the baseline on the same questions. p: McNemar's exact "
    "test, of replicated questions by change of signs; corrected by Holm for all arms of the "
    "dataset. Detectable: the smallest difference that so many questions show in 80 % of studies."
)
PRICE = "Calls to time: the mean of a debate. Tokens: prompt and completion."
_PRICE = tuple(map(Column, ("Calls", "Tokens", "Cost", "Time")))


class Line(NamedTuple):
    """An arm in a table of one run or of several."""

    run: str
    arm: ArmResult
    baseline: str | None

    @property
    def marked(self) -> bool:
        """Whether it is the arm that the others of its run are compared with."""
        return self.arm.arm == self.baseline


def lines(found: Sequence[Results]) -> list[Line]:
    """Every arm of every run, in order."""
    return [Line(each.run, arm, each.baseline) for each in found for arm in each.arms]


def tables(found: Sequence[Results]) -> list[Grid]:
    """Every table of these runs that has a row, none too wide for a printed page."""
    every = lines(found)
    both = accuracies(every)
    accuracy = _columns(both, "Accuracy", ACCURACY, both.columns[: -len(_PRICE)])
    price = _columns(both, "Price", PRICE, (*_where(every), *_PRICE))
    made = (accuracy, price, budgets(every), changes(every), rounds(every), variances(every))
    return [grid for grid in made if grid.rows]


def _columns(grid: Grid, title: str, note: str, columns: tuple[Column, ...]) -> Grid:
    """Some columns of a table as a table of their own."""
    kept = [grid.columns.index(column) for column in columns]
    rows = [Row([row.cells[k] for k in kept], marked=row.marked) for row in grid.rows]
    return Grid(title, note, columns, rows)


def accuracies(every: Sequence[Line]) -> Grid:
    """How often each arm is right, how far above its baseline, and at what price."""
    return Grid(
        "Accuracy and price",
        f"{ACCURACY} {PRICE}",
        (
            *_where(every),
            *map(Column, ("Accuracy %", "Difference", "p (Holm)", "Detectable", "Debates")),
            *_PRICE,
        ),
        [_row(each, every, _accuracy(each)) for each in every],
    )


def _accuracy(each: Line) -> list[Cell]:
    arm = each.arm
    lost = [many(arm.failed, "failure")] * bool(arm.failed)
    lost += [f"{count(arm.unparsed)} unparsed"] * bool(arm.unparsed)
    calls = [f"{count(arm.calls)} in all"]
    calls += [f"{count(arm.replayed)} replayed"] * bool(arm.replayed)
    calls += [many(arm.retries, "retry")] * bool(arm.retries)
    calls += [f"{count(arm.thought_only)} all thought"] * bool(arm.thought_only)
    prompt, completion = arm.prompt_tokens.mean, arm.completion_tokens.mean
    thought = arm.reasoning_tokens.mean
    tokens = [f"{count(prompt)} + {count(completion)}"]
    tokens += [f"{count(thought)} of them thought"] * bool(thought)
    return [
        mean(arm.accuracy),
        *(_gap(arm.difference) or [Cell("baseline" if each.marked else "–"), *[Cell("")] * 2]),
        Cell(count(arm.n), more=tuple(lost), sort=arm.n),
        Cell(count(arm.calls / arm.n), more=tuple(calls), sort=arm.calls / arm.n),
        Cell(count(arm.tokens), more=tuple(tokens), sort=arm.tokens),
        Cell(dollars(arm.cost.mean), more=_known(arm.cost, arm.n), sort=arm.cost.mean),
        Cell(duration(arm.seconds.mean), sort=arm.seconds.mean),
    ]


def _known(cost: Measure, n: int) -> tuple[str, ...]:
    if not cost.known:
        return ()
    part = [f"{count(cost.known)} of {count(n)} known"] * (cost.known < n)
    return (f"{dollars(cost.total)} in all", *part)


def _gap(gap: Difference | None) -> list[Cell] | None:
    """A difference, its p, and what could have been shown; None where there is no difference."""
    if gap is None:
        return None
    alone = [f"{p_value(gap.p)} uncorrected"] * (gap.p_holm != gap.p)
    counted = [f"{count(gap.better)} ▲ {count(gap.worse)} ▼"] * bool(gap.pairs)
    return [
        mean(gap, sign=True),
        Cell(
            p_value(gap.p_holm if gap.p_holm is not None else gap.p),
            more=(*alone, *counted),
            sort=gap.p_holm,
        ),
        Cell(percent(gap.smallest), sort=gap.smallest),
    ]


def budgets(every: Sequence[Line]) -> Grid:
    """Every debate beside self-consistency that was given as much as it took."""
    rows = [
        _row(each, every, _budget(each.arm, budget)) for each in every for budget in each.arm.budget
    ]
    return Grid(
        "Self-consistency at the same price",
        "Draws: the samples that the budget of a debate buys, question by question, and what they "
        "took. Difference: the debate minus the majority of these draws, in percentage points. "
        "Short: debates that could have bought more draws than the study made.",
        (
            *_where(every),
            *map(Column, ("Equal in", "Debate %", "Self-consistency %", "Difference")),
            *map(Column, ("p (Holm)", "Detectable", "Draws", "Short")),
        ),
        rows,
    )


def _budget(arm: ArmResult, budget: EqualBudget) -> list[Cell]:
    spent = dollars(budget.spent) if budget.matched == "cost" else f"{count(budget.spent)} tokens"
    return [
        Cell(MATCHED[budget.matched]),
        mean(arm.accuracy),
        mean(budget.accuracy),
        *(_gap(budget.difference) or []),
        Cell(
            count(budget.samples),
            more=(spent, f"from {line(budget.pool, 40)}"),
            sort=budget.samples,
        ),
        Cell(count(budget.short), sort=budget.short),
    ]


def changes(every: Sequence[Line]) -> Grid:
    """What debaters came to between their first and their last answers."""
    return Grid(
        "First and last answers",
        "Debaters by their first and their last answer. First answer: how often the first debater "
        "was right before debating. Oracle gap: debates in which somebody was right at some time "
        "and the verdict was not.",
        (*_where(every), *_FLIPS, Column("First answer %"), Column("Oracle gap %")),
        [
            _row(each, every, [*_flips(flips), share(arm.first_accuracy), share(arm.oracle_gap)])
            for each in every
            if (flips := (arm := each.arm).flips)
        ],
    )


def rounds(every: Sequence[Line]) -> Grid:
    """How right debaters are in each round, and how many changed since the one before."""
    return Grid(
        "Round by round",
        "Accuracy: the share of debaters right in the round, of those that came so far. Changes: "
        "from the round before in which they spoke.",
        (*_where(every), *map(Column, ("Round", "Accuracy %", "Debates")), *_FLIPS),
        [
            _row(each, every, [Cell(str(number), sort=number), *_round(each.arm, number)])
            for each in every
            if len(each.arm.rounds) > 1
            for number in sorted(each.arm.rounds)
        ],
    )


_FLIPS = tuple(map(Column, ("Kept right", "Wrong → right", "Right → wrong", "Kept wrong")))


def _round(arm: ArmResult, number: int) -> Iterator[Cell]:
    got, flips = arm.rounds[number], arm.round_flips.get(number)
    yield mean(got)
    yield Cell(count(got.n), sort=got.n)
    yield from _flips(flips) if flips else [Cell("–")] * len(_FLIPS)


def _flips(flips: Flips) -> list[Cell]:
    order = (flips.kept_right, flips.wrong_to_right, flips.right_to_wrong, flips.kept_wrong)
    return [Cell(count(number), sort=number) for number in order]


def variances(every: Sequence[Line]) -> Grid:
    """How much of the spread is the questions' and how much is chance, where there are replicates.

    The standard deviations are shown, as they have the unit of the accuracy.
    """
    return Grid(
        "Spread over questions and seeds",
        "Standard deviations of one debate's accuracy, in percentage points: between questions, "
        "and between the replicates of one question. Share: the questions' part of the variance.",
        (*_where(every), *map(Column, ("Between questions", "Between seeds", "Share %"))),
        [
            _row(each, every, [*map(share, (parts.question**0.5, parts.seed**0.5, parts.share))])
            for each in every
            if (parts := each.arm.variance)
        ],
    )


def mean(got: Mean | Difference, *, sign: bool = False) -> Cell:
    """A mean of shares, or of their differences, with its interval."""
    return Cell(
        percent(got.mean, sign=sign), interval=ends(got.low, got.high, sign=sign), sort=got.mean
    )


def share(value: float | None) -> Cell:
    """A share in percent."""
    return Cell(percent(value), sort=value)


def ends(low: float | None, high: float | None, *, sign: bool = False) -> str:
    """The ends of an interval of shares; empty where there is none."""
    return "" if low is None else span(low, high, sign=sign)


def _where(every: Sequence[Line]) -> tuple[Column, ...]:
    return tuple(Column(name, words=True) for name, _ in _places(every))


def _row(each: Line, every: Sequence[Line], cells: list[Cell]) -> Row:
    names = [Cell(line(told(each), 80)) for _, told in _places(every)]
    return Row([*names, *cells], marked=each.marked)


def _places(every: Sequence[Line]) -> list[tuple[str, Callable[[Line], str]]]:
    """What a row is known by: its arm, with its run and dataset where there are several."""
    told: list[tuple[str, Callable[[Line], str]]] = []
    if len({each.run for each in every}) > 1:
        told.append(("Run", lambda each: each.run))
    if len({each.arm.dataset for each in every}) > 1:
        told.append(("Dataset", lambda each: each.arm.dataset))
    return [*told, ("Arm", lambda each: each.arm.label)]
