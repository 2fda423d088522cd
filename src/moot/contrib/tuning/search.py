"""The search: one configuration after the other on the development questions."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import fsum
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from moot import InputError
from moot.contrib.tuning.halves import Half, QuestionSet
from moot.contrib.tuning.space import Configuration, Space
from moot.contrib.tuning.tuning_file import MOST, UNTUNED, TrialPrices, Tuning
from moot.extend.analyses import Key, cluster_by_question, sign_flip
from moot.extend.records import Arm
from moot.extend.studies import Lab, RunProgress, Task, run_all

if TYPE_CHECKING:
    from optuna.study import Study as OptunaStudy
    from optuna.trial import Trial as OptunaTrial

LOOKS = 4
"""Parts of a trial, after each of which it may end."""
WORSE = 0.05
"""A trial ends when so improbable a difference shows it to be worse than the best so far."""
IN_A_ROW = 3
"""So many failed trials on end stop a search: it is not the configurations that are wrong."""
REACHED = (
    "the budget is reached, but for what the test may take; what was paid for is in the store: "
    "raise the budget and run again to go on from there"
)
REPEATS = 50
"""So many proposals on end that are known already end a search: there is hardly any other."""
_TAKEN = {"calls": ("calls",), "tokens": ("prompt-tokens", "completion-tokens"), "cost": ("cost",)}


class Proposals:
    """Proposes configurations, one after the other: the same for the same values told.

    Of a space no larger than the search it proposes every one, in the order of its table; else what
    Optuna's tree-structured Parzen estimator does (Bergstra et al. 2011). Nothing of it is stored:
    a search that is run again gets its replies from the ledger, and with them the same values and
    proposals.

    Args:
        space: what is searched.
        sampled: Optuna's study; None to propose every configuration.
    """

    def __init__(self, space: Space, sampled: "OptunaStudy | None" = None) -> None:
        self._space, self._sampled = space, sampled
        self._points = space.points()
        self._last: OptunaTrial | None = None

    def ask(self) -> Configuration | None:
        """Return the next configuration to try; None when none is left."""
        if self._sampled is None:
            return next(self._points, None)
        drawn_from = {name: axis.distribution() for name, axis in self._space.axes.items()}
        self._last = self._sampled.ask(drawn_from)
        return self._space.point(self._last.params)

    def tell(self, state: str, value: float | None) -> None:
        """Take note of how the last configuration ended.

        Args:
            state: whether its trial was done, pruned or failed.
            value: its value; of a pruned one, that of the part that was run.
        """
        if self._sampled is None or self._last is None:
            return
        from optuna.trial import TrialState

        states = {"pruned": TrialState.PRUNED, "failed": TrialState.FAIL}
        if state == "pruned":
            self._last.report(value or 0.0, 1)
        done = {"values": value} if state == "done" else {"state": states[state]}
        self._sampled.tell(self._last, **done)


@contextmanager
def open_proposals(space: Space, trials: int, *, seed: int) -> Iterator[Proposals]:
    """Open the proposals of a search of so many trials.

    Raises:
        InputError: Optuna is needed and not installed.
    """
    if space.size <= trials:
        yield Proposals(space)
        return
    try:
        import optuna
    except ImportError:
        raise InputError("tuning needs Optuna: pip install 'moot[tune]'") from None
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=seed)
    try:
        yield Proposals(space, optuna.create_study(direction="maximize", sampler=sampler))
    finally:
        optuna.logging.set_verbosity(before)


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one configuration on the development questions.

    Attributes:
        arm: its name in the run of the search.
        settings: the value of every setting that is searched over; of the baseline none.
        state: ``pruned`` when it ended early, since it was clearly worse than the best so far;
            ``failed`` when all its debates failed; ``unfinished`` when the search was
            stopped within it.
        value: its accuracy less what its debates took, at the prices of the study; None unless it
            is done or pruned.
        debates: how many were held.
        accuracy: over these; failed debates count as not correct.
        calls: per debate, as the next two as if nothing had been replayed; None where unknown.
        reason: why it failed or is unfinished.
    """

    arm: str
    settings: dict[str, Any]
    state: Literal["done", "pruned", "failed", "unfinished"]
    value: float | None = None
    debates: int = 0
    accuracy: float | None = None
    calls: float | None = None
    tokens: float | None = None
    cost: float | None = None
    reason: str | None = None


class TrialDebates:
    """The measured debates of one trial."""

    def __init__(self, price: TrialPrices, file: str) -> None:
        self._price, self._file = price, file
        self.right: dict[Key, float] = {}
        self.values: dict[Key, float] = {}
        self.taken: dict[str, list[float | None]] = {name: [] for name in _TAKEN}
        self.failed = 0
        self.reason: str | None = None

    def add(self, key: Key, measured: Mapping[str, float | None], reason: str | None) -> None:
        """Book one debate."""
        self.failed += reason is not None
        self.reason = self.reason or reason
        self.right[key] = measured.get("accuracy") or 0.0
        value = self.right[key]
        for name, metrics in _TAKEN.items():
            parts = [measured.get(metric) for metric in metrics]
            known = [part for part in parts if part is not None]
            took = fsum(known) if len(known) == len(parts) or reason is not None else None
            self.taken[name].append(took)
            if price := getattr(self._price, name):
                if took is None:
                    raise InputError(
                        f"{self._file}: tune.price: {name}: what a debate takes in {name} is "
                        "unknown: its model does not tell it; take another price"
                    )
                value -= price * took
        self.values[key] = value

    @property
    def value(self) -> float | None:
        """The mean over its debates; None before the first."""
        return fsum(self.values.values()) / len(self.values) if self.values else None

    def worse_than(self, other: "TrialDebates") -> bool:
        """Return whether it is clearly worse on the debates that both have held."""
        gaps = {key: value - other.values[key] for key, value in self.values.items()}
        return fsum(gaps.values()) < 0 and sign_flip(cluster_by_question(gaps)) < WORSE

    def to_trial(self, arm: str, point: Configuration, state: Any, reason: str | None) -> Trial:  # noqa: ANN401 -- the states of a trial
        """Return the trial as the outcome shows it."""
        n = len(self.values)
        return Trial(
            arm=arm,
            settings=point,
            state=state,
            value=self.value if state in ("done", "pruned") else None,
            debates=n,
            accuracy=fsum(self.right.values()) / n if n else None,
            **{name: _mean(took) for name, took in self.taken.items()},
            reason=reason,
        )


