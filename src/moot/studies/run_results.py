"""From the measured debates of a run to its results, arm by arm and dataset by dataset."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import groupby
from operator import add
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from moot.core.named_values import NamedValues
from moot.core.results import ArmResult, EqualBudget, Flips, Mean, Measure, Results, Saved
from moot.core.stored import Arm, DebateRow, DebateValues, Spent
from moot.datasets.parts import describe_part
from moot.debate.agent_config import models_in
from moot.debate.protocol import RULE
from moot.metrics.by_round import FLIPS, ROUND
from moot.metrics.network_accuracy import LAYER, NODE, SWEEP
from moot.statistics.accuracies import (
    Key,
    add_to_cluster,
    compare_paired,
    correct_by_holm,
    mean_over_questions,
    mean_with_interval,
    split_variance,
)
from moot.statistics.intervals import Cluster
from moot.studies.equal_budget import DrawCost, Draws, compare_budgets
from moot.studies.judging import ArmTraits, correct_budgets, judge_methods

_BLOCK = 256
"""Debates whose values are added up together, name by name, which costs much less."""
_PARTS = (NODE, LAYER, SWEEP, ROUND)  # accuracies of parts of a debate
_FLIPS = {flip: flip.replace("-", "_") for flip in FLIPS.values()}

_COUNTS = ("unparsed", "calls", "replayed", "retries", "batched")
_SPENT = ("prompt-tokens", "completion-tokens", "cached-tokens", "cost", "seconds")
_MEASURES = (*_SPENT, "reasoning-tokens")
_SHOWN = {
    *("accuracy", "first-accuracy", "failed", "oracle-gap", "batch-saving"),
    *(*_COUNTS, *_SPENT, *_FLIPS),
}
"""Metrics that are not among the others of ``ArmResult``, since it has a field for each."""


class ArmTally:
    """The debates of one arm on one dataset, summed up.

    Attributes:
        n: how many they are.
        failed: those of them without a verdict.
        right: the accuracy of each.
        took: what each took, where that is asked for.
        unread: those without a readable answer, failed ones among them, where that is asked for.
        without_verdict: the failed ones of these.
    """

    def __init__(self, *, prices: bool = False) -> None:
        self.n = self.failed = 0
        self.right: dict[Key, float] = {}
        self.took: dict[Key, DrawCost] = {}
        self.unread: set[Key] = set()
        self.without_verdict: set[Key] = set()
        self._prices = prices
        self._sums: dict[str, float] = defaultdict(float)
        self._known: dict[str, int] = defaultdict(int)
        self._parts: dict[str, dict[str, Cluster]] = defaultdict(dict)

    def add(self, rows: Iterable[DebateValues]) -> None:
        """Count more debates."""
        waiting: dict[tuple[str, ...], list[DebateValues]] = defaultdict(list)
        names, alike = tuple[str, ...](), list[DebateValues]()
        shared: Mapping[str, float | None] | None = None
        for row in rows:
            self.n += 1
            self.failed += row.failed
            table = row.values.places if isinstance(row.values, NamedValues) else row.values
            if table is not shared:  # debates that have the same table have the same names
                shared, names = table, tuple(row.values)
                alike = waiting[names]
            alike.append(row)
            if len(alike) == _BLOCK:
                self._add_up(names, alike)
                alike.clear()
            accuracy = row.values.get("accuracy")
            if accuracy is not None:
                key = row.question, row.replicate
                self.right[key] = accuracy
                if self._prices:
                    spent = ("prompt-tokens", "completion-tokens", "cost")
                    self.took[key] = DrawCost.of(*(row.values.get(name) for name in spent))
                    if row.failed or row.values.get("unparsed"):
                        self.unread.add(key)
                    if row.failed:
                        self.without_verdict.add(key)
        for names, left in waiting.items():
            if left:
                self._add_up(names, left)

    def _add_up(self, names: tuple[str, ...], rows: Sequence[DebateValues]) -> None:
        """Count rows that have values of the same names."""
        columns = zip(*[row.values.values() for row in rows], strict=True)
        for name, column in zip(names, columns, strict=True):
            if not (given := [value for value in column if value is not None]):
                continue
            if ":" in name and name.startswith(_PARTS):
                self._add_part(self._parts[name], rows, column)
            else:  # not by sum(), which newer Pythons round otherwise
                self._sums[name] = reduce(add, given, self._sums[name])
                self._known[name] += len(given)

    def _add_part(
        self,
        part: dict[str, Cluster],
        rows: Iterable[DebateValues],
        column: Iterable[float | None],
    ) -> None:
        """Count the values of a part of the debate, question by question."""
        for row, value in zip(rows, column, strict=True):
            if value is not None:
                part[row.question] = add_to_cluster(part.get(row.question), value)

    def measure(self, name: str) -> Measure:
        """Return a metric's sum."""
        known = self._known.get(name, 0)
        return Measure(total=self._sums[name] if known else None, known=known)

    def others(self) -> dict[str, Measure]:
        """Return every metric for which there is no field."""
        names = sorted(name for name in self._known if name.partition(":")[0] not in _SHOWN)
        return {name: self.measure(name) for name in names}

    def count(self, name: str) -> int:
        """Return the sum of what is counted in whole numbers."""
        return round(self._sums.get(name, 0.0))

    def mean_by_name(self, of: str) -> dict[str, Mean]:
        """Return the accuracy of each node, layer, sweep or round, in order."""
        found = {
            name.removeprefix(of): mean_with_interval(values.values())
            for name, values in self._parts.items()
            if name.startswith(of)
        }
        return dict(sorted(found.items(), key=lambda each: _count_nodes(each[0])))

    def mean_by_number(self, of: str) -> dict[int, Mean]:
        """Return the same for metrics that have numbers for names."""
        return {int(number): mean for number, mean in self.mean_by_name(of).items()}

    def count_flips(self, into: str = "") -> Flips | None:
        """Return how often debaters changed, or kept, a right or a wrong answer, over all debates.

        Args:
            into: empty to compare first and last answers; ``:2`` to compare those of round 2 with
                those before.

        Returns:
            None if no debate has the two answers to compare.
        """
        if not self._known.get(f"wrong-to-right{into}"):
            return None
        return Flips(**{field: self.count(f"{flip}{into}") for flip, field in _FLIPS.items()})

    def count_round_flips(self) -> dict[int, Flips]:
        """Return the changes into each round, in order."""
        rounds = sorted(
            int(number)
            for flip, colon, number in (name.partition(":") for name in self._known)
            if colon and flip in _FLIPS
        )
        return {number: found for number in rounds if (found := self.count_flips(f":{number}"))}

    def to_result(self, **known: Any) -> ArmResult:  # noqa: ANN401 -- fields of the result
        """Return the results of the arm: what is known of it, and what was counted."""
        fields: dict[str, Any] = {name: self.count(name) for name in _COUNTS}
        fields |= {name: self.measure(name) for name in _MEASURES}
        return ArmResult(
            **known,
            n=self.n,
            failed=self.failed,
            accuracy=mean_over_questions(self.right),
            first_accuracy=self.measure("first-accuracy").mean,
            flips=self.count_flips(),
            oracle_gap=self.measure("oracle-gap").mean,
            thought_only=self.count("thought-only-replies"),
            batch_saving=self.measure("batch-saving"),
            **{name.replace("-", "_"): value for name, value in fields.items()},
            others=self.others(),
            nodes=self.mean_by_name(NODE),
            layers=self.mean_by_number(LAYER),
            sweeps=self.mean_by_number(SWEEP),
            rounds=self.mean_by_number(ROUND),
            round_flips=self.count_round_flips(),
            variance=split_variance(self.right),
        )


