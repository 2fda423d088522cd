"""Every configuration on every dataset, and the best of each protocol (arXiv:2311.17371)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta

from moot.analyses.analysis import analysis
from moot.analyses.debate_values import sum_values
from moot.analyses.measured_arms import group_by
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.summary import summarise_results
from moot.core.display_text import format_things
from moot.core.recorded_settings import CastSettings, read_settings
from moot.core.results import ArmResult
from moot.core.stored import Arm
from moot.core.table import Cell, Column, Report, ResultTable, TableRow, Value
from moot.statistics.accuracies import Key, median_over_arms, total_with_interval

BEST = "*"
_APART = ("style", "prompts", "model", "seed")
"""The settings that are not words of a configuration: they have columns, or tell nothing."""
EXPLAINED = (
    f"Accuracies in %, and totals, with 95 % intervals over questions; {BEST} the highest on a "
    "dataset. Totals are over all debates of the method on the dataset, as if nothing had been "
    "cached; – where one is unknown, or where the method was not run."
)

PriceKind = Literal["cost", "tokens", "none"]
_VARIANTS = Column(
    "arms", "count", head="variants", about="methods of the protocol that differ in settings"
)
_PARTS = {"cost": ["cost"], "tokens": ["prompt-tokens", "completion-tokens"]}
"""The metrics of which a price is the sum."""


@analysis(
    source="arXiv:2311.17371, appendix A.2, table 3",
    group="accuracy",
    needs=("accuracy",),
    place=12,
)
def configurations(
    runs: RecordedRuns,
    *,
    price: Annotated[
        PriceKind | None,
        Meta(description="what stands beside an accuracy: the total cost, or the total of tokens"),
    ] = None,
) -> Report:
    """Give the accuracy and the total price of every method on every dataset, methods down.

    Methods of one protocol stand together; what is said of a method is what tells it from them.
    Without a choice of price, it is the cost where any is known and not zero, else tokens.
    """
    found = {(arm.arm, arm.dataset): arm for arm in runs.joined.arms}
    chosen = price or _choose_price(found)
    spent = sum_values(runs.values, *_PARTS[chosen]) if chosen != "none" else {}
    best = _find_best(runs)
    several_models = _has_several_models(runs.arms)
    columns = [Column("prompt"), Column("configuration")]
    columns += [Column("model")] * several_models
    for dataset in runs.datasets:
        columns.append(Column("accuracy %", "percent", group=dataset))
        if chosen != "none":
            kind: Any = "money" if chosen == "cost" else "count"
            columns.append(Column(f"total {chosen}", kind, group=dataset))
    rows = []
    for protocol, arms in group_by(runs.arms, lambda arm: arm.protocol).items():
        for arm in arms:
            cells: list[Cell | Value] = [_prompt(arm), _describe(arm, arms)]
            cells += [_cast(arm).model or ""] * several_models
            for dataset in runs.datasets:
                own = found.get((arm.name, dataset))
                cells += _score(own, best[dataset], chosen, spent.get((dataset, arm.name), {}))
            rows.append(TableRow(cells, band=protocol, marked=arm.name == runs.joined.baseline))
    table = ResultTable("Configurations", tuple(columns), rows, note=EXPLAINED)
    return Report(
        title=f"Configurations: {runs.name}",
        about=f"{runs.key}: {format_things(len(runs.arms), 'method')}",
        tables=[table],
        findings=tuple(summarise_results(runs.joined)),
        data=runs.joined.arms,
    )


@analysis(
    source="arXiv:2311.17371, table 2",
    group="accuracy",
    needs=("accuracy",),
    name="best-by-protocol",
    place=11,
)
def rank_protocols(runs: RecordedRuns) -> Report:
    """Give the best and the median accuracy of each protocol's methods on each dataset.

    Where methods have several models, each protocol has a row for each.
    """
    found = {(arm.arm, arm.dataset): arm for arm in runs.joined.arms}
    values = sum_values(runs.values, "accuracy")
    rows = []
    several_models = _has_several_models(runs.arms)
    groups = group_by(
        runs.arms,
        lambda arm: (arm.protocol, (_cast(arm).model or "") * several_models),
    )
    tops = _find_best(runs)
    columns = [Column("protocol"), *[Column("model")] * several_models, _VARIANTS]
    for dataset in runs.datasets:
        columns.append(Column("best %", "percent", group=dataset))
        columns.append(Column("median %", "percent", group=dataset))
    for (protocol, model), arms in groups.items():
        cells: list[Cell | Value] = [protocol, *[model] * several_models, len(arms)]
        for dataset in runs.datasets:
            own = [each for arm in arms if (each := found.get((arm.name, dataset)))]
            cells += _rank(own, values, tops[dataset])
        rows.append(TableRow(cells))
    note = (
        f"Accuracies in %, with 95 % intervals over questions; {BEST} the highest on a dataset. "
        "For the median, questions are resampled with all variants. "
        "The best of several variants is too good by what chance adds, the more the more there "
        "are; moot analyse transfer scores a choice on questions that had no part in it."
    )
    return Report(
        title=f"Protocols at their best: {runs.name}",
        about=f"{runs.key}: {format_things(len({name for name, _ in groups}), 'protocol')}",
        tables=[ResultTable("The best and the median variant", tuple(columns), rows, note=note)],
        findings=tuple(summarise_results(runs.joined)),
    )


def _rank(
    arms: Sequence[ArmResult], values: Mapping[tuple[str, str], Mapping[Key, float]], top: float
) -> list[Cell | Value]:
    """Return the best and the median accuracy of arms on a dataset; two None without any."""
    measured = [each for each in arms if each.accuracy.mean is not None]
    if not measured:
        return [None, None]
    best = max(measured, key=lambda each: each.accuracy.mean or 0.0)
    middle = median_over_arms([values[each.dataset, each.arm] for each in measured])
    return [Cell(best.accuracy, mark=BEST if best.accuracy.mean == top else ""), middle]


def _find_best(runs: RecordedRuns) -> dict[str, float]:
    """Return the highest accuracy on each dataset."""
    return {
        dataset: max(arm.accuracy.mean or 0.0 for arm in arms)
        for dataset, arms in runs.joined.datasets.items()
    }


def _cast(arm: Arm) -> CastSettings:
    return read_settings(arm.settings, CastSettings)


def _has_several_models(arms: Sequence[Arm]) -> bool:
    return len({_cast(arm).model for arm in arms}) > 1


def _choose_price(found: Mapping[tuple[str, str], ArmResult]) -> PriceKind:
    if any(each.cost.total for each in found.values()):
        return "cost"
    return "tokens" if any(each.tokens for each in found.values()) else "none"


def _score(
    arm: ArmResult | None, best: float, price: PriceKind, spent: Mapping[Key, float]
) -> list[Cell | Value]:
    """Return the accuracy of an arm on a dataset, and its total price where that is shown."""
    blank: list[Cell | Value] = ["–"] * (1 if price == "none" else 2)
    if arm is None:
        return blank
    mean = arm.accuracy.mean
    cell = Cell(arm.accuracy, mark=BEST if mean is not None and mean == best else "")
    if price == "none":
        return [cell]
    return [cell, total_with_interval(spent) if len(spent) == arm.n else "–"]


def _prompt(arm: Arm) -> str:
    """Return the style of an arm's agents, with its file of prompts where that is a factor."""
    style = _cast(arm).style
    return f"{style}, {arm.prompts}" if arm.prompts else style


def _describe(arm: Arm, alike: Sequence[Arm]) -> str:
    """Return the settings that tell an arm from the others of its protocol, in words."""
    varied = [
        name
        for name in dict.fromkeys(name for each in alike for name in each.settings)
        if name not in _APART and len({repr(each.factors.get(name)) for each in alike}) > 1
    ]
    if len(alike) > 1 and not varied:
        return ""
    shown = [f"{name}={_say(arm.factors.get(name))}" for name in varied]
    return ", ".join(shown)


def _say(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return f"{len(value)} of its own"
    return "none" if value is None else str(value)