def _mean(took: list[float | None]) -> float | None:
    known = [each for each in took if each is not None]
    return fsum(known) / len(known) if known and len(known) == len(took) else None


class Search:
    """A search in a run of its own.

    Attributes:
        trials: what was tried, in order, the baseline first.
        best: the best that is done; of equals the first, so that the baseline stands until beaten.
        stopped: why it ended before its time, or nothing.
    """

    def __init__(
        self,
        lab: Lab,
        tuning: Tuning,
        chosen: QuestionSet,
        progress: RunProgress,
        *,
        limit: int | None,
    ) -> None:
        self._lab, self._tuning, self._chosen = lab, tuning, chosen
        self._progress, self._limit = progress, limit
        self._names: dict[bytes, str] = {}
        self._held: dict[str, TrialDebates] = {}
        self.trials: list[Trial] = []
        self.best: Trial | None = None
        self.stopped = ""

    async def run(self, proposals: Proposals) -> None:
        """Try the baseline and then, one by one, what is proposed."""
        self._recall()
        await self._try(self._tuning.study.arms[0], {})
        known = {_settings(self._tuning.study.arms[0].settings): self.trials[0]}
        repeats = failures = 0
        while not self.stopped and len(self.trials) <= self._tuning.table.trials:
            point = proposals.ask()
            if point is None or repeats == REPEATS:
                return
            try:
                arm = self._name_trial(self._tuning.arm("", point))
            except InputError as error:  # between the ends of its ranges
                trial = Trial(arm="", settings=point, state="failed", reason=str(error))
                proposals.tell("failed", None)
                self.trials.append(trial)
                continue
            key = _settings(arm.settings)
            repeats = repeats + 1 if key in known else 0
            if key not in known:
                known[key] = await self._try(arm, point)
                failures = failures + 1 if known[key].state == "failed" else 0
            if (state := known[key].state) == "unfinished":
                return
            proposals.tell(state, known[key].value)
            if failures == IN_A_ROW:
                self.stopped = f"{failures} trials on end failed: {known[key].reason}"

    async def _try(self, arm: Arm, point: Configuration) -> Trial:
        """Hold the debates of one configuration, part by part."""
        study = msgspec.structs.replace(self._tuning.study, arms=(arm,), baseline=None)
        seed = self._tuning.table.seed
        whole = Half(study, self._chosen, seed=seed, limit=self._limit)
        held = TrialDebates(self._tuning.price, study.file)
        state, reason = "done", None
        best = self._held[self.best.arm] if self.best is not None else None
        for part in whole.parts(LOOKS):
            if await run_all(self._lab, part, self._progress):
                self.stopped, state, reason = REACHED, "unfinished", REACHED
                break
            await self._read(arm.name, part.own_tasks, held)
            left = whole.size - len(held.values)
            if best and left and self._tuning.table.prune and held.worse_than(best):
                state = "pruned"
                self._progress.total -= left
                break
        if state != "unfinished" and held.failed == len(held.values):
            state, reason = "failed", held.reason
        trial = held.to_trial(arm.name, point, state, reason)
        self.trials.append(trial)
        self._held[arm.name] = held
        if trial.state == "done" and (self.best is None or _value(trial) > _value(self.best)):
            self.best = trial
        return trial

    async def _read(self, arm: str, tasks: Iterable[Task], held: TrialDebates) -> None:
        """Book the debates of a part, as the store has them."""
        store, wanted = self._lab.store, {_key(each) for each in tasks}
        await store.flush()
        assert store.run is not None
        for row in store.debates(store.run, arm=arm):
            key = (f"{row.dataset}/{row.question}", row.replicate)
            if key in wanted:
                failed = row.transcript.failed
                held.add(key, row.values, None if failed is None else failed.reason)

    def _recall(self) -> None:
        """Book the names that configurations have in this run already.

        Where a debate that failed comes out now, the search may go another way than it went before;
        an arm of the run never mixes two configurations.
        """
        store = self._lab.store
        assert store.run is not None
        while row := next(store.debates(store.run, arm=_name(len(self._names) + 1)), None):
            self._names[_settings(row.transcript.opened.settings)] = row.arm

    def _name_trial(self, arm: Arm) -> Arm:
        key = _settings(arm.settings)
        name = self._names.setdefault(key, _name(len(self._names) + 1))
        return msgspec.structs.replace(arm, name=name)


def list_arm_names() -> list[str]:
    """Return every name that an arm of a search may have."""
    return [UNTUNED, *(_name(number) for number in range(1, 2 * MOST))]


def _name(number: int) -> str:
    return f"trial-{number:04}"


def _key(task: Task) -> Key:
    return f"{task.dataset}/{task.question.id}", task.replicate


def _settings(settings: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(settings, order="deterministic")


def _value(trial: Trial) -> float:
    assert trial.value is not None
    return trial.value
