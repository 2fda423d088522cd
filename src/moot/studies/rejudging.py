"""Judging again: recorded debates put to their judges with the labels of the two sides swapped.

Every debate is held again up to the round in which it ended, with each side under the other's name
before the arbiter. What the debaters said comes from the ledger, since their prompts have no label:
only the arbiter's calls are made. Content and place stay what they were, so that what changes is
due to the label. An arbiter that leaves all recorded rounds open is asked for its last word.

Before anything is begun, every debate is held again as it was recorded: each of its calls has to be
in the ledger. Else prompts or examples are others than then, and more than the label would change.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec

from moot.core.calls import Call, Reply
from moot.core.errors import InputError
from moot.core.events import Transcript
from moot.core.ports import Limits, Model
from moot.core.questions import Question
from moot.core.stored import Arm, RunRow, decode_study
from moot.debate.agent_config import models_in
from moot.debate.feature import NO_SUPPLIES, Supplies
from moot.debate.protocol import registry as protocols
from moot.metrics.side_support import find_supported
from moot.models.prices import Price
from moot.parsing.ruling import SIDES
from moot.runtime.budget import Budget
from moot.runtime.path import CallPath
from moot.runtime.retry import Retry
from moot.studies.batch_writer import save_debate
from moot.studies.lab import Lab, encode_study
from moot.studies.study import Study, overlay_of
from moot.studies.task import Loaders, ReadyArm, Task

FindOverlay = Callable[[str], Path | None]
SWAPS = "swaps_labels"
LAST_WORDS = ("candidates", "conclude", "support", "decide")
"""The steps of an arbiter that may not leave the debate open any more."""


class Rejudged(msgspec.Struct, frozen=True, kw_only=True):
    """The result of judging a run again.

    Attributes:
        run: the id of the new run: the recorded debates, and each with its labels swapped.
        of: the id of the recorded one.
        debates: judged again.
        left_out: recorded debates that failed, or whose questions are not kept.
        failed: debates that failed now.
        forced: debates whose arbiter left all recorded rounds open where the recorded one did not,
            and so was asked for its last word.
        turned: debates in which another side is supported than before.
        calls: paid for, all of them the arbiters'.
        cost: of these calls in US dollars, where it is known.
    """

    run: str
    of: str
    debates: int
    left_out: int
    failed: int
    forced: int
    turned: int
    calls: int
    cost: float


class _Recorded(NamedTuple):
    """A recorded debate, and the arm that it is judged again in.

    Attributes:
        task: the debate as it was recorded.
        twin: its arm with the labels of the sides swapped.
        transcript: of the recorded debate.
    """

    task: Task
    twin: Arm
    transcript: Transcript

    @property
    def swapped(self) -> Task:
        """The debate with its labels swapped, up to the round in which the recorded one ended."""
        settings = self.twin.settings | {"rounds": count_rounds(self.transcript)}
        return self.task._replace(
            arm=msgspec.structs.replace(self.twin, settings=settings),
            settings=self.task.settings.protocol.read(settings),
        )


class _SilentModel:
    """A model all of whose replies are in the ledger already.

    Args:
        model: in whose place it stands.
        arbiters: whether arbiters are answered all the same, by that model.
    """

    def __init__(self, model: Model, *, arbiters: bool) -> None:
        self._model, self._arbiters = model, arbiters
        self.name, self.endpoint, self.simulated = model.name, model.endpoint, model.simulated

    @property
    def limits(self) -> Limits:
        """Those of the model."""
        return self._model.limits

    async def reply(self, call: Call) -> Reply:
        """Answer an arbiter. Raises ``InputError`` for a call of any other agent."""
        assert call.scene is not None
        if self._arbiters and call.scene.role not in SIDES:
            return await self._model.reply(call)
        raise InputError(
            f"question {call.scene.question.id!r}: what its {call.scene.role} said is not in the "
            "ledger under the prompts of today: the prompts, the examples or the ledger have "
            "changed since; run the study again, and judge that run"
        )

    def cost(self, reply: Reply) -> float | None:
        """Return what the model's reply costs, in US dollars; None where that is unknown."""
        return self._model.cost(reply)

    async def close(self) -> None:
        """Do nothing: the laboratory closes the model."""


def _pair_arms(row: RunRow, overlay: FindOverlay) -> list[tuple[Arm, Arm]]:
    """Return the arms that can be judged again with their twins. Raises ``InputError`` for none."""
    arms = decode_study(row).arms
    pairs = [pair for arm in arms if (pair := _make_twin(arm, overlay)) is not None]
    if not pairs:
        raise InputError(
            f"{row.key}: no arm of it has an affirmative and a negative side before an arbiter, as "
            "debate-moderated and multi-persona have"
        )
    return pairs


