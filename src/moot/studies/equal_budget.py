"""What self-consistency gives for the price of a debate: the baseline that a debate has to beat.

A debate takes more than one call, and a majority of several samples is better than one. So each
debate is compared with the majority of as many samples as it could have bought, on its question and
in its replicate. The samples are draws of one arm of the study, the pool: they are paid once, and
some of them are the very replies of a society of minds' first round, which narrows the comparison.

The first draws that fit are taken, and no mean over many choices of so many draws. Such a mean has
less spread of its own, but it is no debate any more: it is right to 0.9, so that a debate that is
right nine times in ten is nine times a little better and once far worse, and neither McNemar's test
nor a change of signs allows for that. Of the first draws both sides are right or wrong, and the
test is exact. They are also those that a debate's first round shares.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, count
from math import ceil
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, Self, TypeAlias

import msgspec
from msgspec import UNSET

from moot.core.events import Transcript
from moot.core.questions import OPEN, Question
from moot.core.recorded_settings import CastSettings, SizeSettings, read_settings
from moot.core.results import EqualBudget
from moot.core.stored import Arm, DebateRow
from moot.core.worth import Unread
from moot.debate.agent_config import MODELS, models_in
from moot.debate.feature import list_common
from moot.debate.protocol import NOT_DEBATES, kind_of, kind_of_arm
from moot.debate.protocol import registry as protocols
from moot.parsing.same import is_correct, majority
from moot.protocols import SAMPLES
from moot.statistics.accuracies import (
    Key,
    compare_paired,
    find_looked_interval,
    find_wide_interval,
    mean_over_questions,
)

Matched: TypeAlias = Literal["tokens", "cost"]
MATCHED: tuple[Matched, ...] = ("tokens", "cost")

Draws = Callable[[str, str], Iterable[DebateRow]]
"""Gives the debates of a dataset and an arm."""

_ROUNDING = 1 + 1e-9  # the same prices, summed in another order, are the same sum
_ADDED = "equal-budget"


class DrawCost(NamedTuple):
    """The tokens and US dollars that a debate took, or a draw; None where unknown."""

    tokens: float | None
    cost: float | None

    @classmethod
    def of(cls, prompt: float | None, reply: float | None, cost: float | None) -> Self:
        """Return what tokens of prompt and reply take; the prompt counts, though draws share it."""
        return cls(None if prompt is None or reply is None else prompt + reply, cost)


class ArmDebates(Protocol):
    """The debates of an arm on a dataset."""

    @property
    def right(self) -> Mapping[Key, float]:
        """The accuracy of each whose right answer is known."""
        ...

    @property
    def took(self) -> Mapping[Key, DrawCost]:
        """What each of these took."""
        ...

    @property
    def unread(self) -> Collection[Key]:
        """Those of these without a readable answer."""
        ...

    @property
    def without_verdict(self) -> Collection[Key]:
        """Those of these that failed."""
        ...


def find_pools(arms: Iterable[Arm]) -> dict[str, str]:
    """Return, by the name of each arm that debates, the arm that has draws for it.

    It is a self-consistency in which the same models speak: that with the most settings of
    speech (temperature, style, …) as the debate has them; of these, that with the most samples.
    """
    arms = tuple(arms)
    found = {}
    for arm in arms:
        same = [each for each in arms if _is_pool(each) and _models(each) == _models(arm)]
        if same and _is_debate(arm):
            pool = max(same, key=lambda each: (_alike(each, arm), _samples(each)))
            found[arm.name] = pool.name
    return found


def _is_pool(arm: Arm) -> bool:
    return (arm.kind or kind_of(arm.protocol)) == "samples"


def _is_debate(arm: Arm) -> bool:
    return kind_of_arm(arm) not in NOT_DEBATES


def _models(arm: Arm) -> set[str]:
    return set(models_in(arm.settings))


def list_speech() -> set[str]:
    """Return the settings that say how the agents of a debate speak, but for who they are."""
    return set(list_common()) - {"model", "cast"}


def _alike(one: Arm, other: Arm) -> int:
    speech, own, its = list_speech(), one.settings, other.settings
    alike: int = sum(own.get(name) == its.get(name) for name in speech)
    return alike + len(speech) * (one.prompts == other.prompts)  # other prompts, other questions


def _samples(arm: Arm) -> int:
    return read_settings(arm.settings, SizeSettings).samples or 0


def compare_budgets(
    arms: Mapping[str, ArmDebates],
    pool: str,
    rows: Iterable[DebateRow],
    *,
    wide: int = 0,
    looked: int = 0,
) -> dict[str, tuple[EqualBudget, ...]]:
    """Compare arms with as many draws of a pool as each of their debates could have bought.

    Only debates that the pool has, too, are compared, and of these only those for which it is known
    what debate and draws took. Money is left out where the draws are free.

    Args:
        arms: the debates of each arm, by its name.
        pool: the name of the arm whose turns are the draws.
        rows: its debates, in any order.
        wide: how many differences the wide interval holds for together; 0 for no such interval.
        looked: the same of the interval that holds at every look.
    """
    bought = {arm: {matched: _BoughtDraws() for matched in MATCHED} for arm in arms}
    for row in rows:
        key = row.question, row.replicate
        drawn = PoolDraws(row.transcript)
        for arm, debates in arms.items():
            if key in debates.right:
                for matched, budget in zip(MATCHED, debates.took[key], strict=True):
                    bought[arm][matched].add(key, drawn, matched, budget)
    return {
        arm: tuple(
            each.compare(debates, matched, pool, (wide, looked))
            for matched, each in bought[arm].items()
            if each.right and (each.spent or matched == "tokens")
        )
        for arm, debates in arms.items()
    }


class PoolDraws:
    """The draws of one question and replicate, in order.

    Args:
        transcript: of a self-consistency.

    Attributes:
        spent: on the first draw, the first two, and so on; None where it is unknown.
    """

    def __init__(self, transcript: Transcript) -> None:
        role = protocols.get(transcript.opened.protocol).roles[0]  # an aggregator draws nothing
        turns = [turn for turn in transcript.turns if turn.role == role]
        took = [
            DrawCost.of(turn.prompt_tokens, turn.completion_tokens, turn.cost) for turn in turns
        ]
        self._question: Question = transcript.question
        self._answers = [turn.answer for turn in turns]
        self._voted: dict[int, tuple[float, bool]] = {}
        self.spent: dict[Matched, list[float] | None] = {"tokens": None, "cost": None}
        if not (self._question.secret and self._question.kind in OPEN):  # else words are withheld
            self.spent["tokens"] = _running_sum(each.tokens for each in took)
            self.spent["cost"] = _running_sum(each.cost for each in took)

    def __len__(self) -> int:
        return len(self._answers)

    def buy(self, matched: Matched, budget: float) -> int | None:
        """Return how many draws a budget buys, in order, and one at least; None if unknown."""
        prices = self.spent[matched]
        if prices is None:
            return None
        return min(max(1, bisect_right(prices, budget * _ROUNDING)), len(prices))

    def count_lacking(self, matched: Matched, budget: float) -> int:
        """Return how many further draws of their mean price a budget would have bought."""
        prices = self.spent[matched]
        if not prices or not prices[-1]:
            return 0
        return max(0, int((budget - prices[-1]) * len(prices) / prices[-1]))

    def sum_spent(self, matched: Matched, samples: int) -> float | None:
        """Return the tokens or dollars of so many draws; None where unknown."""
        prices = self.spent[matched]
        if not samples or prices is None:
            return None if samples else 0.0
        return prices[samples - 1]

    @property
    def answer(self) -> str | None:
        """The majority of all draws; None where none can be read."""
        return majority(self._answers, self._question.kind)[0]

    def right(self, samples: int) -> float:
        """Return 1 if the majority of so many draws is right, else 0."""
        return self._vote(samples)[0]

    def is_unread(self, samples: int) -> bool:
        """Whether none of so many draws has a readable answer."""
        return self._vote(samples)[1]

    def _vote(self, samples: int) -> tuple[float, bool]:
        if samples not in self._voted:
            answer, _ = majority(self._answers[:samples], self._question.kind)
            right = float(is_correct(answer, self._question))
            self._voted[samples] = right, answer is None
        return self._voted[samples]


def _running_sum(values: Iterable[float | None]) -> list[float] | None:
    """Return the cumulative sums; None where any value is unknown."""
    known = list(values)
    return None if None in known else list(accumulate(value or 0.0 for value in known))


class _BoughtDraws:
    """What the debates of one arm could have bought.

    Attributes:
        right: of each, whether the majority of its draws is right.
        spent: on all draws.
        taken: by all debates.
        unread: the debates whose draws have no readable answer.
    """

    def __init__(self) -> None:
        self.right: dict[Key, float] = {}
        self.unread: set[Key] = set()
        self._wanted = 0
        self.spent = self.taken = 0.0
        self._samples = self._short = 0

    def add(self, key: Key, drawn: PoolDraws, matched: Matched, budget: float | None) -> None:
        """Buy draws for one debate: as many as fit, in order, and one at least."""
        prices = drawn.spent[matched]
        if prices is None or budget is None or (samples := drawn.buy(matched, budget)) is None:
            return
        self.right[key] = drawn.right(samples)
        if drawn.is_unread(samples):
            self.unread.add(key)
        self._samples += samples
        self.taken += budget
        if samples:
            self.spent += prices[samples - 1]
        each = prices[-1] / len(prices) if prices else 0.0
        self._wanted = max(self._wanted, samples, ceil(budget / each) if each else 0)
        if samples == len(prices):  # would the rest have bought one of their mean price?
            self._short += not samples or budget - prices[-1] >= prices[-1] / samples

    def compare(
        self, arm: ArmDebates, matched: Matched, pool: str, together: tuple[int, int]
    ) -> EqualBudget:
        """Compare the debates with the draws that they could have bought.

        ``together`` has ``wide`` and ``looked`` of ``compare_budgets``.
        """
        wide, looked = together
        n = len(self.right)
        return EqualBudget(
            matched=matched,
            pool=pool,
            samples=self._samples / n,
            spent=self.spent / n,
            short=self._short,
            taken=self.taken / n,
            accuracy=mean_over_questions(self.right),
            difference=compare_paired(arm.right, self.right),
            wanted=self._wanted,
            unread=Unread(
                method=sum(key in self.right for key in arm.unread) / n, vote=len(self.unread) / n
            ),
            wide=find_wide_interval(arm.right, self.right, wide) if wide else None,
            looked=find_looked_interval(arm.right, self.right, looked) if looked else UNSET,
            own=mean_over_questions({key: arm.right[key] for key in self.right}),
            failed=sum(key in self.right for key in arm.without_verdict),
        )


def add_pools(
    arms: Iterable[Arm],
    overlay: Callable[[str], Path | None] = lambda _: None,
    *,
    beside: Iterable[Arm] | None = None,
) -> Iterator[Arm]:
    """Yield the arms to add to a study so that each of its debates has draws enough.

    One for each model and way of speaking for which a self-consistency with enough samples is not
    there.

    Args:
        arms: of the study.
        overlay: returns the file of prompts of an arm.
        beside: further arms. With them, debates of several models get draws, too: of these models
            in turn, in the order of a self-consistency beside them, else in that of their agents.
            None: such debates get none.
    """
    arms, mixed = tuple(arms), [arm for arm in beside or () if _is_pool(arm)]
    names = {arm.name for arm in arms}
    free = (name for n in count(1) if (name := f"{_ADDED} {n}" if n > 1 else _ADDED) not in names)
    for lacking in _list_lacking(arms, None if beside is None else mixed):
        like, samples = lacking.arms[0], lacking.samples
        settings, prompts = _speech(like)
        if (several := settings.pop(MODELS, None)) is not None:
            turns = _list_turns(next((arm for arm in mixed if _models(arm) == several), like))
            samples = len(turns) * ceil(samples / len(turns))
            settings |= {MODELS: turns, "model": like.settings["model"]}
        settings = protocols.get(SAMPLES).check(
            {**settings, "samples": samples}, overlay=overlay(like.prompts)
        )
        yield Arm(name=next(free), protocol=SAMPLES, settings=settings, prompts=prompts)


def _list_turns(arm: Arm) -> list[str]:
    """Return the models of an arm's agents, in turn; all of its models where one has its own."""
    cast = read_settings(arm.settings, CastSettings).cast
    turns = [str(each.get("model", arm.settings["model"])) for each in cast]
    return turns if len({*turns}) > 1 else list(models_in(arm.settings))


