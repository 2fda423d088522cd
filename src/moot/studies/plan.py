"""The plan of a run: every debate it will hold, how many calls that is and what it may cost."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from moot.core.calls import Reply
from moot.core.errors import InputError
from moot.core.ports import Model
from moot.core.questions import Example, Question
from moot.core.stored import Arm
from moot.datasets.library import stream
from moot.debate.cast import speaking
from moot.debate.context import Examples
from moot.debate.evidence import contents, ready
from moot.debate.nodes import packs
from moot.debate.protocol import Protocol
from moot.debate.protocol import registry as protocols
from moot.models.prices import Price
from moot.models.tables import model_of
from moot.parsing import openings
from moot.prompts.packs import Pack
from moot.studies.estimate import Bound, Estimate
from moot.studies.lab import Lab
from moot.studies.questions import Questions
from moot.studies.shots import FewShotExamples, Shots
from moot.studies.study import Part, Study, gather

MOST = 2_000_000
"""Questions of a dataset that a run can have."""
LETTERS_A_TOKEN = 4
TYPICAL_REPLY = 200
"""Tokens that a bound allows a reply without ``max_tokens``, where the model has no cap itself."""

Piece = bytes | memoryview
_json = msgspec.json.Encoder(order="deterministic").encode


class Task(NamedTuple):
    """One debate to be held."""

    number: int
    dataset: str
    question: Question
    arm: Arm
    protocol: Protocol
    pack: Pack
    overlay: Path | None
    examples: Examples
    replicate: int


class Plan:
    """A study with its questions drawn, its prompts and its pools of examples loaded.

    Attributes:
        study: as read.
        key: the run's id: the same study, questions, examples and prompts give the same one.
        size: how many debates there are.
        limited: whether fewer questions can be run first, with ``--limit``.
    """

    limited = True

    def __init__(self, study: Study, *, limit: int | None = None) -> None:
        if limit is not None and limit < 1:
            raise InputError(f"limit = {limit}: must be at least 1")
        self.study = study
        self._questions = {part.label: _drawn(part, study, limit) for part in study.datasets}
        self._arms = [
            (arm, protocols.get(arm.protocol), protocols.get(arm.protocol).pack(study.prompts))
            for arm in study.arms
        ]
        for arm in study.arms:
            ready(arm.settings, f"{study.file}: arm {arm.name!r}")
        self._check_openings()
        self._examples = dict(self._shown())
        self.size = (
            sum(map(len, self._questions.values())) * len(self._arms) * self.study.replicates
        )
        self.key = self._key(limit)

    @property
    def questions(self) -> Mapping[str, Questions]:
        """The questions by the labels of their datasets."""
        return self._questions

    def calls(self, arm: Arm) -> tuple[int, int]:
        """The fewest and the most calls of one debate of an arm."""
        return protocols.get(arm.protocol).count(arm.settings)

    def sample(self, many: int, replicate: int = 0) -> Iterator[Task]:
        """The debates of all arms on so many questions of every dataset, evenly spread."""
        number = 0
        for dataset, questions in self._questions.items():
            size = min(many, len(questions))
            for place in range(size):
                question = questions[place * len(questions) // size]
                for arm, protocol, pack in self._arms:
                    yield self._debate(number, dataset, question, arm, protocol, pack, replicate)
                    number += 1

    def tasks(self) -> Iterator[Task]:
        """Every debate: all arms on a question before the next, so that shared draws meet early."""
        number = 0
        for replicate in range(self.study.replicates):
            for dataset, questions in self._questions.items():
                for question in questions:
                    for arm, protocol, pack in self._arms:
                        yield self._debate(
                            number, dataset, question, arm, protocol, pack, replicate
                        )
                        number += 1

    def _debate(
        self,
        number: int,
        dataset: str,
        question: Question,
        arm: Arm,
        protocol: Protocol,
        pack: Pack,
        replicate: int,
    ) -> Task:
        """One debate, with the examples that are shown in it."""
        shown = self._examples[dataset, arm.name].before(question)
        prompts = self.study.prompts
        return Task(number, dataset, question, arm, protocol, pack, prompts, shown, replicate)

    @property
    def sizes(self) -> Mapping[tuple[str, str], int]:
        """How many debates there are of each dataset and arm."""
        return {
            (dataset, arm.name): len(questions) * self.study.replicates
            for dataset, questions in self._questions.items()
            for arm in self.study.arms
        }

    def estimate(self, lab: Lab, stated: Mapping[str, Price] | None = None) -> Estimate:
        """The most the run can take; asks no model anything.

        Args:
            lab: has the models.
            stated: prices by the names under which the models' calls go; else the study's.
        """
        arms = self.bounds(lab, stated).values()
        costs = [arm.cost for arm in arms if arm.cost is not None]
        return Estimate(
            debates=sum(arm.debates for arm in arms),
            fewest=sum(arm.fewest for arm in arms),
            calls=sum(arm.calls for arm in arms),
            tokens=sum(arm.tokens for arm in arms),
            cost=sum(costs) if len(costs) == len(arms) else None,
        )

    def bounds(self, lab: Lab, stated: Mapping[str, Price] | None = None) -> dict[str, Bound]:
        """The most that each arm can take, by its name; parameters as of ``estimate``."""
        models = {arm.name: _models(lab, arm, self.study.file) for arm in self.study.arms}
        stated = prices(lab, self.study) if stated is None else stated
        return {arm.name: self._bound(arm, models[arm.name], stated) for arm in self.study.arms}

    def _bound(self, arm: Arm, models: Iterable[Model], stated: Mapping[str, Price]) -> Bound:
        least, calls = self.calls(arm)
        models = list(models)
        own = [TYPICAL_REPLY, *(most for each in models if (most := each.limits.reply))]
        reply = arm.settings["max_tokens"] or max(own)
        debates = prompt = 0
        for many, letters in self.asked(arm):
            debates += many
            # Prompt and style take about 60 tokens; on average half of what is said is read.
            prompt += letters // LETTERS_A_TOKEN * calls
            prompt += many * calls * (60 + (calls - 1) * reply // 2)
        written = debates * calls * reply
        size = Reply(text="", prompt_tokens=prompt, completion_tokens=written)
        return Bound(
            debates=debates,
            fewest=debates * least,
            calls=debates * calls,
            tokens=prompt + written,
            cost=_dearest([stated.get(each.name, each.cost)(size) for each in models]),
        )

    def asked(self, arm: Arm) -> Iterator[tuple[int, int]]:
        """How many debates of an arm there are, and the letters of all questions, by dataset."""
        for dataset, questions in self._questions.items():
            letters = questions.letters
            for question in questions[:1]:  # its examples speak for those of the others
                shown = self._examples[dataset, arm.name].longest(question)
                letters += len(questions) * letters_of(shown)
            yield len(questions) * self.study.replicates, letters * self.study.replicates

    def _check_openings(self) -> None:
        """Check that there is a value to open every question with, wherever an arm is not open."""
        arms = {
            (arm.settings["opening"], arm.settings["put"]): arm.name
            for arm in reversed(self.study.arms)
        }
        wanted = {(opening, put): arm for (opening, put), arm in arms.items() if opening != "open"}
        for (_, put), arm in arms.items():
            if put is not None and ("put", put) not in arms:
                raise InputError(
                    f"{self.study.file}: arm {arm!r}: put = {put!r} is put forward by no arm; "
                    "set opening = 'put' in this arm or in another"
                )
        for dataset, questions in self._questions.items() if wanted else ():
            for question in questions:
                for (opening, put), arm in wanted.items():
                    try:
                        openings.check(question, opening, put)
                    except InputError as error:
                        where = f"{self.study.file}: arm {arm!r}, dataset {dataset!r}"
                        raise InputError(f"{where}: {error}") from None

    def _shown(self) -> Iterator[tuple[tuple[str, str], FewShotExamples]]:
        """The examples, by dataset and arm."""
        study = self.study
        shots = Shots(study.folder)
        for part in study.datasets:
            for arm in study.arms:
                where = f"{study.file}: arm {arm.name!r}, dataset {part.label!r}"
                yield (
                    (part.label, arm.name),
                    shots.of(
                        self._questions[part.label],
                        arm.settings,
                        dataset=part.name,
                        parameters=part.parameters,
                        label=part.label,
                        where=where,
                    ),
                )
        shots.check()

    def _described(self) -> dict[str, str]:
        """The models the study describes and uses, with the names their calls have."""
        names = {name for arm in self.study.arms for name in speaking(arm.settings)}
        tables = self.study.models
        return {name: model_of(name, tables[name]).name for name in sorted(names & tables.keys())}

    def _key(self, limit: int | None) -> str:
        """Name and hash of all that makes results what they are; not of budget or pace."""
        study = self.study
        prompts = [
            list(packs(protocol, arm.settings, study.prompts)) for arm, protocol, _ in self._arms
        ]
        shown = [served.content for served in self._examples.values()]
        setup: list[Any] = [study.arms, study.baseline, study.replicates, limit, prompts, shown]
        setup += [found for arm in study.arms if (found := contents(arm.settings))]
        setup += [described] if (described := self._described()) else []
        digest = blake2b(digest_size=5)
        for piece in _listed(
            [
                [_json(study.datasets)],
                _listed(each.encoded for each in self._questions.values()),
                *([_json(each)] for each in setup),
            ]
        ):
            digest.update(piece)
        stem = "".join(c if c.isalnum() else "-" for c in study.name.lower()).strip("-") or "run"
        return f"{stem}-{digest.hexdigest()}"


def _drawn(part: Part, study: Study, limit: int | None) -> Questions:
    try:
        wanted = min(part.n or 0, part.n or 0 if limit is None else limit)
        if wanted > MOST:
            raise _too_many(wanted)
        found = stream(part.name, n=part.n, seed=part.seed, folder=study.folder, **part.parameters)
        questions = Questions(islice(found, MOST + 1 if limit is None else min(limit, MOST + 1)))
        if len(questions) > MOST:
            raise _too_many(len(questions))
    except InputError as error:
        gather(study)
        raise InputError(f"{study.file}: dataset {part.label!r}: {error}") from None
    return questions


def _too_many(wanted: int) -> InputError:
    return InputError(
        f"n is {wanted:,}: a run holds its questions in memory, and has at most {MOST:,} of a "
        "dataset; take fewer by n or --limit, or several studies with other seeds"
    )


def _listed(values: Iterable[Iterable[Piece]]) -> Iterator[Piece]:
    """A JSON array of values each of which comes in pieces: no more than a piece is in memory."""
    yield b"["
    for number, value in enumerate(values):
        if number:
            yield b","
        yield from value
    yield b"]"


def letters_of(shown: Iterable[Example]) -> int:
    """The letters of worked examples."""
    return sum(
        len(each.question.text) + len(each.question.context or "") + len(each.reason)
        for each in shown
    )


def _dearest(costs: list[float | None]) -> float | None:
    """The largest; None where any is unknown."""
    known = [cost for cost in costs if cost is not None]
    return max(known) if len(known) == len(costs) else None


def _models(lab: Lab, arm: Arm, file: str) -> list[Model]:
    """Every model that speaks in an arm. Raises ``InputError`` naming the arm if one is none."""
    try:
        return [lab.model(name) for name in speaking(arm.settings)]
    except InputError as error:
        raise InputError(f"{file}: arm {arm.name!r}: {error}") from None


def prices(lab: Lab, study: Study) -> dict[str, Price]:
    """The prices a study states, by the names under which the models' calls go."""
    speak = {name for arm in study.arms for name in speaking(arm.settings)}
    return lab.prices(study.prices, speak, where=f"{study.file}: prices")