async def rejudge(
    lab: Lab,
    run: str,
    *,
    prompts: Path | None = None,
    study: Study | None = None,
    budget: Budget | None = None,
    prices: Mapping[str, Price] | None = None,
) -> Rejudged:
    """Put every two-sided debate of a run to its judges again, the sides' labels swapped.

    Args:
        lab: with the store, open for writing.
        run: its id, the beginning of it, or a study's name.
        prompts: the file of prompts that the run's were laid over with.
        study: the run's, for few-shot styles: its datasets have the examples. Without it, they are
            those of the datasets that the labels name. Its prompts hold where none are given.
        budget: the most it may cost.
        prices: of the models, by name, where they are unknown or others.

    Raises:
        InputError: no arm has two sides, or what was said is not in the ledger under the prompts
            and with the examples of today. Nothing was called, and no run begun.
        UnknownName: there is no such run.
        RunBusy: another process judges the same again, and the laboratory does not wait.
        BudgetReached: the budget does not suffice; what was paid for is in the store.
    """
    row, arms, asked, priced, found, left_out = await prepare_rejudging(
        lab, run, prompts=prompts, study=study, prices=prices
    )
    name = f"{row.name}, labels swapped"
    digest = blake2b(msgspec.json.encode([row.key, arms], order="sorted"), digest_size=5)
    new = await lab.begin_run(f"rejudged-{digest.hexdigest()}", name, encode_study(lab, name, arms))
    spent = lab.store.sum_spent(new.id)
    lab.set_budget(budget or Budget(), Retry(), priced, run=new.id, models=asked)
    status = "stopped"
    try:
        for each in found:
            await save_debate(lab.store, new.id, each.task.key, each.transcript)
        judged = await _judge_all(lab, new, found)
        status = "done"
    finally:
        lab.store.set_status(new.id, "done" if status == "done" else "stopped", wait=False)
        await lab.settle()
    paid = lab.store.sum_spent(new.id)
    held = [(old.transcript, now) for old, now in zip(found, judged, strict=True)]
    return Rejudged(
        run=new.key,
        of=row.key,
        debates=len(judged),
        left_out=left_out,
        failed=sum(now.failed is not None for now in judged),
        forced=sum(_is_last_word(now) and not _is_last_word(old) for old, now in held),
        turned=sum(
            now.failed is None and find_supported(old) != find_supported(now) for old, now in held
        ),
        calls=paid.calls - spent.calls,
        cost=paid.cost - spent.cost,
    )


class PreparedRejudging(NamedTuple):
    """A run that is judged again, of which everything is checked.

    Attributes:
        row: the recorded run.
        arms: its arms that are judged again, each with its twin behind it.
        models: the models that speak in them, each once.
        prices: by the names under which the models' calls go.
        recorded: the debates that are judged again.
        left_out: how many debates cannot be.
    """

    row: RunRow
    arms: list[Arm]
    models: list[str]
    prices: dict[str, Price]
    recorded: list[_Recorded]
    left_out: int


async def prepare_rejudging(
    lab: Lab,
    run: str,
    *,
    prompts: Path | None,
    study: Study | None,
    prices: Mapping[str, Price] | None,
) -> PreparedRejudging:
    """Check that a run can be judged again; the parameters and errors are those of ``rejudge``."""
    row = lab.store.find_run(run)
    folder = study.folder if study else Path()
    usual = prompts or (study.prompts if study else None)
    overlay = partial(overlay_of, folder=folder, prompts=usual)
    pairs = _pair_arms(row, overlay)
    arms = [arm for pair in pairs for arm in pair]
    asked = list(dict.fromkeys(name for arm in arms for name in models_in(arm.settings)))
    priced = lab.prices(prices or {}, asked, where="prices")
    found, left_out = _load_recorded_debates(lab, row, pairs, study, overlay)
    path, models = CallPath(lab.store), _silent_models(lab, found, arbiters=False)
    for each in found:  # each call of them is in the ledger
        await each.task.run(path, lambda name: models.get(name) or lab.model(name))
    return PreparedRejudging(row, arms, asked, priced, found, left_out)


