"""The tables of the analysis ``accuracy``: how right arms are, and at what price."""

from collections.abc import Iterator, Sequence

from moot.analyses.described_tables import TERMS
from moot.analyses.measured_arms import group_by
from moot.core.display_text import (
    format_count,
    format_dollars,
    format_p,
    format_things,
    on_one_line,
)
from moot.core.results import ArmResult, Difference, EqualBudget, Flips, Mean
from moot.core.table import Cell, Column, ResultTable, TableRow, Value, make_columns
from moot.statistics.accuracies import find_p

FAMILIES = {
    "dataset": "all methods of the dataset",
    "model": "all methods of the dataset that have the same baseline",
    "all": "all methods of all datasets",
}
"""What p is corrected for, in words; each model has a baseline of its own."""
ACCURACY = (
    "Accuracy: % of debates with a right verdict, with its 95 % interval over questions; failed "
    "debates and those without a readable answer count as wrong. Difference: percentage points "
    "above the baseline on the same questions. p: {test}, corrected by Holm for {family}."
)
PRICE = (
    "Calls to time: the mean of a debate. Tokens: prompt and completion. Cost: as if no reply had "
    "been cached; unknown is not zero. Time: of the longest chain of replies that wait "
    "for each other."
)
BUDGETS = (
    "For each question, the majority of as many single replies as the debate's tokens, or its "
    "money, would have bought, out of the study's own samples. Difference: the debate minus that; "
    "p, and the smallest difference to show: corrected by Holm for all debates and datasets of the "
    "study, controls and votes apart."
)
CHANGES = (
    "Debaters that spoke twice, by their first and their last answer; a method without any has no "
    "row."
)
ROUNDS = (
    "Accuracy: the share of debaters right in the round, of those that spoke in it. Changes: from "
    "the round before in which they spoke. A method whose debates all ended in round 1 has no row."
)
VARIANCES = (
    "Standard deviations of one debate's accuracy, in percentage points: between questions, and "
    "between the replicates of one question. Share: the questions' part of the variance."
)
PARTS = (
    "Parts of a network: the accuracy of each node's own verdict; of a layer or a sweep, the mean "
    "over its nodes."
)
SWEEPS = (
    "A debate whose nodes agree ends: fewer questions, and harder ones, come to the next sweep."
)
FEW = 12
"""Rows up to which a table of details stands in the terminal, too."""
Cells = list[Cell | Value]
_LOST = {
    "failed": Column("Failed", "count"),
    "unparsed": Column("Unparsed", "count", head=TERMS["unparsed"].head.capitalize()),
}
"""The columns of debates that count as wrong, whatever was said in them."""
_SHORT = (
    "debates that could have bought more samples than the study has; where there are any, the "
    "price is not the same"
)
_FIRST = Column(
    "First answer %", "percent", about="how often the first debater was right before debating"
)
_ORACLE_GAP = Column(
    "Oracle gap %",
    "percent",
    head=f"{TERMS['oracle gap'].head.capitalize()} %",
    about=TERMS["oracle gap"].about,
)
_FLIPS = make_columns("count", "Kept right", "Wrong → right", "Right → wrong", "Kept wrong")


def tabulate_accuracies(every: Sequence[ArmResult], family: str) -> Iterator[ResultTable]:
    """Yield for each dataset how right each arm is, how far above its baseline, and at what price.

    What nothing is known of has no column.
    """
    gaps = [arm.difference for arm in every if arm.difference]
    replicated = any(gap.pairs > gap.questions for gap in gaps)
    test = "an exact test by change of signs" if replicated else "McNemar's exact test"
    accuracy = ACCURACY.format(test=test, family=FAMILIES[family])
    for dataset, own in group_by(every, lambda arm: arm.dataset).items():
        right = any(arm.accuracy.mean is not None for arm in own)
        compared = any(gap.pairs for arm in own if (gap := arm.difference))
        lost = [
            name for name in ("failed", "unparsed") if any(_count_lost(each, name) for each in own)
        ]
        rows = []
        for arm in own:
            cells: Cells = [_name(arm), *[arm.accuracy] * right]
            if compared:
                base = "baseline" if arm.is_baseline else "–"
                cells += _gap(arm.difference) or [base, None, None]
            cells += [arm.n, *(_count_lost(arm, name) for name in lost), *_price(arm)]
            rows.append(TableRow(cells, arm.is_baseline, _band(arm, own, "baseline")))
        yield ResultTable(
            on_one_line(dataset, 80) + " (simulated)" * all(arm.simulated for arm in own),
            (
                _METHOD,
                *[Column("Accuracy %", "percent")] * right,
                *_GAP * compared,
                Column("Debates", "count"),
                *(_LOST[name] for name in lost),
                *_PRICE,
            ),
            rows,
            f"{accuracy} {PRICE}" if right else PRICE,
        )


