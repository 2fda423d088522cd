"""What a run will probably take: a few of its debates are rehearsed, and none is paid for.

All arms debate a sample of the questions, without a language model and with a ledger in memory. So
prompts are as long as they will be, debates end early as often as those of a simulated population,
and calls that several arms share are counted once. Where the store has debates of the very same
arm, these are taken instead: they say better what a debate takes.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from statistics import fmean

import msgspec

from moot.core.answer import sum_known
from moot.core.calls import Reply
from moot.core.display_text import format_things
from moot.core.events import Transcript
from moot.core.ports import Model
from moot.core.stored import Arm, decode_study
from moot.models.prices import Price
from moot.models.simulated import Simulated
from moot.runtime.path import CallPath
from moot.studies.asked_values import AskedValues
from moot.studies.estimate import Bound, DebateUse, Estimate, ExpectedArmUse, ExpectedUse
from moot.studies.lab import Lab
from moot.studies.plan import Plan
from moot.studies.stand_in import (
    MemoryLedger,
    learn_habits,
    list_assumptions,
    make_stand_in,
)
from moot.studies.task import Task

CALLS = 3000
"""Calls that a rehearsal makes at most, unless one question of each dataset takes more."""
QUESTIONS = 40
"""Questions of a dataset that are rehearsed at most."""
SHORT = 128
"""With so small a ``max_tokens`` or a smaller one, lengths are known well enough."""
KNOWN = 30
"""Of a model with so many replies in the store it is known how long they are."""
PILOT = 5
"""Questions of a dataset that make an estimate exact."""
ENOUGH = 5
"""Debates of an arm in the store that stand for it in place of rehearsed ones."""
RUNS, ROWS = 20, 5000
"""The latest runs in the store that are looked at, and the debates of each."""

ArmPlace = tuple[str, str]
"""A dataset and an arm."""


async def estimate_run(
    plan: Plan, lab: Lab, stated: Mapping[str, Price] | None = None, calls: int = CALLS
) -> Estimate:
    """Return what a run will take, expected and at most; only simulated models are asked.

    Args:
        plan: what is to be run.
        lab: where its models and its store are.
        stated: prices by the names under which the models' calls go; else the study's.
        calls: the most that are rehearsed, unless one question of each dataset takes more.
    """
    expected = await Rehearsal(plan, lab, stated, calls).run()
    bounds = [arm.most for arm in expected.arms]
    return Estimate(
        debates=sum(each.debates for each in bounds),
        fewest=sum(each.fewest for each in bounds),
        calls=sum(each.calls for each in bounds),
        tokens=sum(each.tokens for each in bounds),
        cost=sum_known(each.cost for each in bounds),
        expected=expected,
    )


class Rehearsal:
    """A sample of a plan's debates, without a language model; the arguments of ``estimate_run``."""

    def __init__(
        self, plan: Plan, lab: Lab, stated: Mapping[str, Price] | None = None, calls: int = CALLS
    ) -> None:
        self._plan, self._lab, self._calls = plan, lab, calls
        self._stated = plan.prices(lab) if stated is None else stated
        self._speak = {each.arm.name: frozenset(each.settings.models) for each in plan.arms}
        self._models = {
            name: lab.model(name) for name in sorted(set().union(*self._speak.values()))
        }
        self._prices = {
            each.name: lab.find_price(each, self._stated) for each in self._models.values()
        }
        self._replaced = {
            name: each.name
            for name, each in self._models.items()
            if not isinstance(each, Simulated)
        }
        self._habits = learn_habits(lab, self._replaced)
        self._stand_ins: dict[tuple[str, str], Model] = {}
        self._paid: set[str] = set()
        self._used: dict[ArmPlace, list[DebateUse]] = defaultdict(list)
        self._new: dict[ArmPlace, list[DebateUse]] = defaultdict(list)
        self._rehearsed: dict[str, int] = {}
        self._questions: dict[str, int] = {}

    async def run(self) -> ExpectedUse:
        """Hold the debates, and return what the whole plan will probably take."""
        path = CallPath(MemoryLedger())
        for task in self._list_tasks():
            model = partial(self._replace_model, task.settings.agents.style)
            self._count(task, await task.run(path, model))
        return self._summarise()

    def _list_tasks(self) -> Iterator[Task]:
        """Yield the debates that are rehearsed: every arm on some questions of every dataset."""
        plan, sizes = self._plan, self._plan.sizes
        most = {ready.arm.name: ready.calls[1] for ready in plan.arms}
        each = sum(most[arm] for _, arm in sizes)
        many = max(1, min(QUESTIONS, self._calls // max(1, each)))
        for (dataset, _), debates in sizes.items():
            questions = max(1, debates // plan.study.replicates)
            self._rehearsed[dataset] = max(self._rehearsed.get(dataset, 0), min(many, questions))
            self._questions[dataset] = max(self._questions.get(dataset, 0), questions)
        # Replies are drawn: few questions are rehearsed several times.
        fewest = min(self._rehearsed.values(), default=1)
        most_times = QUESTIONS // fewest if self._replaced else plan.study.replicates
        times = max(1, min(most_times, self._calls // max(1, each * fewest)))
        for replicate in range(times):
            yield from plan.sample(many, replicate)

    def _replace_model(self, style: str, name: str) -> Model:
        """Return what replies in place of a model to agents that answer in a style."""
        if (style, name) not in self._stand_ins:
            real = self._models.get(name) or self._lab.model(name)  # the latter: a tool server
            stand_in = make_stand_in(real, style, self._habits.get(real.name))
            self._stand_ins[style, name] = stand_in
        return self._stand_ins[style, name]

    def _count(self, task: Task, transcript: Transcript) -> None:
        """Add what a debate took, and what of it no debate before has paid for."""
        if transcript.failed is not None:  # as a stand-in's words are no use to it
            return
        place, used, new = (task.dataset, task.arm.name), list[DebateUse](), list[DebateUse]()
        for turn in transcript.turns:
            if turn.is_given:
                continue
            prompt, completion = turn.prompt_tokens, turn.completion_tokens
            reply = Reply(text="", prompt_tokens=prompt, completion_tokens=completion)
            cost = self._prices[turn.model](reply)
            used.append(DebateUse(1, (prompt or 0) + (completion or 0), cost))
            if turn.call not in self._paid:
                self._paid.add(turn.call)
                new.append(used[-1])
        self._used[place].append(DebateUse.total(used))
        self._new[place].append(DebateUse.total(new))

    def _summarise(self) -> ExpectedUse:
        """Return the estimate for the whole plan, from rehearsed and recorded debates."""
        recorded = _load_recorded_use(self._lab, self._plan)
        factors = self._factors(recorded)
        arms, totals = [], []
        for arm, most in self._plan.estimate_arms(self._lab, self._stated).items():
            used, paid = [], []
            places = {place: n for place, n in self._plan.sizes.items() if place[1] == arm}
            for place, times in places.items():
                one, new = (DebateUse.mean(each[place]) for each in (self._used, self._new))
                if place in recorded:
                    known = DebateUse.mean(recorded[place])
                elif one.calls:
                    known = one.times(1, factors.get(self._speak[arm], 1.0))
                else:  # it cannot be rehearsed
                    known = DebateUse(most.calls, most.tokens, most.cost).times(1 / most.debates)
                share = new.calls / one.calls if one.calls else 1.0
                tokens = new.tokens / one.tokens if one.tokens else share
                used.append(known.times(times))
                paid.append(known.times(share * times, tokens * times))
            use, own = DebateUse.total(used), DebateUse.total(paid)
            totals.append(own)
            arms.append(
                ExpectedArmUse(
                    arm=arm,
                    **use.rounded,
                    shared=round(use.calls - own.calls),
                    recorded=sum(len(recorded.get(place, ())) for place in places),
                    most=_at_least(most, use),
                )
            )
        return ExpectedUse(
            **DebateUse.total(totals).rounded,
            shared=sum(arm.shared for arm in arms),
            arms=tuple(arms),
            assumes=tuple(self._list_assumptions(arms)),
            pilot=self._pilot(arms),
        )

    def _pilot(self, arms: list[ExpectedArmUse]) -> str:
        """Return a text: which sizes are unknown, and how to learn them; empty if none is."""
        recorded = {arm.arm for arm in arms if arm.recorded}
        lengths = ends = False
        for ready in self._plan.arms:
            if ready.arm.name in recorded or not any(map(self._is_unknown, ready.settings.models)):
                continue
            most = ready.settings.agents.max_tokens
            lengths |= most is None or most > SHORT
            fewest, calls = ready.calls
            ends |= fewest < calls
        if not lengths | ends:
            return ""
        what = " and ".join(["lengths"] * lengths + ["ends"] * ends)
        few = self._plan.limited and max(self._questions.values(), default=0) > PILOT
        how = f"a pilot with --limit {PILOT} makes it exact"
        return f"{what} unknown: {how if few else 'the store has few replies of this model'}"

    def _is_unknown(self, name: str) -> bool:
        """Return whether a stand-in replies for a model of which the store has few replies."""
        called = self._replaced.get(name)
        return called is not None and self._habits[called].replies < KNOWN

    def _factors(self, recorded: Mapping[ArmPlace, list[DebateUse]]) -> dict[frozenset[str], float]:
        """Return the ratio of recorded to rehearsed tokens in a call, by the models that speak.

        Learnt from the arms that are both rehearsed and recorded.
        """
        found: dict[frozenset[str], list[float]] = {}
        for place, took in recorded.items():
            known, used = DebateUse.mean(took), DebateUse.mean(self._used[place])
            if known.calls and used.calls and used.tokens:
                ratio = known.tokens / known.calls / (used.tokens / used.calls)
                found.setdefault(self._speak[place[1]], []).append(ratio)
        return {who: fmean(ratios) for who, ratios in found.items()}

    def _list_assumptions(self, arms: list[ExpectedArmUse]) -> Iterator[str]:
        """Yield the assumptions behind the figures of an estimate, in sentences."""
        known = sum(arm.recorded > 0 for arm in arms)
        if known:
            yield (
                f"{known} of {format_things(len(arms), 'method')}: estimated from their debates "
                "in the store"
            )
        if known < len(arms):
            asked = ", ".join(f"{n} of {self._questions[d]}" for d, n in self._rehearsed.items())
            yield f"rehearsed without a language model: {asked} questions"
            yield from list_assumptions(self._models.values())


def _at_least(most: Bound, used: DebateUse) -> Bound:
    """Return a bound that is not below what is expected."""
    cost = most.cost if most.cost is None or used.cost is None else max(most.cost, used.cost)
    return msgspec.structs.replace(most, tokens=max(most.tokens, round(used.tokens)), cost=cost)


def _load_recorded_use(lab: Lab, plan: Plan) -> dict[ArmPlace, list[DebateUse]]:
    """Return what debates in the store took, of the same arms on datasets of the same label."""
    wanted = {_identify_arm(arm): arm.name for arm in plan.study.arms}
    datasets = {dataset for dataset, _ in plan.sizes}
    found: dict[ArmPlace, list[DebateUse]] = defaultdict(list)
    for row in lab.store.runs()[:RUNS]:
        arms = decode_study(row).arms
        same = {
            arm.name: own for arm in arms if (own := wanted.get(_identify_arm(arm))) is not None
        }
        for each in islice(AskedValues(lab, row).read_shown(), ROWS) if same else ():
            if each.arm not in same or each.dataset not in datasets or each.failed:
                continue
            calls, cost = each.values.get("calls"), each.values.get("cost")
            tokens = [each.values.get(name) for name in ("prompt-tokens", "completion-tokens")]
            if calls is not None and None not in tokens:
                took = DebateUse(calls, sum(filter(None, tokens)), cost)
                found[each.dataset, same[each.arm]].append(took)
    return {place: took for place, took in found.items() if len(took) >= ENOUGH}


def _identify_arm(arm: Arm) -> bytes:
    """Return all that makes an arm's debates what they are, as bytes; its name does not."""
    return msgspec.json.encode([arm.protocol, arm.settings, arm.prompts], order="sorted")
