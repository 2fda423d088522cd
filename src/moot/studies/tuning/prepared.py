"""What is known of a search before anything is paid for: its questions and what it may take."""

from collections.abc import Sequence
from hashlib import blake2b
from math import ceil, isfinite
from random import Random
from statistics import fmean
from typing import Any

import msgspec
from msgspec.structs import replace

from moot.core.errors import InputError, UnknownName
from moot.core.stored import Arm, Spent, StudyRow
from moot.runtime.budget import Budget
from moot.studies.estimate import ArmExpected, Estimate
from moot.studies.expected import expect
from moot.studies.lab import Lab
from moot.studies.plan import Plan
from moot.studies.run import kept
from moot.studies.study import Study, models_of
from moot.studies.tuning.file import Tuning, dearest
from moot.studies.tuning.halves import Halves, halves
from moot.studies.tuning.space import Choice, Point, Range, Space


class Prepared:
    """A search of which everything is checked and nothing is paid for.

    Attributes:
        halves: the questions of the search and of the test.
        key: the run's id: another number of trials or another budget goes on with the same search.
        estimate: the most that search and test may take.
        debates: the most there are.
        reserve: the most that the test may take, as far as the budget caps it.
        prices: what the study states, for all models of the space.
        models: the names of all models of the space.
        simulated: True when any agent of any configuration is no language model.
    """

    def __init__(self, lab: Lab, tuning: Tuning, limit: int | None) -> None:
        self.tuning, self.limit = tuning, limit
        study, seed = tuning.study, tuning.table.seed
        plan = Plan(study, limit=limit)
        self.halves: Halves = halves(plan, tuning.table.development, seed=seed, file=study.file)
        spec = replace(tuning.table, trials=1)
        content = msgspec.json.encode([plan.key, spec, tuning.fixed], order="deterministic")
        stem = plan.key.rpartition("-")[0]
        self.key = f"{stem}-tune-{blake2b(content, digest_size=5).hexdigest()}"
        corners = [
            tuning.arm(f"corner {number}", point)
            for number, point in enumerate(tuning.space.corners())
        ]
        most = dearest(tuning, corners)
        ends = replace(study, arms=(*study.arms, *_covering(corners)), baseline=None)
        whole = Plan(ends, limit=limit)  # its examples are there
        self.simulated = bool(
            msgspec.json.decode(kept(lab, "", ends.arms), type=StudyRow).simulated
        )
        self.prices, self.models = whole.prices(lab), whole.models
        one = _estimate(lab, study, study.arms, limit)
        other = _largest([_estimate(lab, study, (arm,), limit) for arm in most])
        share = len(self.halves.held_out) / one.debates * study.replicates
        times = min(tuning.table.trials, tuning.space.size)
        search = _sum(_times(one, 1 - share), _times(other, (1 - share) * times))
        test = _sum(_times(one, share), _times(other, share))
        self.estimate = _sum(search, test)
        self.debates = self.estimate.debates
        self._limit, self._times, self._share = limit, times, share
        self.reserve = self._reserve(test)

    async def expect(self, lab: Lab) -> Estimate:
        """The estimate with what is expected: as configurations drawn from the space would take.

        A trial that is ended early since it is worse takes less. Calls that configurations share
        are paid for once.
        """
        study = self.tuning.study
        drawn = [
            self.tuning.arm(f"drawn {number}", point)
            for number, point in enumerate(_drawn(self.tuning.space, self.tuning.table.seed))
        ]
        own = replace(study, arms=(*study.arms, *drawn), baseline=None)
        plan = Plan(replace(own, prices=_own(lab, own)), limit=self._limit)
        found = await expect(plan, lab)
        first, *others = found.arms
        other = _average(others)
        development = 1 - self._share
        parts = [(first, 1.0), (other, development * self._times), (other, self._share)]
        costs = [None if arm.cost is None else arm.cost * times for arm, times in parts]
        known = [cost for cost in costs if cost is not None]
        return replace(
            self.estimate,
            expected=replace(
                found,
                calls=round(sum(arm.calls * times for arm, times in parts)),
                tokens=round(sum(arm.tokens * times for arm, times in parts)),
                cost=sum(known) if len(known) == len(costs) else None,
                shared=0,
                arms=(),
                assumes=(
                    f"a trial takes what {len(drawn)} drawn configurations take on average",
                    "no trial is ended early",
                    *found.assumes,
                ),
            ),
        )

    def _reserve(self, test: Estimate) -> Spent:
        """What has to be left for the test; an error where the budget has not even that."""
        budget, file = self.tuning.study.budget, self.tuning.study.file
        unknown = "a price of a model is unknown: state it under [prices]"
        if test.cost is None and (budget.cost is not None or self.tuning.price.cost):
            raise InputError(
                f"{file}: a cap or a price on cost needs the models' prices; {unknown}"
            )
        need = Spent(calls=test.calls, tokens=test.tokens, cost=test.cost or 0.0)
        for name in ("calls", "tokens", "cost"):
            cap, least = getattr(budget, name), getattr(need, name)
            if cap is not None and least and cap <= least:
                raise InputError(
                    f"{file}: budget: {name} = {cap}: the test on {len(self.halves.held_out)} "
                    f"held-out questions alone may take {least:,.4g}; raise the budget, or ask "
                    "fewer questions with n, --limit or a greater tune.development"
                )
        return need


