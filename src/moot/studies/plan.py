"""The plan of a run: every debate it will hold, how many calls that is and what it may cost."""

from collections.abc import Iterator
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from moot.core.calls import Reply
from moot.core.errors import InputError, UnknownName
from moot.core.ports import Model
from moot.core.questions import Question
from moot.core.stored import Arm
from moot.datasets.library import questions as questions_of
from moot.debate.protocol import Protocol
from moot.debate.protocol import registry as protocols
from moot.models.prices import Price
from moot.prompts.packs import Pack
from moot.studies.lab import Lab
from moot.studies.study import Part, Study

LETTERS_A_TOKEN = 4
TYPICAL_REPLY = 200
"""Tokens expected of a reply without ``max_tokens``."""


class Task(NamedTuple):
    """One debate to be held."""

    number: int
    dataset: str
    question: Question
    arm: Arm
    protocol: Protocol
    pack: Pack
    replicate: int


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What a run will take if nothing is in the ledger yet.

    Attributes:
        debates: how many are held.
        fewest: calls, if every debate ends as early as it can.
        calls: the most there can be.
        tokens: a rough guess: prompts grow by what has been said before.
        cost: for those tokens, in US dollars; None where any model's price is unknown.
    """

    debates: int
    fewest: int
    calls: int
    tokens: int
    cost: float | None


class Plan:
    """A study with its questions drawn and its prompts loaded.

    Attributes:
        study: as read.
        key: the run's id: the same study, questions and prompts give the same one.
        size: how many debates there are.
    """

    def __init__(self, study: Study, *, limit: int | None = None) -> None:
        self.study = study
        self._questions = {part.label: _drawn(part, study.file)[:limit] for part in study.datasets}
        self._arms = [
            (arm, protocols.get(arm.protocol), protocols.get(arm.protocol).pack(study.prompts))
            for arm in study.arms
        ]
        self.size = (
            sum(map(len, self._questions.values())) * len(self._arms) * self.study.replicates
        )
        self.key = self._key(limit)

    def tasks(self) -> Iterator[Task]:
        """Every debate: all arms on a question before the next, so that shared draws meet early."""
        number = 0
        for replicate in range(self.study.replicates):
            for dataset, questions in self._questions.items():
                for question in questions:
                    for arm, protocol, pack in self._arms:
                        yield Task(number, dataset, question, arm, protocol, pack, replicate)
                        number += 1

    def estimate(self, lab: Lab) -> Estimate:
        """What the run will take; asks no model anything."""
        debates = fewest = most = tokens = 0
        cost: float | None = 0.0
        for arm in self.study.arms:
            _model(lab, arm, self.study.file)
        stated = prices(lab, self.study)
        for questions in self._questions.values():
            letters = sum(
                len(question.text) + len(question.context or "") for question in questions
            )
            for arm, protocol, _ in self._arms:
                least, calls = protocol.count(arm.settings)
                times = len(questions) * self.study.replicates
                reply = arm.settings["max_tokens"] or TYPICAL_REPLY
                # Prompt and style take about 60 tokens; half of what was said is read again.
                prompt = letters // LETTERS_A_TOKEN * self.study.replicates * calls
                prompt += times * calls * (60 + (calls - 1) * reply // 2)
                written = times * calls * reply
                debates, fewest, most = (
                    debates + times,
                    fewest + times * least,
                    most + times * calls,
                )
                tokens += prompt + written
                size = Reply(text="", prompt_tokens=prompt, completion_tokens=written)
                model = _model(lab, arm, self.study.file)
                price = stated.get(model.name, model.cost)(size)
                cost = None if cost is None or price is None else cost + price
        return Estimate(debates=debates, fewest=fewest, calls=most, tokens=tokens, cost=cost)

    def _key(self, limit: int | None) -> str:
        """Name and hash of all that makes results what they are; not of budget or pace."""
        study = self.study
        content = msgspec.json.encode(
            [
                study.datasets,
                list(self._questions.values()),
                study.arms,
                study.baseline,
                study.replicates,
                limit,
                [pack.digest for _, _, pack in self._arms],
            ],
            order="deterministic",
        )
        stem = "".join(c if c.isalnum() else "-" for c in study.name.lower()).strip("-") or "run"
        return f"{stem}-{blake2b(content, digest_size=5).hexdigest()}"


def _drawn(part: Part, file: str) -> list[Question]:
    try:
        return questions_of(part.name, n=part.n, seed=part.seed, **part.parameters)
    except InputError as error:
        raise InputError(f"{file}: dataset {part.label!r}: {error}") from None


def _model(lab: Lab, arm: Arm, file: str) -> Model:
    try:
        return lab.model(arm.settings["model"])
    except InputError as error:
        raise InputError(f"{file}: arm {arm.name!r}: {error}") from None


def prices(lab: Lab, study: Study) -> dict[str, Price]:
    """The prices a study states, by the names under which the models' calls go."""
    written = {arm.settings["model"] for arm in study.arms}
    names = {model: lab.model(model).name for model in written}
    found: dict[str, Price] = {}
    for model, price in study.prices.items():
        matching = {name for asked, name in names.items() if model in (asked, name)}
        if not matching:
            raise UnknownName("model", model, written, where=f"{study.file}: prices")
        found |= dict.fromkeys(matching, price)
    return found
