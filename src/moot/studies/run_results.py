"""From the measured debates of a run to its results, arm by arm and dataset by dataset."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby

from msgspec.structs import replace

from moot.core.results import ArmResult, EqualBudget, Measure, Results, Saved
from moot.core.stored import Arm, DebateValues, Spent
from moot.debate.agent_config import models_in
from moot.metrics.by_round import ROUND
from moot.metrics.network_accuracy import LAYER, NODE, SWEEP
from moot.statistics.accuracies import (
    cluster_by_question,
    compare_paired,
    correct_differences,
    mean_with_interval,
    split_variance,
)
from moot.studies.equal_budget import Draws, compare_budgets, correct_budgets
from moot.studies.tally import ArmTally

Tallies = dict[tuple[str, str], ArmTally]  # by dataset and arm


def find_baselines(arms: Iterable[Arm], baseline: str | None) -> dict[str, str]:
    """Return, by the name of each arm, the arm that it is compared with.

    It is the study's baseline or, for an arm of another model, the arm that has all of its settings
    but the model, which is that arm's own. Where there is none, it is the study's baseline.

    Args:
        arms: of the study.
        baseline: the name of the study's baseline; None where arms are compared with none.
    """
    arms = tuple(arms)
    own = [arm for arm in arms if arm.name == baseline]
    if not own:
        return {}
    alike = [arm for arm in arms if _without_model(arm) == _without_model(own[0])]
    by_models = {frozenset(models_in(arm.settings)): arm.name for arm in [*alike, *own]}
    return {
        arm.name: by_models.get(frozenset(models_in(arm.settings)), own[0].name) for arm in arms
    }


def _without_model(arm: Arm) -> tuple[str, str, dict[str, object]]:
    return arm.protocol, arm.prompts, {**arm.settings, "model": None}


def summarise(
    rows: Iterable[DebateValues],
    *,
    run: str,
    name: str,
    simulated: Collection[str] = (),
    baseline: str | None = None,
    baselines: Mapping[str, str] | None = None,
    arms: Sequence[str] = (),
    pools: Mapping[str, str] | None = None,
    draws: Draws = lambda _dataset, _arm: (),
) -> Results:
    """Take the results of a run from the values of its debates, each seen once.

    Args:
        rows: one for each debate, failed ones included, in any order.
        run: the run's key.
        name: the study's name.
        simulated: the names of the arms with an agent that is no language model.
        baseline: the arm that the others are compared with, on the debates both have.
        baselines: by arm, the arm that it is compared with, where that is another.
        arms: the order in which arms are shown; others follow as they come.
        pools: by arm, the arm whose replies are its draws of equal budget.
        draws: gives the debates of a dataset and an arm, for the arms that are such a pool.
    """
    pools, baselines = pools or {}, baselines or {}
    tallies: Tallies = {}
    for key, alike in groupby(rows, lambda row: (row.dataset, row.arm)):  # mostly one run of each
        if key not in tallies:
            tallies[key] = ArmTally(prices=key[1] in pools)
        tallies[key].add(alike)
    place = {arm: number for number, arm in enumerate(arms)}
    datasets = list(dict.fromkeys(dataset for dataset, _ in tallies))
    results: list[ArmResult] = []
    for dataset in datasets:
        budgets = _budgets(tallies, dataset, pools, draws)
        own = sorted(
            (arm for on, arm in tallies if on == dataset),
            key=lambda arm: place.get(arm, len(arms)),
        )
        results += _correct_family(
            [
                _arm(
                    (dataset, arm),
                    tallies,
                    baselines.get(arm, baseline),
                    simulated=arm in simulated,
                    budget=budgets.get(arm, ()),
                )
                for arm in own
            ]
        )
    return Results(
        run=run,
        name=name,
        simulated=bool(simulated),
        baseline=baseline,
        arms=tuple(results),
    )


def _budgets(
    tallies: Tallies, dataset: str, pools: Mapping[str, str], draws: Draws
) -> dict[str, tuple[EqualBudget, ...]]:
    """Return the comparisons at equal budget, by arm; the draws of each pool are read once."""
    found: dict[str, tuple[EqualBudget, ...]] = {}
    for pool in dict.fromkeys(pools.values()):
        own = {
            arm: tallies[dataset, arm]
            for arm, its in pools.items()
            if its == pool and (dataset, arm) in tallies
        }
        if own and (dataset, pool) in tallies:
            found |= compare_budgets(own, pool, draws(dataset, pool))
    return correct_budgets(found)


def _correct_family(arms: list[ArmResult]) -> list[ArmResult]:
    """Return the arms of a dataset, each p with its correction for how many there are."""
    gaps = iter(correct_differences([arm.difference for arm in arms if arm.difference]))
    return [replace(arm, difference=next(gaps)) if arm.difference else arm for arm in arms]


def _arm(
    key: tuple[str, str],
    tallies: Tallies,
    baseline: str | None,
    *,
    simulated: bool,
    budget: tuple[EqualBudget, ...],
) -> ArmResult:
    (dataset, arm), tally = key, tallies[key]
    other = tallies.get((dataset, baseline)) if baseline is not None and arm != baseline else None
    return ArmResult(
        dataset=dataset,
        arm=arm,
        simulated=simulated,
        n=tally.n,
        failed=tally.failed,
        unparsed=tally.count("unparsed"),
        accuracy=mean_with_interval(cluster_by_question(tally.right)),
        first_accuracy=tally.measure("first-accuracy").mean,
        difference=None if other is None else compare_paired(tally.right, other.right),
        flips=tally.count_flips(),
        oracle_gap=tally.measure("oracle-gap").mean,
        calls=tally.count("calls"),
        replayed=tally.count("replayed"),
        retries=tally.count("retries"),
        prompt_tokens=tally.measure("prompt-tokens"),
        completion_tokens=tally.measure("completion-tokens"),
        cached_tokens=tally.measure("cached-tokens"),
        cost=tally.measure("cost"),
        seconds=tally.measure("seconds"),
        others=tally.others(),
        nodes=tally.mean_by_name(NODE),
        layers=tally.mean_by_number(LAYER),
        sweeps=tally.mean_by_number(SWEEP),
        rounds=tally.mean_by_number(ROUND),
        round_flips=tally.count_round_flips(),
        variance=split_variance(tally.right),
        budget=budget,
        baseline=baseline,
        reasoning_tokens=tally.measure("reasoning-tokens"),
        thought_only=tally.count("thought-only-replies"),
    )


def compute_savings(arms: Iterable[ArmResult], spent: Spent) -> Saved:
    """Return what the debates of a run used, less what the run has paid for.

    A reply that several debates share is paid once and used several times; one that another run
    has paid for is used alone. From sums alone, so that it takes no time to speak of. While a run
    is under way, replies of debates not yet recorded count as paid and not yet as used: what was
    saved is then no less than is said.

    Args:
        arms: all of the run.
        spent: what the store knows the run to have paid, ``Store.sum_spent``.
    """
    arms = tuple(arms)
    calls = sum(arm.calls for arm in arms)
    cost = _sum_over_all((arm.cost, arm.n) for arm in arms)
    tokens = _sum_over_all(
        (part, arm.n) for arm in arms for part in (arm.prompt_tokens, arm.completion_tokens)
    )
    if calls <= spent.calls:  # nothing saved: what remains of sums in another order is no money
        cost, tokens = cost and 0.0, tokens and 0.0
    return Saved(
        calls=calls,
        paid=spent.calls,
        cost=None if cost is None or spent.unknown_cost_calls else max(0.0, cost - spent.cost),
        tokens=None if tokens is None else max(0, round(tokens) - spent.tokens),
    )


def _sum_over_all(measures: Iterable[tuple[Measure, int]]) -> float | None:
    """Return the sum over all debates; None where it is unknown for any of them."""
    total = 0.0
    for measure, debates in measures:
        if measure.known < debates:
            return None
        total += measure.total or 0.0
    return total