_NEEDING = ("model", "style", "cast", "nodes", "shots", "examples", "choose", "seed")
"""Settings that may need a model or examples."""


DRAWN = 6
"""Configurations that are drawn to tell what one takes."""


def _drawn(space: Space, seed: int) -> list[Point]:
    """Configurations drawn from a space, all of them alike."""
    chance = Random(f"expected/{seed}")  # noqa: S311 -- no secret
    if space.size <= DRAWN:
        return list(space.points())
    return [{name: _value(axis, chance) for name, axis in space.axes.items()} for _ in range(DRAWN)]


def _value(axis: Choice | Range, chance: Random) -> Any:  # noqa: ANN401 -- whatever a setting takes
    if isinstance(axis, Choice):
        return chance.choice(axis.values)
    if isfinite(axis.size):
        return axis.value(chance.choice(axis.every()))
    return axis.value(chance.uniform(axis.low, axis.high))


def _average(arms: Sequence[ArmExpected]) -> ArmExpected:
    """What one of several arms pays for on average; they all have as many debates.

    What arms before it have paid for it does not pay again.
    """
    paid = [1 - arm.shared / arm.calls if arm.calls else 1.0 for arm in arms]
    known = [(arm.cost, own) for arm, own in zip(arms, paid, strict=True) if arm.cost is not None]
    return replace(
        arms[0],
        calls=round(fmean(arm.calls - arm.shared for arm in arms)),
        tokens=round(fmean(arm.tokens * own for arm, own in zip(arms, paid, strict=True))),
        cost=fmean(cost * own for cost, own in known) if len(known) == len(arms) else None,
    )


def _covering(corners: list[Arm]) -> list[Arm]:
    """Configurations among which every value stands that can need a model or examples."""
    found: dict[bytes, Arm] = {}
    for arm in corners:
        key = msgspec.json.encode(
            [arm.settings.get(name) for name in _NEEDING], order="deterministic"
        )
        found.setdefault(key, arm)
    return list(found.values())


def _estimate(lab: Lab, study: Study, arms: tuple[Arm, ...], limit: int | None) -> Estimate:
    named = replace(study, arms=arms, baseline=None)
    plan = Plan(replace(named, prices=_own(lab, named)), limit=limit)
    return plan.estimate(lab)


def _own(lab: Lab, study: Study) -> dict[str, Any]:
    """The prices stated of models that speak in the study's arms."""
    found = {}
    for name, price in study.prices.items():
        try:
            lab.prices({name: price}, models_of(study), where=study.file)
        except UnknownName:
            continue
        found[name] = price
    return found


def _times(one: Estimate, times: float) -> Estimate:
    cost = None if one.cost is None else one.cost * times
    whole = {n: ceil(getattr(one, n) * times - 1e-6) for n in ("debates", "calls", "tokens")}
    return Estimate(**whole, fewest=int(one.fewest * times + 1e-6), cost=cost)


def _sum(one: Estimate, other: Estimate) -> Estimate:
    cost = None if one.cost is None or other.cost is None else one.cost + other.cost
    counts = ("debates", "fewest", "calls", "tokens")
    return Estimate(**{n: getattr(one, n) + getattr(other, n) for n in counts}, cost=cost)


def _largest(each: list[Estimate]) -> Estimate:
    costs = [one.cost for one in each]
    known = [cost for cost in costs if cost is not None]
    return Estimate(
        debates=each[0].debates,
        fewest=min(one.fewest for one in each),
        calls=max(one.calls for one in each),
        tokens=max(one.tokens for one in each),
        cost=max(known) if len(known) == len(costs) else None,
    )


def spent(lab: Lab, key: str, *, without: str = "") -> Spent:
    """What the search and its tests have paid for, but for one of these runs."""
    rows = [row for row in lab.store.runs() if row.key.startswith(key) and row.key != without]
    each = [lab.store.spent(row.id) for row in rows]
    fields = Spent.__struct_fields__
    return Spent(**{name: sum(getattr(one, name) for one in each) for name in fields})


def less(budget: Budget, *taken: Spent) -> Budget:
    """What is left of a budget."""
    left = {
        name: max(0, cap - sum(getattr(each, name) for each in taken))
        for name in Budget.__struct_fields__
        if (cap := getattr(budget, name)) is not None
    }
    return Budget(**left)