def _count_nodes(name: str) -> tuple[str, int, str]:
    """Return a key that sorts C10 behind C9."""
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or 0), name


def summarise(
    rows: Iterable[DebateValues],
    *,
    run: str,
    name: str,
    simulated: Collection[str] = (),
    baseline: str | None = None,
    baselines: Mapping[str, str | None] | None = None,
    arms: Sequence[str] = (),
    pools: Mapping[str, str] | None = None,
    draws: Draws = lambda _dataset, _arm: (),
    traits: Mapping[str, ArmTraits] | None = None,
    planned: int | None = None,
    unfinished: bool = False,
    margin: float | None = None,
) -> Results:
    """Take the results of a run from the values of its debates, each seen once.

    Args:
        rows: one for each debate, failed ones included, in any order.
        run: the run's key.
        name: the study's name.
        simulated: the names of the arms with an agent that is no language model.
        baseline: the arm that the others are compared with, on the debates both have.
        baselines: by arm, the arm that it is compared with, where that is another; None for none.
        arms: the order in which arms are shown; others follow as they come.
        pools: by arm, the arm whose replies are its draws of equal budget.
        draws: gives the debates of a dataset and an arm, for the arms that are such a pool.
        traits: by arm, what it is; an arm that is not named is a debate.
        planned: the debates of the whole study, where that is known.
        unfinished: whether one of several runs lacks debates.
        margin: the greatest difference that counts as equal, 0 to 1; None where none does.
    """
    pools, baselines, traits = pools or {}, baselines or {}, traits or {}
    tallies: dict[str, dict[str, ArmTally]] = defaultdict(dict)  # by dataset and arm
    for (dataset, arm), alike in groupby(rows, lambda row: (row.dataset, row.arm)):
        tally = tallies[dataset].setdefault(arm, ArmTally(prices=arm in pools))
        tally.add(alike)  # mostly one run of each
    place = {arm: number for number, arm in enumerate(arms)}
    results: list[ArmResult] = []
    every = (traits.get(arm, ArmTraits()) for own in tallies.values() for arm in own)
    debates = sum(each.is_debate for each in every)
    held = sum(tally.n for own in tallies.values() for tally in own.values())
    lacks = unfinished or (planned is not None and held < planned)
    together = (0 if margin is None else debates, debates if lacks else 0)
    for dataset, own in tallies.items():
        budgets = _compare_with_pools(own, pools, partial(draws, dataset), together)
        made = [
            own[arm].to_result(
                dataset=dataset,
                arm=arm,
                simulated=arm in simulated,
                baseline=(against := baselines.get(arm, baseline)),
                difference=None
                if against in {None, arm} or against not in own
                else compare_paired(own[arm].right, own[against].right),
                budget=budgets.get(arm, ()),
                protocol=(known := traits.get(arm, ArmTraits())).protocol,
                kind=known.kind,
                models=known.models,
            )
            for arm in sorted(own, key=lambda arm: place.get(arm, len(arms)))
        ]
        results += correct_by_holm(made, "difference")
    if len({each.simulated for each in results}) > 1:
        results = [replace(each, mixed=True) for each in results]
    remedies = {arm: each.remedy for arm, each in traits.items()}
    found = Results(
        run=run,
        name=name,
        simulated=bool(simulated),
        baseline=baseline,
        arms=tuple(correct_budgets(results)),
        planned=planned,
        unfinished=unfinished,
        parts=_describe_parts(tallies) or UNSET,
    )
    return replace(found, verdicts=judge_methods(found, remedies, margin))