def _make_twin(arm: Arm, overlay: FindOverlay) -> tuple[Arm, Arm] | None:
    """Return the arm and the same with its labels swapped; None where there are none to swap.

    Both have every setting of today: else an arm of an older moot would differ in those, too.
    """
    try:
        algorithm = protocols.get(arm.protocol)
    except InputError:  # of a plug-in that is not installed
        return None
    if SWAPS not in algorithm.own.__struct_fields__:
        return None
    own = overlay(arm.prompts)
    settings = algorithm.check(dict(arm.settings), overlay=own)
    swapped = algorithm.check({**settings, SWAPS: not settings[SWAPS]}, overlay=own)
    replace, name = msgspec.structs.replace, f"{arm.name}, labels swapped"
    return replace(arm, settings=settings), replace(arm, name=name, settings=swapped)


def _load_recorded_debates(
    lab: Lab,
    row: RunRow,
    pairs: Sequence[tuple[Arm, Arm]],
    study: Study | None,
    overlay: FindOverlay,
) -> tuple[list[_Recorded], int]:
    """Return the debates of these arms that are judged again, and how many cannot be."""
    loaded, left_out = _RecordedSupplies(lab, row, study), 0
    found: list[_Recorded] = []
    for arm, twin in pairs:
        ready = ReadyArm.prepare(arm, overlay(arm.prompts))
        for each in lab.store.debates(row.id, arm=arm.name):
            transcript = each.transcript
            if each.failed or transcript.question.secret:
                left_out += 1
                continue
            supplies, question = loaded.of(ready, each.dataset), transcript.question
            task = Task(len(found), each.dataset, question, *ready, supplies, each.replicate)
            found.append(_Recorded(task, twin, transcript))
    return found, left_out


class _RecordedSupplies:
    """The data of the debates of a recorded run, loaded again.

    Args:
        lab: with the store.
        row: the run.
        study: the run's, where it is given.
    """

    def __init__(self, lab: Lab, row: RunRow, study: Study | None) -> None:
        self._lab, self._row = lab, row
        self._parts = {part.label: part for part in study.datasets} if study else {}
        self._loaders = Loaders(study.folder if study else Path())
        self._asked: dict[str, list[Question]] = {}
        self._supplies: dict[tuple[str, str], Supplies] = {}

    def of(self, ready: ReadyArm, dataset: str) -> Supplies:
        """Load the data of the debates of an arm on a dataset."""
        if not ready.settings.list_loaders():
            return NO_SUPPLIES
        if (key := (ready.arm.name, dataset)) not in self._supplies:
            part = self._parts.get(dataset)
            self._supplies[key] = self._loaders.load(
                ready,
                self._questions(dataset),
                dataset=part.name if part else dataset,
                parameters=part.parameters if part else {},
                label=dataset,
                where=f"{self._row.key}: arm {ready.arm.name!r}, dataset {dataset!r}",
            )
        return self._supplies[key]

    def _questions(self, dataset: str) -> list[Question]:
        """Return all questions of a dataset that the run has asked: none of them is an example."""
        if not self._asked:
            for each in self._lab.store.debates(self._row.id):
                self._asked.setdefault(each.dataset, []).append(each.transcript.question)
        return self._asked[dataset]


async def _judge_all(lab: Lab, row: RunRow, found: Sequence[_Recorded]) -> list[Transcript]:
    """Judge debates again, as many at once as the models take; return their transcripts."""
    models = _silent_models(lab, found, arbiters=True)
    free = asyncio.Semaphore(sum(model.limits.concurrency for model in models.values()) or 1)

    async def judge(task: Task) -> Transcript:
        async with free:
            transcript = await task.run(lab.path, lambda name: models.get(name) or lab.model(name))
            await save_debate(lab.store, row.id, task.key, transcript)
            return transcript

    tasks = [asyncio.ensure_future(judge(each.swapped)) for each in found]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _silent_models(
    lab: Lab, found: Sequence[_Recorded], *, arbiters: bool
) -> dict[str, _SilentModel]:
    """Return the silent stand-in of each model, by the model's name; servers of tools have none."""
    names = {name for each in found for name in each.task.settings.models}
    return {name: _SilentModel(lab.model(name), arbiters=arbiters) for name in names}


def count_rounds(transcript: Transcript) -> int:
    """Return how many rounds the two sides of a recorded debate argued, at least 1."""
    spoken: list[int] = [
        sum(turn.role == side for turn in transcript.turns if not turn.node) for side in SIDES
    ]
    return max(1, *spoken)


def _is_last_word(transcript: Transcript) -> bool:
    """Return whether the arbiter had to decide since all rounds had left it open."""
    return bool(transcript.turns) and transcript.turns[-1].step in LAST_WORDS
