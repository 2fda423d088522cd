"""How often the arms of runs are right, and at what price: the tables of every report."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from moot.core.display_text import (
    format_count,
    format_dollars,
    format_p,
    format_things,
    on_one_line,
)
from moot.core.results import ArmResult, Difference, EqualBudget, Flips, Measure, Results
from moot.core.table import Cell, Column, ResultTable, TableRow, Value, make_columns

MATCHED = {"tokens": "tokens", "cost": "money"}
"""What a budget can be made equal in, in words."""
ACCURACY = (
    "Accuracy: % of debates with a right verdict, with its 95 % interval over questions. "
    "Difference: percentage points above the baseline on the same questions. p: McNemar's exact "
    "test, of replicated questions by change of signs; corrected by Holm for all arms of the "
    "dataset. Detectable: the smallest difference that so many questions show in 80 % of studies."
)
PRICE = "Calls to time: the mean of a debate. Tokens: prompt and completion."
_GAP = (Column("Difference", "points"), Column("p (Holm)", "p"), Column("Detectable", "percent"))
_PRICE = (
    *make_columns("count", "Calls", "Tokens"),
    Column("Cost", "money"),
    Column("Time", "time"),
)
_FLIPS = make_columns("count", "Kept right", "Wrong → right", "Right → wrong", "Kept wrong")

Cells = list[Cell | Value]


class ArmLine(NamedTuple):
    """An arm in a table of one run or of several."""

    run: str
    arm: ArmResult
    baseline: str | None

    @property
    def marked(self) -> bool:
        """Whether it is the arm that the others of its run are compared with."""
        return self.arm.arm == (self.arm.baseline or self.baseline)


def list_arms(found: Sequence[Results]) -> list[ArmLine]:
    """List every arm of every run, in order."""
    return [ArmLine(each.run, arm, each.baseline) for each in found for arm in each.arms]


def tabulate_results(found: Sequence[Results]) -> list[ResultTable]:
    """Make every table of these runs that has a row, none too wide for a printed page."""
    every = list_arms(found)
    both = tabulate_accuracies(every)
    accuracy = _part(both, "Accuracy", ACCURACY, both.columns[: -len(_PRICE)])
    price = _part(both, "Price", PRICE, (*_where(every), *_PRICE))
    made = (
        accuracy,
        price,
        tabulate_budgets(every),
        tabulate_changes(every),
        tabulate_rounds(every),
        tabulate_variances(every),
    )
    return [table for table in made if table.rows]


def _part(table: ResultTable, title: str, note: str, columns: tuple[Column, ...]) -> ResultTable:
    """Make a table of some columns of another."""
    kept = [table.columns.index(column) for column in columns]
    rows = [TableRow([row.cells[k] for k in kept], row.marked) for row in table.rows]
    return ResultTable(title, columns, rows, note)


def tabulate_accuracies(every: Sequence[ArmLine]) -> ResultTable:
    """Tell how often each arm is right, how far above its baseline, and at what price."""
    return ResultTable(
        "Accuracy and price",
        (
            *_where(every),
            Column("Accuracy %", "percent"),
            *_GAP,
            Column("Debates", "count"),
            *_PRICE,
        ),
        _rows(every, ((each, _accuracy(each)) for each in every)),
        f"{ACCURACY} {PRICE}",
    )


def _accuracy(each: ArmLine) -> Cells:
    arm = each.arm
    lost = [format_things(arm.failed, "failure")] * bool(arm.failed)
    lost += [f"{format_count(arm.unparsed)} unparsed"] * bool(arm.unparsed)
    calls = [f"{format_count(arm.calls)} in all"]
    calls += [f"{format_count(arm.replayed)} replayed"] * bool(arm.replayed)
    calls += [format_things(arm.retries, "retry")] * bool(arm.retries)
    calls += [f"{format_count(arm.thought_only)} all thought"] * bool(arm.thought_only)
    thought = arm.reasoning_tokens.mean
    tokens = [
        f"{format_count(arm.prompt_tokens.mean)} + {format_count(arm.completion_tokens.mean)}"
    ]
    tokens += [f"{format_count(thought)} of them thought"] * bool(thought)
    return [
        arm.accuracy,
        *(_gap(arm.difference) or ["baseline" if each.marked else "–", "", ""]),
        Cell(arm.n, more=tuple(lost)),
        Cell(arm.calls / arm.n, more=tuple(calls)),
        Cell(arm.tokens, more=tuple(tokens)),
        Cell(arm.cost.mean, more=_cost_notes(arm.cost, arm.n)),
        arm.seconds.mean,
    ]


def _cost_notes(cost: Measure, n: int) -> tuple[str, ...]:
    if not cost.known:
        return ()
    part = [f"{format_count(cost.known)} of {format_count(n)} known"] * (cost.known < n)
    return (f"{format_dollars(cost.total)} in all", *part)


def _gap(gap: Difference | None) -> Cells:
    """List a difference, its p, and what could have been shown; nothing without a difference."""
    if gap is None:
        return []
    alone = [f"{format_p(gap.p)} uncorrected"] * (gap.p_holm != gap.p)
    counted = [f"{format_count(gap.better)} ▲ {format_count(gap.worse)} ▼"] * bool(gap.pairs)
    p = gap.p_holm if gap.p_holm is not None else gap.p
    return [gap, Cell(p, more=(*alone, *counted)), gap.smallest]


def tabulate_budgets(every: Sequence[ArmLine]) -> ResultTable:
    """Put every debate beside self-consistency that was given as much as it took."""
    return ResultTable(
        "Self-consistency at the price of a debate",
        (
            *_where(every),
            Column("Equal in", "count"),
            *make_columns("percent", "Debate %", "Self-consistency %"),
            *_GAP,
            *make_columns("count", "Draws", "Short"),
        ),
        _rows(
            every,
            ((each, _budget(each.arm, budget)) for each in every for budget in each.arm.budget),
        ),
        "Draws: the samples that the budget of a debate buys, question by question, and what they "
        "took. Difference: the debate minus the majority of these draws, in percentage points. "
        "Short: debates that could have bought more draws than the study made; their price is not "
        "the same.",
    )


def _budget(arm: ArmResult, budget: EqualBudget) -> Cells:
    spent = (
        format_dollars(budget.spent)
        if budget.matched == "cost"
        else f"{format_count(budget.spent)} tokens"
    )
    return [
        MATCHED[budget.matched],
        arm.accuracy,
        budget.accuracy,
        *_gap(budget.difference),
        Cell(budget.samples, more=(spent, f"from {on_one_line(budget.pool, 40)}")),
        budget.short,
    ]


def tabulate_changes(every: Sequence[ArmLine]) -> ResultTable:
    """Count debaters by their first and their last answers."""
    return ResultTable(
        "First and last answers",
        (*_where(every), *_FLIPS, *make_columns("percent", "First answer %", "Oracle gap %")),
        _rows(
            every,
            (
                (each, [*_flips(arm.flips), arm.first_accuracy, arm.oracle_gap])
                for each in every
                if (arm := each.arm).flips
            ),
        ),
        "Debaters by their first and their last answer. First answer: how often the first debater "
        "was right before debating. Oracle gap: debates in which an agent was right at some time "
        "and the verdict was not.",
    )


def tabulate_rounds(every: Sequence[ArmLine]) -> ResultTable:
    """Tell how right debaters are in each round, and how many changed since the one before."""
    return ResultTable(
        "Round by round",
        (
            *_where(every),
            Column("Round", "number"),
            Column("Accuracy %", "percent"),
            Column("Debates", "count"),
            *_FLIPS,
        ),
        _rows(
            every,
            (
                (each, [number, got, got.n, *_flips(each.arm.round_flips.get(number))])
                for each in every
                if len(each.arm.rounds) > 1
                for number, got in sorted(each.arm.rounds.items())
            ),
        ),
        "Accuracy: the share of debaters right in the round, of those that spoke in it. Changes: "
        "from the round before in which they spoke.",
    )


def _flips(flips: Flips | None) -> Cells:
    if flips is None:
        return ["–"] * len(_FLIPS)
    return [flips.kept_right, flips.wrong_to_right, flips.right_to_wrong, flips.kept_wrong]


def tabulate_variances(every: Sequence[ArmLine]) -> ResultTable:
    """Tell how much of the spread is the questions' and how much is chance, over replicates.

    The standard deviations are shown, as they have the unit of the accuracy.
    """
    return ResultTable(
        "Spread over questions and seeds",
        (*_where(every), *make_columns("percent", "Between questions", "Between seeds", "Share %")),
        _rows(
            every,
            (
                (each, [parts.question**0.5, parts.seed**0.5, parts.share])
                for each in every
                if (parts := each.arm.variance)
            ),
        ),
        "Standard deviations of one debate's accuracy, in percentage points: between questions, "
        "and between the replicates of one question. Share: the questions' part of the variance.",
    )


def _where(every: Sequence[ArmLine]) -> tuple[Column, ...]:
    return make_columns("text", *_places(every))


def _rows(every: Sequence[ArmLine], made: Iterable[tuple[ArmLine, Cells]]) -> list[TableRow]:
    """Put the name of each arm before its figures."""
    places = _places(every).values()
    return [
        TableRow([*(on_one_line(of(each), 80) for of in places), *cells], each.marked)
        for each, cells in made
    ]


def _places(every: Sequence[ArmLine]) -> dict[str, Callable[[ArmLine], str]]:
    """Return the columns that name a row, each with the function that fills it.

    They are the arm, with run and dataset where there are several.
    """
    places: dict[str, Callable[[ArmLine], str]] = {}
    if len({each.run for each in every}) > 1:
        places["Run"] = lambda each: each.run
    if len({each.arm.dataset for each in every}) > 1:
        places["Dataset"] = lambda each: each.arm.dataset
    return places | {"Arm": lambda each: each.arm.label}
