"""The plan of a run: a study made ready, its debates, and the most that they can take."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from hashlib import blake2b
from itertools import chain
from typing import Any

import msgspec

from moot.core.calls import Reply
from moot.core.errors import InputError, place_errors
from moot.core.ports import Model
from moot.core.questions import Example, Kind, Question
from moot.core.recorded_settings import CastSettings, read_settings
from moot.core.stored import Arm
from moot.debate.agent_config import models_in
from moot.debate.answer_key import check_key_settings
from moot.debate.debate_settings import check_questions, check_together, list_content
from moot.debate.feature import LAST
from moot.debate.prompt_hashes import hash_packs
from moot.debate.protocol import registry as protocols
from moot.models.prices import Price
from moot.models.tables import load_model_with
from moot.parsing.apart import APART, check_kinds, settle_question
from moot.studies.estimate import Bound
from moot.studies.fitted import check_fitted
from moot.studies.lab import Lab
from moot.studies.packed_questions import Questions
from moot.studies.shots import ExampleLoader, FewShotExamples
from moot.studies.study import Study, overlay_of
from moot.studies.task import ReadyArm, Task

LETTERS_A_TOKEN = 4
TYPICAL_REPLY = 200
"""Tokens that a bound allows a reply without ``max_tokens``, where the model has no cap itself."""

JsonPiece = bytes | memoryview
_json = msgspec.json.Encoder(order="deterministic").encode


class Plan:
    """A study made ready: what is wrong with it is found before anything is called.

    Its questions are drawn, its prompts and its pools of examples are loaded, and each opening and
    each folder of evidence has been looked at.

    Args:
        study: as read.
        limit: the most questions of each dataset; None for no limit.
        questions: what is asked in place of the datasets' questions, by their labels.

    Attributes:
        study: as read.
        key: the run's id: the same study, questions, examples and prompts give the same one.
        size: how many debates there are.
        questions: the questions by the labels of their datasets.
        kinds: all kinds of them.
        models: the names of all models that speak in any arm, each once.
        arms: the arms with their protocols and prompts.
        limited: whether fewer questions can be run first, with ``--limit``.

    Raises:
        InputError: something in the study cannot be; the text names file, arm and setting.
    """

    limited = True

    def __init__(
        self,
        study: Study,
        *,
        limit: int | None = None,
        questions: Mapping[str, Questions] | None = None,
    ) -> None:
        if limit is not None and limit < 1:
            raise InputError(f"limit = {limit}: must be at least 1")
        self.study = study
        self.models = study.models_that_speak
        if questions is None:
            from moot.studies.drawn_questions import draw_questions  # all of datasets

            questions = {part.label: draw_questions(part, study, limit) for part in study.datasets}
        self.questions = questions
        self.kinds = set[Kind]().union(*(each.kinds for each in questions.values()))
        check_kinds(self.kinds, where=study.file)
        self.arms = [
            ReadyArm.prepare(arm, overlay_of(arm, study.folder, study.prompts))
            for arm in study.arms
        ]
        for arm in study.arms:
            asked = chain.from_iterable(self.questions.values())
            check_fitted(arm, asked, study.folder, where=self.where(arm))
            asked = chain.from_iterable(self.questions.values())
            check_key_settings(arm.protocol, arm.settings, asked, where=self.where(arm))
        self._check_features()
        self._examples = dict(self._load_examples())
        self.size = sum(map(len, questions.values())) * len(self.arms) * study.replicates
        self.key = self._key(limit)

    async def settle(self) -> None:
        """Check that every right answer can be read. Raises ``InputError`` naming the first."""
        for dataset, questions in self.questions.items():
            for question in questions if questions.kinds & APART else ():
                with place_errors(self.where(self.study.arms[0], dataset)):
                    await settle_question(question)

    @property
    def asked(self) -> list[str]:
        """The names of all that is called: models, and servers of tools."""
        features = (
            each
            for ready in self.arms
            for settings in ready.protocol.read(ready.arm.settings).every
            for each in settings.features
            if each.has("called")
        )
        further = (name for each in features for name in each.feature.called(each.own))
        return [*self.models, *dict.fromkeys(further)]

    def where(self, arm: Arm, dataset: str = "") -> str:
        """Return the place of an arm, and of a dataset in it, as error texts name it."""
        place = f", dataset {dataset!r}" if dataset else ""
        return f"{self.study.file}: arm {arm.name!r}{place}"

    def prices(self, lab: Lab) -> dict[str, Price]:
        """Return the stated prices by the names under which the models' calls go."""
        return lab.prices(self.study.prices, self.models, where=f"{self.study.file}: prices")

    def debates_at_once(self, lab: Lab) -> int:
        """Return how many debates run at once: as many as keep all models busy, or as stated."""
        models = map(lab.model, self.models)
        return self.study.at_once or sum(model.limits.concurrency for model in models)

    def count_calls(self, arm: Arm) -> tuple[int, int]:
        """Return the fewest and the most calls of one debate of an arm."""
        return protocols.get(arm.protocol).count(arm.settings)

    def sample(self, many: int, replicate: int = 0) -> Iterator[Task]:
        """Yield the debates of all arms on so many questions of every dataset, evenly spread."""
        number = 0
        for dataset, questions in self.questions.items():
            size = min(many, len(questions))
            for place in range(size):
                at = place * len(questions) // size
                for ready in self.arms:
                    yield self._ready_task(number, dataset, at, questions[at], ready, replicate)
                    number += 1

    def tasks(self) -> Iterator[Task]:
        """Yield every debate, all arms on a question before the next: shared draws meet early."""
        number = 0
        for replicate in range(self.study.replicates):
            for dataset, questions in self.questions.items():
                for place, question in enumerate(questions):
                    for ready in self.arms:
                        yield self._ready_task(number, dataset, place, question, ready, replicate)
                        number += 1

    def group_by_question(self) -> Iterator[list[Task]]:
        """Yield the debates of each question: all arms and replicates, numbered as in ``tasks``."""
        arms, whole = list(enumerate(self.arms)), self.size // self.study.replicates
        asked = (
            (dataset, at, each)
            for dataset, own in self.questions.items()
            for at, each in enumerate(own)
        )
        for number, (dataset, at, question) in enumerate(asked):
            yield [
                self._ready_task(start + place, dataset, at, question, ready, replicate)
                for replicate, start in enumerate(range(number * len(arms), self.size, whole))
                for place, ready in arms
            ]

    def _ready_task(
        self, number: int, dataset: str, at: int, question: Question, ready: ReadyArm, repeat: int
    ) -> Task:
        """Return one debate, with the examples that are shown in it."""
        shown = self._examples[dataset, ready.arm.name].before(question)
        neighbour = partial(self.questions[dataset].next_of_kind, at)
        return Task(number, dataset, question, *ready, shown, repeat, neighbour)

    def examples_of(self, dataset: str, arm: Arm) -> list[Any]:
        """Return all that makes the worked examples of an arm on a dataset what they are."""
        return self._examples[dataset, arm.name].content

    @property
    def sizes(self) -> Mapping[tuple[str, str], int]:
        """How many debates there are of each dataset and arm."""
        return {
            (dataset, arm.name): len(questions) * self.study.replicates
            for dataset, questions in self.questions.items()
            for arm in self.study.arms
        }

    def estimate_arms(
        self, lab: Lab, stated: Mapping[str, Price] | None = None
    ) -> dict[str, Bound]:
        """Return the most that each arm can take, by its name; no model is asked.

        Args:
            lab: has the models.
            stated: prices by the names under which the models' calls go; else the study's.

        Raises:
            InputError: there is no such model, or a price is of none that speaks.
        """
        models = {arm.name: self._load_models(lab, arm) for arm in self.study.arms}
        stated = self.prices(lab) if stated is None else stated
        return {
            arm.name: self._estimate_bound(lab, arm, models[arm.name], stated)
            for arm in self.study.arms
        }

    def _estimate_bound(
        self, lab: Lab, arm: Arm, models: list[Model], stated: Mapping[str, Price]
    ) -> Bound:
        least, calls = self.count_calls(arm)
        own = [TYPICAL_REPLY, *(most for each in models if (most := each.limits.reply))]
        reply = read_settings(arm.settings, CastSettings).max_tokens or max(own)
        debates = prompt = 0
        for many, letters in self.measure_questions(arm):
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
            cost=max_known([lab.find_price(each, stated)(size) for each in models]),
        )

    def measure_questions(self, arm: Arm) -> Iterator[tuple[int, int]]:
        """Yield an arm's number of debates and the letters of their questions, by dataset."""
        for dataset, questions in self.questions.items():
            letters = questions.letters
            for question in questions[:1]:  # its examples speak for those of the others
                shown = self._examples[dataset, arm.name].longest(question)
                letters += len(questions) * count_letters(shown)
            yield len(questions) * self.study.replicates, letters * self.study.replicates

    def _load_models(self, lab: Lab, arm: Arm) -> list[Model]:
        """Return every model that speaks in an arm. Raises ``InputError`` naming the arm."""
        with place_errors(self.where(arm)):
            return [lab.model(name) for name in models_in(arm.settings)]

    def _check_features(self) -> None:
        """Check the features of all arms, and that their protocols take the questions."""
        settings = [(each.protocol.read(each.arm.settings), each) for each in self.arms]
        check_together((whole, self.where(each.arm)) for whole, each in settings)
        for whole, (arm, protocol, *_) in settings:
            places = {self.where(arm, label): each for label, each in self.questions.items()}
            check_questions(whole, places, self.where(arm))
            if protocol.asks is None:
                continue
            for place, questions in places.items():
                for question in questions:
                    with place_errors(place):
                        protocol.asks(question)

    def _load_examples(self) -> Iterator[tuple[tuple[str, str], FewShotExamples]]:
        """Yield the worked examples of each dataset and arm."""
        shots = ExampleLoader(self.study.folder)
        for part in self.study.datasets:
            for arm in self.study.arms:
                yield (
                    (part.label, arm.name),
                    shots.load(
                        self.questions[part.label],
                        arm.settings,
                        dataset=part.name,
                        parameters=part.parameters,
                        label=part.label,
                        where=self.where(arm, part.label),
                    ),
                )
        shots.check_files()

    def _list_content(self, key_place: int) -> list[Any]:
        """Return the content of the features of each arm that has any; see ``Feature``."""
        every = (ready.protocol.read(ready.arm.settings) for ready in self.arms)
        return [found for each in every if (found := list_content(each, key_place))]

    def _name_described_models(self) -> dict[str, str]:
        """Return the models the study describes and uses, with the names their calls have."""
        tables = self.study.models
        used = sorted(tables.keys() & set(self.models))
        return {name: load_model_with(tables, name).name for name in used}

    def _key(self, limit: int | None) -> str:
        """Return a run's key: the study's name, and a hash of all that its results depend on.

        Budget and pace are not in it.
        """
        study, kinds = self.study, self.kinds
        prompts = [
            list(hash_packs(ready.protocol, ready.arm.settings, ready.overlay, kinds))
            for ready in self.arms
        ]
        shown = [served.content for served in self._examples.values()]
        setup: list[Any] = [study.arms, study.baseline, study.replicates, limit, prompts, shown]
        setup += self._list_content(1)
        setup += [described] if (described := self._name_described_models()) else []
        setup += self._list_content(LAST)
        digest = blake2b(digest_size=5)
        for piece in _encode_array(
            [
                [_json(study.datasets)],
                _encode_array(each.encoded for each in self.questions.values()),
                *([_json(each)] for each in setup),
            ]
        ):
            digest.update(piece)
        stem = "".join(c if c.isalnum() else "-" for c in study.name.lower()).strip("-") or "run"
        return f"{stem}-{digest.hexdigest()}"


def _encode_array(values: Iterable[Iterable[JsonPiece]]) -> Iterator[JsonPiece]:
    """Yield a JSON array of values in pieces, so that only one piece is in memory."""
    yield b"["
    for number, value in enumerate(values):
        if number:
            yield b","
        yield from value
    yield b"]"


def count_letters(shown: Iterable[Example]) -> int:
    """Return the number of letters of worked examples."""
    return sum(
        len(each.question.text) + len(each.question.context or "") + len(each.reason)
        for each in shown
    )


def max_known(costs: list[float | None]) -> float | None:
    """Return the largest cost; None where any is unknown."""
    return None if None in costs else max(cost for cost in costs if cost is not None)
