"""What is known of a search before anything is paid for: its questions and what it may take."""

from hashlib import blake2b
from math import ceil, isfinite
from random import Random
from typing import Any

import msgspec
from msgspec.structs import asdict, replace

from moot import Budget, InputError, Price
from moot.contrib.tuning.halves import Half, Halves, QuestionSet, split_questions
from moot.contrib.tuning.space import ChoiceAxis, Configuration, RangeAxis, Space
from moot.contrib.tuning.tuning_file import Tuning, find_dearest
from moot.extend.records import Arm, RunRow, Spent
from moot.extend.studies import (
    Estimate,
    Lab,
    Plan,
    RunProgress,
    encode_study,
    estimate_run,
    run_all,
)


class PreparedHalves:
    """A search or a fit of which everything is checked and nothing is paid for.

    Attributes:
        halves: the questions of the search or fit, and of the test.
        key: the id of its run, with which the keys of its tests begin.
        prices: what the study states, for all its models.
        models: the names of all models of all configurations.
        simulated: True when any agent of any configuration is no language model.
    """

    halves: Halves
    key: str
    prices: dict[str, Price]
    models: list[str]
    simulated: bool

    def __init__(self, tuning: Tuning, limit: int | None) -> None:
        self.tuning, self.limit = tuning, limit

    def _split(self, plan: Plan, what: str, *content: object) -> None:
        """Split the questions of a plan, and make the key out of its key and of ``content``."""
        table = self.tuning.table
        self.halves = split_questions(
            plan, table.development, seed=table.seed, file=self.tuning.study.file
        )
        encoded = msgspec.json.encode([plan.key, *content], order="deterministic")
        stem = plan.key.rpartition("-")[0]
        self.key = f"{stem}-{what}-{blake2b(encoded, digest_size=5).hexdigest()}"

    def _find_models(self, lab: Lab, plan: Plan) -> None:
        """Take the models, and their prices, of a plan in which all of them speak."""
        self.prices, self.models = plan.prices(lab), plan.models
        self.simulated = any(lab.model(name).simulated for name in self.models)

    def sum_spent(self, lab: Lab, *, without: str = "") -> Spent:
        """Return the calls, tokens and US dollars paid by all its runs, less one."""
        keys = {row.key: row.id for row in lab.store.runs() if row.key.startswith(self.key)}
        each = [lab.store.sum_spent(run) for key, run in keys.items() if key != without]
        fields = Spent.__struct_fields__
        return Spent(**{name: sum(getattr(one, name) for one in each) for name in fields})

    async def run_half(
        self,
        lab: Lab,
        arms: tuple[Arm, ...],
        questions: QuestionSet,
        progress: RunProgress,
        *,
        key: str,
        baseline: str | None = None,
    ) -> tuple[RunRow, str]:
        """Run some arms on one side of the questions, with the rest of the budget.

        Args:
            lab: where its models and its store are.
            arms: that debate.
            questions: that they debate.
            progress: counts its debates, too.
            key: the key of this run.
            baseline: the arm that the others are compared with.

        Returns:
            The run, and why it stopped before its end; an empty text where it did not.
        """
        study = replace(self.tuning.study, arms=arms, baseline=baseline)
        half = Half(study, questions, seed=self.tuning.table.seed, limit=self.limit)
        content = encode_study(lab, study.name, arms, baseline)
        row = await lab.begin_run(key, study.name, content)
        left = subtract_spent(study.budget, self.sum_spent(lab, without=key))
        lab.set_budget(left, study.retry, self.prices, run=row.id, models=self.models)
        progress.total = progress.done + half.size
        progress.follow(lab.path)
        stopped = "interrupted"
        try:
            stopped = await run_all(lab, half, progress)
        finally:
            lab.store.set_status(row.id, "stopped" if stopped else "done")
            await lab.store.flush()
        return row, stopped