def _describe_parts(tallies: Mapping[str, Mapping[str, ArmTally]]) -> dict[str, str]:
    """Return by dataset, in words, which part of a published set it is."""
    parts = {
        dataset: describe_part(dict.fromkeys(key[0] for arm in own.values() for key in arm.right))
        for dataset, own in tallies.items()
    }
    return {dataset: part for dataset, part in parts.items() if part}


def _compare_with_pools(
    tallies: Mapping[str, ArmTally],
    pools: Mapping[str, str],
    draws: Callable[[str], Iterable[DebateRow]],
    together: tuple[int, int],
) -> dict[str, tuple[EqualBudget, ...]]:
    """Return the comparisons at equal budget, by arm; the draws of each pool are read once."""
    found: dict[str, tuple[EqualBudget, ...]] = {}
    for pool in dict.fromkeys(pools.values()):
        own = {arm: tallies[arm] for arm, its in pools.items() if its == pool and arm in tallies}
        if own and pool in tallies:
            wide, looked = together
            found |= compare_budgets(own, pool, draws(pool), wide=wide, looked=looked)
    return found


def find_baselines(arms: Iterable[Arm], baseline: str | None) -> dict[str, str | None]:
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
    if own[0].kind:
        return dict(_find_own_votes(arms, own[0]))
    alike = [arm for arm in arms if _without_model(arm) == _without_model(own[0])]
    by_models: dict[frozenset[str], str] = {
        frozenset(models_in(arm.settings)): arm.name for arm in [*alike, *own]
    }
    return {
        arm.name: by_models.get(frozenset(models_in(arm.settings)), own[0].name) for arm in arms
    }


def _find_own_votes(arms: Sequence[Arm], baseline: Arm) -> Iterator[tuple[str, str | None]]:
    """Yield each arm recorded elsewhere with its baseline: that of its own debates, if any.

    Debates that are decided by another rule are no method of their own, and compared with none.
    """
    alike = [arm for arm in arms if arm.protocol == baseline.protocol]
    for arm in arms:
        own = (each.name for each in alike if each.settings == arm.settings)
        yield arm.name, None if arm.kind == RULE else next(own, baseline.name)


def _without_model(arm: Arm) -> tuple[str, str, dict[str, object]]:
    return arm.protocol, arm.prompts, {**arm.settings, "model": None}


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