_METHOD = Column("Arm", head="Method")
_GAP = (
    Column("Difference", "points"),
    Column("p (Holm)", "p"),
    Column(
        "Detectable",
        "percent",
        head=TERMS["smallest"].head.capitalize(),
        about=TERMS["smallest"].about,
    ),
)
_PRICE = (
    *make_columns("count", "Calls", "Tokens"),
    Column("Cost", "money"),
    Column("Time", "time"),
)


def _count_lost(arm: ArmResult, name: str) -> int:
    return arm.failed if name == "failed" else arm.unparsed


def _price(arm: ArmResult) -> Cells:
    """List what a debate takes, each with what all of them took."""
    calls = [f"{format_count(arm.calls)} in all"]
    calls += [f"{format_count(arm.replayed)} cached"] * bool(arm.replayed)
    calls += [f"{format_count(arm.batched)} in batches"] * bool(arm.batched)
    calls += [format_things(arm.retries, "retry")] * bool(arm.retries)
    calls += [f"{format_count(arm.thought_only)} all thought"] * bool(arm.thought_only)
    thought = arm.reasoning_tokens.mean
    both = (format_count(each.mean) for each in (arm.prompt_tokens, arm.completion_tokens))
    tokens = [" + ".join(both)]
    tokens += [f"{format_count(thought)} of them thought"] * bool(thought)
    return [
        Cell(arm.calls / arm.n, more=tuple(calls)),
        Cell(arm.tokens, more=tuple(tokens)),
        Cell(arm.cost.mean, more=_cost_notes(arm)),
        arm.seconds.mean,
    ]


def _cost_notes(arm: ArmResult) -> tuple[str, ...]:
    cost, n = arm.cost, arm.n
    if not cost.known:
        return ()
    notes = [f"{format_dollars(cost.total)} in all"]
    notes += [f"{format_count(cost.known)} of {format_count(n)} known"] * (cost.known < n)
    if arm.batched:
        saved = arm.batch_saving.total
        notes += [f"{format_dollars(saved)} less by batches" if saved else "at the usual price"]
    return tuple(notes)


def _gap(gap: Difference | None) -> Cells:
    """List a difference, its p, and what could have been shown; nothing without a difference."""
    if gap is None:
        return []
    alone = [f"{format_p(gap.p)} uncorrected"] * (gap.p_holm != gap.p)
    counted = [f"{format_count(gap.better)} ▲ {format_count(gap.worse)} ▼"] * bool(gap.pairs)
    return [gap, Cell(find_p(gap), more=(*alone, *counted)), gap.smallest]


def tabulate_budgets(every: Sequence[ArmResult]) -> ResultTable:
    """Put every debate beside self-consistency that was given as much as it took."""
    rows = [
        TableRow([_name(arm), *_budget(arm, budget)], band=_band(arm, every))
        for arm in every
        for budget in arm.budget
    ]
    return ResultTable(
        "Self-consistency at the price of a debate",
        (
            _METHOD,
            Column("Equal in"),
            *make_columns("percent", "Debate %", "Self-consistency %"),
            *_GAP,
            Column("Draws", "count", head="Samples"),
            Column("Short", "count", head="Too few samples", about=_SHORT),
        ),
        rows,
        BUDGETS,
        wide=len(rows) > FEW,
    )