class PreparedSearch(PreparedHalves):
    """A search; another number of trials or another budget goes on with the same one.

    Attributes:
        estimate: the most that search and test may take.
        debates: the most there are.
        reserve: the most that the test may take, as far as the budget caps it.
    """

    def __init__(self, lab: Lab, tuning: Tuning, limit: int | None) -> None:
        super().__init__(tuning, limit)
        study = tuning.study
        plan = Plan(study, limit=limit)
        self._split(plan, "tune", replace(tuning.table, trials=1), tuning.fixed)
        corners = [
            tuning.arm(f"corner {number}", point)
            for number, point in enumerate(tuning.space.corners())
        ]
        dearest = find_dearest(tuning, corners)
        arms = {arm.name: arm for arm in (*study.arms, *_cover_corners(corners), *dearest)}
        whole = Plan(replace(study, arms=tuple(arms.values()), baseline=None), limit=limit)
        self._find_models(lab, whole)
        bounds = {
            name: Estimate(**asdict(most))
            for name, most in whole.estimate_arms(lab, self.prices).items()
        }
        one = bounds[study.arms[0].name]
        other = _largest([bounds[arm.name] for arm in dearest])
        share = len(self.halves.held_out) / one.debates * study.replicates
        times = min(tuning.table.trials, tuning.space.size)
        test = (one, share), (other, share)
        self.estimate = _sum_shares((one, 1 - share), (other, (1 - share) * times), *test)
        self.debates = self.estimate.debates
        self._trials, self._share = times, share
        self.reserve = self._reserve(_sum_shares(*test))

    async def expect(self, lab: Lab) -> Estimate:
        """Estimate the search from configurations drawn from its space.

        A trial that is ended early since it is worse takes less. Calls that configurations share
        are paid for once.
        """
        study = self.tuning.study
        drawn = [
            self.tuning.arm(f"drawn {number}", point)
            for number, point in enumerate(_draw_points(self.tuning.space, self.tuning.table.seed))
        ]
        own = replace(study, arms=(*study.arms, *drawn), baseline=None)
        plan = Plan(own, limit=self.limit)
        found = (await estimate_run(plan, lab, self.prices)).expected
        assert found is not None  # it is what was estimated
        first, *others = found.arms
        times = (1 - self._share) * self._trials + self._share
        own_shares = [1 - arm.shared / arm.calls if arm.calls else 1.0 for arm in others]

        def total(name: str) -> float | None:
            """Return what the baseline takes, and so many times an average configuration.

            What arms before one have paid for it does not pay again.
            """
            baseline: float | None = getattr(first, name)
            taken = [getattr(arm, name) for arm in others]
            if baseline is None or None in taken:
                return None
            whole: float = sum(one * share for one, share in zip(taken, own_shares, strict=True))
            return baseline + (whole * (1 / len(taken)) * times if taken else 0.0)

        return replace(
            self.estimate,
            expected=replace(
                found,
                calls=round(total("calls") or 0),
                tokens=round(total("tokens") or 0),
                cost=total("cost"),
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
        """Return the most the test may take; raises ``InputError`` if a cap is not above it."""
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


def _draw_points(space: Space, seed: int) -> list[Configuration]:
    """Return configurations drawn from a space, each as likely as any other."""
    chance = Random(f"expected/{seed}")  # noqa: S311 -- no secret
    if space.size <= DRAWN:
        return list(space.points())
    return [
        {name: _draw_value(axis, chance) for name, axis in space.axes.items()} for _ in range(DRAWN)
    ]


def _draw_value(axis: ChoiceAxis | RangeAxis, chance: Random) -> Any:  # noqa: ANN401 -- a value of any setting
    if isfinite(axis.size):
        return axis.value(chance.choice(axis.list_values()))
    return axis.value(chance.uniform(*axis.ends))


def _cover_corners(corners: list[Arm]) -> list[Arm]:
    """Return configurations that have every value which can need a model or examples."""
    found: dict[bytes, Arm] = {}
    for arm in corners:
        key = msgspec.json.encode(
            [arm.settings.get(name) for name in _NEEDING], order="deterministic"
        )
        found.setdefault(key, arm)
    return list(found.values())


def _sum_shares(*parts: tuple[Estimate, float]) -> Estimate:
    """Return what so large a share of each takes, or so many times as much, together."""
    whole = ("debates", "calls", "tokens")
    costs = [None if one.cost is None else one.cost * times for one, times in parts]
    return Estimate(
        **{n: sum(ceil(getattr(one, n) * times - 1e-6) for one, times in parts) for n in whole},
        fewest=sum(int(one.fewest * times + 1e-6) for one, times in parts),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def _largest(each: list[Estimate]) -> Estimate:
    costs = [one.cost for one in each]
    return Estimate(
        debates=each[0].debates,
        fewest=min(one.fewest for one in each),
        calls=max(one.calls for one in each),
        tokens=max(one.tokens for one in each),
        cost=None if None in costs else max(cost for cost in costs if cost is not None),
    )


def subtract_spent(budget: Budget, *taken: Spent) -> Budget:
    """Return the rest of a budget."""
    left = {
        name: max(0, cap - sum(getattr(each, name) for each in taken))
        for name in Budget.__struct_fields__
        if (cap := getattr(budget, name)) is not None
    }
    return Budget(**left)
