"""What a run will take: told, and agreed to, before it begins."""

import sys
from typing import TYPE_CHECKING

from moot.cli.console import ask_to_confirm, console, print_json, run_async
from moot.core.display_text import format_dollars, format_things, make_visible
from moot.core.errors import InputError
from moot.core.table import Cell, Column, ColumnKind, ResultTable, TableRow, Value
from moot.core.terminal import lend_terminal
from moot.reports.terminal import show_table
from moot.studies.estimate import Bound, Estimate, ExpectedArmUse, ExpectedUse
from moot.studies.forecast import foresee_question
from moot.studies.plan import Plan
from moot.studies.study import Study

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def summarise_estimate(estimate: Estimate) -> str:
    """Return one line: debates, then calls, tokens and cost, as expected if known, and at most."""
    held, calls = format_things(estimate.debates, "debate"), format_things(estimate.calls, "call")
    if not estimate.calls:
        return f"{held}: no model is asked"
    most = f"{format_things(estimate.tokens, 'token')}, {_cost(estimate)}"
    if (expected := estimate.expected) is None:
        if estimate.fewest != estimate.calls:
            calls = f"{estimate.fewest:,} to {calls}"
        return f"{held}, {calls}; at most {most}"
    tokens = format_things(expected.tokens, "token")
    if expected.pilot:
        tokens += f" ({expected.pilot})"
    likely = f"{format_things(expected.calls, 'call')}, {tokens}, {_cost(expected)}"
    return f"{held}: expected {likely}; at most {calls}, {most}"


def _cost(figures: Estimate | ExpectedUse | ExpectedArmUse | Bound) -> str:

    return "cost unknown" if figures.cost is None else format_dollars(figures.cost)


def tabulate_estimate(expected: ExpectedUse) -> ResultTable:
    """Return a table of what each arm is expected to use, and of the most it may use."""
    rows = []
    for arm in expected.arms:
        used: list[Cell | Value] = [arm.calls, arm.most.calls, arm.tokens, arm.most.tokens]
        rows.append(TableRow([arm.arm, *used, _cost(arm), _cost(arm.most)]))
    paid: list[Cell | Value] = ["paid for in all", expected.calls, "", expected.tokens, ""]
    paid += [_cost(expected), ""]
    kinds: dict[str, ColumnKind] = {"calls": "count", "tokens": "count", "cost": "money"}
    columns = [
        Column(name, kind, group=group)
        for group, kind in kinds.items()
        for name in ("expected", "at most")
    ]
    return ResultTable("", (Column("method"), *columns), [*rows, TableRow(paid, marked=True)])


def list_assumptions(expected: ExpectedUse) -> "Iterator[str]":
    """Yield the assumptions behind the figures of an estimate, in sentences."""
    if expected.shared:
        calls = format_things(expected.shared, "call")
        yield f"{calls} that several methods share are paid for once"
    yield from expected.assumes


def show_estimate(
    estimate: Estimate,
    missing: "Sequence[str] | None" = None,
    *,
    as_json: bool,
    run: str = "",
    **more: object,
) -> None:
    """Print what it will take, and what that rests on, in place of doing it.

    Args:
        estimate: what it will take.
        missing: what keeps models from answering; left out where it is None.
        as_json: whether as one JSON object.
        run: the key it would have; left out where it is empty.
        more: what else the object has.
    """
    if as_json:
        named = {"run": run} if run else {}
        ready = {} if missing is None else {"not_ready": missing}
        print_json({**named, "estimate": estimate, **ready, **more})
        return
    for problem in missing or ():
        console(err=True).print(make_visible(f"not ready: {problem}"), markup=False, style="yellow")
    out = console()
    told = f"{run}: {summarise_estimate(estimate)}" if run else summarise_estimate(estimate)
    out.print(make_visible(told), markup=False, soft_wrap=not run)
    if estimate.expected is not None and estimate.calls:
        if estimate.expected.arms:
            out.print(show_table(tabulate_estimate(estimate.expected)))
        for ground in list_assumptions(estimate.expected):
            out.print(make_visible(f"  {ground}"), markup=False, style="dim")


def show_forecast(plan: Plan, store: str | None, *, as_json: bool) -> None:
    """Print what the debate of a plan will take; call nothing.

    Args:
        plan: of the debate.
        store: as a command is given it.
        as_json: whether as one JSON object.
    """
    with lend_terminal():
        forecast = run_async(foresee_question(plan, store))
    show_estimate(forecast.estimate, forecast.not_ready, as_json=as_json)


def explain_confirmation(study: Study, estimate: Estimate) -> str:
    """Return why it does not start unasked; empty where it costs no more than the threshold."""
    cost = estimate.likely_cost
    if cost is None or cost <= study.confirm_above:
        return ""
    return (
        f"the estimate of ${cost:.2f} is above {study.confirm_above:g}: "
        "give --yes to start all the same"
    )


async def confirm_estimate(study: Study, estimate: Estimate) -> None:
    """Ask before spending more than the study's threshold. Raises ``InputError`` for a no."""
    why = explain_confirmation(study, estimate)
    if not why:
        return
    if not sys.stdin.isatty():
        raise InputError(f"{why}; nothing was called")
    if not await ask_to_confirm(f"Start at an estimated ${estimate.likely_cost:.2f}?"):
        raise InputError("not started; nothing was called")