def _budget(arm: ArmResult, budget: EqualBudget) -> Cells:
    money = budget.matched == "cost"
    spent = format_dollars(budget.spent) if money else f"{format_count(budget.spent)} tokens"
    return [
        "money" if money else budget.matched,
        arm.accuracy,
        budget.accuracy,
        *_gap(budget.difference),
        Cell(budget.samples, more=(spent, f"from {on_one_line(budget.pool, 40)}")),
        budget.short,
    ]


def tabulate_changes(every: Sequence[ArmResult]) -> ResultTable:
    """Count debaters by their first and their last answers."""
    rows = [
        TableRow(
            [_name(arm), *_flips(arm.flips), arm.first_accuracy, arm.oracle_gap],
            band=_band(arm, every),
        )
        for arm in every
        if arm.flips
    ]
    columns = _METHOD, *_FLIPS, _FIRST, _ORACLE_GAP
    return ResultTable("First and last answers", columns, rows, CHANGES, wide=len(rows) > FEW)


def _flips(flips: Flips | None) -> Cells:
    if flips is None:
        return ["–"] * len(_FLIPS)
    return [flips.kept_right, flips.wrong_to_right, flips.right_to_wrong, flips.kept_wrong]


def tabulate_parts(every: Sequence[ArmResult]) -> ResultTable:
    """Tell how right the layers, the sweeps and the nodes of each network are."""
    rows = [
        TableRow([name, got, got.n], kind != "node", f"{_band(arm, every)} {_name(arm)}".strip())
        for arm in every
        for kind, name, got in list_parts(arm)
    ]
    columns = (Column("Part"), Column("Accuracy %", "percent"), Column("Debates", "count"))
    return ResultTable("Parts of the networks", columns, rows, PARTS, wide=len(rows) > 3 * FEW)


def list_parts(arm: ArmResult) -> list[tuple[str, str, Mean]]:
    """Return the kind, name and accuracy of a network and of its parts; else nothing."""
    if not arm.nodes:
        return []
    return [
        ("network", "the network", arm.accuracy),
        *(("layer", f"layer {layer}", got) for layer, got in arm.layers.items()),
        *(("sweep", f"sweep {sweep}", got) for sweep, got in arm.sweeps.items()),
        *(("node", f"node {on_one_line(node, 40)}", got) for node, got in arm.nodes.items()),
    ]


def tabulate_rounds(every: Sequence[ArmResult]) -> ResultTable:
    """Tell how right debaters are in each round, and how many changed since the one before."""
    rows = [
        TableRow(
            [_name(arm), number, got, got.n, *_flips(arm.round_flips.get(number))],
            band=_band(arm, every),
        )
        for arm in every
        if len(arm.rounds) > 1
        for number, got in sorted(arm.rounds.items())
    ]
    columns = (
        _METHOD,
        Column("Round", "number"),
        Column("Accuracy %", "percent"),
        Column("Debates", "count"),
        *_FLIPS,
    )
    return ResultTable("Round by round", columns, rows, ROUNDS, wide=True)


def tabulate_variances(every: Sequence[ArmResult]) -> ResultTable:
    """Tell how much of the spread is the questions' and how much is chance, over replicates.

    The standard deviations are shown, as they have the unit of the accuracy.
    """
    rows = [
        TableRow(
            [_name(arm), parts.question**0.5, parts.seed**0.5, parts.share],
            band=_band(arm, every),
        )
        for arm in every
        if (parts := arm.variance)
    ]
    columns = make_columns("percent", "Between questions", "Between seeds", "Share %")
    title = "Spread over questions and seeds"
    return ResultTable(title, (_METHOD, *columns), rows, VARIANCES, wide=True)


def _name(arm: ArmResult) -> str:
    return on_one_line(arm.label, 160)


def _band(arm: ArmResult, every: Sequence[ArmResult], place: str = "dataset") -> str:
    """Return the dataset of a row, or its baseline, where there are several of them."""
    name = getattr(arm, place)
    if name is None or len({getattr(each, place) for each in every}) < 2:
        return ""
    return on_one_line(f"baseline {name}" if place == "baseline" else name, 80)
