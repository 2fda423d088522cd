"""Few-shot: worked examples stand before the question, where a style shows them.

Pools are loaded, and known to suffice, before anything is called; which examples stand before a
question is worked out when it is asked.
"""

# ruff: noqa: ARG002 -- hooks take what those of every feature take

from collections import defaultdict
from collections.abc import Mapping, Sequence
from os.path import isfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from moot.core.errors import InputError, MootError, place_errors
from moot.core.questions import Example, Question
from moot.debate.debate_settings import DebateSettings, read_own
from moot.debate.feature import FEW_SHOT, Environment, Feature
from moot.debate.hooks import Inner

if TYPE_CHECKING:
    from moot.debate.shown_examples import ShownExamples

CONVINCING = "convincing"
"""The setting of protocols that try agents on examples: how many of them each shall yield."""
TRIED = 4
"""Examples that are there to be tried for each that is wanted."""

HowChosen = Literal["seeded", "nearest", "explained"]
ExampleChoice = tuple[str | None, int, int, HowChosen]
"""File, seed, number of examples, and how they are chosen."""
Chosen = Mapping[ExampleChoice, Sequence[Example]]
"""The examples before one question, by what the settings of a debate say of them."""


class FewShotSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of worked examples."""

    shots: Annotated[
        int,
        Meta(
            ge=1,
            le=100,
            title="How many worked examples agents are shown",
            description="examples of a few-shot style",
        ),
    ] = 5
    examples: Annotated[
        str | None, Meta(description="file of examples; else the dataset's training part")
    ] = None
    choose: Annotated[
        Literal["seeded", "nearest"],
        Meta(title="How worked examples are chosen", description="how examples are chosen"),
    ] = "seeded"
    shots_as: Annotated[
        Literal["messages", "message"],
        Meta(
            title="How worked examples are shown",
            description="examples as messages of user and assistant, or all in one message",
        ),
    ] = "messages"


class FewShot(Feature):
    """Worked examples are shown, or tried."""

    names = ("shots", "examples", "choose", "shots_as")
    Settings = FewShotSettings
    seen_in = (CONVINCING,)
    key_place = 0

    def loader(self, folder: Path) -> "ExampleLoader":
        """Return the loader of the pools of a plan's debates, each once."""
        return ExampleLoader(folder)

    async def open(
        self, own: FewShotSettings, question: Question, environment: Environment
    ) -> Chosen:
        """Return the examples before the question; none where the debate is of no plan."""
        loaded = environment.supplies.get(self.names[0])
        return defaultdict(tuple) if loaded is None else loaded.choose(question)

    def inherit(self, state: Chosen | None, inner: Inner) -> Chosen | None:
        """Return the same examples. Raise ``InputError`` where only an inner debate shows them."""
        if state is None and find_choice(inner.settings):
            raise InputError(
                "style: a sub-debate shows worked examples, and none are loaded for its outer "
                "debate; set the style there"
            )
        return state

    def examples(self, state: Chosen, whole: DebateSettings) -> Sequence[Example]:
        """Return the examples of a debate, to show or to try."""
        choice = find_choice(whole)
        return () if choice is None else state[choice]


def find_choice(settings: DebateSettings) -> ExampleChoice | None:
    """Return which examples a debate shows or tries, its nodes apart; None where it does neither.

    Those that agents are tried on are the same for all questions, and have an explanation.
    """
    own, seed = read_own(FEATURE, settings.flat), settings.agents.seed
    if convincing := settings.flat.get(CONVINCING):
        return own.examples, seed, convincing * TRIED, "explained"
    if any(style.startswith(FEW_SHOT) for style in settings.styles):
        return own.examples, seed, own.shots, own.choose
    return None


class LoadedExamples(NamedTuple):
    """The examples of all debates of one arm on one dataset.

    Attributes:
        shown: by what the settings of the arm, and of its nodes, say of examples.
    """

    shown: "Mapping[ExampleChoice, ShownExamples]"

    def choose(self, question: Question) -> Chosen:
        """Return the examples before one question."""
        return {choice: each.before(question) for choice, each in self.shown.items()}

    def count_letters(self, question: Question) -> int:
        """Return the number of letters of the most examples that stand before one question."""
        longest = max(self.choose(question).values(), key=len, default=())
        return sum(
            len(each.question.text) + len(each.question.context or "") + len(each.reason)
            for each in longest
        )

    @property
    def content(self) -> list[Any]:
        """All that, with the settings, makes the examples of each debate what they are."""
        return [each[:4] for each in self.shown.values()]


class ExampleLoader:
    """The examples of all debates of a study; each pool is loaded once.

    Args:
        folder: what the path of a file of examples is relative to.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pools: dict[tuple[object, ...], Sequence[Example]] = {}
        self._shown: dict[tuple[str, ExampleChoice], ShownExamples] = {}
        self._unseen: dict[str, str] = {}
        self._seen: set[str | None] = set()

    def load(
        self,
        questions: Sequence[Question],
        settings: DebateSettings,
        *,
        dataset: str,
        parameters: Mapping[str, Any],
        label: str,
        where: str,
    ) -> LoadedExamples:
        """Load and check what the debates of an arm show before these questions.

        Args:
            questions: all that are asked of a dataset.
            settings: every setting in force, those of the nodes of a network included.
            dataset: its registered name.
            parameters: the dataset's own.
            label: what the study calls it.
            where: for error texts.

        Raises:
            InputError: a file is missing or damaged, there are too few examples for a question, or
                the embedding model is not installed; the text names the setting.
        """
        shown = {}
        for place, own in settings.walk(where):
            if (choice := find_choice(own)) is None:
                if (file := own["examples"]) is not None:
                    self._unseen.setdefault(file, place)
                continue
            file, seed, shots, how = choice
            from moot.debate.shown_examples import ShownExamples, load_pool  # of datasets

            self._seen.add(file)
            if (key := (label, choice)) not in self._shown:
                with place_errors(
                    f"{place}: examples{'' if file is None else f' = {file!r}'}", MootError
                ):
                    if (pooled := (label, file, seed)) not in self._pools:
                        self._pools[pooled] = load_pool(
                            dataset,
                            file=None if file is None else self._folder / file,
                            seed=seed,
                            parameters=parameters,
                            without=questions,
                        )
                made = ShownExamples(self._pools[pooled], shots, how, seed, {})
                made.check(questions, place)
                self._shown[key] = made
            shown[choice] = self._shown[key]
        return LoadedExamples(shown)

    def check(self) -> None:
        """Raise ``InputError`` for a file of examples that no agent is shown."""
        for file, where in self._unseen.items():
            place = f"{where}: examples = {file!r}"
            if not isfile(self._folder / file):  # noqa: PTH113 - false for a name that no file can have
                raise InputError(f"{place}: there is no such file")
            if file not in self._seen:
                raise InputError(
                    f"{place}: examples are shown by the styles few-shot and few-shot-cot; set one "
                    "of them as style"
                )


FEATURE = FewShot()
