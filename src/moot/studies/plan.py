"""The plan of a run: a study made ready, its debates, and the most that they can take."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from hashlib import blake2b
from itertools import chain, product
from typing import Any

import msgspec

from moot.core.calls import Reply
from moot.core.errors import InputError, place_errors
from moot.core.ports import Model
from moot.core.questions import Kind, Question
from moot.core.stored import SequentialTerms
from moot.debate.debate_settings import (
    check_questions,
    check_together,
    describe_features,
    hash_packs,
    list_content,
)
from moot.debate.feature import LAST
from moot.models.prices import Price
from moot.models.tables import load_model_with
from moot.parsing.apart import APART, check_kinds, settle_question
from moot.studies.estimate import Bound
from moot.studies.fitted import check_fitted
from moot.studies.lab import Lab
from moot.studies.packed_questions import Questions
from moot.studies.study import Study, overlay_of
from moot.studies.task import Loaders, ReadyArm, Task

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
        arms: the arms with their settings and prompts.
        limited: whether fewer questions can be run first, with ``--limit``.
        sequential: what is kept of a study that ends by itself; None for one of fixed size.

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
        self.arms = [
            ReadyArm.prepare(arm, overlay_of(arm.prompts, study.folder, study.prompts))
            for arm in study.arms
        ]
        speak = (ready.settings.models for ready in self.arms)
        self.models = list(dict.fromkeys(chain.from_iterable(speak)))
        if questions is None:
            from moot.studies.drawn_questions import draw_questions  # all of datasets

            questions = {part.label: draw_questions(part, study, limit) for part in study.datasets}
        self.sequential: SequentialTerms | None = None
        if study.stop is not None:
            from moot.studies.sequential_terms import arrange_questions  # rarely needed

            questions, self.sequential = arrange_questions(study, questions)
        self.questions = questions
        self.kinds = set[Kind]().union(*(each.kinds for each in questions.values()))
        check_kinds(self.kinds, where=study.file)
        for ready in self.arms:
            self._check_arm(ready)
        self._check_features()
        self._loaded = self._load()
        self.size = sum(map(len, questions.values())) * len(self.arms) * study.replicates
        self.key = self._key(limit)

    async def settle(self) -> None:
        """Check that every right answer can be read. Raises ``InputError`` naming the first."""
        for dataset, questions in self.questions.items():
            for question in questions if questions.kinds & APART else ():
                with place_errors(self.where(self.arms[0], dataset)):
                    await settle_question(question)

    @property
    def described(self) -> list[str]:
        """Sentences on the features of its arms, such as the paper that they follow."""
        return describe_features(self.study.arms)

    @property
    def asked(self) -> list[str]:
        """The names of all that is called: models, and servers of tools."""
        features = (
            each
            for ready in self.arms
            for debate in ready.settings.every
            for each in debate.features
            if each.has("called")
        )
        further = (name for each in features for name in each.feature.called(each.own))
        return [*self.models, *dict.fromkeys(further)]

    def where(self, ready: ReadyArm, dataset: str = "") -> str:
        """Return the place of an arm, and of a dataset in it, as error texts name it."""
        place = f", dataset {dataset!r}" if dataset else ""
        return f"{self.study.file}: arm {ready.arm.name!r}{place}"

    def prices(self, lab: Lab) -> dict[str, Price]:
        """Return the stated prices by the names under which the models' calls go."""
        return lab.prices(self.study.prices, self.models, where=f"{self.study.file}: prices")

    def debates_at_once(self, lab: Lab) -> int:
        """Return how many debates run at once: as many as keep all models busy, or as stated."""
        models = map(lab.model, self.models)
        return self.study.at_once or sum(model.limits.concurrency for model in models)

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

    def list_tasks_on(self, dataset: str, at: int) -> list[Task]:
        """Return the debates of all arms and replicates on a question of a dataset; unnumbered."""
        question = self.questions[dataset][at]
        return [
            self._ready_task(0, dataset, at, question, ready, replicate)
            for replicate in range(self.study.replicates)
            for ready in self.arms
        ]

    def _ready_task(
        self, number: int, dataset: str, at: int, question: Question, ready: ReadyArm, repeat: int
    ) -> Task:
        """Return one debate, with what is loaded for it."""
        supplies = self._loaded[dataset, ready.arm.name]
        neighbour = partial(self.questions[dataset].next_of_kind, at)
        return Task(number, dataset, question, *ready, supplies, repeat, neighbour)

    def list_loaded(self, dataset: str, arm: str) -> list[Any]:
        """Return all that makes what is loaded for an arm on a dataset what it is."""
        return [part for each in self._loaded[dataset, arm].values() for part in each.content]

    @property
    def sizes(self) -> Mapping[tuple[str, str], int]:
        """How many debates there are of each dataset and arm."""
        return {
            (dataset, ready.arm.name): len(questions) * self.study.replicates
            for dataset, questions in self.questions.items()
            for ready in self.arms
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
        models = [self._load_models(lab, ready) for ready in self.arms]
        stated = self.prices(lab) if stated is None else stated
        return {
            ready.arm.name: self._estimate_bound(lab, ready, own, stated)
            for ready, own in zip(self.arms, models, strict=True)
        }

    def _estimate_bound(
        self, lab: Lab, ready: ReadyArm, models: list[Model], stated: Mapping[str, Price]
    ) -> Bound:
        least, calls = ready.calls
        own = [TYPICAL_REPLY, *(most for each in models if (most := each.limits.reply))]
        reply = ready.settings.agents.max_tokens or max(own)
        debates = prompt = 0
        for many, letters in self.measure_questions(ready.arm.name):
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

    def measure_questions(self, arm: str) -> Iterator[tuple[int, int]]:
        """Yield an arm's number of debates and the letters of their questions, by dataset."""
        for dataset, questions in self.questions.items():
            letters = questions.letters
            for question in questions[:1]:  # its examples speak for those of the others
                for each in self._loaded[dataset, arm].values():
                    letters += len(questions) * each.count_letters(question)
            yield len(questions) * self.study.replicates, letters * self.study.replicates

    def _load_models(self, lab: Lab, ready: ReadyArm) -> list[Model]:
        """Return every model that speaks in an arm. Raises ``InputError`` naming the arm."""
        with place_errors(self.where(ready)):
            return [lab.model(name) for name in ready.settings.models]

    def _check_arm(self, ready: ReadyArm) -> None:
        """Check what was fitted for an arm, and that it is shown no answer that is unknown."""
        where, settings = self.where(ready), ready.settings
        if settings.protocol.signal:
            asked = chain.from_iterable(self.questions.values())
            check_fitted(settings, asked, self.study.folder, where=where)
        for name in settings.key_settings[:1]:
            for question in chain.from_iterable(self.questions.values()):
                if not question.answers:
                    raise InputError(
                        f"{where}: setting {name}: it is for studies alone, since agents are shown "
                        f"what depends on the right answer; question {question.id!r} has no known "
                        "answer"
                    )

    def _check_features(self) -> None:
        """Check the features of all arms, and that their protocols take the questions."""
        check_together((each.settings, self.where(each)) for each in self.arms)
        for ready in self.arms:
            places = {self.where(ready, label): each for label, each in self.questions.items()}
            check_questions(ready.settings, places, self.where(ready))
            asks = ready.settings.protocol.asks
            for place, questions in places.items() if asks else ():
                for question in questions:
                    with place_errors(place):
                        asks(question)

    def _load(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Load the data of features for each dataset and arm, by a setting of each feature."""
        loaders = Loaders(self.study.folder)
        made = {
            (part.label, ready.arm.name): loaders.load(
                ready,
                self.questions[part.label],
                dataset=part.name,
                parameters=part.parameters,
                label=part.label,
                where=self.where(ready, part.label),
            )
            for part, ready in product(self.study.datasets, self.arms)
        }
        loaders.check()
        return made

    def _list_content(self, key_place: int) -> list[Any]:
        """Return the content of the features of each arm that has any; see ``Feature``."""
        every = (list_content(ready.settings, key_place) for ready in self.arms)
        return [found for found in every if found]

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
        prompts = [list(hash_packs(each.settings, each.overlay, kinds)) for each in self.arms]
        shown = [self.list_loaded(*place) for place in self._loaded]
        setup: list[Any] = [study.arms, study.baseline, study.replicates, limit, prompts, shown]
        setup += [study.stop] if study.stop is not None else []
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


def max_known(costs: list[float | None]) -> float | None:
    """Return the largest cost; None where any is unknown."""
    return None if None in costs else max(cost for cost in costs if cost is not None)
