"""Worked examples for the few-shot styles: where they come from, and which are shown.

Pools are loaded, and known to suffice, before anything is called; which examples stand before a
question is worked out when it is asked.
"""

from collections.abc import Mapping, Sequence
from os.path import isfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from moot.core.errors import InputError, MootError, place_errors
from moot.core.questions import Example, Question
from moot.debate.context import Examples
from moot.debate.debate_settings import DebateSettings

if TYPE_CHECKING:
    from moot.studies.shown_examples import ShownExamples

FEW_SHOT = "few-shot"
"""What the names of styles that show examples begin with."""
CONVINCING = "convincing"
"""The setting of protocols that try agents on examples: how many of them each shall yield."""
TRIED = 4
"""Examples that are there to be tried for each that is wanted."""


HowChosen = Literal["seeded", "nearest", "explained"]
ExampleChoice = tuple[str | None, int, int, HowChosen]
"""File, seed, number of examples, and how they are chosen."""


def needs_examples(settings: DebateSettings) -> bool:
    """Return whether a debate needs worked examples, to show or to try; its nodes do not count."""
    few_shot = any(style.startswith(FEW_SHOT) for style in settings.styles)
    return few_shot or bool(settings.flat.get(CONVINCING))


def example_choice(settings: DebateSettings) -> ExampleChoice:
    """Return where the examples of a debate come from: file, seed, how many, and how chosen.

    Those that agents are tried on are the same for all questions, and have an explanation.
    """
    file, seed = settings["examples"], settings.agents.seed
    if convincing := settings.flat.get(CONVINCING):
        return file, seed, convincing * TRIED, "explained"
    return file, seed, settings["shots"], settings["choose"]


class FewShotExamples:
    """The examples of all debates of one arm on one dataset: each has those of its own settings.

    Args:
        shown: by what the settings say of examples.
        settings: every setting in force in the arm.
    """

    def __init__(
        self, shown: "Mapping[ExampleChoice, ShownExamples]", settings: DebateSettings
    ) -> None:
        self._shown = shown
        self._debates = [settings, *settings.nodes]

    def before(self, question: Question) -> Examples:
        """Return a function from a debate's settings to the examples shown before a question."""

        def examples(settings: DebateSettings) -> tuple[Example, ...]:
            if not needs_examples(settings):
                return ()
            return self._shown[example_choice(settings)].before(question)

        return examples

    def longest(self, question: Question) -> Sequence[Example]:
        """Return the most examples that a debate shows before one question."""
        examples = self.before(question)
        return max(map(examples, self._debates), key=len)

    @property
    def content(self) -> list[Any]:
        """All that, with the settings, makes the examples of each debate what they are."""
        return [each[:4] for each in self._shown.values()]


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
    ) -> FewShotExamples:
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
            file = own["examples"]
            if not needs_examples(own):
                if file is not None:
                    self._unseen.setdefault(file, place)
                continue
            from moot.studies.shown_examples import ShownExamples, load_pool  # of datasets

            self._seen.add(file)
            key = (label, example_choice(own))
            if key not in self._shown:
                with place_errors(
                    f"{place}: examples{'' if file is None else f' = {file!r}'}", MootError
                ):
                    if (pooled := (label, file, own["seed"])) not in self._pools:
                        self._pools[pooled] = load_pool(
                            dataset,
                            file=None if file is None else self._folder / file,
                            seed=own["seed"],
                            parameters=parameters,
                            without=questions,
                        )
                pool = self._pools[pooled]
                _, seed, shots, how = example_choice(own)
                made = ShownExamples(pool, shots, how, seed, {})
                made.check(questions, place)
                self._shown[key] = made
            shown[example_choice(own)] = self._shown[key]
        return FewShotExamples(shown, settings)

    def check_files(self) -> None:
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