class _Lacking(NamedTuple):
    """Arms that speak alike and have too few draws, and the samples that they need."""

    arms: list[Arm]
    samples: int


def _list_lacking(arms: Sequence[Arm], mixed: Sequence[Arm] | None = None) -> Iterator[_Lacking]:
    """Yield the arms without draws enough, those of several models where ``mixed`` is given.

    ``mixed`` are further arms that these may have their draws of.
    """
    wanted: dict[bytes, _Lacking] = {}
    for arm in arms:
        models = _models(arm) if _is_debate(arm) else ()
        if models and (len(models) == 1 or mixed is not None):
            key = msgspec.json.encode(_speech(arm), order="deterministic")
            most = count_samples(protocols.get(arm.protocol).count(arm.settings)[1])
            before = wanted.get(key, _Lacking([], 0))
            wanted[key] = _Lacking([*before.arms, arm], max(most, before.samples))
    for lacking in wanted.values():
        speech = _speech(lacking.arms[0])
        own = mixed or () if MODELS in speech[0] else ()
        had = (arm for arm in (*arms, *own) if arm.protocol == SAMPLES and _speech(arm) == speech)
        if not any(_samples(arm) >= lacking.samples for arm in had):
            yield lacking


def find_remedies(arms: Iterable[Arm]) -> dict[str, str]:
    """Return, by the name of each arm without draws enough, what a study file has to say for them.

    Arms of protocols that are not installed any more are left out.
    """
    arms = [arm for arm in arms if protocols.find(arm.protocol)]
    found = {
        arm.name: f"add {SAMPLES} with the same models"
        for arm in arms
        if _is_debate(arm) and len(_models(arm)) > 1 and not find_pools([*arms]).get(arm.name)
    }
    lacking = (arm for each in _list_lacking(arms) for arm in each.arms)
    return found | {arm.name: "add equal_budget = true to the study" for arm in lacking}


def _speech(arm: Arm) -> tuple[dict[str, Any], str]:
    """Return the settings that say how an arm speaks, and its prompts.

    Several models are a set of them, as ``models``.
    """
    found = {name: arm.settings[name] for name in sorted(list_speech()) if name in arm.settings}
    if len(models := _models(arm)) > 1:
        return {MODELS: models, **found}, arm.prompts
    own = {name: arm.settings[name] for name in ("model",) if name in arm.settings}
    return own | found, arm.prompts


def count_samples(calls: int) -> int:
    """Return so many samples that a debate of so many calls seldom could have bought more.

    Where each call reads half of what was said before it, a debate takes up to (calls + 1) / 2
    times what its calls would take alone; more than three times only where replies are much longer
    than the question, or where all is read again by everyone.
    """
    return min(calls * (calls + 1) // 2, 3 * calls)
